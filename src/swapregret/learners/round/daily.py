"""Players that move on after every day, or nearly: one entry plays their days and moves them.

Such a player is a rule, a named tuple whose class decides which code runs, and a state with ``tally``, ``undo``, ``learners``,
``laws`` and ``mix``. It brings :func:`end_day`, and :func:`learn_day` where the estimate of ``round.day`` is not what it learns
from. ``Session``, ``play`` and games call the same two.
"""

from functools import cache, update_wrapper
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import room
from swapregret.arrays import Floats, Integers
from swapregret.compiled.borrow import family_of, rule_of, state_of, tape_of
from swapregret.compiled.kernel import Phase, phase
from swapregret.compiled.methods import method
from swapregret.compiled.vectors import action_total
from swapregret.learners.round.day import (
    Mix,
    Tally,
    act,
    count_day,
    empty_mix,
    empty_tally,
    estimate,
    keep_for_undo,
)
from swapregret.learners.round.master import NOT_SOLVED, PLAYED
from swapregret.learners.round.running import Running
from swapregret.learners.round.scale import Learners, start_learners
from swapregret.learners.round.taping import tape_laws, tape_window

__all__ = [
    "DERIVED",
    "DailyRunning",
    "DailyState",
    "daily_state",
    "end_daily",
    "end_day",
    "learn_day",
    "learn_what_pays",
    "observe_daily",
    "run_days",
]


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


@method
def learn_day(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:  # type: ignore[empty-body]
    """Take in what a day paid and tell whether that could be done; nothing has changed if not."""


@learn_day.default
def learn_estimate(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Estimate the reward vector."""
    return estimate(family, rule, state, action, seen, reward)


@phase
def learn_what_pays(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Estimate the reward vector without a prediction: a day that pays nothing has the estimate 0."""
    return reward == 0.0 or estimate(family, rule, state, action, seen, reward)


@method
def end_day(rule: Any, family: Any, state: Any, n_ending: int) -> int:  # type: ignore[empty-body]
    """Move on at the end of the ``n_ending`` shortest windows; with 0, make the policies of the state as it is.

    Returns PLAYED, or changes nothing and says why (``round.master``).
    """


@phase
def observe_daily(h: Any, action: Integers, seen: Floats, reward: float) -> int:
    """Learn what a day paid; return how many windows end with it, or NOT_SOLVED."""
    family, rule, state = family_of(h), rule_of(h), state_of(h)
    keep_for_undo(rule, state)
    if not learn_day(rule, family, state, action, seen, reward):
        return NOT_SOLVED
    return count_day(rule, state.tally)


@phase
def run_days(
    h: Any, rewards: Floats, received: Floats, plays: Integers, row: int, n_ending: int, must_end: bool
) -> tuple[int, int, int]:
    """Play one day per row, and move on after each; before, move on if ``must_end``.

    Stops before its time when the tape is full, or a call did not end well. Returns the next row, how many windows are still to
    be ended, and how the last call ended.
    """
    family, rule, state, tape = family_of(h), rule_of(h), state_of(h), tape_of(h)
    rng = h.rng
    n_rows = rewards.shape[0]
    while must_end or row < n_rows:
        if must_end:
            if n_ending > 0 and tape.stops.size:
                tape_window(state.tally, state.mix, tape)
            code = end_day(rule, family, state, n_ending)
            if code != PLAYED:
                return row, n_ending, code
            must_end = False
            if n_ending != 0 and tape.stops.size:
                tape_laws(family, rule, state.laws, state.learners.log_points, state.mix.is_new, tape)
                if tape.is_full[0]:
                    break
            continue
        action = act(family, state, rng)
        vector = rewards[row]
        reward = min(max(action_total(vector, action), 0.0), 1.0)
        received[row] = reward
        if plays.shape[0]:
            plays[row] = action
        if not learn_day(rule, family, state, action, vector, reward):
            return row, 0, NOT_SOLVED
        n_ending = count_day(rule, state.tally)
        must_end = n_ending != 0
        row += 1
    return row, 0, PLAYED


@phase
def end_daily(h: Any, n_ending: int) -> int:
    """Move on as ``run_days`` does: the entry for loops over several players."""
    family, rule, state, tape = family_of(h), rule_of(h), state_of(h), tape_of(h)
    if n_ending > 0 and tape.stops.size:
        tape_window(state.tally, state.mix, tape)
    code = end_day(rule, family, state, n_ending)
    if code == PLAYED and n_ending != 0 and tape.stops.size:
        tape_laws(family, rule, state.laws, state.learners.log_points, state.mix.is_new, tape)
    return code


@cache
def _written_in(rule: Any, entry: Any) -> Any:
    """Return an entry with the code of a rule written into it: a call with a whole state would cost more than the code.

    A method is chosen by type when its caller is compiled, and by then it is too late to write it into that.
    """
    taping: Any = tape_laws
    codes = {each.__name__: each.code_for(rule).py_func for each in (learn_day, end_day)} | {
        "tape_laws": taping.py_func
    }
    names = {name: Phase(code, is_inlined=True) for name, code in codes.items()}
    source = entry.py_func
    written = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__)
    return Phase(update_wrapper(written, source)).dispatcher


class DailyRunning(Running):
    """Such a player at work; parameters as of :class:`~swapregret.learners.round.running.Running`."""

    def __init__(
        self,
        family: Any,
        rule: Any,
        state: Any,
        derived: frozenset[str],
        learner: Any,
        end_window: Any = run_days,
    ) -> None:
        super().__init__(family, rule, state, derived, learner, end_window)
        run, observe = self._written(run_days), self._written(observe_daily)
        d = family.common.dimension
        no_rewards, nothing, no_plays = np.zeros((0, d)), self._nothing, np.zeros((0, d), dtype=np.int64)

        def end(h: Any, n_ending: int) -> int:
            code: int = run(h, no_rewards, nothing, no_plays, 0, n_ending, True)[2]
            return code

        def play_days(h: Any, rewards: Floats, received: Floats, plays: Integers, row: int) -> tuple[int, int]:
            row, n_ending, code = run(h, rewards, received, plays, row, 0, False)
            return row, NOT_SOLVED if code == NOT_SOLVED else n_ending

        self._end = end
        self._do = SimpleNamespace(**vars(self._do) | {"play_days": play_days, "observe_day": observe})

    def _written(self, entry: Any) -> Any:
        """Return an entry for the rule of this player."""
        kind: Any = type(self.rule)
        return entry.py_func if self._is_plain else _written_in(kind, entry)

    @property
    def _end_entry(self) -> Any:
        return self._written(end_daily)
