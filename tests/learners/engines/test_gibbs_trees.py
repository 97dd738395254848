"""Compiled blocks of Swap-ComBand on spanning trees."""

from functools import partial

import numpy as np
import pytest

from swapregret.actions.forests import Forests
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.gibbs_trees import GibbsTreeEngine
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.presets import swap_comband
from swapregret.learners.schedule import Schedule

ENGINE = partial(GibbsTreeEngine, keeps_laws=True)
DAILY = Schedule([1, 5, 25])
BRIDGED = SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 1)])
COMPLETE = SpanningTrees([(i, j) for j in range(6) for i in range(j)])
APART = Forests([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], size=4)
multiscale = partial(swap_comband, preset="multiscale")


@pytest.mark.parametrize("actions", [BRIDGED, COMPLETE, APART], ids=repr)
@pytest.mark.parametrize("scale", [0.5, 3.0, 100.0])
def test_blocks_are_steps(agrees, actions, scale: float) -> None:
    """Spread laws, drawn by walks, and concentrated ones, drawn edge by edge: the same bits."""
    player = multiscale(actions, 100, schedule=DAILY, exploration=0.2, rate=AdaptiveRate(scale))
    agrees(ENGINE, player, 60, "constant")


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_blocks_are_steps_with_any_feedback(agrees, feedback: str) -> None:
    """All kinds of feedback, with laws kept a window."""
    agrees(ENGINE, multiscale(BRIDGED, 1000, schedule=Schedule([4, 16, 64]), feedback=feedback), 80)


def test_blocks_are_steps_with_the_papers_preset(agrees) -> None:
    """Scales with rates of their own, exploring on a spanner."""
    player = swap_comband(COMPLETE, 64, preset="paper")
    agrees(ENGINE, player, 40)
    assert isinstance(find_engine(player), GibbsTreeEngine)


def test_the_variance_is_that_of_the_list() -> None:
    """Var(M·v) without a list equals the sum over all trees."""
    law, rng = COMPLETE.gibbs(np.random.default_rng(0).normal(size=15)), np.random.default_rng(1)
    trees, weights = law.atoms, law.weights
    for _ in range(5):
        v = rng.normal(size=15)
        totals = trees @ v
        expected = weights @ totals**2 - (weights @ totals) ** 2
        assert law.variance(v) == pytest.approx(expected, rel=1e-10)
