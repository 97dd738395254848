"""Sums, exponentials and logarithms of arrays in one fixed order, so that stepped and compiled play agree to the last bit.

A BLAS product adds in an order of its own; these add from the first entry to the last, or in four interleaved sums. Exponentials
and logarithms are written in operations that the compiler does several of at once.
"""

from typing import TypeVar

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel

_FARTHEST = 708.0
_PER_LOG_TWO = 1.4426950408889634
_HIGH, _LOW = 0.6931471803691238, 1.9082149292705877e-10
_SHIFT = 6755399441055744.0
_BIAS = 1023
_ROOT_HALF = 0x3FE6A09E667F3BCD
AnyVector = TypeVar("AnyVector", Floats, Integers)


@kernel
def exponentials(values: Floats, result: Floats) -> None:
    """Write exp of every value, right to about two units in the last place; values beyond ±708 are taken for ±708."""
    exponentials_in(values, result, np.empty(values.size))


@kernel
def exponentials_in(values: Floats, result: Floats, sums: Floats) -> None:
    """Do the same in an array at hand.

    exp(v) = 2ⁿ e^r with n the nearest integer to v / log 2 and |r| ≤ log(2)/2, where fourteen terms of the series are enough.
    Adding 1.5 · 2⁵² rounds to that integer and leaves it in the last bits of the sum, from where it becomes the exponent of 2ⁿ.
    """
    n = values.size
    for i in range(n):
        v = min(max(values[i], -_FARTHEST), _FARTHEST)
        shifted = v * _PER_LOG_TWO + _SHIFT
        whole = shifted - _SHIFT
        r = (v - whole * _HIGH) - whole * _LOW
        p = 1.0 / 6227020800.0
        p = p * r + 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        p = p * r + 1.0
        sums[i] = shifted
        result[i] = p
    bits = sums[:n].view(np.int64)
    for i in range(n):
        bits[i] = (bits[i] << 52) + (_BIAS << 52)
    for i in range(n):
        result[i] *= sums[i]


@kernel
def logarithms(values: Floats, result: Floats, parts: Floats) -> None:
    """Write log of every value, positive and not denormal, right to about two units in the last place; ``parts`` is room.

    v = 2ⁿ m with m between √½ and √2, and log m = 2 artanh f with f = (m − 1)/(m + 1), |f| < 0.172: eleven terms of the series.
    """
    n = values.size
    given, bits = values.view(np.int64), parts[:n].view(np.int64)
    for i in range(n):
        power = (given[i] - _ROOT_HALF) >> 52
        bits[i] = given[i] - (power << 52)
        result[i] = power
    for i in range(n):
        below = parts[i] - 1.0
        f = below / (parts[i] + 1.0)
        s = f * f
        p = 1.0 / 21.0
        p = p * s + 1.0 / 19.0
        p = p * s + 1.0 / 17.0
        p = p * s + 1.0 / 15.0
        p = p * s + 1.0 / 13.0
        p = p * s + 1.0 / 11.0
        p = p * s + 1.0 / 9.0
        p = p * s + 1.0 / 7.0
        p = p * s + 1.0 / 5.0
        p = p * s + 1.0 / 3.0
        result[i] = result[i] * _HIGH + (result[i] * _LOW + (2.0 * f + 2.0 * f * s * p))


@kernel
def action_total(vector: Floats, action: Integers) -> float:
    """Return Σ of the entries of ``vector`` that the action chooses."""
    total = 0.0
    for i in range(action.size):
        if action[i]:
            total += vector[i]
    return total


@kernel
def add_rows(target: Floats, rows: Floats, which: Integers, factors: Floats) -> None:
    """Add some rows of a matrix, each times a factor; four at a time, so that the target is read and written less often."""
    k = 0
    while k + 4 <= which.size:
        a, b, c, d = rows[which[k]], rows[which[k + 1]], rows[which[k + 2]], rows[which[k + 3]]
        p, q, r, s = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        for i in range(target.size):
            target[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i])
        k += 4
    while k < which.size:
        a, p = rows[which[k]], factors[k]
        for i in range(target.size):
            target[i] += p * a[i]
        k += 1


