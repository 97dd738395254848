r"""The ledger of a run: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

is all that any regret against rules "whenever you chose M, choose φ(M)" depends on. It is fed from policies, not from
samples, one entry for each stretch of days in which a policy stays: a lazy scale costs one update a meta-day.

May touch: ``arrays``, ``errors``, ``policy``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.policy import Mixture, Policy

__all__ = ["Ledger", "SwapLedger"]


@dataclass(frozen=True, eq=False)
class Ledger:
    """A closed ledger: what :class:`SwapLedger` has gathered, as a value.

    Attributes
    ----------
    actions : Actions, shape (n, dimension)
        Actions played with positive probability by policies that list their support, in canonical order.
    values : Matrix, shape (n, dimension)
        V[M], a row an action.
    implicit : tuple of (Policy, Vector)
        Policies whose support is not listed, each with its own Σ_t w_t R_t.
    total : Vector
        Σ_t R_t.
    earned : float
        Σ_t E_{p_t}[M]·R_t, the expected reward of the play.
    n_days : float
        Days recorded (the mean over replications of a merged ledger).
    """

    actions: Actions
    values: Matrix
    implicit: tuple[tuple[Policy, Vector], ...]
    total: Vector
    earned: float
    n_days: float

    @staticmethod
    def mean(ledgers: Iterable["Ledger"]) -> "Ledger":
        """Average replications entry by entry: the expectation that stands inside the maximum over φ."""
        parts = list(ledgers)
        if not parts:
            raise InvalidInput("`ledgers` must not be empty", "none", "Pass the ledgers of one or more runs.")
        share = 1.0 / len(parts)
        rows: dict[bytes, int] = {}
        merged: list[Vector] = []
        actions: list[Vector] = []
        implicit: dict[int, tuple[Policy, Vector]] = {}
        for part in parts:
            for action, value in zip(part.actions, part.values, strict=True):
                key = np.packbits(action.astype(bool)).tobytes()
                if key not in rows:
                    rows[key] = len(merged)
                    merged.append(np.zeros(len(part.total)))
                    actions.append(action)
                merged[rows[key]] += share * value
            for policy, value in part.implicit:
                _, before = implicit.get(id(policy), (policy, np.zeros(len(part.total))))
                implicit[id(policy)] = (policy, before + share * value)
        d = len(parts[0].total)
        table = np.array(actions, dtype=np.int64).reshape(-1, d)
        order = np.lexsort(table.T)
        return Ledger(
            frozen(table[order]),
            frozen(np.array(merged).reshape(-1, d)[order]),
            tuple(implicit.values()),
            frozen(np.mean([part.total for part in parts], axis=0)),
            float(np.mean([part.earned for part in parts])),
            float(np.mean([part.n_days for part in parts])),
        )


class SwapLedger:
    """Gathers V[M] day by day; ``close`` hands out the value.

    Parameters
    ----------
    dimension : int

    Examples
    --------
    >>> from swapregret.policy import FinitePolicy
    >>> ledger = SwapLedger(2)
    >>> heads = FinitePolicy([[1, 0], [0, 1]], [.5, .5])
    >>> ledger.record(heads, np.array([1., 0.]))
    >>> ledger.close().values.tolist()
    [[0.5, 0.0], [0.5, 0.0]]
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._rows: dict[bytes, int] = {}
        self._actions: list[Vector] = []
        self._values = np.zeros((64, dimension))
        self._implicit: dict[int, tuple[Policy, Vector]] = {}
        self._current: Policy | None = None
        self._open: dict[int, tuple[Policy, float, Vector]] = {}
        self._total = np.zeros(dimension)
        self._since = np.zeros(dimension)
        self._earned = 0.0
        self._n_days = 0

    def record(self, policy: Policy, rewards: Vector, n_days: int = 1) -> None:
        """Enter a stretch of days played with one policy; ``rewards`` is the sum of their reward vectors."""
        if policy is not self._current:
            self._change(policy)
        self._since += rewards
        self._n_days += n_days

    def close(self) -> Ledger:
        """Return the ledger of all days so far; recording may go on."""
        self._settle()
        for policy, weight, opened in self._open.values():
            self._enter(policy, weight, self._total - opened)
        self._open = {key: (policy, weight, self._total.copy()) for key, (policy, weight, _) in self._open.items()}
        d = self._dimension
        table = np.array(self._actions, dtype=np.int64).reshape(-1, d)
        order = np.lexsort(table.T)
        return Ledger(
            frozen(table[order]),
            frozen(self._values[: len(table)][order]),
            tuple((policy, frozen(value.copy())) for policy, value in self._implicit.values()),
            frozen(self._total.copy()),
            self._earned,
            float(self._n_days),
        )

    def _settle(self) -> None:
        """Add the days since the policy last changed to the totals."""
        if self._current is not None:
            self._earned += float(self._current.marginals() @ self._since)
            self._total += self._since
            self._since = np.zeros(self._dimension)

    def _change(self, policy: Policy) -> None:
        """Close the components that end, open those that begin; the ones that stay cost nothing."""
        self._settle()
        if isinstance(policy, Mixture):
            pairs = zip(policy.components, policy.component_weights.tolist(), strict=True)
            parts = {id(part): (part, weight) for part, weight in pairs}
        else:
            parts = {id(policy): (policy, 1.0)}
        for key in list(self._open):
            held, weight, opened = self._open[key]
            if key not in parts or parts[key][1] != weight:
                self._enter(held, weight, self._total - opened)
                del self._open[key]
        for key, (part, weight) in parts.items():
            if key not in self._open:
                self._open[key] = (part, weight, self._total.copy())
        self._current = policy

    def _enter(self, policy: Policy, weight: float, rewards: Vector) -> None:
        scaled = weight * rewards
        if not policy.has_atoms:
            _, before = self._implicit.get(id(policy), (policy, np.zeros(self._dimension)))
            self._implicit[id(policy)] = (policy, before + scaled)
            return
        law = policy.finite()
        keys = np.packbits(law.atoms.astype(bool), axis=1)
        rows = np.empty(len(keys), dtype=np.int64)
        for index, key in enumerate(map(bytes, keys)):
            row = self._rows.get(key)
            if row is None:
                row = len(self._actions)
                self._rows[key] = row
                self._actions.append(law.atoms[index])
            rows[index] = row
        while len(self._actions) > len(self._values):
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])
        self._values[rows] += law.weights[:, None] * scaled
