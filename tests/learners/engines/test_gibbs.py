"""Compiled blocks of Swap-ComBand and ComBand by the Gibbs laws of m-sets, paths, trees and permutations."""

from functools import partial

import numpy as np
import pytest
from swapregret.learners.engines.gibbs import GibbsEngine

import swapregret as sr
from swapregret.experiments.table1 import layered_dag
from swapregret.learners.engines.comband_gibbs import ComBandEngine
from swapregret.learners.engines.find import find_engine
from swapregret.learners.lazy import AdaptiveRate

ENGINE = partial(GibbsEngine, keeps_laws=True)
SETS, PATHS, ORDERS = sr.MSets(6, 2), sr.environments.shortcut_dag(2, 10).actions, sr.Permutations(3)
BRIDGED = sr.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 1)])
COMPLETE = sr.SpanningTrees([(i, j) for j in range(6) for i in range(j)])
APART = sr.Forests([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], size=4)
MANY_TREES = sr.SpanningTrees([(i, j) for j in range(7) for i in range(j)])
multiscale = partial(sr.swap_comband, preset="multiscale", schedule=sr.Schedule([2, 10, 50]))


@pytest.mark.parametrize("actions", [SETS, sr.MSets(12, 9), PATHS, sr.Partitions(4, 3), ORDERS, BRIDGED], ids=repr)
@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, actions, feedback: str, kind: str) -> None:
    """Spread and concentrated laws, with every kind of feedback: the same rewards, laws, states and generator."""
    player = multiscale(actions, 200, feedback=feedback)
    assert isinstance(find_engine(player), GibbsEngine)
    agrees(ENGINE, player, 110, kind)


@pytest.mark.parametrize("actions", [BRIDGED, COMPLETE, APART, sr.Permutations(4)], ids=repr)
@pytest.mark.parametrize("scale", [0.5, 3.0, 100.0])
def test_blocks_are_steps_day_by_day(agrees, actions, scale: float) -> None:
    """Laws that change every day; trees are drawn by walks where they are spread, and edge by edge where not."""
    schedule = sr.Schedule([1, 5, 25])
    player = multiscale(actions, 100, schedule=schedule, exploration=0.2, rate=AdaptiveRate(scale))
    agrees(ENGINE, player, 60, "constant")


@pytest.mark.parametrize("actions", [SETS, PATHS, COMPLETE, ORDERS], ids=repr)
def test_blocks_are_steps_with_the_papers_preset(agrees, actions) -> None:
    """Scales with rates of their own, exploring on a spanner."""
    player = sr.swap_comband(actions, 64, preset="paper")
    assert isinstance(find_engine(player), GibbsEngine)
    agrees(ENGINE, player, 40)


@pytest.mark.parametrize("exploration", [None, 0.0, 1.0])
@pytest.mark.parametrize("actions", [sr.MSets(14, 5), layered_dag(3, 7), MANY_TREES, sr.Permutations(7)], ids=repr)
def test_comband_without_a_list_is_stepped_comband(agrees, actions, exploration: float | None) -> None:
    """More than 2,000 actions: the Gibbs law of every day is made in the block, and Σ with it."""
    player = sr.baselines.comband(actions, 200, exploration=exploration)
    assert isinstance(find_engine(player), ComBandEngine)
    for kind in ("random", "constant"):
        agrees(partial(ComBandEngine, keeps_laws=True), player, 30, kind)


def test_comband_may_explore_on_a_spanner(agrees) -> None:
    """An exploration law that is a list."""
    player = sr.baselines.comband(MANY_TREES, 200, exploration=0.3, exploration_law="spanner")
    assert isinstance(find_engine(player), ComBandEngine)
    agrees(partial(ComBandEngine, keeps_laws=True), player, 30)


def test_the_variance_is_that_of_the_list() -> None:
    """Var(M·v) without a list equals the sum over all trees."""
    law, rng = COMPLETE.gibbs(np.random.default_rng(0).normal(size=15)), np.random.default_rng(1)
    trees, weights = law.atoms, law.weights
    for _ in range(5):
        v = rng.normal(size=15)
        totals = trees @ v
        expected = weights @ totals**2 - (weights @ totals) ** 2
        assert law.variance(v) == pytest.approx(expected, rel=1e-10)
