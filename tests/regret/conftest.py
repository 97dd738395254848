"""Small runs whose every quantity can be written down by enumeration."""

from dataclasses import dataclass

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.policy import FinitePolicy
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger


@dataclass
class Enumerated:
    """A run as a matrix of probabilities (days × all actions) and one of rewards, and its regrets by the definition."""

    actions: ActionSet
    table: np.ndarray
    chances: np.ndarray
    rewards: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """Return V[M] of every action."""
        return self.chances.T @ self.rewards

    @property
    def earned(self) -> float:
        """Return expected reward of the run."""
        return float(((self.chances @ self.table) * self.rewards).sum())

    def swap(self) -> float:
        """Return swap regret by the maximum over all answers."""
        return float((self.values @ self.table.T).max(axis=1).sum()) - self.earned

    def external(self) -> float:
        """Return external regret by trying every action."""
        return float((self.table @ self.rewards.sum(axis=0)).max()) - self.earned

    def gains(self) -> np.ndarray:
        """Return gain of the best exchange of each action."""
        each = self.values @ self.table.T
        return each.max(axis=1) - np.diagonal(each)

    def dynamic(self) -> float:
        """Return dynamic regret day by day."""
        return float((self.rewards @ self.table.T).max(axis=1).sum()) - self.earned

    def policies(self) -> list[FinitePolicy]:
        """Return the policies of the days."""
        return [FinitePolicy(self.table[row > 0], row[row > 0]) for row in self.chances]

    def ledger(self, capacity: int | None = None) -> Ledger:
        """Return the ledger of the run."""
        ledger = SwapLedger(self.actions, capacity=capacity)
        for policy, rewards in zip(self.policies(), self.rewards, strict=True):
            ledger.record(policy, rewards)
        return ledger.close()


def enumerated(actions: ActionSet, n_days: int, seed: int, support: int = 3) -> Enumerated:
    """Draw a run with policies of small support and rewards of any sign."""
    rng = np.random.default_rng(seed)
    table = actions.enumerate()
    chances = np.zeros((n_days, len(table)))
    for row in chances:
        chosen = rng.choice(len(table), size=min(support, len(table)), replace=False)
        row[chosen] = rng.dirichlet(np.ones(len(chosen)))
    return Enumerated(actions, table, chances, rng.normal(size=(n_days, actions.dimension)))


TINY_SETS = [
    MSets(3, 1),
    MSets(4, 2),
    MSets(5, 2),
    Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]]),
    Explicit([[1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 0, 1], [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]]),
]


@pytest.fixture(params=TINY_SETS, ids=repr)
def tiny_set(request: pytest.FixtureRequest) -> ActionSet:
    """Give sets of at most ten actions, of full and of deficient rank, of uniform and of mixed size."""
    made: ActionSet = request.param
    return made
