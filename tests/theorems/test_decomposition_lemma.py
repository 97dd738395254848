"""Lemma "Swap Regret Decomposition": on every path, for every φ, for any chain of windows and any offset."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.environments.cycles import cyclic
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.playing.play import play
from swapregret.policy import FinitePolicy, mix
from swapregret.regret.decomposition import Decomposition, DecompositionLedger
from swapregret.regret.laziness import LazinessLedger, laziness_bound
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.measure import Regret
from swapregret.regret.notions import swap_regret

SETS = [MSets(4, 1), MSets(5, 2), Explicit([[1, 0, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1], [1, 1, 0, 0, 0]])]


def _random_run(
    actions: ActionSet, windows: list[int], offset: int, n_days: int, seed: int
) -> tuple[Regret, Regret, Decomposition]:
    """Play random policies that respect the calendar: scale k takes a new one every L_{k−1} days, any one at all."""
    rng = np.random.default_rng(seed)
    table = actions.enumerate()
    n_scales = len(windows) - 1

    def fresh() -> FinitePolicy:
        chosen = rng.choice(len(table), size=rng.integers(1, len(table) + 1), replace=False)
        return FinitePolicy(table[chosen], rng.dirichlet(np.full(len(chosen), 0.5)))

    scales = [fresh() for _ in range(n_scales)]
    ledger, lazy, lemma = SwapLedger(actions), LazinessLedger(actions), DecompositionLedger(actions, windows, offset)
    for day in range(n_days):
        rewards = rng.random(actions.dimension) * (rng.random(actions.dimension) < 0.5) / actions.size
        policy = mix(scales, [1.0 / n_scales] * n_scales)
        ledger.record(policy, rewards)
        lazy.record(policy, rewards)
        lemma.record(np.stack([scale.marginals() for scale in scales]), rewards[None])
        for k in range(1, n_scales + 1):
            if (day + 1 + offset) % windows[k - 1] == 0:
                scales[k - 1] = fresh()
    return swap_regret(answer(actions, [ledger.close()])), laziness_bound(actions, [lazy.close()]), lemma.close()


@settings(deadline=None, max_examples=60)
@given(
    actions=st.sampled_from(SETS),
    ratios=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    base=st.integers(1, 3),
    offset=st.integers(0, 60),
    n_days=st.integers(1, 70),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_lemma_holds_pathwise(actions, ratios, base, offset, n_days, seed) -> None:
    """SwapReg ≤ (1/K) Σ (D_{k−1} − E_k) = (1/K)[Σ_{k<K} Reg_k + D_0 − E_K] ≤ (1/K) Σ_{k<K} Reg_k + T/K."""
    windows = [base]
    for ratio in ratios:
        windows.append(windows[-1] * ratio)
    swap, lazy, terms = _random_run(actions, windows, offset, n_days, seed)
    assert swap.value <= lazy.upper + 1e-9
    assert lazy.upper <= terms.laziness + 1e-9
    middle = sum(share.external_regret for share in terms.scales[:-1])
    middle += terms.scales[0].meta_best - terms.scales[-1].earned
    assert terms.laziness == pytest.approx(middle / terms.n_scales, abs=1e-9)
    assert terms.laziness <= terms.bound + 1e-9
    assert terms.holds_for(swap)
    for share in terms.scales:
        assert share.regrets.sum() == pytest.approx(share.external_regret, abs=1e-9)


@pytest.mark.parametrize("branching", [2, 3, 7])
@pytest.mark.parametrize("n_scales", [1, 2, 3])
def test_the_paper_s_windows(branching: int, n_scales: int) -> None:
    """The lemma holds for every H ≥ 2 and K ≥ 1, also where T is far from H^K."""
    windows = [branching**k for k in range(n_scales + 1)]
    for n_days in (5, branching**n_scales, branching**n_scales + 3):
        swap, _, terms = _random_run(SETS[1], windows, 0, n_days, seed=n_days)
        assert terms.holds_for(swap)


def test_the_lemma_breaks_for_policies_that_ignore_the_calendar() -> None:
    """A policy that changes within its windows can beat the bound, so the test above can fail."""
    actions = MSets(2, 1)
    ledger, lemma = SwapLedger(actions), DecompositionLedger(actions, [50, 50, 50])
    for day in range(50):
        play_first = day % 2 == 0
        policy = FinitePolicy([[1, 0]] if play_first else [[0, 1]], [1.0])
        rewards = np.array([0.0, 1.0]) if play_first else np.array([1.0, 0.0])
        ledger.record(policy, rewards)
        lemma.record(np.tile(policy.marginals(), (2, 1)), rewards[None])
    terms = lemma.close()
    swap = swap_regret(answer(actions, [ledger.close()]))
    assert swap.value == 50.0
    assert not terms.holds_for(swap)


@pytest.mark.parametrize("windows", [(1, 3, 9, 27), (4, 12, 24, 240), (5, 50)])
def test_the_lemma_holds_on_runs_of_the_master(windows: tuple[int, ...]) -> None:
    """Real runs with a random offset obey the lemma, scale by scale."""
    actions = MSets(6, 2)
    world = cyclic(actions, 400, phases=5, rng=2)
    player = swap_combcp(actions, 400, schedule=Schedule(windows), preset="multiscale")
    result = play(player, world, rng=1, certificate=True)
    (terms,) = result.decompositions
    assert terms.n_scales == len(windows) - 1
    assert terms.holds_for(result.swap_regret)
    earned = sum(share.earned for share in terms.scales) / terms.n_scales
    assert earned == pytest.approx(result.ledgers[0].earned)
