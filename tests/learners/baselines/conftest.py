"""Helpers for traces: let a player observe days that were decided in advance."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from swapregret.learners.player import Decision, own_state


@pytest.fixture
def walk() -> Callable[..., list[Any]]:
    """Return a function that plays given actions and rewards and returns the states, the first one included."""

    def run(player: Any, actions: Sequence[Any], rewards: Sequence[Any], seed: int = 0) -> list[Any]:
        state = player.start(np.random.default_rng(seed))
        states = [state]
        for day, (action, reward) in enumerate(zip(actions, rewards, strict=True)):
            row = np.asarray(action, dtype=np.int64)
            state = player.observe(own_state(player, state), Decision(day, row, (), player.policy(state)), reward)
            states.append(state)
        return states

    return run


@pytest.fixture
def weights_of() -> Callable[..., np.ndarray]:
    """Return a function that reads the probabilities of a list of actions from a player's state."""

    def read(player: Any, state: Any, rows: Any) -> np.ndarray:
        policy = player.policy(state)
        return np.array([policy.probability(np.asarray(row, dtype=np.int64)) for row in rows])

    return read
