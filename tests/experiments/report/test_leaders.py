"""The summary of a report: the leader, the distance to the next, and how sure it is, paired by replication."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from swapregret.experiments.report.compare import difference
from swapregret.experiments.report.first_tables import leader, overall_leader, summary_section
from swapregret.experiments.report.model import Ends, PlayerRuns, Scene


def ends(reward: list[float], swap: list[float], first: int = 0) -> Ends:
    """Return ends of replications numbered from ``first``."""
    return Ends(np.arange(first, first + len(reward)), np.array(reward), np.array(swap))


def scene(label: str, **players: Ends) -> Scene:
    """Return a scene of these players."""
    runs = tuple(PlayerRuns(name, len(each.reward), ends=each) for name, each in players.items())
    return Scene(label, "iid", 100, 6, 2, 15, (), runs)


A = ends([0.50, 0.60, 0.70], [0.30, 0.31, 0.29])
B = ends([0.48, 0.57, 0.69], [0.10, 0.12, 0.11])


def test_a_difference_is_that_of_a_paired_test() -> None:
    """Mean and interval agree with SciPy's paired t-test; one replication has no interval."""
    found, expected = difference(A.reward, B.reward), ttest_rel(A.reward, B.reward).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.value == pytest.approx(0.02)
    assert found.is_clear == (expected.low > 0.0)
    single = difference(A.reward[:1], B.reward[:1])
    assert math.isnan(single.low)
    assert not single.is_clear


def test_reward_and_regret_have_their_own_leaders() -> None:
    """The largest mean reward and the smallest mean swap regret lead; the lead is never negative."""
    players = [("a", A), ("b", B)]
    most = leader(players, "reward")
    least = leader(players, "swap")
    assert most is not None
    assert least is not None
    assert (most.name, most.next_name, least.name, least.next_name) == ("a", "b", "b", "a")
    assert most.ahead is not None
    assert least.ahead is not None
    assert (most.ahead.value, least.ahead.value) == pytest.approx((0.02, 0.19))


def test_only_replications_of_both_are_paired() -> None:
    """A replication that one of two players lacks does not enter their difference."""
    late = ends([0.9, 0.57, 0.69], [0.1, 0.1, 0.1], first=0)
    shifted = ends([0.60, 0.70, 0.0], [0.2, 0.2, 0.2], first=1)
    found = leader([("a", late), ("b", shifted)], "reward")
    assert found is not None
    assert found.ahead is not None
    assert found.ahead.value == pytest.approx(np.mean([0.57 - 0.60, 0.69 - 0.70]))


def test_over_all_scenes_only_players_of_all_scenes_count() -> None:
    """The mean over scenes is taken replication by replication; a player that misses a scene is left out."""
    better = ends([0.9, 0.9, 0.9], [0.1, 0.1, 0.1])
    found = overall_leader([scene("x", a=A, b=B, c=better), scene("y", a=B, b=A)], "reward")
    assert found is not None
    assert found.value == pytest.approx((A.reward + B.reward).mean() / 2)
    assert {found.name, found.next_name} == {"a", "b"}


def test_the_summary_says_who_where_and_how_sure() -> None:
    """Two sentences and one row per scene; a difference that may be chance is marked."""
    wide = ends([0.50, 0.60, 0.72], [0.30, 0.31, 0.29])
    page = summary_section([scene("one", a=A, b=B), scene("two", a=wide, b=ends([0.6, 0.4, 0.7], [0.1, 0.1, 0.1]))])
    text = re.sub(r"<[^>]+>", "", page)
    assert "Earns most: a, with a mean reward of" in text
    assert "Regrets least: b, with a mean swap regret of" in text
    assert "It is first on 2 of 2 scenes, clearly on 0" in text
    assert "It is first on 2 of 2 scenes, clearly on 2" in text
    assert page.count("<tr>") == 1 + 2
    assert "≈" in text


def test_a_campaign_without_swap_regret_or_rivals_has_what_there_is() -> None:
    """What was not measured is left out, and a single player is not compared."""
    nothing = replace(A, swap=np.full(3, np.nan))
    page = summary_section([scene("one", a=nothing)])
    assert "Earns most" in page
    assert "Regrets least:" not in page
    assert "comes next" not in page
    assert summary_section([Scene("s", "e", 9, 3, 1, 3, (), (PlayerRuns("a", 1),))]) == ""
