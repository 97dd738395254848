"""The driver of competitors that list all actions: a day is their own, all else is that of ``learners.round``.

The list is a family, too: a policy is a weight for each of its actions.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Common, Explore
from swapregret.actions.policy_slots import Policies, empty_policies
from swapregret.arguments import Days
from swapregret.arrays import Floats, Words
from swapregret.compiled.bits import pack_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.baselines.drivers.action_table import Cost, list_actions
from swapregret.learners.baselines.drivers.competitor import DERIVED, Competitor
from swapregret.learners.baselines.drivers.listed_steps import listed_shares
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import PLAYED, Mix, Tally, begin_round, mix_slots
from swapregret.learners.round.running import Running
from swapregret.learners.round.scale import Learners, Rule, start_learners
from swapregret.learners.settings import Limit, check_settings
from swapregret.policy import FinitePolicy


class TableFamily(NamedTuple):
    """All N actions in canonical order: element by element in ``columns`` (d, N), packed in ``words``.

    The first fields are those of every family; the addresses are 0, for nothing is asked but the list of the policy that is played.
    """

    common: Common
    width: int
    handle: int
    draw_explore: int
    draw_table: int
    solve_mixture: int
    columns: Floats
    words: Words

    @property
    def hull(self) -> Any:
        """What there is behind it: no Python."""
        return SimpleNamespace(callbacks=(), data=None)

    def on(self, policies: Policies) -> "TableFamily":
        """Return the same: nothing is kept beside the policies."""
        return self


_Own = TypeVar("_Own")
"""What a competitor has learnt."""


class ListedState(NamedTuple, Generic[_Own]):
    """What changes; ``own`` is what the competitor has learnt, the rest as of every state (``learners.round.day``)."""

    tally: Tally
    undo: Tally
    learners: Learners
    policies: Policies
    mix: Mix
    own: _Own


class Agreed(Protocol):
    """What experts have learnt who agree on a distribution."""

    @property
    def point(self) -> Floats:
        """The distribution."""


@kernel
def play_weights(family: TableFamily, state: ListedState[_Own], weights: Floats) -> int:
    """Play a weight for every action from now on."""
    mix, policies = state.mix, state.policies
    policies.chances[0] = listed_shares(weights)
    reached = 0.0
    for a in range(weights.size):
        reached += policies.chances[0, a]
        policies.cumulative[0, a] = reached
    for i in range(mix.mean.size):
        mean = dot(family.columns[i], policies.chances[0])
        policies.marginals[0, i] = mean
        mix.mean[i] = mean
    mix.is_new[0] = 1
    if mix.weights[0] == 0.0:
        mix.weights[0] = 1.0
        mix_slots(state)
    return PLAYED


@kernel
def play_agreement(rule: Rule, family: TableFamily, state: ListedState[Agreed], n_ending: int) -> int:
    """Play the distribution that experts agree on."""
    return play_weights(family, state, state.own.point)


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
    horizon: Days
    feedback: Feedback = field(default="bandit", kw_only=True)
    limit: Limit | None = field(default=None, kw_only=True)
    cost: ClassVar[Cost]

    def __post_init__(self) -> None:
        """Refuse too many actions when the player is made, rather than on its first day."""
        check_settings(self)
        self._check_size()
        super().__post_init__()

    def _check_size(self) -> None:
        self.n_actions  # noqa: B018  (listing refuses)

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least: one per action."""
        return max(self.actions.dimension, self.actions.n_actions or 0)

    @cached_property
    def mu(self) -> FinitePolicy:
        """The uniform policy, which is not played: it lists all actions."""
        return list_actions(self.actions, self.horizon, self.cost, self.limit)

    @property
    def n_actions(self) -> int:
        """Return N, without listing all actions where it is known and not too large."""
        count, most = self.actions.n_actions, self.cost.limit if self.limit is None else self.limit
        return count if count is not None and count <= most else len(self.mu.atoms)

    @cached_property
    def _family(self) -> Any:
        actions, rows = self.actions, np.array(self.mu.atoms)
        columns, words = np.array(rows.T, dtype=np.float64, order="C"), pack_rows(rows)
        d, none = len(columns), np.zeros(0, dtype=np.int64)
        explore = Explore(np.zeros((0, words.shape[1]), dtype=np.uint64), np.zeros(0), np.zeros(d), np.zeros((0, 0)))
        common = Common(d, actions.size, actions.rank, bool(actions.is_uniform), none, none, explore)
        return TableFamily(common, 0, 0, 0, 0, 0, columns, words)

    @abstractmethod
    def _own(self, n_actions: int) -> Any:
        """Return what is learnt, before day 0."""

    def _running(self, offset: int) -> Running:
        family, none = self._family, np.zeros(self.actions.dimension)
        n, learners = self.n_actions, start_learners(0, none, none)
        policies = empty_policies(2, family.common.dimension, 0, n)
        policies.n_atoms[0], policies.words[0] = n, family.words
        common = begin_round(none.size, offset, learners, policies, 2)
        state = ListedState(*common, self._own(n))
        return Running(family, self._rule(none), state, DERIVED, self)
