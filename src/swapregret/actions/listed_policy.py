"""A policy as a list of packed actions with weights: what decompositions return; and the orders of their variants."""

from typing import Self

import numpy as np

from swapregret.arrays import Action, Floats, Integers, Matrix, Vector, Words, frozen
from swapregret.compiled.bits import elements_of, unpack, unpack_rows
from swapregret.compiled.kernel import kernel
from swapregret.files.held import Held, held_chances, held_whole, held_words, wrong_policy
from swapregret.policy import FinitePolicy, Policy, once


class ListedPolicy(Policy):
    """A policy given by different actions, packed into words of 64 elements, and their weights.

    It holds what :class:`~swapregret.policy.FinitePolicy` would hold in a 64th of the memory, so that sets of 10⁴ elements can be
    decomposed too; the 0/1 table of :meth:`finite` is made when it is asked for.

    Parameters
    ----------
    dimension : int
    words : uint64 array, shape (n, words)
        The actions (``compiled.bits``).
    weights : float64 array, shape (n,)
        Positive multiples of 2⁻⁵² that add up to exactly 1.
    """

    made_of = ("dimension", "_words", "_chances")
    has_atoms = True

    def __init__(self, dimension: int, words: Words, weights: Vector) -> None:
        self.dimension = dimension
        self._words = frozen(words)
        self._chances = frozen(weights)
        self._cumulative = frozen(np.cumsum(weights))

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one action by inversion: one uniform number per draw."""
        drawn = int(self._cumulative.searchsorted(rng.random(), side="right"))
        return unpack(self._words[drawn], self.dimension)

    @once
    def marginals(self) -> Vector:
        """E[M], exact: each entry is a sum of grid weights."""
        return _add_up(self._words, self._chances, self.dimension)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in time proportional to the elements of all actions."""
        totals = _totals(self._words, np.array(vector, dtype=np.float64))
        return _add_up(self._words, self._chances * totals, self.dimension)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ, computed once."""
        return self.finite().cooccurrence()

    @once
    def finite(self) -> FinitePolicy:
        """Return the same policy with its actions as 0/1 vectors."""
        return FinitePolicy(unpack_rows(self._words, self.dimension), self._chances)

    def packed_support(self) -> tuple[Words, Vector]:
        """Return the actions and their weights."""
        return self._words, self._chances

    def __repr__(self) -> str:
        return f"ListedPolicy({len(self._chances)} actions in dimension {self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        d, weights = held_whole(held, "dimension", most), held_chances(held, "_chances")
        words = held_words(held, "_words", d)
        if len(words) != len(weights):
            raise wrong_policy("a weight for each action", f"{len(weights)} weights, {len(words)} actions")
        return cls(d, words, weights)


def fixed_orders(seed: int, count: int, *lengths: int) -> tuple[Integers, ...]:
    """Return ``count`` orders of 0..n−1 for each length n, shape (count, n): the natural one, then fixed pseudo-random ones."""
    rows = [[np.arange(n) for n in lengths]]
    for index in range(1, count):
        rng = np.random.default_rng([seed, index])
        rows.append([rng.permutation(n) for n in lengths])
    return tuple(np.array(orders, dtype=np.int64) for orders in zip(*rows, strict=True))


@kernel
def _add_up(words: Words, factors: Floats, dimension: int) -> Floats:
    """Return Σ_a factor_a M_a."""
    result, elements = np.zeros(dimension), np.empty(dimension, dtype=np.int64)
    for a in range(factors.size):
        for e in range(elements_of(words[a], elements)):
            result[elements[e]] += factors[a]
    return result


@kernel
def _totals(words: Words, vector: Floats) -> Floats:
    """Return M_a · v of every action."""
    result, elements = np.zeros(len(words)), np.empty(vector.size, dtype=np.int64)
    for a in range(result.size):
        for e in range(elements_of(words[a], elements)):
            result[a] += vector[elements[e]]
    return result
