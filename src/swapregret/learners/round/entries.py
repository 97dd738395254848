"""The compiled functions Python calls for any player: a day, many days, the end of a window.

They take a handle (``compiled.handle``). ``Session``, ``play`` and games call the same ones. What differs from
player to player are the methods of ``round.day``.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, cast

from swapregret.arrays import Floats, Integers
from swapregret.compiled.address import address_of, call_end, family_of, rule_of, state_of, tape_of
from swapregret.compiled.handle import OpenHandle, open_handle
from swapregret.compiled.kernel import Kernel, kernel
from swapregret.compiled.vectors import action_total
from swapregret.learners.round.day import (
    BANDIT,
    NOT_SOLVED,
    PLAYED,
    act,
    copy_tally,
    count_day,
    end_windows,
    keep_for_undo,
    learn_day,
    remember,
    solve_pending,
)
from swapregret.learners.round.taping import begin_tape, tape_policies, tape_window


@kernel
def act_day(h: OpenHandle) -> Integers:
    """Draw the action of a day."""
    return act(family_of(h), state_of(h), h.rng)


@kernel
def observe_day(h: OpenHandle, action: Integers, seen: Floats, reward: float) -> int:
    """Learn what a day paid; return how many windows end with it."""
    rule, state = rule_of(h), state_of(h)
    keep_for_undo(rule, state)
    learn_day(rule, family_of(h), state, action, seen, reward)
    return count_day(rule, state.tally)


@kernel
def observe_late(h: OpenHandle, action: Integers, seen: Floats, reward: float) -> int:
    """Learn what a day paid that an earlier mixture has played, which the handle is on; or change nothing, and say NOT_SOLVED.

    What else is pending was drawn from another mixture, and waits.
    """
    family, rule, state = family_of(h), rule_of(h), state_of(h)
    tally, undo = state.tally, state.undo
    copy_tally(tally, undo)
    for i in range(tally.pending.size):
        tally.pending[i] = 0.0
    learn_day(rule, family, state, action, seen, reward)
    if not solve_pending(family, state):
        remember(state, rule, action, seen, reward, -1.0)
        copy_tally(undo, tally)
        return NOT_SOLVED
    for i in range(tally.pending.size):
        tally.pending[i] = undo.pending[i]
    return count_day(rule, tally)


@kernel
def observe_drawn(h: OpenHandle, action: Integers, seen: Floats, reward: float, dual: Floats) -> int:
    """Learn what a day paid whose action a policy from elsewhere drew; return how many windows end with it.

    ``dual`` is Σ⁺M under that policy, with bandit feedback; with semi-bandit feedback the handle has its marginals in place of
    those of the mixture. What else is pending was drawn from the mixture, and waits.
    """
    family, rule, state = family_of(h), rule_of(h), state_of(h)
    tally, undo = state.tally, state.undo
    copy_tally(tally, undo)
    surprise = reward - action_total(tally.prediction, action)
    learn_day(rule, family, state, action, seen, reward)
    if rule.feedback == BANDIT:
        for i in range(tally.pending.size):
            tally.pending[i] = undo.pending[i]
            tally.running[i] += surprise * dual[i]
    return count_day(rule, tally)


@kernel
def pass_day(h: OpenHandle) -> int:
    """Let a day pass of which nothing is seen; return how many windows end with it."""
    rule, state = rule_of(h), state_of(h)
    keep_for_undo(rule, state)
    return count_day(rule, state.tally)


@kernel
def start_tape(h: OpenHandle) -> None:
    """Begin the tape of a handle with the policies that are being played."""
    begin_tape(family_of(h), rule_of(h), state_of(h), tape_of(h))


@kernel
def stop_tape(h: OpenHandle) -> None:
    """Write down the window that is open."""
    state = state_of(h)
    tape_window(state.tally, state.mix, tape_of(h))


@kernel
def take_back(h: OpenHandle, action: Integers, seen: Floats, reward: float) -> None:
    """Take back what was noted of the last day beside its estimate."""
    remember(state_of(h), rule_of(h), action, seen, reward, -1.0)


@kernel
def play_days(
    h: OpenHandle, end: int, rewards: Floats, received: Floats, plays: Integers, row: int, most: int
) -> tuple[int, int, int]:
    """Play one day per row up to the end of the ``most``-th window, ending windows by the entry at the address ``end``.

    ``received`` takes the rewards; ``plays`` the actions, if it has rows. Stops before its time when the tape is full, or a call
    did not end well. Returns the next row, how many windows are still to be ended, and how the last call ended.
    """
    family, rule, state, tape = family_of(h), rule_of(h), state_of(h), tape_of(h)
    rng = h.rng
    n_rows = rewards.shape[0]
    while row < n_rows and most > 0:
        action = act(family, state, rng)
        vector = rewards[row]
        reward = min(max(action_total(vector, action), 0.0), 1.0)
        received[row] = reward
        if plays.shape[0]:
            plays[row] = action
        learn_day(rule, family, state, action, vector, reward)
        n_ending = count_day(rule, state.tally)
        row += 1
        if n_ending != 0:
            code = call_end(end, address_of(h), n_ending)
            if code != PLAYED:
                return row, n_ending, code
            most = 0 if tape.is_full[0] else most - 1
    return row, 0, PLAYED


@kernel
def end_window(h: OpenHandle, n_ending: int) -> int:
    """End windows, and write down what was played and will be; 0, −``n_ending`` and what is returned: ``round.day``."""
    family, rule, state, tape = family_of(h), rule_of(h), state_of(h), tape_of(h)
    tally = state.tally
    if n_ending > 0:
        if tape.stops.size:
            tape_window(tally, state.mix, tape)
        if not solve_pending(family, state):
            return NOT_SOLVED
        for i in range(tally.total.size):
            tally.total[i] += tally.running[i]
    code = end_windows(rule, family, state, n_ending)
    if code == PLAYED and n_ending != 0:
        for i in range(tally.running.size):
            tally.running[i] = 0.0
        if tape.stops.size:
            tape_policies(family, rule, state, tape, False)
    return code


class Entries(NamedTuple):
    """The kernels above, each under its name, as Numba has them: to call these is quicker."""

    open_handle: Callable[..., OpenHandle]
    act_day: Callable[[OpenHandle], Integers]
    observe_day: Callable[..., int]
    observe_late: Callable[..., int]
    observe_drawn: Callable[..., int]
    pass_day: Callable[[OpenHandle], int]
    play_days: Callable[..., tuple[int, int, int]]
    end_window: Callable[[OpenHandle, int], int]
    start_tape: Callable[[OpenHandle], None]
    stop_tape: Callable[[OpenHandle], None]
    take_back: Callable[..., None]


@cache
def entries() -> Entries:
    """Return the entries."""
    kernels = (
        act_day,
        observe_day,
        observe_late,
        observe_drawn,
        pass_day,
        play_days,
        end_window,
        start_tape,
        stop_tape,
        take_back,
    )
    return Entries(open_handle, *(cast(Kernel, each).dispatcher for each in kernels))
