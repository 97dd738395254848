"""The pages of an audit, of Table 1 and of the counterexample: what is drawn, and what is left out."""

import json
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.experiments.paper_table1 import Cell, Table1
from swapregret.experiments.report.small_pages import counterexample_page, gains_page, table1_page
from swapregret.experiments.shortcut_counterexample import Counterexample, CounterexampleRow


def panels_of(page: str) -> dict[str, Any]:
    """Return the figures that a page holds."""
    text = page.split('type="application/json">')[1].split("</script>")[0]
    return {key: each["choices"][0]["figure"] for key, each in json.loads(text)["cases"][0]["panels"].items()}


def test_the_page_shows_gains_and_counts_what_is_left_out() -> None:
    """Bars fall, are as many as the limit, labels are escaped, and the rest is counted."""
    actions = sr.MSets(5, 1, labels=["<a>", "b&c", "d", "e", "f"])
    rewards = np.random.default_rng(3).random((50, 5))
    plays = np.eye(5, dtype=int)[np.arange(50) % 5]
    swap = sr.audit(actions, plays, rewards).best_swap
    page = gains_page(swap, "a <title>", limit=3)
    bars = panels_of(page)["gains"]["data"][0]
    assert bars["x"] == sorted(bars["x"], reverse=True)
    assert len(bars["x"]) == 3
    assert "2 more actions" in page
    assert "<a>" not in page.split("plotly.js v")[0]
    assert "<title>a &lt;title&gt;" in page


def test_table1_draws_who_played_and_names_who_was_refused() -> None:
    """Zeros and refusals are left out of log–log figures; lines are told apart by colour and by dash."""
    cells = [
        Cell("sets", "small", 10, 5, 2, "a <b>", swap_regret=0.5, microseconds=3.0),
        Cell("sets", "large", 2 * 10**9, 9, 3, "a <b>", swap_regret=0.0, microseconds=4.0),
        Cell("sets", "small", 10, 5, 2, "c", swap_regret=0.25, microseconds=5.0),
        Cell("sets", "large", 2 * 10**9, 9, 3, "c", refused="too <long>"),
    ]
    page = table1_page(Table1("cyclic", 100, 1, 75.0, 0, tuple(cells)))
    drawn = panels_of(page)
    first, second = drawn["swap_regret0"]["data"]
    assert [first["name"], first["x"], first["y"], second["y"]] == ["a &lt;b&gt;", [10], [0.5], [0.25]]
    assert drawn["microseconds0"]["data"][0]["y"] == [3.0, 4.0]
    assert {axis["type"] for axis in (drawn["swap_regret0"]["layout"][name] for name in ("xaxis", "yaxis"))} == {"log"}
    assert first["line"]["color"] != second["line"]["color"]
    assert first["line"]["dash"] != second["line"]["dash"]
    assert "too &lt;long&gt;" in page
    assert "2·10⁹" in page


def test_the_counterexample_is_drawn_on_linear_axes_with_its_intervals() -> None:
    """Both players have a line over n, and a band from the lower to the upper end."""
    rows = [
        CounterexampleRow(n, 2**n + 1, name, 0.5, 0.25, 1.0, (0.5,), None) for name in ("CombEXP", "B") for n in (4, 6)
    ]
    drawn = panels_of(counterexample_page(Counterexample(10, 1, 0, tuple(rows))))["regret"]
    *bands, first, second = drawn["data"]
    assert [first["name"], second["name"], first["x"], first["y"]] == ["CombEXP", "B", [4, 6], [0.5, 0.5]]
    assert [sorted(set(band["y"])) for band in bands] == [[0.25, 1.0]] * 2
    assert "type" not in drawn["layout"]["xaxis"]
    assert "type" not in drawn["layout"]["yaxis"]
