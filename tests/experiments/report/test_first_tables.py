"""The table of a report: the best in bold, intervals, brackets, and which definition each number is."""

import re
from dataclasses import replace

import numpy as np
import pytest

from swapregret.experiments.report.first_tables import results_table
from swapregret.experiments.report.model import Curve, PlayerRuns, Scene


def player(name: str, swap: float, low: float, high: float, **more: object) -> PlayerRuns:
    """Return a player with one measured day."""
    one = np.array([100])
    made = PlayerRuns(
        name, 4, swap=Curve(one, np.array([swap]), np.array([low]), np.array([high])), definition="kind one"
    )
    return replace(made, **more)


def scene(*players: PlayerRuns, n_actions: int | None = 15) -> Scene:
    """Return a scene of these players."""
    return Scene("6 choose 2", "iid", 100, 6, 2, n_actions, (), players)


def test_only_the_best_is_bold_and_only_close_ones_are_marked() -> None:
    """Of three, the lowest is bold, the one whose interval reaches its interval is marked, the far one is neither."""
    page = results_table(
        [scene(player("a", 0.10, 0.08, 0.12), player("b", 0.13, 0.11, 0.15), player("c", 0.30, 0.2, 0.4))]
    )
    assert re.findall(r"<b>([^<]+)</b>", page) == ["0.1000"]
    cells = dict(
        re.findall(
            r'"player"><span class="cell">(\w)</span></td>.*?data-low="[^"]+" data-high="[^"]+">(.*?)</td>', page
        )
    )
    assert ["≈" in cells[name] for name in "abc"] == [False, True, False]
    assert "[0.1100, 0.1500]" in cells["b"]


def test_without_intervals_nothing_is_called_close() -> None:
    """Single runs have values and no interval, and no claim about who is near whom."""
    nothing = float("nan")
    page = results_table([scene(player("a", 0.1, nothing, nothing), player("b", 0.11, nothing, nothing))])
    assert "≈" not in page
    assert "interval" not in page


def test_one_definition_is_said_once_and_several_are_numbered() -> None:
    """Where all swap regrets are of one kind it is written below; where they differ each cell points to its own."""
    first, second = player("a", 0.1, 0.1, 0.1), player("b", 0.2, 0.2, 0.2)
    assert "as measured: kind one." in results_table([scene(first, second)])
    page = results_table([scene(first, replace(second, definition="kind <two>"))])
    assert re.findall(r"<sup>(\d)</sup>", page) == ["1", "2"]
    assert "<li>kind one</li><li>kind &lt;two&gt;</li>" in page


def test_a_bracket_is_shown_where_a_value_is_not_exact() -> None:
    """The certified ends stand behind the value."""
    page = results_table([scene(player("a", 0.1, 0.1, 0.1, bracket=(0.05, 0.125)))])
    assert "certified 0.0500 to 0.1250" in page
    assert "certified" not in results_table([scene(player("a", 0.1, 0.1, 0.1))])


def test_more_reward_and_less_time_are_better() -> None:
    """The best reward is the largest, the best time the smallest."""
    one = np.array([100])

    def flat(value: float) -> Curve:
        return Curve(one, np.array([value]), np.array([np.nan]), np.array([np.nan]))

    players = [
        PlayerRuns(name, 1, reward=flat(r), microseconds=flat(t)) for name, r, t in (("a", 0.4, 1500), ("b", 0.6, 7))
    ]
    page = results_table([scene(*players)])
    assert re.findall(r"<b>([^<]+)</b>", page) == ["0.6000", "7"]
    assert ">1,500<" in page


@pytest.mark.parametrize(("count", "words"), [(15, "N = 15"), (10**400, "N = 10⁴⁰⁰"), (None, "m = 2)")])
def test_sets_of_any_size_are_counted(count: int | None, words: str) -> None:
    """Small numbers are exact, enormous ones an order, unknown ones left out."""
    assert words in results_table([scene(player("a", 0.1, 0.1, 0.1), n_actions=count)])
