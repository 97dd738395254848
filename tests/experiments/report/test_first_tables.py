"""The table of a report: the best in bold, intervals, brackets, and which definition each number is."""

import re
from dataclasses import replace

import numpy as np
import pytest

from swapregret.experiments.report.first_tables import results_table
from swapregret.experiments.report.model import Case, Curve, Ends, PlayerRuns

NOT_MEASURED = ("reward per day", "µs per day")


def player(name: str, swap: float, low: float, high: float, **more: object) -> PlayerRuns:
    """Return a player with one measured day and two runs, which differ from each other by what another player's do."""
    one = np.array([100])
    ends = Ends(np.arange(2), np.array([np.nan, np.nan]), np.array([swap - 0.04, swap + 0.04]))
    curve = Curve(one, np.array([swap]), np.array([low]), np.array([high]))
    return replace(PlayerRuns(name, 4, swap=curve, definition="kind one", ends=ends), **more)


def case(*players: PlayerRuns, n_actions: int | None = 15) -> Case:
    """Return a case of these players."""
    return Case("6 choose 2", "iid", 100, 6, 2, n_actions, (), players)


def test_only_the_best_is_bold_and_only_close_ones_are_marked() -> None:
    """Of three, the lowest is bold; one that runs do not tell from it is marked, one that is always worse is neither."""
    close = Ends(np.arange(2), np.array([np.nan, np.nan]), np.array([0.05, 0.21]))
    players = player("a", 0.10, 0.08, 0.12), player("b", 0.13, 0.11, 0.15, ends=close), player("c", 0.30, 0.2, 0.4)
    page = results_table([case(*players)])
    assert re.findall(r"<b>([^<]+)</b>", page) == ["0.1000"]
    cells = dict(
        re.findall(r'"player"><span class="cell">(\w)</span></td>.*?data-low="[^"]+" data-high="[^"]+"(.*?)</td>', page)
    )
    assert ["≈" in cells[name] for name in "abc"] == [False, True, False]
    assert "[0.1100, 0.1500]" in cells["b"]


def test_text_is_to_the_left_and_numbers_to_the_right() -> None:
    """Every heading and cell of a column of numbers has the class that the page sets to the right, and no other."""
    page = results_table([case(player("a", 0.10, 0.08, 0.12))])
    names = re.findall(r'<th scope="col"( class="number")?>([^<]+)</th>', page)
    assert [name for kind, name in names if not kind] == [
        "set",
        "world",
        "player",
        "external regret per day",
        *NOT_MEASURED,
    ]
    assert re.findall(r'<td data-label="([^"]+)"', page) == [
        "world",
        "player",
        "external regret per day",
        *NOT_MEASURED,
    ]


def test_without_intervals_nothing_is_called_close() -> None:
    """Single runs have values and no interval, and no claim about who is near whom."""
    nothing = float("nan")
    alone = {"ends": Ends(np.arange(1), np.array([np.nan]), np.array([0.1]))}
    page = results_table(
        [case(player("a", 0.1, nothing, nothing, **alone), player("b", 0.11, nothing, nothing, **alone))]
    )
    assert "≈" not in page
    assert "interval" not in page


def test_one_definition_is_said_once_and_several_are_numbered() -> None:
    """Where all swap regrets are of one kind it is written below; where they differ each cell points to its own."""
    first, second = player("a", 0.1, 0.1, 0.1), player("b", 0.2, 0.2, 0.2)
    assert "as measured: kind one." in results_table([case(first, second)])
    page = results_table([case(first, replace(second, definition="kind <two>"))])
    assert re.findall(r"<sup>(\d)</sup>", page) == ["1", "2"]
    assert "<li>kind one</li><li>kind &lt;two&gt;</li>" in page


def test_a_bracket_is_shown_where_a_value_is_not_exact() -> None:
    """The certified ends stand behind the value."""
    page = results_table([case(player("a", 0.1, 0.1, 0.1, bracket=(0.05, 0.125)))])
    assert "certified 0.0500 to 0.1250" in page
    assert "certified" not in results_table([case(player("a", 0.1, 0.1, 0.1))])


def test_more_reward_and_less_time_are_better() -> None:
    """The best reward is the largest, the best time the smallest."""
    one = np.array([100])

    def flat(value: float) -> Curve:
        return Curve(one, np.array([value]), np.array([np.nan]), np.array([np.nan]))

    players = [
        PlayerRuns(name, 1, reward=flat(r), microseconds=flat(t)) for name, r, t in (("a", 0.4, 1500), ("b", 0.6, 7))
    ]
    page = results_table([case(*players)])
    assert re.findall(r"<b>([^<]+)</b>", page) == ["0.6000", "7"]
    assert ">1,500<" in page


@pytest.mark.parametrize(("count", "words"), [(15, "N = 15"), (10**400, "N = 10⁴⁰⁰"), (None, "m = 2)")])
def test_sets_of_any_size_are_counted(count: int | None, words: str) -> None:
    """Small numbers are exact, enormous ones an order, unknown ones left out."""
    assert words in results_table([case(player("a", 0.1, 0.1, 0.1), n_actions=count)])
