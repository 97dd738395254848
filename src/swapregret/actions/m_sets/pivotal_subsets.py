"""Ordered pivotal sampling: a policy over m-sets with given marginals that is a Markov chain, not a list."""

from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.pivotal import (
    pivotal_cooccurrence,
    pivotal_draw,
    pivotal_largest,
    pivotal_moment,
    pivotal_policy,
    pivotal_probabilities,
)
from swapregret.actions.m_sets.kernels.subsets import UNIT
from swapregret.actions.m_sets.m_set_policies import SubsetPolicy
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.files.held import Held, held_array, held_whole, wrong_policy
from swapregret.policy import once


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

    Examples
    --------
    >>> from swapregret.actions.m_sets.kernels.subsets import UNIT
    >>> policy = PivotalSubsets(np.full(4, UNIT // 2), 2)
    >>> policy.probability(np.array([1, 0, 0, 1])), policy.probability(np.array([1, 1, 0, 0]))
    (0.25, 0.0)
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
