"""Uniform play: learns nothing, and is hard to beat where nothing can be learnt."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Vector, as_integer
from swapregret.boundary import refuses
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["UniformPlayer", "uniform"]


@dataclass(frozen=True)
class UniformPlayer:
    """Play the same law every day. Its state is the number of days seen."""

    actions: ActionSet
    feedback: Feedback = "bandit"

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def _law(self) -> Policy:
        return self.actions.exploration_policy()

    def start(self, rng: np.random.Generator) -> int:
        """Return day 0."""
        return 0

    def policy(self, state: int) -> Policy:
        """Return the uniform law, or the set's best exploration law where no exact uniform one exists."""
        return self._law

    def observe(self, state: int, decision: Decision, reward: float | Vector | None) -> int:
        """Count the day."""
        return state + 1

    def dump(self, state: int) -> Arrays:
        """Write the day."""
        return {"day": np.array(state)}

    def load(self, arrays: Arrays) -> int:
        """Read the day."""
        return int(arrays["day"])


@refuses
def uniform(actions: ActionSet, horizon: int | None = None) -> UniformPlayer:
    """Return the player that never learns; the horizon is accepted and not needed.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> uniform(MSets(4, 2)).policy(0).marginals()
    array([0.5, 0.5, 0.5, 0.5])
    """
    if horizon is not None:
        as_integer(horizon, "horizon", 1)
    return UniformPlayer(actions)
