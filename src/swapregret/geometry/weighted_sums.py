"""Sums in the order they come: of weighted matrices, several in one pass, and of the shares of a mixture."""

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

__all__ = ["add_four", "gain_over", "mixture_shares", "sum_of"]


@kernel
def add_four(total: Floats, a: Floats, b: Floats, c: Floats, d: Floats, p: float, q: float, r: float, s: float) -> None:
    """Add pA + qB + rC + sD to the upper triangle of a matrix, one after the other."""
    for i in range(total.shape[0]):
        line, one, two, three, four = total[i, i:], a[i, i:], b[i, i:], c[i, i:], d[i, i:]
        for j in range(line.size):
            line[j] = (((line[j] + p * one[j]) + q * two[j]) + r * three[j]) + s * four[j]


@kernel
def sum_of(vector: Floats) -> float:
    """Return the sum of the entries, first to last."""
    total = 0.0
    for value in vector:
        total += value
    return total


@kernel
def gain_over(action: Integers, centre: Floats, vector: Floats) -> float:
    """Return (M − centre)·v."""
    total = 0.0
    for i in range(vector.size):
        total += (action[i] - centre[i]) * vector[i]
    return total


@kernel
def mixture_shares(weights: Floats, n_cold: int, floor: float, exploration: float) -> Floats:
    """Return the shares of the laws that are mixed into the one that is played: cold scales, members, exploration.

    ``weights`` are those of the members, 0 without a law; ``floor`` is ε, or 1 after the guard has tripped. They add up to 1
    within rounding.
    """
    n = weights.size
    shares = np.zeros(n_cold + n + 1)
    for k in range(n_cold):
        shares[k] = (1.0 - exploration) * floor / n_cold
    mass = sum_of(weights)
    is_followed = floor < 1.0 and mass > 0.0
    if is_followed:
        for g in range(n):
            shares[n_cold + g] = (1.0 - exploration) * (1.0 - floor) * (weights[g] / mass)
    shares[n_cold + n] = exploration if floor == 1.0 or mass > 0.0 else 1.0 - sum_of(shares)
    total = sum_of(shares)
    for c in range(shares.size):
        shares[c] /= total
    return shares
