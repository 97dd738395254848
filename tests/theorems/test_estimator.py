"""The estimator's lemmas as finite sums, on sets of full and of deficient rank."""

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.geometry.solve import Solver
from swapregret.policy import FinitePolicy

PERMUTATIONS = [[1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0, 0, 0, 1], [0, 0, 1, 0, 1, 0, 1, 0, 0]]
PERMUTATIONS += [[1, 0, 0, 0, 0, 1, 0, 1, 0], [0, 1, 0, 0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0, 0, 1, 0]]
SETS = [MSets(4, 2), MSets(5, 1), Explicit(PERMUTATIONS), Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]])]


def _policy(actions: ActionSet, seed: int) -> FinitePolicy:
    table = actions.enumerate()
    return FinitePolicy(table, np.random.default_rng(seed).dirichlet(np.full(len(table), 0.7)))


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("seed", range(5))
def test_the_estimate_is_unbiased_for_every_action(actions: ActionSet, seed: int) -> None:
    """Σ_M p(M) (R·M) Σ⁺M · M' = R·M' for every action M', to 1e-12, also where actions do not span R^d."""
    policy = _policy(actions, seed)
    solver = Solver(policy, actions.span)
    rewards = np.random.default_rng(seed + 100).normal(size=actions.dimension)
    pairs = zip(policy.atoms, policy.weights, strict=True)
    mean = sum(weight * float(rewards @ atom) * solver.solve(atom) for atom, weight in pairs)
    for action in actions.enumerate():
        assert float(mean @ action) == pytest.approx(float(rewards @ action), abs=1e-12 * (1 + np.abs(mean).sum()))


@pytest.mark.parametrize("actions", SETS, ids=repr)
def test_the_second_moment_lemma_in_span_coordinates(actions: ActionSet) -> None:
    """E[MᵀΣ⁺²M] = Σ 1/λ_i over the non-zero eigenvalues, at most r/λ_min (Lemma "key")."""
    policy = _policy(actions, 3)
    values, vectors = np.linalg.eigh(policy.cooccurrence())
    kept = values > 1e-10
    assert kept.sum() == actions.rank
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    pairs = zip(policy.atoms, policy.weights, strict=True)
    moment = sum(weight * float(atom @ inverse @ inverse @ atom) for atom, weight in pairs)
    assert moment == pytest.approx(float((1.0 / values[kept]).sum()), rel=1e-9)
    assert moment <= actions.rank / values[kept].min() + 1e-9
