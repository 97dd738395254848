"""Compiled runs: the tape of the calendar's turns gives the ledger that recording every policy gives."""

import numpy as np
import pytest

from swapregret.actions.m_sets import MSets
from swapregret.kernels.subsets import UNIT, round_to_units
from swapregret.policy import mix
from swapregret.regret.ledger import SwapLedger
from swapregret.regret.swap import swap_regret


def _random_turns(actions: MSets, windows: list[int], n_days: int, rng: np.random.Generator):
    """Return turns as a compiled run logs them, and the law of every scale on every day."""
    fresh = actions.decompose(np.full(actions.dimension, actions.size / actions.dimension), variants=3)
    laws, daily, events, units = [fresh] * (len(windows) - 1), [], [], []
    for day in range(n_days):
        daily.append(list(laws))
        ending = sum((day + 1) % window == 0 for window in windows)
        if not ending:
            continue
        new = np.zeros(actions.dimension, dtype=np.int64)
        if ending <= len(laws):
            point = actions.kl_project(3.0 * rng.normal(size=actions.dimension)).point
            laws[ending - 1] = actions.decompose(point, variants=3)
            new = round_to_units(point, actions.size)
        for k in range(min(ending - 1, len(laws))):
            laws[k] = fresh
        events.append((day, ending))
        units.append(new)
    return fresh, daily, np.array(events).reshape(-1, 2), np.array(units).reshape(-1, actions.dimension)


@pytest.mark.parametrize("capacity", [None, 12])
@pytest.mark.parametrize(("d", "m", "block"), [(6, 2, 7), (6, 2, 64), (70, 3, 20)])
def test_a_tape_equals_recording_day_by_day(d: int, m: int, block: int, capacity: int | None) -> None:
    """For blocks of any length, the tape's exact ledger has the entries, earnings and swap regret of the stepped one.

    With a capacity that is reached, both brackets contain the exact value.
    """
    rng = np.random.default_rng(d + block)
    actions, windows, n_days = MSets(d, m), [2, 6, 24], 64
    fresh, daily, events, units = _random_turns(actions, windows, n_days, rng)
    rewards = rng.random((n_days, d))
    explore = actions.uniform_policy()
    stepped, taped = SwapLedger(actions), SwapLedger(actions, capacity=capacity)
    for laws, row in zip(daily, rewards, strict=True):
        stepped.record(mix([*laws, explore], [0.45, 0.45, 0.1]), row)
    tape = taped.tape(np.array(fresh._orders), 0.45, 2)
    for start in range(0, n_days, block):
        days = slice(start, min(start + block, n_days))
        inside = (events[:, 0] >= days.start) & (events[:, 0] < days.stop)
        tape.record(rewards[days], start, events[inside], units[inside])
    taped.absorb(tape, fresh, explore, 0.1)
    left, right = stepped.close(), taped.close()
    assert right.earned == pytest.approx(left.earned)
    assert right.total == pytest.approx(left.total)
    assert right.n_days == left.n_days
    exact, found = swap_regret(actions, [left]), swap_regret(actions, [right])
    if capacity is None:
        assert found.value == pytest.approx(exact.value, abs=1e-9)
        entries = {action.tobytes(): value for action, value in zip(left.actions, left.values, strict=True)}
        assert len(entries) == len(right.rows)
        for action, value in zip(right.actions, right.values, strict=True):
            assert value == pytest.approx(entries[action.tobytes()], abs=1e-10)
    else:
        assert found.lower - 1e-9 <= exact.value <= found.upper + 1e-9
    assert UNIT == 2**44
