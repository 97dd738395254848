"""Two campaigns on one page: what was set differently, the cases both have, what changed, and how sure that is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from swapregret.errors import InvalidInput
from swapregret.experiments.report.compare import Comparison, compare
from swapregret.experiments.report.model import Case, Curve, Ends, Origin, PlayerRuns
from swapregret.experiments.report.page import render_page

BEFORE = Ends(np.arange(3), np.array([0.5, 0.6, 0.7]), np.array([0.1, 0.2, 0.3]))
AFTER = Ends(np.arange(3), np.array([0.6, 0.7, 0.8]) + 0.001 * np.arange(3), np.array([0.1, 0.2, 0.3]))


def flat(value: float) -> Curve:
    """Return a curve of one day."""
    return Curve(np.array([100]), np.array([value]), np.array([np.nan]), np.array([np.nan]))


def case(ends: Ends, environment: str = "iid") -> Case:
    """Return a case with one player, whose swap regret as the tables have it is half of its runs' own."""
    ours = PlayerRuns("ours", 3, swap=flat(ends.swap.mean() / 2), reward=flat(ends.reward.mean()), ends=ends)
    return Case("6 choose 2", environment, 100, 6, 2, 15, (), (ours,))


def origin(seed: str, **settings: object) -> Origin:
    """Return where a campaign comes from."""
    return Origin("by hand", "", {"seed": seed, "host": seed}, 3, 3, {}, settings)


def compared(before: Ends, after: Ends, *, is_paired: bool = True) -> Comparison:
    """Compare two campaigns of one case."""
    second = origin("1" if is_paired else "2")
    return compare(([case(before)], origin("1")), ([case(after)], second), ("x", "y"))


def test_cases_of_both_have_the_players_of_both() -> None:
    """Players carry the name of their campaign; cases of one alone are named."""
    first, second = [case(BEFORE), case(BEFORE, "old")], [case(AFTER), case(AFTER, "new")]
    made = compare((first, origin("1")), (second, origin("1")), ("x", "y"))
    assert [[runs.name for runs in each.players] for each in made.cases] == [["ours (x)", "ours (y)"]]
    assert made.alone == (("6 choose 2 · old · T = 100",), ("6 choose 2 · new · T = 100",))
    assert "Only in y: 6 choose 2 · new" in made.sections()[0]


def test_what_was_set_differently_comes_first() -> None:
    """Every setting that differs is named with both values, at its place; what is alike, and the machine, is not."""
    first = origin("1", replications=3, players={"a": {"kind": "swap_combcp", "parameters": {"exploration": 0.1}}})
    second = origin(
        "2",
        replications=3,
        players={"a": {"kind": "swap_combcp", "parameters": {}}, "b": {"kind": "uniform", "parameters": {"x": 2}}},
    )
    made = compare(([case(BEFORE)], first), ([case(AFTER)], second), ("x", "y"))
    assert made.settings == (
        ("seed", "1", "2"),
        ("players · a · parameters · exploration", "0.1", "–"),
        ("players · b", "–", "uniform, x = 2"),
    )
    assert "All settings are the same." in compared(BEFORE, AFTER).sections()[0]


def test_paired_changes_are_sharper_than_independent_ones() -> None:
    """With one seed the shared luck cancels; with two the interval is Welch's."""
    change = compared(BEFORE, AFTER).changes[0].gaps
    assert change["reward"] is not None
    assert change["swap"] is not None
    assert (change["reward"].mark, change["swap"].mark) == ("▲", "=")
    loose = compared(BEFORE, AFTER, is_paired=False).changes[0].gaps["reward"]
    expected = ttest_ind(AFTER.reward, BEFORE.reward, equal_var=False).confidence_interval(0.95)
    assert loose is not None
    assert (loose.by_run.low, loose.by_run.high) == pytest.approx((expected.low, expected.high))
    assert loose.mark == "≈"


def test_the_page_says_what_became_better() -> None:
    """More reward is better, the same regret is the same, more regret is worse; numbers are those of the tables."""
    worse = replace(AFTER, swap=BEFORE.swap + np.array([0.1, 0.1, 0.101]))
    page = compared(BEFORE, worse).sections()[1]
    assert "▲ +0.1010" in page
    assert "▼ +0.0502" in page
    assert "better by -0.1003, 95 % interval" in page
    same = compared(BEFORE, AFTER)
    assert "the same in 1 of 1 comparisons" in same.sections()[1]
    whole = render_page(same.cases, origin("1"), comparison=same, others=[replace(origin("1"), name="other")])
    assert whole.index("What was set differently") < whole.index("What changed from x to y")
    assert "Make other again" in whole


@pytest.mark.parametrize("is_paired", [True, False])
def test_rounding_is_no_change(is_paired: bool) -> None:
    """What differs in its last bits is the same: neither better nor worse, with and without a spread of its own."""
    fixed = replace(BEFORE, reward=np.full(3, 0.3), swap=np.full(3, 0.1))
    rounded = replace(fixed, reward=fixed.reward + np.array([0.0, 1e-16, 0.0]), swap=fixed.swap - 6e-17)
    assert not np.array_equal(rounded.reward, fixed.reward)
    assert not np.array_equal(rounded.swap, fixed.swap)
    page = compared(fixed, rounded, is_paired=is_paired).sections()[1]
    assert page.count("the same in 1 of 1 comparisons") == 2


def test_campaigns_without_a_common_case_are_refused() -> None:
    """There is nothing to compare, and the sentence says what to do."""
    with pytest.raises(InvalidInput, match="case in common"):
        compare(([case(BEFORE)], origin("1")), ([case(AFTER, "other")], origin("1")), ("x", "y"))
