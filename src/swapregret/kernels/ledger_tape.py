"""The ledger of compiled runs on m-sets: turns of the calendar, or the laws that were played, in; rows of the table out.

Scale k holds one systematic law until the calendar turns it over; then its law is entered with the rewards of the days
it was held. Laws of scales that have just restarted are all one law, whose days are only added up here.

May touch: ``kernels.compile``, ``kernels.ledger``, ``kernels.ledger_systematic``.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.ledger import accumulate_law, dot_line, locate_rows
from swapregret.kernels.ledger_systematic import systematic_words

__all__ = ["add_days", "arc_starts", "record_laws", "record_turns"]

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


@kernel
def credit_window(
    rewards: Floats,
    stops: Integers,
    shares: Floats,
    cursor: Integers,
    held: Floats,
    held_days: Floats,
    total: Floats,
) -> None:
    """Credit the days of one window to the components that were played in it, each its share."""
    n_components, d = held.shape
    window = cursor[0]
    first = stops[window - 1] if window > 0 else 0
    sums = np.zeros(d)
    for day in range(first, stops[window]):
        row = rewards[day]
        for i in range(d):
            sums[i] += row[i]
    for i in range(d):
        total[i] += sums[i]
    for c in range(n_components):
        share = shares[window, c]
        line = held[c]
        for i in range(d):
            line[i] += share * sums[i]
        held_days[c] += share * (stops[window] - first)
    cursor[0] = window + 1


@kernel
def record_laws(
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
    stops: Integers,
    shares: Floats,
    places: Integers,
    words: Words,
    chances: Floats,
    counts: Integers,
    cursor: Integers,
    held: Floats,
    held_days: Floats,
    total: Floats,
) -> tuple[int, float]:
    """Enter laws in the order they ended, until the table has no room for another.

    Window t ends before day ``stops[t]`` and was played with ``shares[t]``; law e was component ``places[e, 1]`` up to
    and with window ``places[e, 0]``. ``cursor`` is (windows credited, laws entered), ``held[c]`` what component c holds.
    Returns the number of rows, and the rewards that the laws entered earned.
    """
    d = rewards.shape[1]
    earned = 0.0
    while cursor[1] < counts.size:
        e = cursor[1]
        while cursor[0] <= places[e, 0]:
            credit_window(rewards, stops, shares, cursor, held, held_days, total)
        count = counts[e]
        if n_rows + count > limit:
            return n_rows, earned
        c = places[e, 1]
        law = np.empty((count, 1), dtype=np.uint64)
        for index in range(count):
            law[index, 0] = words[e, index]
        rows, n_rows = locate_rows(slots, keys, whole, pool_counts, n_rows, limit, law)
        weights = chances[e, :count].copy()
        vector = held[c].copy()
        accumulate_law(values, days, scores, rows, weights, vector, held_days[c])
        for index in range(count):
            earned += weights[index] * dot_line(vector, law, index)
        for i in range(d):
            held[c, i] = 0.0
        held_days[c] = 0.0
        cursor[1] += 1
    while cursor[0] < stops.size:
        credit_window(rewards, stops, shares, cursor, held, held_days, total)
    return n_rows, earned
