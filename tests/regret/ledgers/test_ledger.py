"""The recorder against sums over all actions, its laziness, and its limits."""

import numpy as np
import pytest
from tests.regret.conftest import Enumerated, enumerated

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.policy import FinitePolicy, Mixture, mix
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger, default_capacity
from swapregret.regret.ledgers.merge import mean_ledger
from swapregret.regret.notions import swap_regret


def _as_dict(ledger) -> dict:
    return {action.tobytes(): value for action, value in zip(ledger.actions, ledger.values, strict=True)}


def _check(ledger, run: Enumerated, n_days: float | None = None) -> None:
    wanted = len(run.rewards) if n_days is None else n_days
    found = _as_dict(ledger)
    for action, value, days in zip(run.table, run.values, run.chances.sum(axis=0), strict=True):
        if days > 0:
            assert found.pop(action.tobytes()) == pytest.approx(value, abs=1e-9)
    assert not found
    assert ledger.earned == pytest.approx(run.earned, abs=1e-9)
    assert ledger.total == pytest.approx(run.rewards.sum(axis=0), abs=1e-9)
    assert ledger.n_days == wanted
    assert ledger.rows.days.sum() == pytest.approx(wanted)


def test_entries_are_the_sums_of_the_definition(tiny_set: ActionSet) -> None:
    """V[M] is Σ_t p_t(M) R_t for every action played, and no other action has an entry."""
    run = enumerated(tiny_set, 40, seed=1)
    _check(run.ledger(), run)


def test_stretches_and_mixtures_give_the_same_entries() -> None:
    """Recording days one by one, in stretches, or as mixtures whose weights change gives one ledger."""
    actions = MSets(4, 2)
    rng = np.random.default_rng(2)
    table = actions.enumerate()
    a, b, c = (FinitePolicy(table[i : i + 3], [0.5, 0.25, 0.25]) for i in range(3))
    plan = [(mix([a, b], [0.3, 0.7]), 4), (mix([a, b], [0.6, 0.4]), 3), (mix([a, c], [0.5, 0.5]), 5), (a, 2), (b, 1)]
    lazy, daily = SwapLedger(actions), SwapLedger(actions)
    for policy, n in plan:
        rewards = rng.normal(size=(n, 4))
        lazy.record(policy, rewards.sum(axis=0), n)
        for row in rewards:
            daily.record(policy.finite(), row)
    left, right = _as_dict(lazy.close()), _as_dict(daily.close())
    assert left.keys() == right.keys()
    for key in left:
        assert left[key] == pytest.approx(right[key], abs=1e-12)


