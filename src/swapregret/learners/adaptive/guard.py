r"""When to stop trusting the pool: an estimate of its swap regret that is not fooled by noise.

Windows are counted even and odd. For every played action b, :math:`U_0[b]` and :math:`U_1[b]` sum P(play b)·X over the even and
the odd windows. With :math:`\varphi_i(b) = \arg\max_{M} U_i[b]\cdot M`,

.. math:: \widehat S = \sum_b U_1[b]\cdot(\varphi_0(b) - b) + U_0[b]\cdot(\varphi_1(b) - b).

Each rule is judged on windows it was not chosen on, so noise adds nothing to Ŝ on average (exactly so for policies that are
fixed in advance). An action that was played only in even, or only in odd windows is left as it is. Once Ŝ exceeds the threshold,
only the cold scales are played, unfiltered and with equal weights (``docs/guarantee.md``).
"""

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.hull import best
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import sum_chosen
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total, is_parallel, is_zero
from swapregret.learners.adaptive.state import Guard
from swapregret.learners.adaptive.vector_table import VectorTable, clear_table, make_row


@kernel
def split_gain(family: Family, table: VectorTable) -> float:
    """Return Ŝ over the rows of a table.

    Rows that one policy entered, and no other, are the same two vectors times a chance: the oracle is asked once for all of them.
    """
    d = family.common.dimension
    total = 0.0
    first = second = np.zeros(0, dtype=np.int64)
    elements, asked = np.empty(d, dtype=np.int64), -1  # the row for which the oracle was asked last
    for row in range(table.n_rows[0]):
        even, odd = table.values[row, :d], table.values[row, d:]
        if is_zero(even) or is_zero(odd):
            continue
        before = table.values[asked]
        if asked < 0 or not (is_parallel(even, before[:d]) and is_parallel(odd, before[d:])):
            first, second, asked = best(family, even), best(family, odd), row
        if first.size == 0 or second.size == 0:  # an error, which is raised when the window has ended
            break
        played = table.keys[row]
        total += action_total(odd, first) - sum_chosen(odd, played, elements)
        total += action_total(even, second) - sum_chosen(even, played, elements)
    return total


@kernel
def enter_played(family: Family, guard: Guard, words: Words, chances: Floats, g: int) -> None:
    """Enter what was seen under the policy of member g, which ends; a full table is settled first."""
    table = guard.table
    n, d = chances.size, family.common.dimension
    if table.n_rows[0] + n > table.squares.size:
        guard.settled[0] += split_gain(family, table)
        clear_table(table)
    add_played(table, words, chances, guard.held[g])
    for i in range(d):
        guard.held[g, 0, i] = 0.0
        guard.held[g, 1, i] = 0.0


@kernel
def add_played(table: VectorTable, words: Words, chances: Floats, held: Floats) -> None:
    """Add p·U to the row of each action; a policy of one window has seen nothing in the even or nothing in the odd ones."""
    d = held.shape[1]
    has_seen = (not is_zero(held[0]), not is_zero(held[1]))
    for a in range(chances.size):
        row = make_row(table, words[a])
        if row >= 0:
            for parity in range(2):
                if has_seen[parity]:
                    p, line, vector = chances[a], table.values[row, parity * d : (parity + 1) * d], held[parity]
                    for i in range(d):
                        line[i] += p * vector[i]


@kernel
def is_due(windows: Integers, position: int, n_rows: int) -> bool:
    """Tell whether to check after a window of length B: seldom enough that it costs about two oracle calls per base window."""
    every = max(windows[1], windows[0] * n_rows)
    return bool(position // every > (position - windows[1]) // every)


@kernel
def check_guard(family: Family, guard: Guard, threshold: float) -> None:
    """Evaluate Ŝ; trip above the threshold."""
    guard.estimate[0] = guard.settled[0] + split_gain(family, guard.table)
    if guard.estimate[0] > threshold:
        guard.has_tripped[0] = 1
