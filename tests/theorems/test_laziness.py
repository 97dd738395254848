"""Proposition "Swap Regret is upper bounded by External Regret for time-invariant policies"."""

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.policy import FinitePolicy, mix
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import external_regret, internal_regret, swap_regret

SETS = [MSets(5, 2), MSets(20, 5), Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]])]


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_a_fixed_policy_has_swap_regret_equal_to_external_regret(actions: ActionSet, seed: int) -> None:
    """One policy for all days: V[M] = p(M) Σ R, so every action has the same best answer."""
    rng = np.random.default_rng(seed)
    policy = mix([FinitePolicy(actions.spanner().actions[:2], [0.25, 0.75]), actions.uniform_policy()], [0.6, 0.4])
    ledger = SwapLedger(actions)
    for _ in range(30):
        ledger.record(policy, rng.normal(size=actions.dimension))
    closed = [ledger.close()]
    swap, external = swap_regret(answer(actions, closed)), external_regret(actions, closed)
    assert swap.value == pytest.approx(external.value, abs=1e-9)
    assert swap.is_exact
    assert internal_regret(answer(actions, closed)).lower <= swap.value + 1e-9


def test_two_policies_can_break_it() -> None:
    """With one change of policy the equality fails, so the test above can fail."""
    actions = MSets(2, 1)
    ledger = SwapLedger(actions)
    ledger.record(FinitePolicy([[1, 0]], [1.0]), np.array([0.0, 1.0]))
    ledger.record(FinitePolicy([[0, 1]], [1.0]), np.array([1.0, 0.0]))
    closed = [ledger.close()]
    assert swap_regret(answer(actions, closed)).value == 2.0
    assert external_regret(actions, closed).value == 1.0
