r"""Partitions: a total shared out among parts, in two systems of coordinates (Colonel Blotto).

:math:`\{(a_1, \dots, a_k) : a_i \in \mathbb N_0,\ \sum_i a_i = n\}`. In **path** coordinates an action is a path through
the stages: the edge (i, u, v) says that u units are gone before part i and v after it. In **compact** coordinates it is the
one-hot vector with a 1 at (i, a_i). The first has the larger dimension and everything exact and fast; the second is that of
the Colonel Blotto literature.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.path_policies import ImagePolicy, MarkovPaths
from swapregret.arguments import checked
from swapregret.arrays import Action, Actions, Label, as_action, as_integer, as_vector, check_memory, frozen
from swapregret.errors import InvalidAction
from swapregret.geometry.span import Span, find_span
from swapregret.policy import Policy

Coordinates = Literal["path", "compact"]
"""How an allocation is written; path coordinates are the fast ones."""


class Partitions(ActionSet):
    r"""All ways to write ``total`` as an ordered sum of ``parts`` non-negative whole numbers.

    Parameters
    ----------
    total : int
        n ≥ 1, what is shared out.
    parts : int
        k ≥ 1, among how many.
    coordinates : {"path", "compact"}
        Which coordinates actions have.

        - ``"path"``: labels (part, before, after), d = (k−2)(n+1)(n+2)/2 + 2(n+1) for k ≥ 2.
        - ``"compact"``: labels (part, amount), d = k(n+1).

    Notes
    -----
    In both, every action has k ones and there are C(n+k−1, k−1) of them. A reward that is linear in compact coordinates is
    linear in path coordinates too (``weights[(part, after − before)]``), so the path set can stand in for the compact
    one. Compact coordinates ignore how much went to the parts before, so their KL projection is another one.

    ============== ============================== ===========================================
    operation      path                           compact
    ============== ============================== ===========================================
    argmax         dynamic programming, O(d)      the same on the paths
    kl_project     Newton on potentials           general, by actions
    decompose      integer path stripping         general, at most rank atoms
    gibbs, uniform weight pushing, exact          the image of the path policy, exact
    ============== ============================== ===========================================

    Examples
    --------
    >>> plans = Partitions(3, 2, coordinates="compact")
    >>> plans.dimension, plans.n_actions
    (8, 4)
    >>> plans.action_from_amounts([1, 2])
    array([0, 1, 0, 0, 0, 0, 1, 0])
    >>> plans.amounts([0, 1, 0, 0, 0, 0, 1, 0])
    (1, 2)
    >>> Partitions(10, 5).dimension, Partitions(20, 10).dimension
    (220, 1890)
    """

    spec_options = ("coordinates",)
    has_uniform = True
    has_gibbs = True

    @classmethod
    def least_dimension(cls, given: Mapping[str, int]) -> int:
        """Return less than the number of moves between stages."""
        return given.get("parts", 1) * given.get("total", 1) ** 2 // 4

    @checked
    def __init__(self, total: int, parts: int, *, coordinates: Coordinates = "path") -> None:
        n = as_integer(total, "total", 1)
        k = as_integer(parts, "parts", 1)
        check_memory(max(0, k - 2) * (n + 1) * (n + 2) // 2 + 2 * (n + 1), "a set of partitions", 2000)
        moves = _moves(n, k)
        self._total, self._parts = n, k
        self._paths = DagPaths(
            [((part, u), (part + 1, v)) for part, u, v in moves], source=(0, 0), sink=(k, n), labels=moves
        )
        self._image = frozen(np.array([part * (n + 1) + v - u for part, u, v in moves], dtype=np.int64))
        self.is_compact = coordinates == "compact"
        self.has_markov = not self.is_compact
        if not self.is_compact:
            self.hull_equations = self._paths.hull_equations
        labels: Sequence[Label] = moves
        if self.is_compact:
            labels = [(part, amount) for part in range(k) for amount in range(n + 1)]
        super().__init__(len(labels), k, labels)

    @property
    def total(self) -> int:
        """Return n, what is shared out."""
        return self._total

    @property
    def parts(self) -> int:
        """Return k, among how many."""
        return self._parts

    @property
    def paths(self) -> DagPaths:
        """Return the set of paths through the stages, whatever the coordinates."""
        return self._paths

    def shown_rows(self) -> tuple[tuple[Label, ...], npt.NDArray[np.int64]]:
        """Return a row for each part and amount; elements that give a part the same amount share it."""
        pairs = ((part, amount) for part in range(self._parts) for amount in range(self._total + 1))
        names = tuple(f"part {part} gets {amount}" for part, amount in pairs)
        return names, np.arange(self.dimension) if self.is_compact else self._image

    @property
    def n_actions(self) -> int:
        """Return C(n + k − 1, k − 1), exact."""
        return math.comb(self._total + self._parts - 1, self._parts - 1)

    # ---- coordinates -------------------------------------------------------------------------------------------

    def amounts(self, action: npt.ArrayLike) -> tuple[int, ...]:
        """Read an action as the amount each part gets."""
        chosen = np.flatnonzero(self._read_action(action))
        places = chosen if self.is_compact else np.sort(self._image[chosen])
        return tuple((places % (self._total + 1)).tolist())

    def choice(self, action: npt.ArrayLike) -> tuple[int, ...]:
        """Read an action as the amount each part gets, e.g. the troops sent to each field."""
        return self.amounts(action)

    def action_from_amounts(self, amounts: Sequence[int]) -> Action:
        """Write the amounts of the parts as an action."""
        given = [as_integer(amount, "amounts", 0, self._total) for amount in amounts]
        if len(given) != self._parts or sum(given) != self._total:
            raise InvalidAction(
                f"`amounts` must be {self._parts} whole numbers that add up to {self._total}",
                f"{len(given)} that add up to {sum(given)}",
                "Share out everything.",
            )
        compact = np.zeros(self._parts * (self._total + 1), dtype=np.int64)
        compact[np.arange(self._parts) * (self._total + 1) + np.array(given, dtype=np.int64)] = 1
        return compact if self.is_compact else self._to_path(compact)

    def to_compact(self, action: npt.ArrayLike) -> Action:
        """Write a path action in compact coordinates."""
        return self._compact(self._paths._read_action(action))

    def to_path(self, action: npt.ArrayLike) -> Action:
        """Write a compact action in path coordinates."""
        vector = as_action(action, self._n_compact)
        if not self._is_compact_action(vector):
            raise InvalidAction(
                "`action` must be a partition in compact coordinates", "another vector", f"The set is {self!r}."
            )
        return self._to_path(vector)

    def _to_path(self, compact: Action) -> Action:
        return self._paths.argmax(2.0 * compact[self._image] - 1.0)

    @property
    def _n_compact(self) -> int:
        return self._parts * (self._total + 1)

    def _is_compact_action(self, vector: Action) -> bool:
        table = vector.reshape(self._parts, self._total + 1)
        return bool((table.sum(axis=1) == 1).all()) and int((table @ np.arange(self._total + 1)).sum()) == self._total

    # ---- the set -------------------------------------------------------------------------------------------------

    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return a partition of largest weight, by dynamic programming; among equals, the first parts get the least."""
        if not self.is_compact:
            return self._paths.argmax(weights)
        w = as_vector(weights, self.dimension, "weights")
        return self._compact(self._paths.argmax(w[self._image]))

    def argmax_many(self, weights: npt.ArrayLike) -> Actions:
        """Return a partition of largest weight under each row of weights."""
        return super().argmax_many(weights) if self.is_compact else self._paths.argmax_many(weights)

    def _compact(self, path: Action) -> Action:
        action = np.zeros(self._n_compact, dtype=np.int64)
        action[self._image[path == 1]] = 1
        return action

    def _is_action(self, vector: Action) -> bool:
        """Tell whether a vector is a partition in the set's coordinates."""
        return self._is_compact_action(vector) if self.is_compact else vector in self._paths

    def _actions(self) -> Iterator[Action]:
        paths = self._paths._actions()
        return map(self._compact, paths) if self.is_compact else paths

    @cached_property
    def span(self) -> Span:
        """The span: closed form for paths, asked of the oracle for compact coordinates."""
        return find_span(self) if self.is_compact else self._paths.span

    @property
    def rank(self) -> int:
        """Return |E| − |V| + 2 for paths; nk for compact coordinates with k ≥ 3, n + 1 with two parts, 1 with one."""
        if not self.is_compact:
            return self._paths.rank
        return {1: 1, 2: self._total + 1}.get(self._parts, self._total * self._parts)

    # ---- policies ----------------------------------------------------------------------------------------------------

    def uniform_policy(self) -> Policy:
        """Return the uniform policy, exact."""
        return self._policy(self._paths.uniform_policy())

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Return the policy p(M) ∝ exp(scores · M), exact, by weight pushing on the paths."""
        values = as_vector(scores, self.dimension, "scores")
        return self._policy(self._paths.gibbs(values[self._image] if self.is_compact else values))

    def markov_policy(self, marginals: npt.ArrayLike) -> Policy:
        """Return the Markov chain of a flow, in path coordinates."""
        return super().markov_policy(marginals) if self.is_compact else self._paths.markov_policy(marginals)

    def exploration_policy(self, kind: str | None = None) -> Policy:
        """Return the policy μ that learners mix in: ``"cover"`` (the default), ``"uniform"`` or ``"spanner"``."""
        if isinstance(kind, str) and kind == "spanner":
            return super().exploration_policy(kind)
        return self._policy(self._paths.exploration_policy(kind))

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: those of the paths, or by the oracle in compact coordinates."""
        return super().hull(mu, variants=variants) if self.is_compact else self._paths.hull(mu, variants=variants)

    def _policy(self, policy: Policy) -> Policy:
        """Read a chain over the paths in the coordinates of the set."""
        if self.is_compact and isinstance(policy, MarkovPaths):
            return ImagePolicy(policy, self._image, self._n_compact)
        return policy

    def __repr__(self) -> str:
        compact = ", coordinates='compact'" if self.is_compact else ""
        return f"Partitions({self._total}, {self._parts}{compact})"


def _moves(total: int, parts: int) -> list[tuple[int, int, int]]:
    """List the edges (part, before, after): nothing is gone before the first part, everything after the last."""
    return [
        (part, u, v)
        for part in range(parts)
        for u in (range(total + 1) if part > 0 else (0,))
        for v in (range(u, total + 1) if part < parts - 1 else (total,))
    ]
