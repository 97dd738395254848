r"""Σ⁺v for mixtures of listed permutations and the uniform policy, without a matrix.

The uniform policy has the eigenvalue 1 on the constant table and 1/(n−1) on tables whose rows and columns add up to 0, and these
span all permutations, so its Σ⁺ is known. With weight γ, and :math:`\sum_a w_a M_a M_a^\top` over the heaviest permutations of the
lists beside it, it preconditions conjugate gradients: a permutation of weight w adds an eigenvalue of about wn²/γ to those at 1.
How two of them meet is how many pairs they share.

Neighbours in a list differ in a few pairs: a product follows the changes. M·v moves by what they add and take away, and
an element collects the weighted sum that has run up since it came, when it goes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import elements_of, lowest_bit
from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot

Places = npt.NDArray[np.uint32]

_HEAVY, _MOST, _HALVINGS = 0.3, 3, 12
_ZERO, _ONE = np.uint64(0), np.uint64(1)


class Matchings(NamedTuple):
    """A mixture, and its preconditioner; elements have no sign, which would have to be checked.

    Attributes
    ----------
    first, last : uint32 arrays, shape (n,)
        The elements of the first and of the last of the N permutations listed.
    change : uint64 array, shape (N + 1,)
        Permutation a differs from the one before in changes ``change[a]..change[a+1]-1``; the first from nothing.
    came, went : uint32 arrays
        The elements that come and go, as many of each.
    weights : float64 array, shape (N,)
    explore : float
        γ, the weight of the uniform policy.
    heavy : uint32 array, shape (q, n)
        The elements of the permutations the preconditioner knows.
    roots : float64 array, shape (q,)
        √w of these.
    factor : float64 array, shape (q, q)
        Of I + the Gram matrix of √w M, in the inner product of the inverse of γ times the uniform policy.
    """

    first: Places
    last: Places
    change: Words
    came: Places
    went: Places
    weights: Floats
    explore: float
    heavy: Places
    roots: Floats
    factor: Floats


@kernel
def gather_lists(n_atoms: Integers, words: Words, chances: Floats, weights: Floats) -> tuple[Words, Floats]:
    """Return the permutations of the lists in all slots but the last, and their weights in the mixture."""
    last, count, at = weights.size - 1, 0, 0
    for slot in range(last):
        if weights[slot] > 0.0:
            count += n_atoms[slot]
    rows, mass = np.empty((count, words.shape[2]), dtype=np.uint64), np.empty(count)
    for slot in range(last):
        for a in range(n_atoms[slot] if weights[slot] > 0.0 else 0):
            source, target = words[slot, a], rows[at]
            for w in range(target.size):
                target[w] = source[w]
            mass[at] = weights[slot] * chances[slot, a]
            at += 1
    return rows, mass


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
def _put_elements(bits: np.uint64, base: int, elements: Places, count: int) -> int:
    """Write where a word has bits after what is there already; return how many there are then."""
    while bits != _ZERO:
        elements[count] = base + lowest_bit(bits)
        bits &= bits - _ONE
        count += 1
    return count


@kernel
def _changes(words: Words, n: int) -> tuple[Words, Places, Places]:
    """Return where each permutation differs from the one before."""
    n_listed = len(words)
    change = np.zeros(n_listed + 1, dtype=np.uint64)
    came, went = np.empty(n_listed * n, dtype=np.uint32), np.empty(n_listed * n, dtype=np.uint32)
    n_came, n_went = 0, 0
    for a in range(1, n_listed):
        before, now = words[a - 1], words[a]
        for w in range(now.size):
            differ = before[w] ^ now[w]
            if differ != _ZERO:
                n_came = _put_elements(differ & now[w], 64 * w, came, n_came)
                n_went = _put_elements(differ & before[w], 64 * w, went, n_went)
        change[a + 1] = n_came
    return change, came, went


@kernel
def prepare_matchings(words: Words, weights: Floats, explore: float, n: int) -> Matchings:
    """Make the preconditioner of some permutations of n."""
    chosen = _heaviest(weights, _HEAVY * explore / (n * n), _MOST * n)
    q = chosen.size
    heavy, roots, gram = np.empty((q, n), dtype=np.uint32), np.empty(q), np.empty((q, q))
    for c in range(q):
        mine = heavy[c]
        elements_of(words[chosen[c]], mine)
        roots[c] = np.sqrt(weights[chosen[c]])
        for e in range(c + 1):
            other, shared = heavy[e], 0
            for i in range(n):
                shared += mine[i] == other[i]
            together = ((n - 1) * (shared - 1) + 1) / explore
            gram[e, c] = roots[c] * roots[e] * together + (1.0 if c == e else 0.0)
    factor, _ = cholesky(gram)
    ends = np.zeros((2, n), dtype=np.uint32)
    if len(words):
        elements_of(words[0], ends[0])
        elements_of(words[len(words) - 1], ends[1])
    change, came, went = _changes(words, n)
    return Matchings(ends[0], ends[1], change, came, went, weights, explore, heavy, roots, factor)


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
    """Solve for γ times the uniform policy and the heavy permutations; the residual is in the span of the permutations."""
    (q, n), explore = mixture.heavy.shape, mixture.explore
    mean = 0.0
    for i in range(residual.size):
        mean += residual[i]
    mean /= residual.size
    inner = np.empty(q)
    for c in range(q):
        value = (n - 1) * (_gather(residual, mixture.heavy[c]) - n * mean) + n * mean
        inner[c] = mixture.roots[c] * value / explore
    inner = cholesky_solve(mixture.factor, inner)
    total = 0.0
    for c in range(q):
        inner[c] *= mixture.roots[c]
        total += inner[c]
    level = ((2 - n) * mean - total * (1.0 / n - (n - 1.0) / n)) / explore
    share = (n - 1) / explore
    for i in range(residual.size):
        shaped[i] = share * residual[i] + level
    for c in range(q):
        chosen, value = mixture.heavy[c], share * inner[c]
        for i in range(n):
            shaped[chosen[i]] -= value


@kernel
def _product(mixture: Matchings, vector: Floats, result: Floats) -> None:
    """Write Σv: the uniform policy in closed form, the lists permutation by permutation."""
    n = mixture.first.size
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
    value, sum_ = _gather(vector, mixture.first), 0.0
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
    for i in range(n):
        result[mixture.last[i]] += sum_


@kernel
def solve_matchings(mixture: Matchings, right: Floats, tolerance: float, limit: int) -> tuple[Floats, float, int]:
    """Solve Σy = v, v in the span; return y, the relative residual in the norm of the preconditioner, and the number of steps."""
    d = right.size
    result, residual = np.zeros(d), right.copy()
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
