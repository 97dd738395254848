"""Uniform play: learns nothing, and is hard to beat where nothing can be learnt."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.learners.player import Feedback
from swapregret.learners.round.daily import DERIVED, daily_state
from swapregret.learners.round.day import BANDIT, mix_slots
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.round.player import RunningPlayer
from swapregret.learners.round.running import Running
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

__all__ = ["UniformPlayer", "uniform"]


_FOREVER = 2**62


class UniformRule(NamedTuple):
    """What does not change; fields as of every rule (``learners.multiscale.phases``)."""

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats


@learn_day.of(UniformRule)
def learn_nothing(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Count what the day paid."""
    state.tally.earned[0] += reward
    return True


@end_windows.of(UniformRule)
def keep_playing(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play the exploration policy."""
    state.mix.weights[0] = 1.0
    mix_slots(family, rule, state)
    return PLAYED


@dataclass(frozen=True)
class UniformPlayer(RunningPlayer):
    """Play the same law every day: the uniform one, or the set's best exploration law where no exact uniform one exists."""

    actions: ActionSet
    feedback: Feedback = "bandit"

    def __post_init__(self) -> None:
        check_settings(self)

    @cached_property
    def mu(self) -> Policy:
        """The law."""
        return self.actions.exploration_policy()

    @cached_property
    def _family(self) -> Any:
        return self.actions.family(self.mu, has_moment=False)

    def _running(self, offset: int) -> Running:
        none = np.zeros(self.actions.dimension)
        rule = UniformRule(np.array([_FOREVER]), BANDIT, 0.0, False, none)
        return Running(self._called, rule, daily_state(self._called, 1, 1, none, none), DERIVED, self)


@refuses
def uniform(actions: ActionSet, horizon: int | None = None) -> UniformPlayer:
    """Return the player that never learns; the horizon is accepted and not needed.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> player = uniform(MSets(4, 2))
    >>> player.policy(player.start(np.random.default_rng(0))).marginals()
    array([0.5, 0.5, 0.5, 0.5])
    """
    if horizon is not None:
        as_integer(horizon, "horizon", 1)
    return UniformPlayer(actions)
