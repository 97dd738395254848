"""Compiled blocks of uniform play."""

import numpy as np
import pytest

from swapregret.actions.m_sets import MSets
from swapregret.actions.permutations import Permutations
from swapregret.kernels.vectors import action_total
from swapregret.learners.baselines.combcp import combcp
from swapregret.learners.baselines.uniform import uniform
from swapregret.learners.engines.constant import ConstantEngine


@pytest.mark.parametrize(("dimension", "size"), [(1, 1), (6, 2), (9, 9), (40, 11)])
def test_blocks_are_steps(dimension: int, size: int) -> None:
    """A block gives the rewards, the day and the generator that stepping gives, bit for bit."""
    player = uniform(MSets(dimension, size))
    rewards = 1.5 * np.random.default_rng(1).random((50, dimension)) / size
    rng, other = np.random.default_rng(7), np.random.default_rng(7)
    assert ConstantEngine.can_run(player)
    block = ConstantEngine(player).run(3, rng, rewards)
    law = player.policy(0)
    stepped = [min(max(action_total(row, law.sample(other)), 0.0), 1.0) for row in rewards]
    assert block.received.tolist() == stepped
    assert block.state == 53
    assert block.laws == ((0, law),)
    assert rng.bit_generator.state == other.bit_generator.state


def test_other_players_are_not_taken() -> None:
    """Uniform play on other sets, and players that learn, are left to others."""
    assert not ConstantEngine.can_run(uniform(Permutations(3)))
    assert not ConstantEngine.can_run(combcp(MSets(6, 2), 100))
