"""Laws over m-sets that are not lists: systematic sampling, the uniform law, the Gibbs law."""

import math
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.gibbs_subsets import (
    gibbs_chain,
    gibbs_draw,
    gibbs_marginals,
    gibbs_moment,
    gibbs_pairs,
)
from swapregret.actions.m_sets.kernels.subsets import (
    UNIT,
    systematic_atoms,
    systematic_cooccurrence,
    systematic_draw,
    systematic_moment,
    systematic_starts,
)
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.policy import FinitePolicy, Policy, once
from swapregret.policy.held import Held, held_array, held_scores, held_whole, wrong_law

LISTED = 10_000
"""Most sets that a law over all of them lists."""


@lru_cache(maxsize=8)
def all_sets(dimension: int, size: int) -> FinitePolicy:
    """List every set once, uniformly weighted; laws over all of them share its table."""
    rows = np.zeros((math.comb(dimension, size), dimension), dtype=np.int64)
    for row, chosen in zip(rows, combinations(range(dimension), size), strict=True):
        row[list(chosen)] = 1
    return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))


class SystematicPolicy(Policy):
    """Systematic sampling: elements as arcs round a circle of length 1, a needle draws all that cover it.

    Element i has an arc of length x_i; laid end to end the arcs wind m times round the circle, so every point is
    covered by exactly m different elements (x_i ≤ 1). Averages over several orders of laying. Lengths are integers
    in units of 2⁻⁴⁴: no set of m − 1 elements can slip through a rounding error.

    Parameters
    ----------
    units : int64 array, shape (dimension,)
        x_i in units of 2⁻⁴⁴, adding up to size · 2⁴⁴.
    orders : int64 array, shape (n, dimension)
        The orders in which the arcs are laid.
    size : int
        m.

    Examples
    --------
    >>> half = np.full(4, UNIT // 2)
    >>> law = SystematicPolicy(half, np.array([[0, 1, 2, 3]]), 2)
    >>> law.atoms.tolist()
    [[1, 0, 1, 0], [0, 1, 0, 1]]
    """

    has_atoms = True

    def __init__(self, units: npt.NDArray[np.int64], orders: npt.NDArray[np.int64], size: int) -> None:
        self.dimension = units.size
        self.size = size
        self._units = frozen(units)
        self._orders = orders
        # kernels are compiled for one kind of array, that may be written to: here and below they get copies
        self._starts = frozen(systematic_starts(units.copy(), orders.copy()))

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw an order and a needle: two uniform numbers."""
        row = int(rng.random() * len(self._orders))
        needle = int(rng.random() * UNIT)
        return systematic_draw(self._units, self._starts[row], needle)

    @once
    def marginals(self) -> Vector:
        """E[M], exact multiples of 2⁻⁴⁴."""
        return self._units / UNIT

    @cached_property
    def _ranks(self) -> npt.NDArray[np.int64]:
        return np.argsort(self._starts, axis=1, kind="stable")

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(dimension) per order."""
        contiguous = np.ascontiguousarray(vector, dtype=np.float64)
        return systematic_moment(self._units, self._starts, self._orders, self._ranks, contiguous)

    @once
    def cooccurrence(self) -> Matrix:
        """Σ by overlaps of arcs in O(dimension²) per order, computed once."""
        return systematic_cooccurrence(self._units.copy(), self._starts.copy())

    @once
    def finite(self) -> FinitePolicy:
        """List the support: at most dimension sets per order."""
        atoms, lengths = systematic_atoms(self._units, self._starts)
        return FinitePolicy(atoms, lengths / (UNIT * len(self._orders)))

    def packed_support(self) -> tuple[npt.NDArray[np.uint64], Vector]:
        """List the support as packed bits and weights in O(dimension) words per order; orders may share sets."""
        words, lengths = systematic_words(self._units.copy(), self._starts.copy(), self._orders.copy(), UNIT)
        return words, lengths / (UNIT * len(self._orders))

    def __repr__(self) -> str:
        return f"SystematicPolicy({self.size} of {self.dimension}, {len(self._orders)} orders)"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        units, size = held_units(held)
        orders = held_array(held, "_orders", "int64", (None, len(units)), 0, len(units) - 1)
        if not len(orders) or (np.sort(orders, axis=1) != np.arange(len(units))).any():
            raise wrong_law("each element once in each of `_orders`", f"{orders!r:.80}")
        return cls(units, orders, size)


