"""The driver of competitors that list all actions: a day is their own, all else is that of ``learners.round``."""

from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.family import room
from swapregret.arrays import Floats
from swapregret.compiled.kernel import phase
from swapregret.compiled.vectors import dot
from swapregret.learners.baselines.listed.family import TableFamily, table_family
from swapregret.learners.baselines.listed.steps import listed_shares
from swapregret.learners.baselines.listing import ActionTable, Cost, list_actions
from swapregret.learners.round.daily import DERIVED
from swapregret.learners.round.day import FEEDBACKS, Mix, Tally, empty_mix, empty_tally, mix_slots
from swapregret.learners.round.player import RunningPlayer
from swapregret.learners.round.running import Running
from swapregret.learners.round.scale import Learners, start_learners
from swapregret.policy import Policy

__all__ = ["ListedPlayer", "ListedState", "play_weights"]


class ListedState(NamedTuple):
    """What changes; ``own`` is what the competitor has learnt, the rest as of ``learners.round.daily``."""

    tally: Tally
    undo: Tally
    learners: Learners
    laws: Any
    mix: Mix
    own: Any


@phase
def play_weights(family: Any, rule: Any, state: Any, weights: Floats) -> None:
    """Play a weight for every action from now on."""
    mix, laws = state.mix, state.laws
    laws.chances[0] = listed_shares(weights)
    for i in range(mix.mean.size):
        mean = dot(family.columns[i], laws.chances[0])
        laws.marginals[0, i] = mean
        mix.mean[i] = mean
    mix.is_new[0] = 1
    if mix.weights[0] == 0.0:
        mix.weights[0] = 1.0
        mix_slots(family, rule, state)


class ListedPlayer(RunningPlayer):
    """A competitor that lists all actions."""

    actions: ActionSet
    horizon: Any
    limit: Any
    cost: ClassVar[Cost]

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, self.cost, self.limit)

    @property
    def mu(self) -> Policy:
        """The uniform law, which is not played."""
        return self.table.uniform

    @cached_property
    def _family(self) -> TableFamily:
        return table_family(self.actions, self.table.columns, self.table.words)

    @abstractmethod
    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> Any:
        """Return what does not change."""

    @abstractmethod
    def _own(self, n_actions: int) -> Any:
        """Return what is learnt, before day 0."""

    @property
    def _windows(self) -> tuple[int, ...]:
        """After how many days the policy may change."""
        return (1,)

    def _running(self, offset: int) -> Running:
        family, none = self._family, np.zeros(self.actions.dimension)
        rule = self._rule(np.array(self._windows, dtype=np.int64), FEEDBACKS[self.feedback], none)
        state = ListedState(
            empty_tally(none.size, offset),
            empty_tally(none.size, 0),
            start_learners(0, none, none),
            room(family, 2, self.table.n_actions),
            empty_mix(2, none.size, 0),
            self._own(self.table.n_actions),
        )
        return Running(family, rule, state, DERIVED, self)
