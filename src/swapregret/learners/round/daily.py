"""What players that move on after every day, or nearly, share: their state, and learning without a prediction."""

from typing import Any, NamedTuple

from swapregret.actions.family import room
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import phase
from swapregret.learners.round.day import Mix, Tally, empty_mix, empty_tally, estimate
from swapregret.learners.round.scale import Learners, start_learners

__all__ = ["DERIVED", "DailyState", "daily_state", "learn_what_pays"]


class DailyState(NamedTuple):
    """What changes: the ``tally`` of the days, at most one of the ``learners``, the policies in ``laws``, their ``mix``.

    ``undo`` is the tally before the last day.
    """

    tally: Tally
    undo: Tally
    learners: Learners
    laws: Any
    mix: Mix


DERIVED = frozenset({"laws", "mix", "undo"})
"""Fields of a state that are made again from the others."""


def daily_state(family: Any, n_slots: int, n_atoms: int, point: Floats, log_point: Floats) -> DailyState:
    """Return the state before day 0 of a player with one point, without its policies."""
    d, rank = family.common.dimension, family.common.coordinates.size
    return DailyState(
        empty_tally(d, 0),
        empty_tally(d, 0),
        start_learners(1, point, log_point),
        room(family, n_slots, n_atoms),
        empty_mix(n_slots, d, rank),
    )


@phase
def learn_what_pays(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Estimate the reward vector without a prediction: a day that pays nothing has the estimate 0."""
    return reward == 0.0 or estimate(family, rule, state, action, seen, reward)
