"""``swapregret audit``: table, JSON, picture and error status."""

import json

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app

RUNNER = CliRunner()


@pytest.fixture(name="log")
def _log(tmp_path):
    path = tmp_path / "plays.csv"
    rows = ["a;b,0.4,0.2,0.231,0.0"] * 30 + ["c;d,0,0,.5,.5"] * 20
    path.write_text("action,reward:a,reward:b,reward:c,reward:d\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


SPEC = "msets 4 2 labels=a,b,c,d"


def test_the_table_reads_as_sentences(log) -> None:
    """The default output has the regrets, their definitions and the planted exchange in words."""
    result = RUNNER.invoke(app, ["audit", str(log), "--set", SPEC])
    assert result.exit_code == 0, result.output
    flat = " ".join(result.output.split())
    assert "when you chose {a, b}, {a, c} would have earned +0.031 per day" in flat
    assert "swap regret of realised play" in flat
    assert "exact" in flat


def test_json_has_every_number(log) -> None:
    """With --json the regrets come with bracket and definition, and the best swap function as a list."""
    result = RUNNER.invoke(app, ["audit", str(log), "--set", SPEC, "--json"])
    data = json.loads(result.output)
    assert data["swap_regret"]["value"] == pytest.approx(0.93)
    assert data["days"] == 50
    assert data["best_swap"][0]["better"] == ["a", "c"]
    assert set(data) >= {"external_regret", "internal_regret", "swap_regret", "dynamic_regret"}


def test_a_picture_is_written(log, tmp_path) -> None:
    """--picture writes a self-contained page."""
    target = tmp_path / "gains.html"
    result = RUNNER.invoke(app, ["audit", str(log), "--set", SPEC, "--picture", str(target), "--limit", "1"])
    assert result.exit_code == 0
    assert "{a, b}" in target.read_text(encoding="utf-8")
    assert "1 more actions" in result.output


@pytest.mark.parametrize("spec", ["msets 4 3", "nonsense", "msets 4"])
def test_errors_are_sentences_with_status_2(log, spec: str) -> None:
    """A set that does not fit the log, or is no set, ends with status 2 and no traceback."""
    result = RUNNER.invoke(app, ["audit", str(log), "--set", spec])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_costs_are_audited_as_costs(tmp_path) -> None:
    """With --cost-range the columns are costs, and the answer is what could have been saved."""
    path = tmp_path / "trips.csv"
    path.write_text("action,cost:a,cost:b,reward:x\n" + "a,30,20,1\n" * 4, encoding="utf-8")
    words = ["audit", str(path), "--set", "msets 2 1 labels=a,b", "--cost-range", "0", "45"]
    shown = " ".join(RUNNER.invoke(app, words).output.split())
    assert "cost 30 per day" in shown
    assert "{b} would have saved 10 per day (4 days, 40 in total)" in shown
    data = json.loads(RUNNER.invoke(app, [*words, "--json"]).output)
    assert data["cost_per_day"] == 30.0
    assert data["external_regret"]["value"] == 40.0
    refused = RUNNER.invoke(app, [*words[:-1], "25"])
    assert refused.exit_code == 2


LISTED = "round,action,probability,reward\n" + "".join(
    f"{day},a,.5,{0.75 if day % 2 else ''}\n{day},b,.5,{'' if day % 2 else 0.25}\n" for day in range(400)
)


def test_totals_are_audited_between_two_ends(tmp_path) -> None:
    """A log of totals with listed policies gives both ends, what they mean, and each window; JSON has the same numbers."""
    path = tmp_path / "totals.csv"
    path.write_text(LISTED, encoding="utf-8")
    words = ["audit", str(path), "--set", "msets 2 1 labels=a,b", "--window", "200", "--confidence", "0.9"]
    shown = " ".join(RUNNER.invoke(app, words).output.split())
    assert "400 days, reward 0.5 per day" in shown
    assert "with probability 0.9 or more" in shown
    assert "above the truth in expectation (Jensen)" in shown
    assert "external, window 1" in shown
    data = json.loads(RUNNER.invoke(app, [*words, "--json"]).output)
    assert set(data) == {"days", "reward_per_day", "external_regret", "swap_regret", "windows", "best_swap"}
    assert data["external_regret"]["lower"] < 100.0 == pytest.approx(data["external_regret"]["value"])
    assert len(data["windows"]) == 2
    wider = json.loads(RUNNER.invoke(app, [*words, "--reward-range", "0", "4", "--json"]).output)
    assert wider["external_regret"]["upper"] > data["external_regret"]["upper"]


def test_who_drew_a_log_may_be_declared(tmp_path) -> None:
    """A log that does not say who drew it is audited as the user declares; one that says so must not be told again."""
    path, spec = tmp_path / "bare.csv", ["--set", "msets 2 1 labels=a,b", "--policies", "uniform", "--json"]
    path.write_text("action,reward\n" + "a,1\nb,0\n" * 50, encoding="utf-8")
    found = json.loads(RUNNER.invoke(app, ["audit", str(path), *spec]).output)
    assert found["external_regret"]["value"] == pytest.approx(50.0)
    path.write_text(LISTED, encoding="utf-8")
    assert "must be given once" in RUNNER.invoke(app, ["audit", str(path), *spec]).output


def test_what_totals_cannot_give_is_refused(log, tmp_path) -> None:
    """A picture of exchanges, totals without policies, and a table without a set end with status 2 and what to do."""
    path = tmp_path / "totals.csv"
    path.write_text(LISTED, encoding="utf-8")
    bare = tmp_path / "bare.csv"
    bare.write_text("action,reward\na,1\nb,0\n", encoding="utf-8")
    spec = ["--set", "msets 2 1 labels=a,b"]
    for words, told in (
        ([str(path), *spec, "--picture", str(tmp_path / "x.html")], "Leave out `--picture`"),
        ([str(bare), *spec], "Add `policies`"),
        ([str(log)], "Add e.g. --set"),
    ):
        result = RUNNER.invoke(app, ["audit", *words])
        assert result.exit_code == 2
        assert told in " ".join(result.output.split())


def test_a_journal_is_audited_by_itself(tmp_path) -> None:
    """The journal of a session needs no set and no range; days without a reward are named."""
    path = tmp_path / "trips.journal"
    with sr.Session(sr.baselines.uniform(sr.MSets(3, 1)), rng=1, journal=path, cost_range=(0, 40)) as session:
        for day in range(300):
            decision = session.act()
            if day == 7:
                session.skip()
            else:
                session.observe(10.0 if decision.action[0] else 30.0)
    result = RUNNER.invoke(app, ["audit", str(path)])
    shown = " ".join(result.output.split())
    assert result.exit_code == 0, result.output
    assert "299 days, cost" in shown
    assert "1 days without a reward are left out" in shown
    assert "in units of costs" in shown
    assert RUNNER.invoke(app, ["audit", str(path), "--set", "msets 3 1"]).exit_code == 2
