"""Counting spanning forests with as many edges as possible, by the matrix-tree theorem in star–mesh form.

Taking out a vertex v with conductances c_a to its neighbours multiplies the count by their sum and adds c_a·c_b / Σ c between every
two of them; modulo a prime this is exact. Vertices are taken out in an order that keeps the neighbours few; who then is whose
neighbour is worked out once: ``places[v]`` says when vertex v is taken out, and the one taken out at place i then has the
neighbours with the places ``near[starts[i] : starts[i + 1]]``, increasing.
"""

import numpy as np

from swapregret.arrays import Integers
from swapregret.compiled.kernel import kernel


@kernel
def position_of(near: Integers, low: int, high: int, place: int) -> int:
    """Find a place in an increasing row that has it."""
    while high - low > 1:
        middle = (low + high) // 2
        if near[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@kernel
def inverse_modulo(value: int, prime: int) -> int:
    """Return the inverse of a number that is not 0 modulo the prime."""
    a, b, x, y = value, prime, 1, 0
    while b > 0:
        quotient = a // b
        a, b = b, a - quotient * b
        x, y = y, x - quotient * y
    return x % prime


@kernel
def forests_modulo(
    tails: Integers, heads: Integers, places: Integers, starts: Integers, near: Integers, prime: int
) -> int:
    """Return the number of spanning forests modulo a prime below 2³¹, or −1 if a sum vanishes on the way."""
    values = np.zeros(near.size, dtype=np.int64)
    for edge in range(tails.size):
        u, v = places[tails[edge]], places[heads[edge]]
        a, b = min(u, v), max(u, v)
        values[position_of(near, starts[a], starts[a + 1], b)] += 1
    product, reciprocal = 1, 1.0 / prime
    for step in range(places.size):
        low, high = starts[step], starts[step + 1]
        if low == high:
            continue
        total = 0
        for i in range(low, high):
            total += values[i]
        total %= prime
        if total == 0:
            return -1
        product = product * total % prime
        inverse = inverse_modulo(total, prime)
        for i in range(low, high):
            position, scaled = starts[near[i]], values[i] * inverse % prime
            for j in range(i + 1, high):
                while near[position] != near[j]:
                    position += 1
                value = values[position] + scaled * values[j]
                value -= np.int64(value * reciprocal) * prime  # off by one multiple at most
                if value < 0:
                    value += prime
                elif value >= prime:
                    value -= prime
                values[position] = value
    return product
