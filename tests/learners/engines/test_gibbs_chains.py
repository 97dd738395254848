"""Compiled blocks of Swap-ComBand on m-sets and paths."""

from functools import partial

import pytest

import swapregret as sr
from swapregret.experiments.table1 import layered_dag
from swapregret.learners.engines.comband_chains import ComBandEngine
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.gibbs_chains import GibbsChainEngine

ENGINE = partial(GibbsChainEngine, keeps_laws=True)
SETS, PATHS = sr.MSets(6, 2), sr.environments.shortcut_dag(2, 10).actions
multiscale = partial(sr.swap_comband, preset="multiscale", schedule=sr.Schedule([2, 10, 50]))


@pytest.mark.parametrize("actions", [SETS, sr.MSets(12, 9), PATHS, sr.Partitions(4, 3)], ids=repr)
@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, actions, feedback: str, kind: str) -> None:
    """Spread and concentrated laws, with every kind of feedback: the same rewards, laws, states and generator."""
    player = multiscale(actions, 200, feedback=feedback)
    assert isinstance(find_engine(player), GibbsChainEngine)
    agrees(ENGINE, player, 110, kind)


@pytest.mark.parametrize("actions", [SETS, PATHS], ids=repr)
def test_blocks_are_steps_with_the_papers_preset(agrees, actions) -> None:
    """Scales with rates of their own, exploring on a spanner."""
    agrees(ENGINE, sr.swap_comband(actions, 64, preset="paper"), 40)


@pytest.mark.parametrize("exploration", [None, 0.0, 1.0])
@pytest.mark.parametrize("actions", [sr.MSets(14, 5), layered_dag(3, 7)], ids=repr)
def test_comband_without_a_list_is_stepped_comband(agrees, actions, exploration: float | None) -> None:
    """More than 2,000 actions: the Gibbs law of every day is made in the block, and Σ with it."""
    player = sr.baselines.comband(actions, 200, exploration=exploration)
    assert isinstance(find_engine(player), ComBandEngine)
    for kind in ("random", "constant"):
        agrees(partial(ComBandEngine, keeps_laws=True), player, 30, kind)
