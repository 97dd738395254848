"""The ledger of a compiled run of the master on m-sets: turns of the calendar in, rows of the table out.

Scale k holds one systematic law until the calendar turns it over; then its law is entered with the rewards of the days
it was held. Laws of scales that have just restarted are all one law, whose days are only added up here.

May touch: ``kernels.compile``, ``kernels.ledger``, ``kernels.ledger_systematic``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.kernels.compile import kernel
from swapregret.kernels.ledger import accumulate_law, locate_rows
from swapregret.kernels.ledger_systematic import systematic_words

__all__ = ["add_days", "arc_starts", "record_turns"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


@kernel
def arc_starts(units: Integers, orders: Integers, circle: int) -> Integers:
    """Return where the arc of each element begins when arcs are laid end to end in each order."""
    n, d = orders.shape
    starts = np.empty((n, d), dtype=np.int64)
    for v in range(n):
        order, row = orders[v], starts[v]
        position = np.int64(0)
        for j in range(d):
            row[order[j]] = position
            position = (position + units[order[j]]) % circle
    return starts


@kernel
def add_days(rewards: Floats, clock: Integers, now: int, held: Floats, held_days: Floats, total: Floats) -> None:
    """Credit the days of a block from ``clock[0]`` to ``now`` to the laws of all scales."""
    n_scales, d = held.shape
    segment = np.zeros(d)
    for day in range(clock[0], now):
        row = rewards[day]
        for i in range(d):
            segment[i] += row[i]
    for k in range(n_scales):
        line = held[k]
        for i in range(d):
            line[i] += segment[i]
        held_days[k] += now - clock[0]
    for i in range(d):
        total[i] += segment[i]
    clock[0] = now


@kernel
def record_turns(
    slots: Integers,
    keys: Words,
    whole: Flags,
    pool_counts: Integers,
    values: Floats,
    days: Floats,
    scores: Floats,
    n_rows: int,
    limit: int,
    rewards: Floats,
    first_day: int,
    events: Integers,
    event_units: Integers,
    n_done: int,
    orders: Integers,
    circle: int,
    weight: float,
    units: Integers,
    fresh: Flags,
    clock: Integers,
    held: Floats,
    held_days: Floats,
    fresh_held: Floats,
    total: Floats,
    numbers: Floats,
) -> tuple[int, int]:
    """Enter the laws that turns ``n_done``.. of a block end, until the table has no room for another.

    The block begins with day ``first_day``; ``clock[0]`` of its days are credited already. ``held[k]`` is what the
    current law of scale k holds. ``numbers`` gathers (earned, days of fresh laws). Returns the number of rows and of
    turns done.
    """
    n_scales, d = units.shape
    n_orders = orders.shape[0]
    vector = np.empty(d)
    for turn in range(n_done, events.shape[0]):
        n_leaving = min(events[turn, 1], n_scales)
        if n_rows + n_leaving * n_orders * d > limit:
            return n_rows, turn
        add_days(rewards, clock, events[turn, 0] + 1 - first_day, held, held_days, total)
        for k in range(n_leaving):
            for i in range(d):
                vector[i] = weight * held[k, i]
                held[k, i] = 0.0
            n_days = weight * held_days[k]
            held_days[k] = 0.0
            if fresh[k]:
                for i in range(d):
                    fresh_held[i] += vector[i]
                numbers[1] += n_days
            else:
                words, lengths = systematic_words(units[k], arc_starts(units[k], orders, circle), orders, circle)
                chances = np.empty(lengths.size)
                for index in range(lengths.size):
                    chances[index] = lengths[index] / (float(circle) * n_orders)
                rows, n_rows = locate_rows(slots, keys, whole, pool_counts, n_rows, limit, words)
                accumulate_law(values, days, scores, rows, chances, vector, n_days)
                for i in range(d):
                    numbers[0] += vector[i] * (units[k, i] / float(circle))
            fresh[k] = k != events[turn, 1] - 1
            if not fresh[k]:
                units[k] = event_units[turn]
    return n_rows, events.shape[0]
