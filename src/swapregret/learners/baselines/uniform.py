"""Uniform play: learns nothing, and is hard to beat where nothing can be learnt."""

from dataclasses import dataclass
from functools import cached_property

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.arguments import Days
from swapregret.arrays import Floats, Integers
from swapregret.learners.baselines.drivers.competitor import OwnRule, PointPlayer, rule_class
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import PLAYED, State, end_windows, learn_day, mix_slots

UniformRule = rule_class(__name__, "UniformRule")


@learn_day.of(UniformRule)
def learn_nothing(rule: OwnRule, family: Family, state: State, action: Integers, seen: Floats, reward: float) -> None:
    """Count what the day paid."""
    state.tally.earned[0] += reward


@end_windows.of(UniformRule)
def keep_playing(rule: OwnRule, family: Family, state: State, n_ending: int) -> int:
    """Play the exploration policy."""
    state.mix.weights[0] = 1.0
    mix_slots(state)
    return PLAYED


@dataclass(frozen=True)
class UniformPlayer(PointPlayer):
    """Play the same policy every day: the uniform one, or the set's best exploration policy where no exact uniform one exists.

    Parameters
    ----------
    actions : ActionSet
    horizon : int, optional
        Not needed.

    Examples
    --------
    >>> import numpy as np
    >>> from swapregret import MSets
    >>> player = uniform(MSets(4, 2))
    >>> player.policy(player.start(np.random.default_rng(0))).marginals()
    array([0.5, 0.5, 0.5, 0.5])
    """

    actions: ActionSet
    horizon: Days | None = None
    feedback: Feedback = "bandit"
    rule_class = UniformRule
    _n_slots = 1  # of which the last is the exploration policy
    _windows = (2**62,)

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least: none, it learns nothing."""
        return 0

    @cached_property
    def _family(self) -> Family:
        return self.actions.family(self.mu, has_moment=False)


uniform = UniformPlayer
