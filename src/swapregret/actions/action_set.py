r"""An action set: one required method, everything else derived from it or overridden.

A subclass must give :meth:`ActionSet.argmax`, :math:`\arg\max_{M \in \mathcal A} w\cdot M` with ties to a fixed rule; or, like the
sets of the package, :meth:`ActionSet.hull`, compiled operations that this class and learners ask alike. From either the base class
has membership, enumeration, span and rank, barycentric spanner, KL projection and decomposition, with all checks and errors.
Policies that exist only for some sets (uniform, Gibbs) are refused by name elsewhere.
"""

from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.family import Family, make_family
from swapregret.actions.hull import Hull, best, best_of_rows, list_policy, project
from swapregret.actions.labelled import Labelled, labelled
from swapregret.actions.listed_policy import ListedPolicy
from swapregret.actions.own_sets.pooled_hull import pooled_hull
from swapregret.actions.own_sets.python_hull import python_hull
from swapregret.arrays import (
    Action,
    Actions,
    Vector,
    Words,
    as_integer,
    as_table,
    as_vector,
    frozen,
)
from swapregret.compiled.bits import merge_policy
from swapregret.counts import shown
from swapregret.errors import InvalidInput, NotConverged, Unsupported
from swapregret.geometry.kl import Projection, cover
from swapregret.geometry.oracle import AskedOracle
from swapregret.geometry.span import Span, Spanner, find_span, find_spanner
from swapregret.policy import FinitePolicy, Policy

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
    is_chain_seen_through : bool
        Whether Σ⁺ of its chains is found only with bandit feedback and uniform exploration.
    """

    is_uniform: bool = True
    has_uniform: bool = False
    has_gibbs: bool = False
    has_markov: bool = False
    is_chain_seen_through: bool = False
    exploration_kinds: ClassVar[tuple[str, ...]] = ("uniform", "spanner")
    """What :meth:`exploration_policy` takes."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Refuse a class that knows no best action; let the policies it makes know what its elements are called."""
        super().__init_subclass__(**kwargs)
        for name in ("uniform_policy", "gibbs", "markov_policy", "exploration_policy", "decompose"):
            if name in cls.__dict__:
                setattr(cls, name, labelled(cls.__dict__[name]))
        if cls.argmax is ActionSet.argmax and cls.hull is ActionSet.hull:
            raise TypeError(f"{cls.__name__} must have a method `argmax(weights)`, or `hull`")

    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return an action that maximises ``weights · M``; ties are decided the same way every time."""
        return best(self._asked(), as_vector(weights, self.dimension, "weights"))

    def argmax_many(self, weights: npt.ArrayLike) -> Actions:
        """Return what ``argmax`` returns for each row of ``weights``; the sets of the package answer many at once faster.

        Examples
        --------
        >>> from swapregret import MSets
        >>> MSets(3, 1).argmax_many([[1., 2., 3.], [3., 2., 1.]])
        array([[0, 0, 1],
               [1, 0, 0]])
        """
        table = as_table(weights, self.dimension, "weights")
        if type(self).argmax is ActionSet.argmax:
            return best_of_rows(self._asked(), table)
        found = np.empty(table.shape, dtype=np.int64)
        for index, row in enumerate(table):
            found[index] = self.argmax(row)
        return found

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
        >>> from swapregret import MSets
        >>> MSets(3, 2).constant_vector()
        array([0.5, 0.5, 0.5])
        """
        ones = self._ones()
        high, low = float(ones @ self.argmax(ones)), float(ones @ self.argmax(-ones))
        if max(abs(high - 1.0), abs(low - 1.0)) > _TOLERANCE:
            raise InvalidInput(
                "with costs, or rewards below 0, actions must have one size, or a linear function that is 1 on every action",
                f"{self!r}, whose actions differ in size and have none",
                "Add an element that every action contains and that is worth 0: a column of ones to the actions, one of zeros to "
                "the data.",
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
        log_w = as_vector(log_weights, self.dimension, "log_weights")
        point, log_point, gap = project(self._asked(), log_w, np.zeros(self.dimension))
        if not gap < np.inf:
            raise NotConverged(
                "a projection onto the convex hull of the actions must be exact to working precision",
                f"log-weights from {log_w.min():.3g} to {log_w.max():.3g}, for which no point is certified",
                "Bring the log-weights closer together.",
            )
        is_empty = (point == 0.0) & (log_point == 0.0)
        return Projection(frozen(point), frozen(np.where(is_empty, -np.inf, log_point)), gap)

    @property
    def most_atoms(self) -> int | None:
        """Return how many actions one variant of :meth:`decompose` uses at most.

        Carathéodory's rank + 1, unless a set has another bound; None where it promises none.
        """
        return self.rank + 1

    @labelled
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
        return ListedPolicy(self.dimension, *self._decomposed(marginals, variants))

    def decompose_packed(self, marginals: npt.ArrayLike, *, variants: int = 1) -> tuple[Words, Vector]:
        """Return the policy of :meth:`decompose` as different actions, packed into words, and weights that add up to exactly 1.

        Examples
        --------
        >>> from swapregret import MSets
        >>> words, weights = MSets(3, 1).decompose_packed([.5, .25, .25])
        >>> words.tolist(), weights.tolist()
        ([[1], [2], [4]], [0.5, 0.25, 0.25])
        """
        if type(self).decompose is not ActionSet.decompose:
            words, weights = self.decompose(marginals, variants=variants).packed_support()
            return merge_policy(words, frozen(weights.copy()))
        return self._decomposed(marginals, variants)

    def list_projection(self, log_weights: Vector, variants: int) -> tuple[Words, Vector]:
        """Return ``decompose_packed`` of ``kl_project``, for log-weights of ours that need no reading: many times a day."""
        if not self.has_own_hull:
            point, _, gap = project(self._asked(), log_weights, np.zeros(self.dimension))
            words, weights, is_inside = list_policy(self._asked(variants), point)
            if gap < np.inf and is_inside:
                return merge_policy(words, weights)
        return self.decompose_packed(self.kl_project(log_weights).point, variants=variants)

    def _decomposed(self, marginals: npt.ArrayLike, variants: int) -> tuple[Words, Vector]:
        point = as_vector(marginals, self.dimension, "marginals")
        words, weights, is_inside = list_policy(self._asked(as_integer(variants, "variants", 1)), point)
        if not is_inside:
            raise InvalidInput(
                f"`marginals` must be a point of the convex hull of the actions of {self!r}",
                f"sum {point.sum():.12g}, least {point.min():.3g}, largest {point.max():.12g}",
                "Project it first: kl_project(log_weights).point.",
            )
        return merge_policy(words, weights)

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

    @labelled
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

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the data of the set and its operations (``actions.hull``); by its own methods in Python where it has no others.

        ``draw_explore`` draws from μ, the exploration policy of a learner; a list averages ``variants`` decompositions.
        """
        return (python_hull if self.has_own_hull else pooled_hull)(self, mu, variants)

    def _asked(self, variants: int = 1) -> Hull:
        """Return the hull that the methods of this class ask; one that would ask these methods back is no answer."""
        if variants not in self._hulls:
            is_own = type(self).hull is not ActionSet.hull
            self._hulls[variants] = self.hull(variants=variants) if is_own else pooled_hull(self, None, variants)
        return self._hulls[variants]

    @cached_property
    def _hulls(self) -> dict[int, Hull]:
        return {}

    def family(self, mu: Policy | None, *, kind: str = "list", variants: int = 1, has_moment: bool = True) -> Family:
        """Return the set as learners take it (``actions.family``).

        Parameters
        ----------
        mu : Policy, optional
            The exploration policy.
        kind : {"list", "chain", "gibbs", "gibbs list"}
            What plays a point: a list of actions, a chain, the Gibbs policy of exponents, or a list with its marginals.
        variants : int
            Decompositions that a list averages.
        has_moment : bool
            Whether Σ⁺ is wanted.
        """
        hull, is_gibbs = self.hull(mu, variants=variants), kind.startswith("gibbs")
        if is_gibbs and hull.gibbs is None and self.has_gibbs:
            hull = python_hull(self, mu, variants)
        tables = hull.gibbs if is_gibbs else hull.chain if kind == "chain" else None
        if is_gibbs and tables is None:
            self.gibbs(np.zeros(self.dimension))  # says why there is none
        if kind == "chain" and tables is None:
            raise self._unsupported("chain as compiled code takes it", "Use policy='list'.")
        return make_family(self, hull, mu, tables=tables, is_listed=kind == "gibbs list", has_moment=has_moment)

    @property
    def has_chains(self) -> bool:
        """Whether learners can play chains instead of lists."""
        return type(self).hull is not ActionSet.hull and self._asked().chain is not None

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
    def known_first(self) -> Actions:
        """Actions known from the start: as many as the rank, independent, and some that have every element any action has."""
        return np.unique(np.vstack([self.span.basis, cover(self)]), axis=0)

    def _unsupported(self, what: str, instead: str) -> Unsupported:
        return Unsupported(f"the set must have an exact {what}", f"{self!r}, which has none", instead)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dimension={self.dimension}, size={self.size})"
