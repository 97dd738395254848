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
        ledger.record(marginals, row[None])
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
    for day, n in ((0, 1), (1, 5), (6, 17)):
        ledger.record(np.full((2, 3), 1.0 / 3.0), rewards[day : day + n])
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
    ledger.record(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]))
    result = ledger.close()
    assert result.holds_for(Regret(0.5, 0.5, 0.5, 0.0, 1, ""))
    assert not result.holds_for(Regret(0.6, 0.6, 0.6, 0.0, 1, ""))


def test_windows_that_are_no_chain_are_refused() -> None:
    """Windows must be multiples of each other."""
    with pytest.raises(InvalidInput, match="multiple"):
        DecompositionLedger(MSets(2, 1), [2, 3])


def test_recording_goes_on_after_a_close() -> None:
    """A ledger that was closed on the way, within a window, ends as one that was not."""
    rewards = np.random.default_rng(2).random((9, 3))
    one, other = (DecompositionLedger(MSets(3, 1), [2, 4], offset=1) for _ in range(2))
    for row in rewards:
        one.record(np.full((1, 3), 1.0 / 3.0), row[None])
        one.close()
    other.record(np.full((1, 3), 1.0 / 3.0), rewards)
    assert one.close().bound == other.close().bound
    assert one.close().laziness == other.close().laziness
