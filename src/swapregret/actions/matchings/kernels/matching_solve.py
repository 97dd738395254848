r"""Σ⁺M for mixtures of listed permutations and the uniform law, without a matrix.

The uniform law has the eigenvalue 1 on the constant table and 1/(n−1) on tables whose rows and columns add up to 0, and these span
all permutations, so its Σ⁺ is known. With weight γ, and :math:`\sum_a w_a M_a M_a^\top` over the heaviest permutations of the
lists beside it, it preconditions conjugate gradients: a permutation of weight w adds an eigenvalue of about wn²/γ to those
at 1. How two of them meet is how many pairs they share.

Lists are sorted, and neighbours differ in a few pairs: a product follows the changes. M·v moves by what they add and take away, and
an element collects the weighted sum that has run up since it came, when it goes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import elements_of
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

__all__ = [
    "Matchings",
    "MixtureRoom",
    "fill_mixture",
    "mixture_in",
    "mixture_room",
    "prepare_matchings",
    "solve_matchings",
]

Places = npt.NDArray[np.uint32]

_HEAVY, _MOST, _HALVINGS = 0.3, 3, 12


class Matchings(NamedTuple):
    """A mixture, and its preconditioner.

    Attributes
    ----------
    elements : uint32 array, shape (N, n)
        The coordinates of all listed permutations; without a sign, which would have to be checked.
    change : uint64 array, shape (N + 1,)
        Permutation a differs from the one before in changes ``change[a]..change[a+1]-1``; the first from nothing.
    came, went : uint32 arrays
        The elements that come and go with each change.
    weights : float64 array, shape (N,)
    explore : float
        γ, the weight of the uniform law.
    heavy : int64 array, shape (q,)
        Which permutations the preconditioner knows.
    factor : float64 array, shape (q, q)
        Of I + the Gram matrix of √w M, in the inner product of the inverse of γ times the uniform law.
    """

    elements: Places
    change: npt.NDArray[np.uint64]
    came: Places
    went: Places
    weights: Floats
    explore: float
    heavy: Integers
    factor: Floats


class MixtureRoom(NamedTuple):
    """Room for a mixture: its arrays at their largest, and how much of each is in use.

    Attributes
    ----------
    mixture : Matchings
    counts : int64 array, shape (3,)
        How many permutations, changes and heavy permutations.
    explore : float64 array, shape (1,)
    """

    mixture: Matchings
    counts: Integers
    explore: Floats


@kernel
def _heaviest(weights: Floats, least: float, most: int) -> Integers:
    """Return which weights exceed ``least``, or a larger bound, found by halving, that at most ``most`` exceed."""
    top = 0.0
    for a in range(weights.size):
        top = max(top, weights[a])
    low, high = least, max(least, top)
    bound = low
    for _ in range(_HALVINGS):
        count = 0
        for a in range(weights.size):
            count += weights[a] > bound
        if count <= most:
            high = bound
            if bound == low:
                break
        else:
            low = bound
        bound = np.sqrt(low * high)
    found = np.empty(weights.size, dtype=np.int64)
    n = 0
    for a in range(weights.size):
        if weights[a] > high:
            found[n] = a
            n += 1
    return found[:n].copy()


@kernel
def mixture_room(n_listed: int, n: int) -> MixtureRoom:
    """Return room for so many permutations of n."""
    most = _MOST * n
    mixture = Matchings(
        np.zeros((n_listed, n), dtype=np.uint32),
        np.zeros(n_listed + 1, dtype=np.uint64),
        np.zeros(n_listed * n, dtype=np.uint32),
        np.zeros(n_listed * n, dtype=np.uint32),
        np.zeros(n_listed),
        0.0,
        np.zeros(most, dtype=np.int64),
        np.zeros((most, most)),
    )
    return MixtureRoom(mixture, np.zeros(3, dtype=np.int64), np.zeros(1))


@kernel
def mixture_in(room: MixtureRoom) -> Matchings:
    """Return the mixture that was prepared."""
    most, (n, n_changes, q) = room.mixture, room.counts
    return Matchings(
        most.elements[:n],
        most.change[: n + 1],
        most.came[:n_changes],
        most.went[:n_changes],
        most.weights[:n],
        room.explore[0],
        most.heavy[:q],
        most.factor.reshape(-1)[: q * q].reshape(q, q),
    )


@kernel
def _follow(elements: Places, change: npt.NDArray[np.uint64], came: Places, went: Places) -> int:
    """Write down where each permutation differs from the one before; return in how many elements, all together."""
    count = 0
    change[0] = 0
    for a in range(elements.shape[0]):
        if a > 0:
            before, now = elements[a - 1], elements[a]
            for i in range(now.size):
                if before[i] != now[i]:
                    came[count] = now[i]
                    went[count] = before[i]
                    count += 1
        change[a + 1] = count
    return count


@kernel
def _finish(room: MixtureRoom, n_listed: int, explore: float) -> None:
    """Make the preconditioner of the first permutations of a room, and follow their changes."""
    most = room.mixture
    elements, weights, n = most.elements[:n_listed], most.weights[:n_listed], most.elements.shape[1]
    heavy = _heaviest(weights, _HEAVY * explore / (n * n), _MOST * n)
    q = heavy.size
    gram = np.empty((q, q))
    for c in range(q):
        mine = elements[heavy[c]]
        for e in range(c + 1):
            other = elements[heavy[e]]
            shared = 0
            for i in range(n):
                shared += mine[i] == other[i]
            together = ((n - 1) * (shared - 1) + 1) / explore
            gram[e, c] = np.sqrt(weights[heavy[c]] * weights[heavy[e]]) * together + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    most.heavy[:q] = heavy
    most.factor.reshape(-1)[: q * q] = factor.reshape(-1)
    room.counts[0], room.counts[2] = n_listed, q
    room.counts[1] = _follow(elements, most.change, most.came, most.went)
    room.explore[0] = explore


@kernel
def prepare_matchings(elements: Places, weights: Floats, explore: float) -> Matchings:
    """Return listed permutations as a mixture with the uniform law."""
    room = mixture_room(elements.shape[0], elements.shape[1])
    room.mixture.elements[:] = elements
    room.mixture.weights[:] = weights
    _finish(room, elements.shape[0], explore)
    return mixture_in(room)


@kernel
def fill_mixture(room: MixtureRoom, n_atoms: Integers, words: Words, chances: Floats, weights: Floats) -> None:
    """Put the lists of all slots but the last into a room, by their weights; the last is the uniform law."""
    at, last = 0, weights.size - 1
    elements = np.empty(room.mixture.elements.shape[1], dtype=np.int64)
    for slot in range(last):
        if weights[slot] > 0.0:
            for a in range(n_atoms[slot]):
                elements_of(words[slot, a], elements)
                row = room.mixture.elements[at]
                for i in range(row.size):
                    row[i] = elements[i]
                room.mixture.weights[at] = weights[slot] * chances[slot, a]
                at += 1
    _finish(room, at, weights[last])


@kernel
def _gather(vector: Floats, chosen: Places) -> float:
    """Return Σ of the chosen entries in four interleaved sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= chosen.size:
        first += vector[chosen[i]]
        second += vector[chosen[i + 1]]
        third += vector[chosen[i + 2]]
        fourth += vector[chosen[i + 3]]
        i += 4
    while i < chosen.size:
        first += vector[chosen[i]]
        i += 1
    return (first + second) + (third + fourth)