@kernel
def dot(left: Floats, right: Floats) -> float:
    """Return Σ left·right in four interleaved sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= left.size:
        first += left[i] * right[i]
        second += left[i + 1] * right[i + 1]
        third += left[i + 2] * right[i + 2]
        fourth += left[i + 3] * right[i + 3]
        i += 4
    while i < left.size:
        first += left[i] * right[i]
        i += 1
    return (first + second) + (third + fourth)


@kernel
def joined(first: AnyVector, second: AnyVector) -> AnyVector:
    """Return two vectors of one type as one."""
    result = np.empty(first.size + second.size, first.dtype)
    result[: first.size] = first
    result[first.size :] = second
    return result


@kernel
def is_parallel(one: Floats, other: Floats) -> bool:
    """Tell whether two vectors point in the same direction, up to rounding."""
    product = dot(one, other)
    return bool(product > 0.0 and product * product >= (1.0 - 1e-13) * dot(one, one) * dot(other, other))


@kernel
def are_near(one: Floats, other: Floats, within: float) -> bool:
    """Tell whether no entry of one vector is farther than this from that of another, and none is NaN."""
    n_far = 0
    for i in range(one.size):
        n_far += not abs(one[i] - other[i]) <= within
    return n_far == 0


@kernel
def is_zero(vector: Floats) -> bool:
    """Tell whether all entries are 0."""
    largest = 0.0
    for value in vector:
        largest = max(largest, abs(value))
    return largest == 0.0


@kernel
def sum_of(vector: Floats) -> float:
    """Return the sum of the entries in four interleaved sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= vector.size:
        first += vector[i]
        second += vector[i + 1]
        third += vector[i + 2]
        fourth += vector[i + 3]
        i += 4
    while i < vector.size:
        first += vector[i]
        i += 1
    return (first + second) + (third + fourth)


@kernel
def centred(vector: Floats, is_uniform: bool) -> Floats:
    """Return a vector less its mean if ``is_uniform``, else a copy."""
    mean = 0.0
    if is_uniform:
        for i in range(vector.size):
            mean += vector[i]
        mean /= vector.size
    result = np.empty(vector.size)
    for i in range(vector.size):
        result[i] = vector[i] - mean
    return result


@kernel
def centred_square(point: Floats, aggregate: Floats, is_uniform: bool) -> float:
    """Return x·(X − X̄)², with X̄ the mean of X under x if ``is_uniform``, else 0."""
    mean = 0.0
    if is_uniform:
        mass = sum_of(point)
        mean = dot(point, aggregate) / mass if mass > 0.0 else 0.0
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= point.size:
        a, b, c, d = aggregate[i] - mean, aggregate[i + 1] - mean, aggregate[i + 2] - mean, aggregate[i + 3] - mean
        first += point[i] * a * a
        second += point[i + 1] * b * b
        third += point[i + 2] * c * c
        fourth += point[i + 3] * d * d
        i += 4
    while i < point.size:
        a = aggregate[i] - mean
        first += point[i] * a * a
        i += 1
    return (first + second) + (third + fourth)


@kernel
def moment_variance(marginals: Floats, moment: Floats, vector: Floats) -> float:
    """Return Var(M·v) from E[M] and E[M (M·v)], as ``Policy.variance`` does."""
    mean, square = 0.0, 0.0
    for i in range(vector.size):
        mean += marginals[i] * vector[i]
        square += vector[i] * moment[i]
    return max(0.0, square - mean * mean)


@kernel
def tilt(origin: Floats, score: Floats, rate: float, is_uniform: bool) -> Floats:
    """Return origin + rate·(score − its mean if ``is_uniform``, else 0).

    A constant added to the score changes nothing where all actions have the same size, but a large one, times a
    large rate, would leave no digits for the differences that matter.
    """
    centre = sum_of(score) / score.size if is_uniform else 0.0
    result = np.empty(score.size)
    for i in range(score.size):
        result[i] = origin[i] + rate * (score[i] - centre)
    return result


@kernel
def part_in_columns(columns: Floats, vector: Floats) -> Floats:
    """Return Q Qᵀ v for a matrix with orthonormal columns, one row per coordinate."""
    d, r = columns.shape
    inner = np.zeros(r)
    for i in range(d):
        row, value = columns[i], vector[i]
        for j in range(r):
            inner[j] += value * row[j]
    result = np.empty(d)
    for i in range(d):
        result[i] = dot(columns[i], inner)
    return result


@kernel
def carry_sum(carried: Floats, values: Floats) -> None:
    """Add values to a sum carried as (sum, what rounding has lost): the same bits however the values are cut up.

    Neumaier's compensated summation; the two numbers together are as exact as one rounding.
    """
    total, lost = carried[0], carried[1]
    for i in range(values.size):
        new = total + values[i]
        if abs(total) >= abs(values[i]):
            lost += (total - new) + values[i]
        else:
            lost += (values[i] - new) + total
        total = new
    carried[0], carried[1] = total, lost
