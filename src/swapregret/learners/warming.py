"""Compiling, before the first day, all that the days of a player need."""

import contextlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from swapregret.actions.face import is_possible
from swapregret.arrays import Vector
from swapregret.errors import Unsupported
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import NOTHING, AnyPlayer, Decision, Note, draw_decision, what_is_seen
from swapregret.learners.round.held_view import Chosen, require_learning

_DAYS = 3
_SMALL = 100
"""Sets of more elements are not asked for a face: to make one may take longer than to compile."""
_WARMED: set[Any] = set()
"""Kinds of players whose days with masks and contexts were played in this process."""


def warm(player: AnyPlayer, *, has_late: bool = True) -> None:
    """Play a few days on a state that is thrown away; quick where all is compiled.

    Of the second nothing is seen, and the last pays late, unless that cannot happen: such days are learned by other code. Once for
    each kind of player, days follow with contexts, with a missing element, and with a choice of somebody else.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> warm(uniform(MSets(4, 2)))
    """
    rng, actions = np.random.default_rng(0), player.actions
    vector = np.full(actions.dimension, 0.5 / max(1, actions.size))
    state = player.start(rng)
    for day in range(_DAYS):
        decision = draw_decision(player, state, rng, day)
        if day == _DAYS - 1 and has_late and hasattr(decision.held, "part"):
            decision.held.part()
        seen = None if day == 1 else what_is_seen(player.feedback, vector, decision.action)
        state = player.observe(state, decision, seen)
    kind = type(actions), *_words(player)
    if kind not in _WARMED and actions.dimension <= _SMALL:
        _WARMED.add(kind)
        with contextlib.suppress(Unsupported):  # a player that takes no such days
            _warm_known(player, rng, vector)


def _words(part: Any) -> list[Any]:
    """Return of which classes a player is made, and which options were chosen by name."""
    if isinstance(part, str | bool | None):
        return [part]
    if isinstance(part, type):  # the class that an anytime player makes its players of
        return [part]
    inner = [getattr(part, field.name) for field in fields(part)] if is_dataclass(part) else []
    return [type(part), *(word for each in inner for word in _words(each))]


def _warm_known(player: AnyPlayer, rng: np.random.Generator, vector: Vector) -> None:
    """Play days of which something is known before, and one on which somebody else chose."""
    known, state, actions = KnownDays(player), player.start(rng), player.actions
    gone = next(((index,) for index in range(actions.dimension) if is_possible(actions, (index,))), ())
    for day, (context, missing) in enumerate(((0, ()), (1, ()), (0, gone), (1, gone), (1, ()))):
        decision = known.draw(state, rng, day, missing, Note(context=context))
        state = known.observe(state, decision, what_is_seen(player.feedback, vector, decision.action))
    require_learning(state, is_drawn=False)
    chosen = Decision(day + 1, decision.action, actions, Chosen(), NOTHING)
    known.observe(state, chosen, what_is_seen(player.feedback, vector, decision.action))
