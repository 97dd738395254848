"""One check for all engines: compiled blocks and days stepped one by one give the same bits."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from swapregret.compiled.vectors import action_total
from swapregret.learners.player import Decision


def _rewards(actions: Any, n_days: int, kind: str) -> np.ndarray:
    table = np.random.default_rng(7).random((n_days, actions.dimension)) / actions.size
    if kind == "constant":
        table[:] = actions.argmax(table[0]) / actions.size
    return table


def _stepped(
    player: Any, state: Any, rng: np.random.Generator, rewards: np.ndarray
) -> tuple[Any, list[float], list[Any]]:
    received, laws = [], []
    for row in rewards:
        law = player.policy(state)
        action = law.sample(rng)
        reward = min(max(action_total(row, action), 0.0), 1.0)
        seen: Any = {"bandit": reward, "semi-bandit": row * action, "full": row}[player.feedback]
        state = player.observe(state, Decision(0, action, (), law), seen)
        received.append(reward)
        laws.append(law)
    return state, received, laws


@pytest.fixture
def agrees() -> Callable[..., None]:
    """Play in blocks of unlike lengths and by steps; compare rewards, states, laws and generators."""

    def check(
        make_engine: Callable[[Any], Any], player: Any, n_days: int, kind: str = "random", has_laws: bool = True
    ) -> None:
        rewards = _rewards(player.actions, n_days, kind)
        rng, other = np.random.default_rng(3), np.random.default_rng(3)
        start, expected = player.start(rng), player.start(other)
        expected, received, laws = _stepped(player, expected, other, rewards)
        state, found, marginals = start, [], np.zeros((n_days, player.actions.dimension))
        cuts = [0, 1, n_days // 3, n_days]
        for first, last in pairwise(cuts):
            block = make_engine(player).run(state, rng, rewards[first:last])
            assert len(block.received) == last - first
            found += block.received.tolist()
            state = block.state
            for index, law in block.laws:
                marginals[first + index : last] = law.marginals()
        assert found == received
        assert rng.bit_generator.state == other.bit_generator.state
        mine, theirs = player.dump(state), player.dump(expected)
        for name, array in theirs.items():
            assert np.array_equal(mine[name], array), name
        if has_laws:
            assert np.array_equal(marginals, np.stack([law.marginals() for law in laws]))

    return check
