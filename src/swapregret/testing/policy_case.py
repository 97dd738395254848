"""A policy under test, with what is known about the set it is a law on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Actions
from swapregret.policy import FinitePolicy, Policy

__all__ = ["PolicyCase"]


@dataclass(frozen=True, eq=False)
class PolicyCase:
    """A policy under test, and what is known about the set it is a law on.

    Attributes
    ----------
    policy : Policy
    actions : ActionSet or None
        The set it should be a law on.
    reference : Actions or None
        All actions of the set, where they are few.
    n_samples, seed : int
        How many draws, and from where.
    """

    policy: Policy
    actions: ActionSet | None
    reference: Actions | None
    n_samples: int
    seed: int

    @cached_property
    def known(self) -> frozenset[bytes] | None:
        """All actions of the set as bytes, where they are few."""
        return None if self.reference is None else frozenset(row.tobytes() for row in self.reference)

    @cached_property
    def listing(self) -> FinitePolicy | None:
        """The atoms, where the policy lists them."""
        return self.policy.finite() if self.policy.has_atoms else None

    @cached_property
    def samples(self) -> Actions:
        """Draws from the policy, one per row."""
        rng = np.random.default_rng(self.seed)
        return np.array([self.policy.sample(rng) for _ in range(self.n_samples)])

    def is_member(self, action: Action) -> bool:
        """Tell whether an action is in the set, by the list of its actions where there is one."""
        if self.known is not None:
            return action.tobytes() in self.known
        return self.actions is None or action in self.actions
