"""Two campaigns on one page: the scenes both have, what changed, and how sure that is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from swapregret.errors import InvalidInput
from swapregret.experiments.report.compare import compare
from swapregret.experiments.report.model import Ends, Origin, PlayerRuns, Scene
from swapregret.experiments.report.page import render_page

BEFORE = Ends(np.arange(3), np.array([0.5, 0.6, 0.7]), np.array([0.1, 0.2, 0.3]))
AFTER = Ends(np.arange(3), np.array([0.6, 0.7, 0.8]) + 0.001 * np.arange(3), np.array([0.1, 0.2, 0.3]))


def scene(ends: Ends, environment: str = "iid") -> Scene:
    """Return a scene with one player."""
    return Scene("6 choose 2", environment, 100, 6, 2, 15, (), (PlayerRuns("ours", 3, ends=ends),))


def test_scenes_of_both_have_the_players_of_both() -> None:
    """Players carry the name of their campaign; scenes of one alone are named."""
    made = compare(
        [scene(BEFORE), scene(BEFORE, "old")], [scene(AFTER), scene(AFTER, "new")], ("x", "y"), is_paired=True
    )
    assert [[runs.name for runs in each.players] for each in made.scenes] == [["ours (x)", "ours (y)"]]
    assert made.alone == (("6 choose 2 · old · T = 100",), ("6 choose 2 · new · T = 100",))
    assert "Only in y: 6 choose 2 · new" in made.section()


def test_paired_changes_are_sharper_than_independent_ones() -> None:
    """With one seed the shared luck cancels; with two the interval is Welch's."""
    change = compare([scene(BEFORE)], [scene(AFTER)], ("x", "y"), is_paired=True).changes[0]
    assert change.reward is not None
    assert change.swap is not None
    assert change.reward.is_clear
    assert (change.swap.value, change.swap.low, change.swap.high) == (0.0, 0.0, 0.0)
    loose = compare([scene(BEFORE)], [scene(AFTER)], ("x", "y"), is_paired=False).changes[0].reward
    expected = ttest_ind(AFTER.reward, BEFORE.reward, equal_var=False).confidence_interval(0.95)
    assert loose is not None
    assert (loose.low, loose.high) == pytest.approx((expected.low, expected.high))
    assert not loose.is_clear


def test_the_page_says_what_became_better(origin: Origin) -> None:
    """More reward is better, the same regret is the same, and more regret is worse."""
    worse = replace(AFTER, swap=BEFORE.swap + np.array([0.1, 0.1, 0.101]))
    page = compare([scene(BEFORE)], [scene(worse)], ("x", "y"), is_paired=True).section()
    assert "▲ +0.1010" in page
    assert "▼ +0.1003" in page
    same = compare([scene(BEFORE)], [scene(AFTER)], ("x", "y"), is_paired=True)
    assert "the same in 1 of 1 comparisons" in same.section()
    whole = render_page(same.scenes, origin, comparison=same, others=[replace(origin, name="other")])
    assert "What changed from x to y" in whole
    assert "Make other again" in whole


@pytest.mark.parametrize("is_paired", [True, False])
def test_rounding_is_no_change(is_paired: bool) -> None:
    """What differs in its last bits is the same: neither better nor worse, with and without a spread of its own."""
    fixed = replace(BEFORE, reward=np.full(3, 0.3), swap=np.full(3, 0.1))
    rounded = replace(fixed, reward=fixed.reward + np.array([0.0, 1e-16, 0.0]), swap=fixed.swap - 6e-17)
    assert not np.array_equal(rounded.reward, fixed.reward)
    assert not np.array_equal(rounded.swap, fixed.swap)
    page = compare([scene(fixed)], [scene(rounded)], ("x", "y"), is_paired=is_paired).section()
    assert page.count("the same in 1 of 1 comparisons") == 2


def test_campaigns_without_a_common_scene_are_refused() -> None:
    """There is nothing to compare, and the sentence says what to do."""
    with pytest.raises(InvalidInput, match="scene in common"):
        compare([scene(BEFORE)], [scene(AFTER, "other")], ("x", "y"), is_paired=True)