@kernel
def _precondition(mixture: Matchings, residual: Floats, shaped: Floats) -> None:
    """Solve for γ times the uniform law and the heavy permutations; the residual is in the span of the permutations."""
    n, q, explore = mixture.elements.shape[1], mixture.heavy.size, mixture.explore
    mean = 0.0
    for i in range(residual.size):
        mean += residual[i]
    mean /= residual.size
    inner = np.empty(q)
    for c in range(q):
        a = mixture.heavy[c]
        value = (n - 1) * (_gather(residual, mixture.elements[a]) - n * mean) + n * mean
        inner[c] = np.sqrt(mixture.weights[a]) * value / explore
    inner = cholesky_solve(mixture.factor, inner)
    total = 0.0
    for c in range(q):
        inner[c] *= np.sqrt(mixture.weights[mixture.heavy[c]])
        total += inner[c]
    level = ((2 - n) * mean - total * (1.0 / n - (n - 1.0) / n)) / explore
    share = (n - 1) / explore
    for i in range(residual.size):
        shaped[i] = share * residual[i] + level
    for c in range(q):
        chosen, value = mixture.elements[mixture.heavy[c]], share * inner[c]
        for i in range(n):
            shaped[chosen[i]] -= value


@kernel
def _product(mixture: Matchings, vector: Floats, result: Floats) -> None:
    """Write Σv: the uniform law in closed form, the lists permutation by permutation."""
    n = mixture.elements.shape[1]
    single, pair = mixture.explore / n, mixture.explore / (n * (n - 1))
    across, down = np.zeros(n), np.zeros(n)
    total = 0.0
    for i in range(n):
        row = vector[i * n : (i + 1) * n]
        for j in range(n):
            across[i] += row[j]
            down[j] += row[j]
        total += across[i]
    for i in range(n):
        row, target = vector[i * n : (i + 1) * n], result[i * n : (i + 1) * n]
        rest = total - across[i]
        for j in range(n):
            target[j] = single * row[j] + pair * (rest - down[j] + row[j])
    n_listed = mixture.weights.size
    if n_listed == 0:
        return
    change, came, went, weights = mixture.change, mixture.came, mixture.went, mixture.weights
    value, sum_ = _gather(vector, mixture.elements[0]), 0.0
    for a in range(n_listed):
        more, less = 0.0, 0.0
        for c in range(change[a], change[a + 1]):
            new, old = came[c], went[c]
            more += vector[new]
            less += vector[old]
            result[new] -= sum_
            result[old] += sum_
        value += more - less
        sum_ += weights[a] * value
    chosen = mixture.elements[n_listed - 1]
    for i in range(n):
        result[chosen[i]] += sum_


@kernel
def solve_matchings(mixture: Matchings, action: Integers, tolerance: float, limit: int) -> tuple[Floats, float, int]:
    """Solve Σy = M; return y, the relative residual reached, in the norm of the preconditioner, and the number of steps."""
    d = action.size
    result, residual = np.zeros(d), np.empty(d)
    for i in range(d):
        residual[i] = action[i]
    shaped, direction, product = np.empty(d), np.zeros(d), np.empty(d)
    first, energy = 0.0, 0.0
    step = 0
    while True:
        _precondition(mixture, residual, shaped)
        previous, energy = energy, dot(residual, shaped)
        if step == 0:
            if not energy > 0.0:
                return result, 0.0, step
            first = energy
            direction[:] = shaped
        else:
            if not energy > first * tolerance * tolerance or step == limit:
                break
            ratio = energy / previous
            for i in range(d):
                direction[i] = shaped[i] + ratio * direction[i]
        _product(mixture, direction, product)
        curvature = dot(direction, product)
        if not curvature > 0.0:
            break
        length = energy / curvature
        for i in range(d):
            result[i] += length * direction[i]
        for i in range(d):
            residual[i] -= length * product[i]
        step += 1
    return result, np.sqrt(max(energy, 0.0) / first), step
