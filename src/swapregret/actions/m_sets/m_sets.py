r"""m-sets: choose m of d elements.

:math:`\mathcal A = \{M \in \{0,1\}^d : \sum_i M_i = m\}`, whose convex hull is the capped simplex
:math:`\{x \in [0,1]^d : \sum_i x_i = m\}`. Everything has a closed form or an O(d) algorithm.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull, basis_of
from swapregret.actions.listed_policy import fixed_orders
from swapregret.actions.m_sets.kernels.subsets import distance_outside, round_to_units
from swapregret.actions.m_sets.m_set_hull import subset_hull
from swapregret.actions.m_sets.m_set_policies import GibbsSubsets, PivotalSubsets, UniformSubsets
from swapregret.arrays import Action, Actions, Integers, Label, Vector, as_integer, as_vector
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations
from swapregret.geometry.kl import INSIDE
from swapregret.geometry.span import Span
from swapregret.policy import Policy

_ORDER_SEED = 0x5EED


class MSets(ActionSet):
    r"""All ways to choose ``size`` of ``dimension`` elements.

    Parameters
    ----------
    dimension : int
        d, the number of elements.
    size : int
        m, how many are chosen, 1 ≤ m ≤ d.
    labels : sequence of hashable, optional
        Names of the elements.

    Notes
    -----
    ============== ============================================== ==============
    operation      how                                            cost
    ============== ============================================== ==============
    argmax         quickselect, lowest index on ties              O(d)
    kl_project     x = min(1, c·w), capped in passes, log domain  O(d) per pass
    decompose      systematic sampling in units of 2⁻⁴⁴           O(d²/64)
    markov_policy  pivotal sampling in these units, no list       O(d)
    uniform        closed form, λ_min = m(d−m)/(d(d−1))           O(m) per draw
    gibbs          chain over the elements, log partition sums    O(d·m)
    ============== ============================================== ==============

    The spanner and the span of all d coordinates exist for m < d; for m = d there is one action, of rank 1.

    Examples
    --------
    >>> actions = MSets(4, 2, labels="abcd")
    >>> actions.argmax([.1, .7, .3, .2])
    array([0, 1, 1, 0])
    >>> actions.elements([0, 1, 1, 0]), actions.n_actions, actions.rank
    (('b', 'c'), 6, 4)
    >>> actions.kl_project(np.log([8., 1., 1., 2.])).point
    array([1.  , 0.25, 0.25, 0.5 ])
    """

    spec_options = ("labels",)
    has_uniform = True
    has_gibbs = True
    has_markov = True
    is_chain_seen_through = True

    def __init__(self, dimension: int, size: int, labels: Sequence[Label] | None = None) -> None:
        d = as_integer(dimension, "dimension", 1)
        m = as_integer(size, "size", 1, d)
        super().__init__(d, m, labels)

    @property
    def n_actions(self) -> int:
        """Return the binomial coefficient C(d, m), exact."""
        return math.comb(self.dimension, self.size)

    def part_on(self, kept: Integers) -> "MSets":
        """Return the ways to choose as many of fewer elements."""
        return MSets(len(kept), self.size, [self.labels[index] for index in kept])

    def _actions(self) -> Iterator[Action]:
        for chosen in combinations(range(self.dimension), self.size):
            row = np.zeros(self.dimension, dtype=np.int64)
            row[list(chosen)] = 1
            yield row

    @cached_property
    def span(self) -> Span:
        """All of R^d for m < d; the line through the all-ones vector for m = d."""
        d, m = self.dimension, self.size
        if m == d:
            return Span(np.zeros(1, dtype=np.int64), np.ones((d, 1)), np.ones((1, d), dtype=np.int64))
        return Span(np.arange(d), lambda: np.eye(d), self._basis)

    def _basis(self) -> Actions:
        """Return d independent actions, for m < d."""
        d, m = self.dimension, self.size
        basis = np.zeros((d, d), dtype=np.int64)
        for shift in range(d - m):  # windows of m neighbours, then exchanges against the last one
            basis[shift, shift : shift + m] = 1
        for row, out in enumerate(range(d - m - 1, d - 1), start=d - m):
            basis[row, d - m - 1 :] = 1
            basis[row, out] = 0
        return basis

    def hull_equations(self) -> HullEquations:
        """Return the capped simplex: the elements add up to m, and none is above 1."""
        d, m = self.dimension, self.size
        if m == d:
            return HullEquations.of(np.arange(d), np.eye(d), np.ones(d))
        caps = {} if m == 1 else {"below": np.eye(d), "limit": np.ones(d)}
        return HullEquations.of(np.arange(d), np.ones((1, d)), [m], **caps)

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: quickselect, the capped simplex, systematic sampling; Gibbs policies, and chains along a line."""
        return subset_hull(self.size, self.orders(variants), basis_of(self), is_uniform=mu is self._uniform)

    def markov_policy(self, marginals: npt.ArrayLike) -> Policy:
        """Sample one element from every unit of length with these marginals, exactly: a Markov chain along the elements.

        The marginals are rounded as by :meth:`decompose`. There is no list, but Σ⁺M in O(d).
        """
        return PivotalSubsets(round_to_units(self._inside(marginals), self.size), self.size)

    def _inside(self, marginals: npt.ArrayLike) -> Vector:
        """Read a point of conv(A)."""
        point = as_vector(marginals, self.dimension, "marginals")
        if not distance_outside(point, self.size) <= INSIDE:
            raise InvalidInput(
                f"`marginals` must lie in [0, 1] and add up to {self.size}, within {INSIDE}",
                f"sum {point.sum():.12g}, least {point.min():.3g}, largest {point.max():.12g}",
                "Project them first: kl_project(log_weights).point.",
            )
        return point

    def orders(self, count: int) -> Integers:
        """Return the fixed orders in which arcs are laid, one for each variant of a decomposition."""
        return fixed_orders(_ORDER_SEED, count, self.dimension)[0]

    def uniform_policy(self) -> Policy:
        """Return the uniform policy over all C(d, m) sets, in closed form."""
        return self._uniform

    @cached_property
    def _uniform(self) -> UniformSubsets:
        return UniformSubsets(self.dimension, self.size)

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Return the policy p(M) ∝ exp(scores·M), exact in O(d·m)."""
        return GibbsSubsets(as_vector(scores, self.dimension, "scores"), self.size)

    def __repr__(self) -> str:
        return f"MSets({self.dimension}, {self.size})"
