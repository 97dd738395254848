"""Compiled inner loops of plans: the best plan, membership, lists in exact integers.

Tree, here and in every kernel of plans: information set j has the sequences ``start[j]..start[j+1]-1``, which are coordinates of
the action set, and follows sequence ``parent[j]``, −1 at the root. Parents come before children. A plan chooses one sequence of
every information set that follows nothing or a chosen sequence.
"""

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import UNIT, merge_policy, set_bit
from swapregret.compiled.kernel import kernel


@kernel
def best_plan(start: Integers, parent: Integers, weights: Floats) -> Integers:
    """Return the plan of largest weight, by one pass from the leaves; the first best choice wins."""
    n = parent.size
    worth, choice = weights.copy(), np.empty(n, dtype=np.int64)
    for j in range(n - 1, -1, -1):
        top = start[j]
        for k in range(top + 1, start[j + 1]):
            if worth[k] > worth[top]:
                top = k
        choice[j] = top
        if parent[j] >= 0:
            worth[parent[j]] += worth[top]
    action = np.zeros(weights.size, dtype=np.int64)
    for j in range(n):
        if parent[j] < 0 or action[parent[j]] == 1:
            action[choice[j]] = 1
    return action


@kernel
def plan_imbalance(start: Integers, parent: Integers, point: Floats) -> float:
    """Return how far a vector is from a mean of plans: the worst sum of an information set, or the worst negative entry."""
    worst = 0.0
    for j in range(parent.size):
        excess = -1.0 if parent[j] < 0 else -point[parent[j]]
        for k in range(start[j], start[j + 1]):
            excess += point[k]
            worst = max(worst, -point[k])
        worst = max(worst, abs(excess))
    return worst


@kernel
def _round_point(start: Integers, parent: Integers, point: Floats) -> Integers:
    """Round a mean of plans to multiples of 2⁻⁴⁴ that add up exactly: what enters is shared by rounding the running sums."""
    units = np.zeros(point.size, dtype=np.int64)
    for j in range(parent.size):
        inflow = np.int64(UNIT) if parent[j] < 0 else units[parent[j]]
        total = 0.0
        for k in range(start[j], start[j + 1]):
            total += max(point[k], 0.0)
        if total == 0.0:
            units[start[j]] = inflow
            continue
        running, shared = 0.0, np.int64(0)
        for k in range(start[j], start[j + 1]):
            running += max(point[k], 0.0)
            reached = np.int64(np.rint(float(inflow) * (running / total)))
            units[k] = reached - shared
            shared = reached
    return units


@kernel
def _strip_plans(
    start: Integers, parent: Integers, order: Integers, left: Integers, words: Words, amount: Integers
) -> int:
    """Take plans off until nothing is ``left``; return how many there are.

    Each takes, at every information set it reaches, the first sequence in ``order`` that has something left, and empties one.
    """
    turn, chosen = start[:-1].copy(), np.empty(parent.size, dtype=np.int64)
    is_chosen = np.zeros(left.size, dtype=np.bool_)
    remaining, n_plans = np.int64(UNIT), 0
    while remaining > 0:
        count, least = 0, remaining
        words[n_plans] = 0
        for j in range(parent.size):
            if parent[j] >= 0 and not is_chosen[parent[j]]:
                continue
            at = turn[j]
            while left[order[at]] == 0:
                at += 1
            turn[j] = at
            k = order[at]
            chosen[count], is_chosen[k] = k, True
            set_bit(words[n_plans], k)
            least = min(least, left[k])
            count += 1
        for i in range(count):
            left[chosen[i]] -= least
            is_chosen[chosen[i]] = False
        amount[n_plans] = least
        remaining -= least
        n_plans += 1
    return n_plans


@kernel
def packed_plans(start: Integers, parent: Integers, point: Floats, orders: Integers) -> tuple[Words, Floats, float]:
    """Return the plans of a point, one variant for each row of ``orders``, their weights, and how far it is from one."""
    outside = plan_imbalance(start, parent, point)
    units, count, most = _round_point(start, parent, point), len(orders), point.size - parent.size + 1
    words, weights = np.empty((count * most, (point.size + 63) // 64), dtype=np.uint64), np.empty(count * most)
    amount, n = np.empty(most, dtype=np.int64), 0
    for variant in range(count):
        n_plans = _strip_plans(start, parent, orders[variant], units.copy(), words[n:], amount)
        for a in range(n_plans):
            weights[n + a] = amount[a] / (UNIT * count)
        n += n_plans
    different, merged = merge_policy(words[:n], weights[:n])
    return different, merged, outside
