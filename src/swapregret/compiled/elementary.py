"""Exponentials and logarithms of whole arrays, in operations that the compiler does several of at once."""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

__all__ = ["exponentials", "exponentials_in", "logarithms"]


_FARTHEST = 708.0
_PER_LOG_TWO = 1.4426950408889634
_HIGH, _LOW = 0.6931471803691238, 1.9082149292705877e-10
_SHIFT = 6755399441055744.0
_BIAS = 1023
_ROOT_HALF = 0x3FE6A09E667F3BCD


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
