"""Policies over m-sets that are not lists: the uniform policy, the Gibbs policy, and pivotal sampling with given marginals."""

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
from swapregret.actions.m_sets.kernels.pivotal import (
    pivotal_cooccurrence,
    pivotal_draw,
    pivotal_largest,
    pivotal_moment,
    pivotal_policy,
    pivotal_probabilities,
)
from swapregret.actions.m_sets.kernels.subsets import draw_uniform
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.compiled.bits import UNIT
from swapregret.files.held import Held, held_array, held_scores, held_whole, wrong_policy
from swapregret.policy import FinitePolicy, Policy, once

_LISTED = 10_000


@lru_cache
def _is_short(dimension: int, size: int) -> bool:
    """Tell whether all sets can be listed; their number may have thousands of digits."""
    return math.comb(dimension, size) <= _LISTED


@lru_cache(maxsize=8)
def _all_sets(dimension: int, size: int) -> FinitePolicy:
    """List every set once, uniformly weighted; policies over all of them share its table."""
    rows = np.zeros((math.comb(dimension, size), dimension), dtype=np.int64)
    for row, chosen in zip(rows, combinations(range(dimension), size), strict=True):
        row[list(chosen)] = 1
    return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))


class SubsetPolicy(Policy):
    """A policy over the sets of ``size`` elements; of at most 10,000 sets it can list all, so that regrets under it are exact."""

    def __init__(self, dimension: int, size: int) -> None:
        self.dimension = dimension
        self.size = size
        self.has_atoms = _is_short(dimension, size)

    def _listed(self) -> FinitePolicy:
        policy = _all_sets(self.dimension, self.size)
        weights = self.probabilities(policy.atoms)
        return policy.reweighted(weights / weights.sum())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} of {self.dimension})"


class UniformSubsets(SubsetPolicy):
    """The uniform policy over all m-sets, in closed form: Σ = aI + b11ᵀ.

    b = m(m−1)/(d(d−1)) is the probability of a pair, a = m/d − b; the smallest eigenvalue for m < d is
    a = m(d−m)/(d(d−1)).
    """

    made_of = ("dimension", "size")

    def __init__(self, dimension: int, size: int) -> None:
        super().__init__(dimension, size)
        self.single = size / dimension
        self.pair = size * (size - 1) / (dimension * (dimension - 1)) if dimension > 1 else self.single
        self.largest_probability = 1 / math.comb(dimension, size)  # of whole numbers: 0 where no float is as small

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw m elements by Floyd's rule: m uniform numbers."""
        return draw_uniform(rng, self.dimension, self.size)

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

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        d = held_whole(held, "dimension", most)
        return cls(d, held_whole(held, "size", d))


class GibbsSubsets(SubsetPolicy):
    """The policy p(M) ∝ exp(scores·M) over m-sets, exact, as a chain over the elements.

    Parameters
    ----------
    scores : Vector, shape (dimension,)
    size : int
        m.

    Notes
    -----
    O(d·m) to build and for a moment, O(d) per draw, O(d²·m) for the dense Σ. Only the partition sums are kept as
    logarithms, so scores of any spread are handled without cancellation.
    """

    made_of = ("size", "_scores")

    def __init__(self, scores: Vector, size: int) -> None:
        super().__init__(scores.size, size)
        self._scores = frozen(np.array(scores, dtype=np.float64))
        self._include, self._reach, self._log_partition = gibbs_chain(self._scores, size)

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

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        scores = held_scores(held, (None,))
        return cls(scores, held_whole(held, "size", len(scores)))


class PivotalSubsets(SubsetPolicy):
    r"""One element from every unit of length, the elements lying end to end on a line of length m.

    Element i has length x_i ≤ 1. Every stratum [k, k+1) draws one of the elements in it, in proportion to what of them lies in
    it. Of an element that lies across a border, a before it and b behind: if the first stratum drew it, the second draws
    from the rest; if not, the second draws it with probability b/(1−a) (Deville's systematic sampling). P(i chosen) = x_i.

    Elements far apart are drawn nearly independently, so that :math:`\Sigma` has no eigenvalues that stand out but the
    largest, and Σ⁺M of a mixture with the uniform policy is found in O(d), without iterating (``kernels.pivotal_solve``).

    Parameters
    ----------
    units : int64 array, shape (dimension,)
        x_i in units of 2⁻⁴⁴, adding up to size · 2⁴⁴: no stratum can be left without an element.
    size : int
        m.

    Notes
    -----
    O(d) for the policy, each product with Σ and each probability; a draw takes m random numbers.
    """

    made_of = ("size", "_units")

    def __init__(self, units: npt.NDArray[np.int64], size: int) -> None:
        super().__init__(units.size, size)
        self._units = frozen(units)

    @cached_property
    def _policy(self) -> tuple[Vector, Vector, Vector]:
        # kernels are compiled for one kind of array, that may be written to: here and below they get such
        share, noise, point = np.empty((3, self.dimension))
        pivotal_policy(self._units.copy(), share, noise, point)
        return share, noise, point

    def sample(self, rng: np.random.Generator) -> Action:
        """Draw one set: one uniform number per stratum."""
        return pivotal_draw(self._units.copy(), rng.random(self.size))

    @once
    def marginals(self) -> Vector:
        """E[M], exact multiples of 2⁻⁴⁴."""
        return self._units / UNIT

    def second_moment(self, vector: Vector) -> Vector:
        """E[M (M·v)] in O(dimension), by one pass backwards and one forwards."""
        return pivotal_moment(*self._policy, np.array(vector, dtype=np.float64))

    @once
    def cooccurrence(self) -> Matrix:
        """Σ in O(dimension²), computed once."""
        return pivotal_cooccurrence(*self._policy)

    def probabilities(self, actions: Actions) -> Vector:
        """Return the probability of every row, along the chain; 0 for what it cannot draw."""
        return pivotal_probabilities(self._units.copy(), np.array(actions, dtype=np.int64))

    @cached_property
    def largest_probability(self) -> float:
        """The probability of the likeliest set."""
        return float(pivotal_largest(self._units.copy()))

    @classmethod
    def of_held(cls, held: Held, most: int) -> Self:
        """Return the policy that a file holds, its numbers checked: in range, and fitting each other."""
        units: npt.NDArray[np.int64] = held_array(held, "_units", "int64", (None,), 0, UNIT)
        size = held_whole(held, "size", len(units))
        if sum(units.tolist()) != size * UNIT:
            raise wrong_policy(f"`_units` that add up to {size} · 2⁴⁴", f"{sum(units.tolist())}")
        return cls(units, size)
