"""The driver of competitors that list all actions: a day is their own, all else is that of ``learners.round``."""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import room
from swapregret.arrays import Floats, as_integer
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.baselines.drivers.action_table import ActionTable, Cost, list_actions
from swapregret.learners.baselines.drivers.competitor import DERIVED, Competitor
from swapregret.learners.baselines.drivers.listed_steps import listed_shares
from swapregret.learners.baselines.drivers.table_family import TableFamily, table_family
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import PLAYED, Mix, Tally, empty_mix, empty_tally, mix_slots
from swapregret.learners.round.running import Running
from swapregret.learners.round.scale import Learners, start_learners
from swapregret.policy import Policy


class ListedState(NamedTuple):
    """What changes; ``own`` is what the competitor has learnt, the rest as of every state (``learners.round.day``)."""

    tally: Tally
    undo: Tally
    learners: Learners
    laws: Any
    mix: Mix
    own: Any


@kernel
def play_weights(family: Any, rule: Any, state: Any, weights: Floats) -> int:
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
    return PLAYED


@kernel
def play_agreement(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play the distribution that experts agree on."""
    return play_weights(family, rule, state, state.own.point)


@dataclass(frozen=True)
class ListedPlayer(Competitor):
    """A competitor that lists all actions.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        Where the algorithm needs none, only for the estimate of a refusal.
    feedback : {"bandit", "full"}
    limit : int, optional
        Most actions accepted.
    """

    actions: ActionSet
    horizon: int
    feedback: Feedback = field(default="bandit", kw_only=True)
    limit: int | None = field(default=None, kw_only=True)
    cost: ClassVar[Cost]

    @classmethod
    def size_of(cls, actions: ActionSet, horizon: int, limit: int | None) -> tuple[int, int]:
        """Return N and T, or refuse what is too large."""
        days = as_integer(horizon, "horizon", 1)
        return list_actions(actions, days, cls.cost, limit).n_actions, days

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
    def _own(self, n_actions: int) -> Any:
        """Return what is learnt, before day 0."""

    def _running(self, offset: int) -> Running:
        family, none = self._family, np.zeros(self.actions.dimension)
        state = ListedState(
            empty_tally(none.size, offset),
            empty_tally(none.size, 0),
            start_learners(0, none, none),
            room(family, 2, self.table.n_actions),
            empty_mix(2, none.size, 0),
            self._own(self.table.n_actions),
        )
        return Running(family, self._rule(none), state, DERIVED, self)

    def start(self, rng: np.random.Generator) -> Running:
        """Return the state before day 0; the offset of the windows and a ``seed`` are drawn where there are any."""
        running = super().start(rng)
        if "seed" in running.state.own._fields:
            running.state.own.seed[0] = rng.integers(2**63)
        return running
