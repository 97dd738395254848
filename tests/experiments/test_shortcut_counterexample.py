"""The counterexample as a measurement: CombEXP does not find the shortcut, Lazy-ComBCP does with constants that learn."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.errors import InvalidInput
from swapregret.experiments.shortcut_counterexample import PLAYERS, measure_counterexample


def test_combexp_misses_the_shortcut_and_lazy_combcp_finds_it() -> None:
    """At n = 10, T = 10⁴ the realised regret / T of CombEXP is at least .99, that of `combcp` at most .12.

    With the paper's constants Lazy-ComBCP explores the path and learns nothing from it: its regret is that of not exploiting.
    """
    table = measure_counterexample([10], replications=2, seed=1)
    combexp, ours, paper = table.rows
    assert [row.player for row in table.rows] == list(PLAYERS)
    assert paper.regret >= 0.98
    assert combexp.regret >= 0.99
    assert ours.regret <= 0.12


def test_rows_do_not_depend_on_what_else_is_asked() -> None:
    """A run is seeded by its DAG and its number: asking for more DAGs or runs changes none of them."""
    few = measure_counterexample([3], horizon=150, replications=2)
    many = measure_counterexample([2, 3], horizon=150, replications=3)
    assert few.rows[0].runs == many.rows[3].runs[:2]
    assert few.rows[1].runs == many.rows[4].runs[:2]


def test_intervals_and_promises() -> None:
    """The interval holds the mean, stays in [0, 1], and the promise is 1 − T/(2ⁿ+1) where that is positive."""
    table = measure_counterexample([2, 9], horizon=100, replications=3)
    for row in table.rows:
        assert 0.0 <= row.low <= row.regret <= row.high <= 1.0
        assert abs(row.regret - sum(row.runs) / 3) < 1e-12
    assert [row.promised for row in table.rows] == [0.0, None, None, 1 - 100 / 513, None, None]


def test_nothing_to_play_is_refused() -> None:
    """No DAG, or a DAG without layers, is refused."""
    for lengths in ([], [0]):
        with pytest.raises(InvalidInput):
            measure_counterexample(lengths)


def test_command_prints_a_table_json_and_a_figure(tmp_path: Path) -> None:
    """The command prints one line a DAG, the same numbers as JSON, and writes a page that needs nothing from outside."""
    page = tmp_path / "figure.html"
    options = ["counterexample", "--length", "3", "--horizon", "100", "--replications", "2", "--jobs", "1"]
    shown = CliRunner().invoke(app, [*options, "--html", str(page)])
    assert shown.exit_code == 0
    assert "CombEXP" in shown.stdout
    text = page.read_text(encoding="utf-8")
    assert text.count('class="plot"') == 1
    assert 'src="' not in text.split("plotly.js v")[0]
    printed = CliRunner().invoke(app, [*options, "--json"])
    rows = json.loads(printed.stdout)["rows"]
    assert [row["player"] for row in rows] == list(PLAYERS)
    assert rows[0]["n_paths"] == 9
