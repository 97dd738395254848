"""The compiled functions Python calls for any master: a day, many days. ``Session``, ``play`` and games call the same ones.

They take a :class:`~swapregret.compiled.handle.Handle`. The end of a window is an entry of the master (``round.master``).
"""

from typing import Any

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.borrow import family_of, rule_of, state_of, tape_of
from swapregret.compiled.handle import Handle
from swapregret.compiled.kernel import kernel, phase
from swapregret.compiled.vectors import action_total
from swapregret.learners.round.day import act, count_day, estimate, keep_for_undo
from swapregret.learners.round.master import NOT_SOLVED, remember
from swapregret.learners.round.taping import begin_tape, tape_window

__all__ = [
    "act_day",
    "observe_day",
    "open_handle",
    "pass_day",
    "play_days",
    "start_tape",
    "stop_tape",
    "take_back",
]


@kernel
def open_handle(family: Any, rule: Any, state: Any, tape: Any, rng: np.random.Generator) -> Any:
    """Return a handle on a player."""
    return Handle(family, rule, state, tape, rng)


@phase
def act_day(h: Any) -> Integers:
    """Draw the action of a day."""
    return act(family_of(h), state_of(h), h.rng)


@phase
def observe_day(h: Any, action: Integers, seen: Floats, reward: float) -> int:
    """Learn what a day paid; return how many windows end with it, or NOT_SOLVED."""
    family, rule, state = family_of(h), rule_of(h), state_of(h)
    keep_for_undo(rule, state)
    if not estimate(family, rule, state, action, seen, reward):
        return NOT_SOLVED
    remember(state, rule, action, seen, reward, 1.0)
    return count_day(rule, state.tally)


@phase
def pass_day(h: Any) -> int:
    """Let a day pass of which nothing is seen; return how many windows end with it."""
    rule, state = rule_of(h), state_of(h)
    keep_for_undo(rule, state)
    return count_day(rule, state.tally)


@phase
def start_tape(h: Any) -> None:
    """Begin the tape of a handle with the policies that are being played."""
    state = state_of(h)
    begin_tape(family_of(h), rule_of(h), state, tape_of(h))


@phase
def stop_tape(h: Any) -> None:
    """Write down the window that is open."""
    state = state_of(h)
    tape_window(state.tally, state.mix, tape_of(h))


@phase
def take_back(h: Any, action: Integers, seen: Floats, reward: float) -> None:
    """Take back what was noted of a day beside its estimate."""
    remember(state_of(h), rule_of(h), action, seen, reward, -1.0)


@phase
def play_days(h: Any, rewards: Floats, received: Floats, plays: Integers, row: int) -> tuple[int, int]:
    """Play one day per row up to the end of a window; return the next row and how many windows end, or NOT_SOLVED.

    ``received`` takes the rewards; ``plays`` the actions, if it has rows.
    """
    family, rule, state = family_of(h), rule_of(h), state_of(h)
    rng = h.rng
    n_rows = rewards.shape[0]
    while row < n_rows:
        action = act(family, state, rng)
        vector = rewards[row]
        reward = min(max(action_total(vector, action), 0.0), 1.0)
        received[row] = reward
        if plays.shape[0]:
            plays[row] = action
        if not estimate(family, rule, state, action, vector, reward):
            return row, NOT_SOLVED
        remember(state, rule, action, vector, reward, 1.0)
        n_ending = count_day(rule, state.tally)
        row += 1
        if n_ending != 0:
            return row, n_ending
    return row, 0
