"""What all competitors share: how a rule is made of a player's settings, and the driver of those that move a point.

A competitor is a frozen dataclass of its settings. Its rule, a named tuple, is what compiled code is given; the class of the rule
decides which ``learn_day`` and ``end_windows`` run.
"""

from collections import namedtuple
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.actions.policy_slots import FULL, MADE, make_policy, put_policy, room, room_for_lists
from swapregret.arrays import Floats, Integers, Vector
from swapregret.compiled.bits import pack_action
from swapregret.compiled.kernel import kernel
from swapregret.learners.round.day import FEEDBACKS, NOT_PROJECTED, OUT_OF_ROOM, PLAYED, State, begin_round, mix_slots
from swapregret.learners.round.running import Running
from swapregret.learners.round.running_player import RunningPlayer
from swapregret.learners.round.scale import start_learners
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy

_OF_EVERY_RULE = ("windows", "feedback", "predictor_step", "first_log")
DERIVED = frozenset({"policies", "mix", "undo"})
"""Fields of a state that are made again from the others."""
OwnRule: TypeAlias = Any
"""The rule of a competitor as its own compiled steps see it: the call of ``rule_class`` names its fields."""


def rule_class(module: str, name: str, *settings: str) -> type[OwnRule]:
    """Return the class of a rule: the four fields of every rule (``multiscale.scale_phases``), and settings of the player."""
    return namedtuple(name, (*_OF_EVERY_RULE, *settings), module=module)


class Competitor(RunningPlayer):
    """A player that moves on after every day, or nearly, and estimates without a prediction."""

    actions: ActionSet
    rule_class: ClassVar[type[OwnRule]]
    """Its fields beyond the first four are named as attributes of the player."""

    def __post_init__(self) -> None:
        """Check the settings, and choose those that were not given, in order, each by the method ``_default_NAME``."""
        check_settings(self)
        for setting in fields(self):  # type: ignore[arg-type]
            if getattr(self, setting.name) is None and hasattr(self, f"_default_{setting.name}"):
                object.__setattr__(self, setting.name, getattr(self, f"_default_{setting.name}")())
        check_settings(self)

    @property
    def _windows(self) -> tuple[int, ...]:
        """After how many days the policy may change."""
        return (1,)

    def start(self, rng: np.random.Generator) -> Running:
        """Return the state before day 0; the offset of the windows and a ``seed`` are drawn where there are any."""
        running = self._running(self._offset(rng))
        own: Any = getattr(running.state, "own", None)
        if hasattr(own, "seed"):
            own.seed[0] = rng.integers(2**63)
        running.make()
        return running

    def _rule(self, first_log: Floats) -> OwnRule:
        """Return what does not change."""
        settings = [getattr(self, name) for name in self.rule_class._fields[len(_OF_EVERY_RULE) :]]
        windows = np.array(self._windows, dtype=np.int64)
        return self.rule_class(windows, FEEDBACKS[self.feedback], 0.0, first_log, *settings)


class PointPlayer(Competitor):
    """A competitor that moves a point or an exponent per element; slot 0 is its policy, slot 1 the exploration policy."""

    _n_slots: ClassVar[int] = 2

    @cached_property
    def mu(self) -> Policy:
        """The exploration policy."""
        return self.actions.exploration_policy()

    @property
    def _first(self) -> tuple[Vector, Vector]:
        """The point before day 0, and its logarithm."""
        none = np.zeros(self.actions.dimension)
        return none, none

    @property
    def _n_atoms(self) -> int:
        """How many actions a policy is first given room for."""
        return room_for_lists(self.actions, self.variants) if hasattr(self, "variants") else 1

    def _running(self, offset: int) -> Running:
        (point, log_point), family, d = self._first, self._family, self.actions.dimension
        policies = room(family, self._n_slots, self._n_atoms)
        state = begin_round(d, offset, start_learners(1, point, log_point), policies, self._n_slots)
        return Running(family, self._rule(log_point), state, DERIVED, self)


@kernel
def play_policy(state: State, exploration: float) -> int:
    """Play the policy of slot 0 from now on, γ of the exploration policy mixed in."""
    mix = state.mix
    mix.is_new[0] = 1
    mix.weights[0] = 1.0 - exploration
    mix.weights[1] = exploration
    mix_slots(state)
    return PLAYED


@kernel
def play_action(family: Family, state: State, action: Integers, exploration: float, n_ending: int) -> int:
    """Play one action from now on, γ of the exploration policy mixed in; the policy stays while the action does."""
    policies = state.policies
    words = np.zeros((1, policies.words.shape[2]), dtype=np.uint64)
    pack_action(action, words[0])
    if n_ending != 0 and np.all(words[0] == policies.words[0, 0]):
        return PLAYED
    put_policy(policies, 0, words, np.ones(1), family.common.place)
    return play_policy(state, exploration)


@kernel
def play_best(family: Family, state: State, weights: Floats, exploration: float, n_ending: int) -> int:
    """Play the action that is best for some weights."""
    action = best(family, weights)
    return play_action(family, state, action, exploration, n_ending) if action.size else NOT_PROJECTED


@kernel
def play_point(
    family: Family, state: State, point: Floats, log_point: Floats, played: Floats, exploration: float
) -> int:
    """Be at a point, and play the policy that ``played`` stands for; nothing has changed where it cannot be made."""
    code = make_policy(family, state.policies, 0, played, log_point)
    if code != MADE:
        return OUT_OF_ROOM if code == FULL else NOT_PROJECTED
    learners = state.learners
    for i in range(point.size):
        learners.points[0, i] = point[i]
        learners.log_points[0, i] = log_point[i]
    return play_policy(state, exploration)
