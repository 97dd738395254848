"""What is under test, an action set or a policy, with the list of the actions where there are few."""

import zlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, Vector
from swapregret.policy import FinitePolicy, Policy
from swapregret.testing.conformance import listed

_SAMPLED = 200


@dataclass(frozen=True, eq=False)
class SetCase:
    """A set, how far to list it, and a seed."""

    actions: ActionSet
    limit: int
    seed: int
    expected: Actions | None = None  # what the actions should be, in canonical order, where the caller knows

    def rng(self, name: str) -> np.random.Generator:
        """Return a generator of its own for each check, whatever ran before."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    @cached_property
    def reference(self) -> Actions | None:
        """All actions, or None where there are more than the limit."""
        return listed(self.actions, self.limit)

    @cached_property
    def members(self) -> Actions:
        """All actions, or those that are best for some random weights."""
        if self.reference is not None:
            return self.reference
        draws = self.rng("members").standard_normal((_SAMPLED, self.actions.dimension))
        return np.unique(np.array([self.actions.argmax(weights) for weights in draws]), axis=0)

    @cached_property
    def known(self) -> frozenset[bytes]:
        """The members as bytes."""
        return frozenset(row.tobytes() for row in self.members)

    def some_members(self, name: str, count: int) -> Actions:
        """Return at most ``count`` members, drawn without repetition."""
        rows = self.rng(name).permutation(len(self.members))[:count]
        return self.members[np.sort(rows)]

    def is_member(self, action: Action) -> bool:
        """Tell whether a 0/1 vector is an action: by the list, or by the oracle at weights 2M − 1."""
        if action.tobytes() in self.known:
            return True
        return self.reference is None and np.array_equal(self.actions.argmax(2.0 * action - 1.0), action)

    def is_reachable(self) -> Vector:
        """Tell for every coordinate whether some action has it, by one oracle call each."""
        return np.array([bool(self.actions.argmax(unit)[i]) for i, unit in enumerate(np.eye(self.actions.dimension))])


@dataclass(frozen=True, eq=False)
class PolicyCase:
    """A policy, and what is known about the set it is a policy on."""

    policy: Policy
    actions: ActionSet | None
    reference: Actions | None  # all actions of the set, where they are few
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
