"""Players whose law stays while nothing is paid: days drawn together are days stepped."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.engines.find import find_engine, is_whole
from swapregret.learners.engines.quiet import QuietEngine
from swapregret.learners.player import Decision

B = sr.baselines
EXPLICIT = sr.Explicit([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]])
LISTED = sr.Explicit(sr.MSets(14, 5).enumerate())
PLAYERS = [B.combexp(EXPLICIT, 100), B.combexp(sr.MSets(3, 3), 100, exploration=0.5), B.comband(LISTED, 100)]


@pytest.mark.parametrize("player", PLAYERS, ids=lambda each: f"{type(each).__name__} {each.actions!r}")
@pytest.mark.parametrize("share", [0.0, 0.9, 1.0])
def test_blocks_are_steps(player, share: float) -> None:
    """Whatever share of the days pays nothing, in blocks of unlike lengths: the same plays, rewards, laws, state, generator."""
    assert isinstance(find_engine(player), QuietEngine)
    assert not is_whole(find_engine(player))
    draws = np.random.default_rng(1)
    rewards = draws.random((60, player.actions.dimension)) / player.actions.size
    rewards[draws.random(60) < share] = 0.0
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    state, expected, laws = player.start(rng), player.start(other), []
    for first, last in ((0, 1), (1, 17), (17, 60)):
        block = QuietEngine(player).run(state, rng, rewards[first:last])
        state, marginals = block.state, np.zeros((last - first, player.actions.dimension))
        for start, law in block.laws:
            marginals[start:] = law.marginals()
        laws += list(zip(block.plays.tolist(), block.received.tolist(), marginals.tolist(), strict=True))
    for row, (play, received, marginals) in zip(rewards, laws, strict=True):
        law = player.policy(expected)
        action = law.sample(other)
        reward = float(np.cumsum(row * action)[-1])
        assert (play, received, marginals) == (action.tolist(), reward, law.marginals().tolist())
        expected = player.observe(expected, Decision(0, action, (), law), reward)
    assert rng.bit_generator.state == other.bit_generator.state
    for name, array in player.dump(expected).items():
        assert np.array_equal(player.dump(state)[name], array), name
