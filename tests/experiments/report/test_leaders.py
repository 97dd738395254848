"""The summary of a report: the leader by the numbers of the table, the distance to the next, and how sure it is."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from swapregret.experiments.report.first_tables import leader, results_table, summary_section
from swapregret.experiments.report.gap import difference, gap
from swapregret.experiments.report.model import Case, Curve, Ends, PlayerRuns


def flat(value: float) -> Curve:
    """Return a curve of one day."""
    return Curve(np.array([100]), np.array([value]), np.array([np.nan]), np.array([np.nan]))


def player(name: str, reward: list[float], swap: list[float], first: int = 0) -> PlayerRuns:
    """Return a player of runs numbered from ``first``; its swap regret in the tables is .01 less than the mean of its runs."""
    ends = Ends(np.arange(first, first + len(reward)), np.array(reward), np.array(swap))
    curves = {"reward": flat(float(np.mean(reward))), "swap": flat(float(np.mean(swap)) - 0.01)}
    return PlayerRuns(name, len(reward), ends=ends, **curves)


def case(label: str, *players: PlayerRuns) -> Case:
    """Return a case of these players."""
    return Case(label, "iid", 100, 6, 2, 15, (), players)


A = player("a", [0.50, 0.60, 0.70], [0.30, 0.31, 0.29])
B = player("b", [0.48, 0.57, 0.69], [0.10, 0.12, 0.11])


def test_a_difference_is_that_of_a_paired_test() -> None:
    """Mean and interval agree with SciPy's paired t-test; one run has no interval."""
    assert A.ends is not None
    assert B.ends is not None
    found = difference(A.ends.reward, B.ends.reward)
    expected = ttest_rel(A.ends.reward, B.ends.reward).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.value == pytest.approx(0.02)
    assert found.is_clear == (expected.low > 0.0)
    single = difference(A.ends.reward[:1], B.ends.reward[:1])
    assert math.isnan(single.low)
    assert not single.is_clear


def test_reward_and_regret_have_their_own_leaders() -> None:
    """The largest reward and the smallest swap regret lead, by the numbers of the table; the lead is never negative."""
    most, least = leader(case("x", A, B), "reward"), leader(case("x", A, B), "swap")
    assert most is not None
    assert least is not None
    assert (most.name, most.next_name, least.name, least.next_name) == ("a", "b", "b", "a")
    assert (most.value, least.value) == pytest.approx((0.6, 0.10))
    assert most.ahead is not None
    assert least.ahead is not None
    assert (most.ahead.value, least.ahead.value) == pytest.approx((0.02, 0.19))


def test_summary_and_table_have_one_swap_regret() -> None:
    """The number of the table stands in the summary; the mean of the runs' own is in the table, in the words behind it."""
    cases = [case("x", A, B)]
    assert '<td class="number" data-label="swap regret" data-value="0.1"><span class="cell">0.1000' in summary_section(
        cases
    )
    (told,) = re.findall(r'data-value="0.1" title="([^"]+)"', results_table(cases))
    assert told == "each run with a best rule of its own, then the mean: 0.1100"


def test_only_runs_of_both_are_paired() -> None:
    """A run that one of two players lacks does not enter their difference run by run."""
    late = player("a", [0.9, 0.57, 0.69], [0.1, 0.1, 0.1])
    found = gap(late, player("b", [0.60, 0.70, 0.0], [0.2, 0.2, 0.2], first=1), "reward")
    assert found is not None
    assert found.by_run.value == pytest.approx(np.mean([0.57 - 0.60, 0.69 - 0.70]))


def test_a_gap_of_both_kinds_is_clear_only_where_they_agree() -> None:
    """Where the numbers of the tables and the runs point in different ways, nothing is told apart."""
    less = replace(B, swap=flat(0.5))
    assert [gap(one, A, "swap").mark for one in (B, less, A)] == ["▲", "≈", "="]  # type: ignore[union-attr]


def test_over_all_cases_only_players_of_all_cases_count() -> None:
    """The mean is over cases; a player that misses a case is left out."""
    better = player("c", [0.9, 0.9, 0.9], [0.1, 0.1, 0.1])
    text = re.sub(
        r"<[^>]+>", "", summary_section([case("x", A, B, better), case("y", B, replace(A, reward=flat(0.8)))])
    )
    assert f"Earns most: a, with a mean reward of {(0.6 + 0.8) / 2:.4f} per day over all 2 cases" in text


def test_the_summary_says_who_where_and_how_sure() -> None:
    """Two sentences and one row per case; a difference that may be chance is marked."""
    wide, far = player("a", [0.50, 0.60, 0.72], [0.30, 0.31, 0.29]), player("b", [0.6, 0.4, 0.7], [0.1, 0.1, 0.1])
    page = summary_section([case("one", A, B), case("two", wide, far)])
    text = re.sub(r"<[^>]+>", "", page)
    assert "Earns most: a, with a mean reward of" in text
    assert "Regrets least: b, with a mean swap regret of" in text
    assert "It is first in 2 of 2 cases, clearly in 0" in text
    assert "It is first in 2 of 2 cases, clearly in 2" in text
    assert page.count("<tr>") == 1 + 2
    assert "≈" in text


def test_a_campaign_without_swap_regret_or_rivals_has_what_there_is() -> None:
    """What was not measured is left out, and a single player is not compared."""
    page = summary_section([case("one", replace(A, swap=None))])
    assert "Earns most" in page
    assert "Regrets least:" not in page
    assert "comes next" not in page
    assert summary_section([Case("s", "e", 9, 3, 1, 3, (), (PlayerRuns("a", 1),))]) == ""
