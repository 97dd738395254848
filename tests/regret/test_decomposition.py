"""The ledger of the lemma on runs small enough to add up by hand."""

from itertools import pairwise

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.regret.decomposition import DecompositionLedger
from swapregret.regret.measure import Regret


def test_windows_by_hand() -> None:
    """Chain (1, 2, 4), four days: every term equals the sum written out."""
    actions = MSets(2, 1)
    rewards = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    marginals = np.array([[0.5, 0.5], [1.0, 0.0]])
    ledger = DecompositionLedger(actions, [1, 2, 4])
    for row in rewards:
        ledger.record(marginals, row, 1)
    result = ledger.close()
    first, second = result.scales
    assert (first.meta_best, first.interval_best, first.earned) == (4.0, 3.0, 2.0)
    assert (second.meta_best, second.interval_best, second.earned) == (3.0, 3.0, 3.0)
    assert first.regrets.tolist() == [0.0, 1.0]
    assert first.starts.tolist() == [0, 2]
    assert second.regrets.tolist() == [0.0]
    assert result.laziness == 0.5 * ((4.0 - 2.0) + (3.0 - 3.0))
    assert result.bound == 0.5 * (1.0 + 4.0)
    assert result.contributions.tolist() == [0.5, 2.0]
    assert result.contributions.sum() == result.bound


def test_offset_and_unfinished_windows() -> None:
    """An offset shortens the first windows, the end of the run the last; every day is in one window of each level."""
    actions = MSets(3, 1)
    rng = np.random.default_rng(1)
    rewards = rng.random((23, 3))
    ledger = DecompositionLedger(actions, [2, 4, 8], offset=3)
    day = 0
    while day < 23:
        n = min(ledger.days_left, 23 - day)
        ledger.record(np.full((2, 3), 1.0 / 3.0), rewards[day : day + n].sum(axis=0), n)
        day += n
    result = ledger.close()
    assert result.n_days == 23
    assert result.scales[0].starts.tolist() == [0, 1, 5, 9, 13, 17, 21]
    assert result.scales[1].starts.tolist() == [0, 5, 13, 21]
    edges = [0, 5, 13, 21, 23]
    best = sum(rewards[a:b].sum(axis=0).max() for a, b in pairwise(edges))
    assert result.scales[1].interval_best == pytest.approx(best)
    assert result.scales[1].regrets.sum() == pytest.approx(result.scales[1].external_regret)


def test_a_measured_value_above_the_bound_is_noticed() -> None:
    """``holds_for`` can fail: it tells a swap regret the lemma forbids from one it allows."""
    ledger = DecompositionLedger(MSets(2, 1), [1, 2])
    ledger.record(np.array([[0.5, 0.5]]), np.array([1.0, 0.0]), 1)
    result = ledger.close()
    assert result.holds_for(Regret(0.5, 0.5, 0.5, 0.0, 1, ""))
    assert not result.holds_for(Regret(0.6, 0.6, 0.6, 0.0, 1, ""))


def test_wrong_windows_and_days_are_refused() -> None:
    """Windows must be a chain of multiples; days must not run past the shortest window."""
    with pytest.raises(InvalidInput, match="multiple"):
        DecompositionLedger(MSets(2, 1), [2, 3])
    ledger = DecompositionLedger(MSets(2, 1), [2, 4])
    with pytest.raises(InvalidInput, match=r"1\.\.2"):
        ledger.record(np.ones((1, 2)), np.ones(2), 3)
