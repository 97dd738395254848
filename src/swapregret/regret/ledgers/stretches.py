"""Following the components of a policy through the days.

A mixture changes whenever one of its components does, but most components stay. Each is followed by its identity, holds
the rewards of its days times its weight on them, and is handed on once, when it leaves.
"""

import numpy as np

from swapregret.arrays import Matrix, Vector, summed
from swapregret.policy import Mixture, Policy

Left = tuple[Policy, Vector, float]
"""A component that has left, Σ w_t R_t and Σ w_t over its days."""


class Stretches:
    """Adds up Σ_t w_t R_t for every component while it is part of the policy; each call returns those that have left.

    Examples
    --------
    >>> from swapregret.policy import FinitePolicy, mix
    >>> a, b, c = (FinitePolicy(row, [1.0]) for row in ([[1, 0]], [[0, 1]], [[1, 1]]))
    >>> stretches = Stretches(2)
    >>> stretches.record(mix([a, b], [.5, .5]), np.array([1.0, 2.0]), 3)
    []
    >>> left = stretches.record(mix([a, c], [.25, .75]), np.array([4.0, 4.0]), 4)
    >>> [(part.atoms.tolist(), vector.tolist(), days) for part, vector, days in left + stretches.flush()]
    [([[0, 1]], [0.5, 1.0], 1.5), ([[1, 0]], [1.5, 2.0], 2.5), ([[1, 1]], [3.0, 3.0], 3.0)]
    """

    def __init__(self, dimension: int) -> None:
        self.total = np.zeros(dimension)
        self.n_days = 0
        self._current: Policy | None = None
        self._parts: tuple[Policy, ...] = ()
        self._weights: Vector = np.zeros(0)
        self._held = np.zeros((0, dimension))
        self._held_days: Vector = np.zeros(0)
        self._since = np.zeros(dimension)
        self._since_days = 0
        self._is_plain = False

    def record(self, policy: Policy, rewards: Vector, n_days: int) -> list[Left]:
        """Add days played with one policy; ``rewards`` is the sum of their reward vectors."""
        left = self._change(policy) if policy is not self._current else []
        self._since += rewards
        self._since_days += n_days
        return left

    def record_days(self, policy: Policy, days: Matrix) -> list[Left]:
        """Add days played with one policy, a reward vector per row; how they are cut up makes no difference."""
        left = self._change(policy) if policy is not self._current else []
        self._since = summed(self._since, days)
        self._since_days += len(days)
        return left

    def add_left(self, total: Vector, n_days: int) -> None:
        """Count days whose policies came and left elsewhere: ``total`` becomes Σ R of all days so far."""
        self.total = total
        self.n_days += n_days

    @property
    def open_total(self) -> Vector:
        """Return Σ R of the days not yet in ``total``."""
        return self._since

    @property
    def open_days(self) -> int:
        """Return how many days are not yet in ``n_days``."""
        return self._since_days

    def holding(self) -> list[tuple[Policy, Vector]]:
        """Return every component of the current policy with its Σ w_t R_t so far."""
        held = self._held + self._weights[:, None] * self._since
        return list(zip(self._parts, held, strict=True))

    @staticmethod
    def parts_of(policy: Policy) -> tuple[Policy, ...]:
        """Return the components that are followed."""
        return policy.components if isinstance(policy, Mixture) else (policy,)

    def restore(self, total: Vector, n_days: int) -> None:
        """Go on from where another was after ``flush``."""
        self.total, self.n_days = np.array(total), n_days

    def flush(self) -> list[Left]:
        """Let every component leave."""
        return self._change(None)

    def _change(self, policy: Policy | None) -> list[Left]:
        """Return the components that leave, begin those that come; the ones that stay keep what they hold."""
        if self._is_plain and not isinstance(policy, Mixture) and policy is not None and self._since_days:
            return [self._replace(policy)]
        if self._since_days:
            self._held += self._weights[:, None] * self._since
            self._held_days += self._weights * self._since_days
            self.total += self._since
            self.n_days += self._since_days
            self._since[:] = 0.0
            self._since_days = 0
        parts: tuple[Policy, ...] = () if policy is None else (policy,)
        weights: Vector = np.ones(len(parts))
        if isinstance(policy, Mixture):
            parts, weights = policy.components, policy.component_weights
        before = {id(part): row for row, part in enumerate(self._parts)}
        held, held_days = np.zeros((len(parts), len(self.total))), np.zeros(len(parts))
        for row, part in enumerate(parts):
            old = before.pop(id(part), None)
            if old is not None:
                held[row], held_days[row] = self._held[old], self._held_days[old]
        left = [(self._parts[row], self._held[row], float(self._held_days[row])) for row in before.values()]
        self._current, self._parts, self._weights = policy, parts, weights
        self._held, self._held_days = held, held_days
        self._is_plain = policy is not None and not isinstance(policy, Mixture) and held_days[0] == 0.0
        return left

    def _replace(self, policy: Policy) -> Left:
        """Change from one policy without components to another: the usual case of learners that change daily."""
        vector, n_days = self._since, self._since_days
        self._since, self._since_days = np.zeros(len(vector)), 0
        self.total += vector
        self.n_days += n_days
        left = self._parts[0]
        self._current, self._parts = policy, (policy,)
        return left, vector, float(n_days)
