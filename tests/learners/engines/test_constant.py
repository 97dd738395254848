"""Compiled blocks of uniform play."""

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.paths.partitions import Partitions
from swapregret.compiled.vectors import action_total
from swapregret.learners.baselines.uniform import uniform
from swapregret.learners.engines.constant import ConstantEngine
from swapregret.learners.engines.find import is_whole


@pytest.mark.parametrize(("dimension", "size"), [(1, 1), (6, 2), (9, 9), (40, 11)])
def test_blocks_are_steps(dimension: int, size: int) -> None:
    """A block gives the rewards, the day and the generator that stepping gives, bit for bit."""
    player = uniform(MSets(dimension, size))
    rewards = 1.5 * np.random.default_rng(1).random((50, dimension)) / size
    rng, other = np.random.default_rng(7), np.random.default_rng(7)
    block = ConstantEngine(player, keeps_plays=True).run(3, rng, rewards)
    law = player.policy(0)
    plays = [law.sample(other) for _ in rewards]
    stepped = [min(max(action_total(row, action), 0.0), 1.0) for row, action in zip(rewards, plays, strict=True)]
    assert np.array_equal(block.plays, plays)
    assert block.received.tolist() == stepped
    assert block.state == 53
    assert list(block.laws) == [(0, law)]
    assert rng.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("actions", [Permutations(3), Partitions(4, 3), Explicit(np.eye(3, dtype=int))], ids=repr)
def test_blocks_are_steps_on_other_sets(agrees, actions) -> None:
    """Where the uniform law is not one of m-sets all draws of a block are made first: the same ones."""
    agrees(ConstantEngine, uniform(actions), 60)
    assert is_whole(ConstantEngine(uniform(actions)))