def test_a_component_is_entered_once_however_often_its_neighbours_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lazy scale costs one update per meta-day and an exploration policy one per run, also when weights move."""
    calls = []
    original = ActionRows.add_policy

    def counting(self, words, weights, vector, n_days):
        calls.append(len(weights))
        original(self, words, weights, vector, n_days)

    monkeypatch.setattr(ActionRows, "add_policy", counting)
    actions = MSets(4, 1)
    table = actions.enumerate()
    explore = FinitePolicy(table, [0.25] * 4)
    slow = [FinitePolicy(table[:2], [0.5, 0.5]) for _ in range(2)]
    fast = [FinitePolicy(table[1:], [0.2, 0.4, 0.4]) for _ in range(6)]
    ledger = SwapLedger(actions)
    for day in range(6):
        weights = [0.1, 0.4 + 0.05 * day, 0.5 - 0.05 * day]
        ledger.record(mix([explore, slow[day // 3], fast[day]], weights), np.ones(4))
    ledger.close()
    assert sorted(calls) == [2, 2] + [3] * 6 + [4]


def test_merging_halves_gives_the_whole(tiny_set: ActionSet) -> None:
    """The mean of the ledgers of two halves that pay twice as much is the ledger of the run, but for the number of days."""
    run = enumerated(tiny_set, 30, seed=3)
    halves = [
        Enumerated(tiny_set, run.table, run.chances[part], 2.0 * run.rewards[part]).ledger()
        for part in (slice(0, 11), slice(11, None))
    ]
    merged = mean_ledger(halves)
    _check(merged, run, len(run.rewards) / 2)
    assert swap_regret(answer(tiny_set, [merged])).value == pytest.approx(run.swap(), abs=1e-9)


def test_the_mean_averages_entry_by_entry(tiny_set: ActionSet) -> None:
    """The mean ledger of three runs has a third of the sum of every entry, also where an action is in one run only."""
    runs = [enumerated(tiny_set, 8, seed, support=2) for seed in range(3)]
    mean = mean_ledger([run.ledger() for run in runs])
    values = sum(run.values for run in runs) / 3.0
    for action, value in zip(mean.actions, mean.values, strict=True):
        row = int(np.flatnonzero((runs[0].table == action).all(axis=1))[0])
        assert value == pytest.approx(values[row], abs=1e-12)


def test_a_closed_ledger_does_not_change_when_recording_goes_on() -> None:
    """Closing hands out a value; later days go to the recorder only."""
    actions = MSets(3, 1)
    ledger = SwapLedger(actions)
    policy = FinitePolicy(actions.enumerate(), [0.5, 0.25, 0.25])
    ledger.record(policy, np.array([1.0, 2.0, 3.0]))
    first = ledger.close()
    before = first.values.copy()
    ledger.record(policy, np.array([1.0, 0.0, 0.0]))
    second = ledger.close()
    assert np.array_equal(first.values, before)
    assert second.values.sum() == pytest.approx(before.sum() + 1.0)
    with pytest.raises(ValueError, match="read-only"):
        first.values[0, 0] = 7.0


def test_memory_stays_within_the_capacity() -> None:
    """A long run of ever new actions keeps no more vectors than the capacity and no more pools than a fourth of it."""
    actions = MSets(30, 5)
    rng = np.random.default_rng(4)
    ledger = SwapLedger(actions, capacity=40)
    for _ in range(400):
        plays = np.stack([actions.argmax(rng.random(30)) for _ in range(3)])
        ledger.record(FinitePolicy(plays, [0.5, 0.3, 0.2]), rng.random(30))
    closed = ledger.close()
    assert len(closed.rows.vectors) <= 40
    assert len(closed.rows) <= 120
    assert closed.pooled.n_pools <= 10
    assert closed.pooled.counts.sum() > 1000


def test_ledgers_refuse_what_cannot_be_merged_or_mixed() -> None:
    """Nothing to merge, two dimensions, two sources and two capacities that were reached are refused by name."""
    actions = MSets(6, 2)
    runs = [enumerated(actions, 20, seed=5, support=4).ledger(capacity) for capacity in (4, 9)]
    with pytest.raises(InvalidInput, match="same one"):
        mean_ledger(runs)
    with pytest.raises(InvalidInput, match="not be empty"):
        mean_ledger([])
    with pytest.raises(InvalidInput, match="one dimension"):
        mean_ledger([runs[0], enumerated(MSets(3, 1), 5, seed=5).ledger()])
    ledger = SwapLedger(actions)
    ledger.record_plays(actions.enumerate()[:1], np.ones((1, 6)))
    with pytest.raises(InvalidInput, match="both"):
        ledger.record(actions.uniform_policy(), np.ones(6))
    with pytest.raises(InvalidInput, match="`capacity`"):
        SwapLedger(actions, capacity=0)
    assert default_capacity(10**6) == 1000


def test_a_component_that_comes_twice_counts_twice() -> None:
    """A mixture of one policy with itself is that policy, also where another one follows."""
    actions, policy = MSets(2, 1), FinitePolicy([[1, 0]], [1.0])
    ledger = SwapLedger(actions)
    ledger.record(Mixture([policy, policy], [0.25, 0.75]), np.array([1.0, 2.0]))
    ledger.record(FinitePolicy([[0, 1]], [1.0]), np.array([0.5, 0.5]))
    closed = ledger.close()
    assert closed.actions.tolist() == [[1, 0], [0, 1]]
    assert closed.values.tolist() == [[1.0, 2.0], [0.5, 0.5]]
    assert closed.earned == 1.5
