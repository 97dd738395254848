"""``swapregret audit``: table, JSON, picture and error status."""

import json

import pytest
import typer
from typer.testing import CliRunner

from swapregret.cli.audit import audit

RUNNER = CliRunner()


@pytest.fixture(name="app")
def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(audit)
    return app


@pytest.fixture(name="log")
def _log(tmp_path):
    path = tmp_path / "plays.csv"
    rows = ["a;b,0.4,0.2,0.231,0.0"] * 30 + ["c;d,0,0,.5,.5"] * 20
    path.write_text("action,reward:a,reward:b,reward:c,reward:d\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


SPEC = "msets 4 2 labels=a,b,c,d"


def test_the_table_reads_as_sentences(app, log) -> None:
    """The default output has the regrets, their definitions and the planted exchange in words."""
    result = RUNNER.invoke(app, [str(log), "--set", SPEC])
    assert result.exit_code == 0, result.output
    flat = " ".join(result.output.split())
    assert "when you chose {a, b}, {a, c} would have earned +0.031 a day" in flat
    assert "swap regret of realised play" in flat
    assert "exact" in flat


def test_json_has_every_number(app, log) -> None:
    """With --json the regrets come with bracket and definition, and the best swap function as a list."""
    result = RUNNER.invoke(app, [str(log), "--set", SPEC, "--json"])
    data = json.loads(result.output)
    assert data["swap_regret"]["value"] == pytest.approx(0.93)
    assert data["days"] == 50
    assert data["best_swap"][0]["better"] == ["a", "c"]
    assert set(data) >= {"external_regret", "internal_regret", "swap_regret", "dynamic_regret"}


def test_a_picture_is_written(app, log, tmp_path) -> None:
    """--picture writes a self-contained page."""
    target = tmp_path / "gains.html"
    result = RUNNER.invoke(app, [str(log), "--set", SPEC, "--picture", str(target), "--limit", "1"])
    assert result.exit_code == 0
    assert "{a, b}" in target.read_text(encoding="utf-8")
    assert "1 more actions" in result.output


@pytest.mark.parametrize("spec", ["msets 4 3", "nonsense", "msets 4"])
def test_errors_are_sentences_with_status_2(app, log, spec: str) -> None:
    """A set that does not fit the log, or is no set, ends with status 2 and no traceback."""
    result = RUNNER.invoke(app, [str(log), "--set", spec])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_costs_are_audited_as_costs(app, tmp_path) -> None:
    """With --cost-range the columns are costs, and the answer is what could have been saved."""
    path = tmp_path / "trips.csv"
    path.write_text("action,cost:a,cost:b,reward:x\n" + "a,30,20,1\n" * 4, encoding="utf-8")
    words = [str(path), "--set", "msets 2 1 labels=a,b", "--cost-range", "0", "45"]
    shown = " ".join(RUNNER.invoke(app, words).output.split())
    assert "cost 30 per day" in shown
    assert "{b} would have saved 10 a day (4 days, 40 in total)" in shown
    data = json.loads(RUNNER.invoke(app, [*words, "--json"]).output)
    assert data["cost_per_day"] == 30.0
    assert data["external_regret"]["value"] == 40.0
    refused = RUNNER.invoke(app, [*words[:-1], "25"])
    assert refused.exit_code == 2
