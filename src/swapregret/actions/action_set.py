r"""An action set: one required method, everything else derived from it or overridden.

A subclass must give :meth:`ActionSet.argmax`, :math:`\arg\max_{M \in \mathcal A} w\cdot M` with ties to a fixed rule.
From that alone the base class has membership, enumeration, span and rank, barycentric spanner, KL projection and
decomposition (``geometry``). A set with a faster or exact way of its own overrides the method; policies that exist only for
some sets (uniform, Gibbs) are refused by name elsewhere.
"""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.labelled import Labelled
from swapregret.actions.own_sets.pooled_family import pooled_family
from swapregret.actions.own_sets.python_family import OracleFamily, OracleGibbsFamily, oracle_family
from swapregret.arrays import (
    Action,
    Actions,
    Matrix,
    Vector,
    as_action,
    as_integer,
    as_table,
    as_vector,
    check_memory,
    frozen,
)
from swapregret.compiled.bits import merge_policy
from swapregret.counts import count_in_words, shown
from swapregret.errors import InvalidAction, InvalidInput, TooLarge, Unsupported
from swapregret.geometry.caratheodory import decompose
from swapregret.geometry.enumeration import enumerate_actions
from swapregret.geometry.kl import Projection, cover
from swapregret.geometry.kl_from_actions import project_kl
from swapregret.geometry.oracle import AskedOracle
from swapregret.geometry.span import Span, find_span
from swapregret.geometry.spanner import Spanner, find_spanner
from swapregret.policy import FinitePolicy, Policy

ENUMERATION_LIMIT = 100_000
"""How many actions ``enumerate`` lists before it asks to be told otherwise."""
_TOLERANCE = 1e-9


