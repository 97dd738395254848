"""Compiled blocks through ``play``: every law that was played reaches the ledger."""

import numpy as np
import pytest

from swapregret.actions.m_sets import MSets
from swapregret.actions.partitions import Partitions
from swapregret.actions.permutations import Permutations
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.environments.iid import iid
from swapregret.learners.engines.find import find_engine
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.play import play

TREES = SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)])
WINDOWS = Schedule([2, 10, 50])
PLAYERS = [
    swap_combcp(MSets(6, 2), 300, preset="paper"),
    swap_combcp(Permutations(3), 300, preset="multiscale", schedule=WINDOWS),
    swap_combcp(Partitions(4, 3), 300, preset="multiscale", schedule=WINDOWS),
    swap_combcp(TREES, 300, preset="multiscale", schedule=WINDOWS, variants=2),
    swap_comband(TREES, 300, preset="multiscale", schedule=WINDOWS),
]


@pytest.mark.parametrize(
    "player", PLAYERS, ids=lambda player: f"{type(player.learners[0]).__name__} {player.actions!r}"
)
def test_the_ledger_of_blocks_is_that_of_steps(player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards are the same to the last bit, ledgers but for the order of sums."""
    world = iid(player.actions, 300, rng=0)
    assert find_engine(player) is not None
    monkeypatch.setattr("swapregret.course._BLOCK", 128)
    blocks = play(player, world, rng=1)
    monkeypatch.setattr("swapregret.course.find_engine", lambda *_, **__: None)
    steps = play(player, world, rng=1)
    assert blocks.reward == steps.reward
    assert blocks.swap_regret.value == pytest.approx(steps.swap_regret.value, abs=1e-9)
    assert blocks.ledgers[0].n_days == steps.ledgers[0].n_days == 300
    assert np.array_equal(blocks.ledgers[0].rows.keys, steps.ledgers[0].rows.keys)