class UniformSubsets(Policy):
    """The uniform law over all m-sets, in closed form: Σ = aI + b11ᵀ.

    b = m(m−1)/(d(d−1)) is the probability of a pair, a = m/d − b; the smallest eigenvalue for m < d is
    a = m(d−m)/(d(d−1)).

    Examples
    --------
    >>> UniformSubsets(4, 2).second_moment(np.array([1., 0., 0., 0.]))
    array([0.5       , 0.16666667, 0.16666667, 0.16666667])
    """

    def __init__(self, dimension: int, size: int) -> None:
        self.dimension = dimension
        self.size = size
        self.single = size / dimension
        self.pair = size * (size - 1) / (dimension * (dimension - 1)) if dimension > 1 else self.single
        self._n_actions = math.comb(dimension, size)
        self.largest_probability = 1 / self._n_actions  # of whole numbers: 0 where no float is as small
        self.has_atoms = self._n_actions <= LISTED

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw m elements by Floyd's rule: m uniform numbers."""
        action = np.zeros(self.dimension, dtype=np.int64)
        for top in range(self.dimension - self.size, self.dimension):
            element = int(rng.random() * (top + 1))
            action[top if action[element] else element] = 1
        return action

    def marginals(self) -> Vector:
        """E[M] = m/d everywhere."""
        return np.full(self.dimension, self.single)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] = a·v + b·Σv."""
        array = np.asarray(vector, dtype=np.float64)
        return np.asarray((self.single - self.pair) * array + self.pair * array.sum())

    @once
    def cooccurrence(self) -> Matrix:
        """Σ = aI + b11ᵀ."""
        matrix = np.full((self.dimension, self.dimension), self.pair)
        np.fill_diagonal(matrix, self.single)
        return matrix

    def probabilities(self, actions: Actions) -> Vector:
        """1/N for every row that is an m-set."""
        return np.where(np.sum(actions, axis=1) == self.size, self.largest_probability, 0.0)

    def finite(self) -> FinitePolicy:
        """List all sets, where there are at most 10,000."""
        return all_sets(self.dimension, self.size) if self.has_atoms else super().finite()

    def __repr__(self) -> str:
        return f"UniformSubsets({self.size} of {self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        d = held_whole(held, "dimension", most)
        return cls(d, held_whole(held, "size", d))


class GibbsSubsets(Policy):
    """The law p(M) ∝ exp(scores·M) over m-sets, exact, as a chain over the elements.

    Parameters
    ----------
    scores : Vector, shape (dimension,)
    size : int
        m.

    Notes
    -----
    O(d·m) to build and for a moment, O(d) a draw, O(d²·m) for the dense Σ. Only the partition sums are kept as
    logarithms, so scores of any spread are handled without cancellation.

    Examples
    --------
    >>> GibbsSubsets(np.log([1., 2., 3.]), 1).marginals().round(6)
    array([0.166667, 0.333333, 0.5     ])
    """

    def __init__(self, scores: Vector, size: int) -> None:
        self.dimension = scores.size
        self.size = size
        self._scores = frozen(np.array(scores, dtype=np.float64))
        self._include, self._reach, self._log_partition = gibbs_chain(self._scores, size)
        self.has_atoms = math.comb(self.dimension, size) <= LISTED

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one set: one uniform number per element."""
        return gibbs_draw(self._include, rng.random(self.dimension))

    @once
    def marginals(self) -> Vector:
        """E[M] from the chain."""
        return gibbs_marginals(self._include, self._reach)

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(dimension · size)."""
        return gibbs_moment(self._include, self._reach, np.ascontiguousarray(vector, dtype=np.float64))

    @once
    def cooccurrence(self) -> Matrix:
        """Σ of all pairs, computed once."""
        return gibbs_pairs(self._include, self._reach)

    def probabilities(self, actions: Actions) -> Vector:
        """exp(s·M) / Z for every row that is an m-set."""
        scores = np.where(np.sum(actions, axis=1) == self.size, actions @ self._scores, -np.inf)
        return np.exp(scores - self._log_partition)

    @once
    def finite(self) -> FinitePolicy:
        """List all sets, where there are at most 10,000."""
        if not self.has_atoms:
            return super().finite()
        law = all_sets(self.dimension, self.size)
        weights = np.exp(law.atoms @ self._scores - self._log_partition)
        return law.reweighted(weights / weights.sum())

    def __repr__(self) -> str:
        return f"GibbsSubsets({self.size} of {self.dimension})"

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the law that a file holds, its numbers checked: in range, and fitting each other."""
        scores = held_scores(held, (None,))
        return cls(scores, held_whole(held, "size", len(scores)))


def held_units(held: Held) -> tuple[npt.NDArray[np.int64], int]:
    """Return the lengths of the elements in a file, which add up to m units, and m."""
    units: npt.NDArray[np.int64] = held_array(held, "_units", "int64", (None,), 0, UNIT)
    size = held_whole(held, "size", len(units))
    if sum(units.tolist()) != size * UNIT:
        raise wrong_law(f"`_units` that add up to {size} · 2⁴⁴", f"{sum(units.tolist())}")
    return units, size