class ActionSet(Labelled):
    r"""A finite set of actions :math:`\mathcal A \subset \{0,1\}^d`.

    Parameters
    ----------
    dimension : int
        d, the number of elements that can be chosen.
    size : int
        m, the largest number of elements an action has.
    labels : sequence of hashable, optional
        What the user calls each element; ``0..d-1`` if not given.

    Attributes
    ----------
    is_uniform : bool
        Whether all actions have exactly ``size`` elements (‖M‖₁ = m, as Algorithm 2 assumes).
    n_actions : int or None
        N = |A| as an exact integer, or None where it is not known.
    has_uniform, has_gibbs, has_markov : bool
        Whether :meth:`uniform_policy`, :meth:`gibbs` and :meth:`markov_policy` exist.
    has_chains : bool
        Whether :meth:`family` has the kind ``"chain"``, so that learners can play without a list.
    is_chain_seen_through : bool
        Whether Σ⁺ of its chains is found only with bandit feedback and uniform exploration.
    has_iteration : bool
        Whether Σ⁺ of lists mixed with uniform exploration can be found by iteration, without a matrix.
    """

    is_uniform: bool = True
    has_uniform: bool = False
    has_gibbs: bool = False
    has_markov: bool = False
    has_chains: bool = False
    is_chain_seen_through: bool = False
    has_iteration: bool = False
    exploration_kinds: ClassVar[tuple[str, ...]] = ("uniform", "spanner")
    """What :meth:`exploration_policy` takes."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let a subclass that answers in its own way do so in bulk too, unless it has its own way for that."""
        super().__init_subclass__(**kwargs)
        if "argmax" in vars(cls) and "argmax_many" not in vars(cls):
            cls.argmax_many = ActionSet.argmax_many  # type: ignore[method-assign]

    @property
    def n_actions(self) -> int | None:
        """Return the exact number of actions, or None where it is not known."""
        return None

    @abstractmethod
    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return an action that maximises ``weights · M``; ties are decided the same way every time."""

    def argmax_many(self, weights: npt.ArrayLike) -> Actions:
        """Return what ``argmax`` returns for each row of ``weights``; sets that can answer many at once do so faster.

        Examples
        --------
        >>> from swapregret.actions.m_sets.m_sets import MSets
        >>> MSets(3, 1).argmax_many([[1., 2., 3.], [3., 2., 1.]])
        array([[0, 0, 1],
               [1, 0, 0]])
        """
        table = as_table(weights, self.dimension, "weights")
        found = np.empty(table.shape, dtype=np.int64)
        for index, row in enumerate(table):
            found[index] = self.argmax(row)
        return found

    # ---- reading actions -------------------------------------------------------------------------------------

    def __contains__(self, action: object) -> bool:
        """Tell whether a vector is an action."""
        try:
            vector = as_action(action, self.dimension)  # type: ignore[arg-type]
        except InvalidAction:
            return False
        return self._is_action(vector)

    def _is_action(self, vector: Action) -> bool:
        """Tell whether zeros and ones are an action: M is the only maximiser of (2M − 1)·M' over all 0/1 vectors."""
        return bool(np.array_equal(self.argmax(2.0 * vector - 1.0), vector))

    def enumerate(self, limit: int = ENUMERATION_LIMIT) -> Actions:
        """List all actions, one per row, in canonical order.

        Raises
        ------
        TooLarge
            If there are more than ``limit`` of them.
        """
        limit = as_integer(limit, "limit", 0)
        if self.n_actions is not None and self.n_actions > limit:
            raise _too_many(limit, f"{count_in_words(self.n_actions)} actions")
        if self.n_actions is not None:
            check_memory(self.n_actions, "a list of all actions", 8 * self.dimension)
        rows: list[Action] = []
        for row in self._actions():
            if len(rows) == limit:
                raise _too_many(limit, "more")
            rows.append(row)
        table = np.array(rows, dtype=np.int64)
        return table[np.lexsort(table.T)]

    def _actions(self) -> Iterator[Action]:
        """Yield every action once, in any order."""
        return enumerate_actions(self)

    # ---- geometry of conv(A) -----------------------------------------------------------------------------------

    @cached_property
    def span(self) -> Span:
        """The linear span of the actions: its rank r and r independent coordinates that determine all others."""
        return find_span(self)

    @property
    def rank(self) -> int:
        """Return r, the dimension of the linear span of the actions."""
        return self.span.rank

    def spanner(self) -> Spanner:
        """Return a 2-approximate barycentric spanner (Algorithm 2, line 1) with its certificate; computed once."""
        return self._spanner

    @cached_property
    def _spanner(self) -> Spanner:
        return find_spanner(self, self.span)

    def constant_vector(self) -> Vector:
        """Return u with u·M = 1 for every action M, checked by two calls of the oracle: it shifts rewards of any range.

        Raises
        ------
        InvalidInput
            If there is none, as where the zero vector is an action.

        Examples
        --------
        >>> from swapregret.actions.m_sets.m_sets import MSets
        >>> MSets(3, 2).constant_vector()
        array([0.5, 0.5, 0.5])
        """
        ones = self._ones()
        high, low = float(ones @ self.argmax(ones)), float(ones @ self.argmax(-ones))
        if max(abs(high - 1.0), abs(low - 1.0)) > _TOLERANCE:
            raise InvalidInput(
                "a set whose rewards do not begin at 0 must have a linear function that is 1 on every action",
                f"{self!r}, which has none",
                "Add an element that every action contains.",
            )
        return ones

    def _ones(self) -> Vector:
        """Return what is 1 on every action, if anything is: 1/m each, or the solution of a linear system over a spanner."""
        if self.is_uniform:
            return np.full(self.dimension, 1.0 / self.size)
        rows = self.spanner().actions.astype(np.float64)
        return np.asarray(np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0])

    def kl_project(self, log_weights: npt.ArrayLike) -> Projection:
        r"""Project weights onto conv(A) in Kullback–Leibler divergence.

        .. math:: \min_{x \in \mathrm{conv}(\mathcal A)} \sum_i x_i \log\frac{x_i}{w_i} - x_i + w_i,
            \qquad w = \exp(\texttt{log\_weights}).

        On a set of uniform size the scale of ``w`` does not matter and the result is m times the paper's projection
        onto P (Algorithm 2, line 9).
        """
        return project_kl(self.sparing, as_vector(log_weights, self.dimension, "log_weights"), self.known_first)

    def kl_project_near(self, log_weights: npt.ArrayLike, log_point: Vector) -> Projection:
        """Project as :meth:`kl_project` does, told the logarithm of a point that may be near; few sets make use of it."""
        return self.kl_project(log_weights)

    @property
    def most_atoms(self) -> int | None:
        """Return how many actions one variant of :meth:`decompose` uses at most.

        Carathéodory's rank + 1, unless a set has another bound; None where it promises none.
        """
        return self.rank + 1

    def decompose(self, marginals: npt.ArrayLike, *, variants: int = 1) -> Policy:
        """Write a point of conv(A) as a policy over actions with these marginals (Algorithm 2, line 5).

        Parameters
        ----------
        marginals : array_like, shape (dimension,)
            A point of conv(A).
        variants : int
            How many fixed, differently ordered decompositions to average. One has the smallest support; several
            spread the policy over more actions, which lowers the swap regret of the learners that play it.
        """
        return decompose(self, as_vector(marginals, self.dimension, "marginals"), variants=variants)

    def decompose_packed(self, marginals: npt.ArrayLike, *, variants: int = 1) -> tuple[npt.NDArray[np.uint64], Vector]:
        """Return the policy of :meth:`decompose` as different actions, packed into words, and weights that add up to exactly 1.

        Examples
        --------
        >>> from swapregret.actions.m_sets.m_sets import MSets
        >>> words, weights = MSets(3, 1).decompose_packed([.5, .25, .25])
        >>> words.tolist(), weights.tolist()
        ([[1], [2], [4]], [0.5, 0.25, 0.25])
        """
        words, weights = self.decompose(marginals, variants=variants).packed_support()
        return merge_policy(words, frozen(weights.copy()))

    # ---- policies ----------------------------------------------------------------------------------------------------

    def uniform_policy(self) -> Policy:
        """Return the uniform policy over all actions, where an exact one exists."""
        raise self._unsupported("uniform policy", "Use exploration_policy('spanner').")

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Return the policy p(M) ∝ exp(scores · M), where an exact one exists."""
        raise self._unsupported("Gibbs policy", "Use swap_combcp, which needs only a projection.")

    def markov_policy(self, marginals: npt.ArrayLike) -> Policy:
        """Return a Markov chain with these marginals, on sets that have one: no list, O(dimension)."""
        raise self._unsupported("Markov policy", "Use decompose, which lists actions.")

    def exploration_policy(self, kind: str | None = None) -> Policy:
        """Return the policy μ that learners mix in to keep every direction of the span observable.

        Parameters
        ----------
        kind : {"uniform", "spanner", None}
            ``"spanner"`` is the paper's: uniform over a barycentric spanner. ``"uniform"`` is uniform over A. None
            takes the best the set has.
        """
        if kind is not None and not isinstance(kind, str):
            raise InvalidInput("`kind` must be a word or None", shown(kind), "None takes the best the set has.")
        if kind is None:
            kind = "uniform" if self.has_uniform else "spanner"
        if kind == "uniform":
            return self.uniform_policy()
        if kind == "spanner":
            return self._spanner_policy
        known = ", ".join(map(repr, self.exploration_kinds))
        raise InvalidInput(f"`kind` must be one of {known} or None", shown(kind), "None takes the best the set has.")

    @cached_property
    def _spanner_policy(self) -> FinitePolicy:
        rows = self.spanner().actions
        return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))

    def family(self, mu: Policy, *, kind: str = "list", variants: int = 1, has_moment: bool = True) -> Any:
        """Return the set as the learners' compiled code takes it (``actions.family``); by its own methods where it has none.

        Parameters
        ----------
        mu : Policy
            The exploration policy.
        kind : {"list", "iterated", "chain", "gibbs"}
            What plays a point: a list of actions, one whose Σ⁺ is iterated for, a chain, or the Gibbs policy of exponents.
        variants : int
            Decompositions that a list averages.
        has_moment : bool
            Whether Σ is wanted as a matrix.
        """
        if kind == "chain":
            raise self._unsupported(
                "chain as compiled code takes it", "Use policy='list', and leave `has_chains` False."
            )
        if kind == "iterated":
            raise self._unsupported("way to iterate for Σ⁺ beside this exploration", "Use kind='list'.")
        if kind == "gibbs" and not self.has_gibbs:
            self.gibbs(np.zeros(self.dimension))  # says why there is none
        own = oracle_family(OracleGibbsFamily if kind == "gibbs" else OracleFamily, self, mu, variants, has_moment)
        return own if kind == "gibbs" or self.has_own_hull else pooled_family(own, self, variants)

    @property
    def has_own_hull(self) -> bool:
        """Whether the class brings a projection or a decomposition; else learners begin both with actions they know."""
        kind = type(self)
        return kind.kl_project is not ActionSet.kl_project or kind.decompose is not ActionSet.decompose

    @cached_property
    def sparing(self) -> AskedOracle:
        """The oracle, not asked where the answer is certain."""
        return AskedOracle.of(self, self.size if self.is_uniform else 0)

    @cached_property
    def known_first(self) -> Matrix:
        """Actions known from the start: as many as the rank, independent, and some that have every element any action has."""
        return np.unique(np.vstack([self.span.basis, cover(self)]), axis=0).astype(np.float64)

    def _unsupported(self, what: str, instead: str) -> Unsupported:
        return Unsupported(f"the set must have an exact {what}", f"{self!r}, which has none", instead)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dimension={self.dimension}, size={self.size})"


def _too_many(limit: int, came: str) -> TooLarge:
    return TooLarge(
        f"the set must have at most `limit` = {limit:,} actions to be listed",
        came,
        "Raise `limit`, or work with marginals and policies, which need no list.",
    )
