"""The log of a ledger: what was lent stays, folding changes nothing, and what a file holds is checked."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.compiled.bits import pack_rows, unpack_rows
from swapregret.errors import InvalidInput
from swapregret.policy import FinitePolicy
from swapregret.regret.ledgers import action_rows
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.closed_ledger import Rows
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.ledger_file import read_ledger, write_ledger
from swapregret.regret.ledgers.merge import join_rows
from swapregret.regret.ledgers.row_sums import read_only

ACTIONS = MSets(6, 2)
TABLE = ACTIONS.enumerate()
MANY = 10**6


class Run:
    """Policies and days entered into a table one after the other, beside plain sums over all actions."""

    def __init__(self, seed: int, capacity: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.table = ActionRows(ACTIONS, capacity)
        self.values, self.days = np.zeros(TABLE.shape), np.zeros(len(TABLE))

    def go_on(self, n_entries: int) -> None:
        """Enter so many policies, or lists of days."""
        for _ in range(n_entries):
            chosen = self.rng.integers(len(TABLE), size=self.rng.integers(1, 7))  # an action may come twice
            words = pack_rows(read_only(TABLE[chosen]))
            if self.rng.random() < 0.3:
                weights, vectors, n_days = np.ones(len(chosen)), self.rng.normal(size=(len(chosen), 6)), 1.0
                self.table.add_days(words, vectors)
            else:
                weights, n_days = self.rng.dirichlet(np.ones(len(chosen))), 2.0
                weights[: self.rng.integers(2)] = 0.0
                vectors = np.tile(self.rng.normal(size=6), (len(chosen), 1))
                self.table.add_policy(words, weights, vectors[0], n_days)
            np.add.at(self.values, chosen, weights[:, None] * vectors)
            np.add.at(self.days, chosen, weights * n_days)

    def check(self, rows: Rows) -> None:
        """See that rows are the sums, and that an action that was not played has none."""
        found = {action.tobytes(): place for place, action in enumerate(unpack_rows(rows.keys, 6))}
        assert sorted(found) == sorted(action.tobytes() for action in TABLE[self.days > 0.0])
        for action, value, days in zip(TABLE, self.values, self.days, strict=True):
            if days > 0.0:
                place = found[action.tobytes()]
                assert rows.values[place] == pytest.approx(value, abs=1e-12)
                assert rows.days[place] == pytest.approx(days, abs=1e-12)


def contents(rows: Rows) -> list[bytes]:
    """Return all that rows hold."""
    return [array.tobytes() for array in write_rows(rows).values()]


def write_rows(rows: Rows) -> dict[str, Any]:
    """Return the arrays of rows, and what is read off them."""
    kept = {name: getattr(rows, name) for name in ("words", "at", "shares", "intact", "vectors", "vector_days")}
    return kept | {"keys": rows.keys, "values": rows.values, "days": rows.days, "whole": rows.whole}


@pytest.fixture
def small_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let logs begin with little room, so that they are folded and moved often."""
    monkeypatch.setattr(action_rows, "_FIRST_PIECES", 16)
    monkeypatch.setattr(action_rows, "_FIRST_BYTES", 16)
    monkeypatch.setattr(action_rows, "_GROWTH", 2)


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("saving", [0, 1, 10**9])
def test_rows_are_sums_whenever_the_log_is_folded(saving: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """V[M] and the days are the sums of what was entered, folded at every move, where it saves something, or never."""
    monkeypatch.setattr(action_rows, "_SAVING", saving)
    for seed in range(15):
        run = Run(seed, MANY)
        for _ in range(8):
            run.go_on(5)
            rows, pooled = run.table.lend()
            run.check(rows)
            assert pooled.n_pools == 0
            assert rows.whole.all()


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(0, 30), few=st.integers(1, 5))
def test_folding_changes_no_value(seed: int, n: int, few: int) -> None:
    """Folded rows are the same rows in the same order with at most a few pieces each; with one, they have no more vectors."""
    run = Run(seed, MANY)
    run.go_on(n)
    rows = run.table.pieces()
    folded = rows.folded(np.arange(len(rows)), few, rows.whole)
    assert np.array_equal(folded.keys, rows.keys)
    assert np.bincount(folded.places, minlength=1).max() <= few
    assert few > 1 or len(folded.vectors) <= len(folded)
    assert set(folded.at.tolist()) == set(range(len(folded.vectors)))
    assert folded.values == pytest.approx(rows.values, abs=1e-12)
    assert folded.days == pytest.approx(rows.days, abs=1e-12)
    answers = pack_rows(read_only(TABLE[run.rng.integers(len(TABLE), size=len(rows))]))
    expected = (rows.values * unpack_rows(read_only(answers), 6)).sum(axis=1)
    assert rows.dot(answers) == pytest.approx(expected, abs=1e-12)
    assert folded.dot(answers) == pytest.approx(expected, abs=1e-12)
    which = run.rng.random(len(rows)) < 0.5
    part = rows.folded(np.flatnonzero(which), few, which)
    assert np.array_equal(part.keys, rows.keys[which])
    assert part.intact.all()
    assert part.values == pytest.approx(rows.values[which], abs=1e-12)
    assert rows.total(which) == pytest.approx(rows.values[which].sum(axis=0), abs=1e-12)
    assert folded.total(which) == pytest.approx(rows.total(which), abs=1e-12)


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("capacity", [1, 5, MANY])
def test_what_was_lent_does_not_change(capacity: int) -> None:
    """Rows and pools lent at many moments are, byte for byte, what they were, however much is recorded afterwards."""
    run, lent = Run(3, capacity), []
    for _ in range(20):
        run.go_on(4)
        rows, pooled = run.table.lend()
        lent.append((rows, pooled, contents(rows), pooled.values.tobytes(), pooled.gains.tobytes(), pooled.split))
    for rows, pooled, *before in lent:
        again = Rows(*(getattr(rows, name) for name in Rows.__dataclass_fields__))  # nothing remembered
        assert [contents(again), pooled.values.tobytes(), pooled.gains.tobytes(), pooled.split] == before
        with pytest.raises(ValueError, match="read-only"):
            rows.vectors[0, 0] = 7.0


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("capacity", [1, 5, MANY])
def test_lending_changes_nothing_that_comes_later(capacity: int) -> None:
    """A table that was looked at after every entry ends, byte for byte, as one that was not."""
    one, other = Run(4, capacity), Run(4, capacity)
    for _ in range(60):
        one.go_on(1)
        one.table.lend()
        other.go_on(1)
    (rows, pooled), (others, other_pooled) = one.table.lend(), other.table.lend()
    assert contents(rows) == contents(others)
    assert pooled.values.tobytes() == other_pooled.values.tobytes()
    assert pooled.split == other_pooled.split


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("capacity", [1, 5, 14])
def test_nothing_is_lost_past_the_capacity(capacity: int) -> None:
    """Rows and pools add up to what was entered, whole rows are exact, and split is not below what pools could earn."""
    n_whole = 0
    for seed in range(10):
        run = Run(seed, capacity)
        run.go_on(50)
        rows, pooled = run.table.lend()
        assert pooled.n_pools == max(1, capacity // 4)
        assert len(rows.vectors) <= capacity
        assert len(rows) <= capacity
        total = rows.values.sum(axis=0) + pooled.values.sum(axis=0)
        assert total == pytest.approx(run.values.sum(axis=0), abs=1e-11)
        assert pooled.split >= sum(value @ ACTIONS.argmax(value) for value in pooled.values) - 1e-11
        for action, value, is_whole in zip(unpack_rows(rows.keys, 6), rows.values, rows.whole, strict=True):
            wanted = run.values[(action == TABLE).all(axis=1)][0]
            assert not is_whole or value == pytest.approx(wanted, abs=1e-12)
            n_whole += is_whole
    assert n_whole > 0


def test_a_full_table_keeps_most_of_what_was_played() -> None:
    """Whether a few pieces stay pieces or every action gets a vector: a table that is full does what keeps more days of play."""
    best = set()
    for seed in range(20):
        rng, actions = np.random.default_rng(seed), MSets(40, 2) if seed % 2 else ACTIONS
        table, d = ActionRows(actions, 12), actions.dimension
        listed = np.stack([actions.argmax(rng.random(d)) for _ in range(60)])
        for _ in range(5):
            chosen = rng.permutation(60)[:20]
            weights = rng.dirichlet(np.full(len(chosen), 0.3))
            table.add_policy(pack_rows(read_only(listed[chosen])), weights, rng.normal(size=d), 1.0)
        pieces, (rows, pooled) = table.pieces(), table.lend()
        if not pooled.n_pools:
            continue
        ways = (1 + 8 * d // 20, 1)
        kept = [pieces.days[table.most_played(pieces, few, max(12, 6 * (d // 8)))[0]].sum() for few in ways]
        assert rows.days.sum() == pytest.approx(max(kept))
        best.add(bool(kept[0] > kept[1]))
    assert best == {False, True}


def test_a_long_run_on_a_small_set_stays_small() -> None:
    """A thousand policies over fifteen actions leave a ledger of fifteen pieces, not of fifteen thousand."""
    ledger, rng = SwapLedger(ACTIONS), np.random.default_rng(6)
    for _ in range(1000):
        ledger.record(FinitePolicy(TABLE, rng.dirichlet(np.ones(len(TABLE)))), rng.random(6))
    rows = ledger.close().rows
    assert len(rows) == len(rows.words) == len(rows.vectors) == len(TABLE)


def test_merged_rows_are_the_pieces_of_all() -> None:
    """The mean of two tables has V[M] of both, halved, and rows in the order they first come."""
    runs = [Run(seed, MANY) for seed in (7, 8)]
    for run in runs:
        run.go_on(6)
    tables = [run.table.lend()[0] for run in runs]
    merged = join_rows(tables, 0.5)
    both = Run(0, MANY)
    both.values = 0.5 * (runs[0].values + runs[1].values)
    both.days = 0.5 * (runs[0].days + runs[1].days)
    both.check(merged)
    assert np.array_equal(merged.keys[: len(tables[0])], tables[0].keys)


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("capacity", [1, 5, 14, MANY])
def test_a_table_goes_on_from_what_another_has_lent(capacity: int) -> None:
    """Begun again after every few entries with its own rows and pools, a table loses nothing, and whole rows are exact."""
    run = Run(9, capacity)
    for _ in range(15):
        run.go_on(4)
        lent, run.table = run.table.lend(), ActionRows(ACTIONS, capacity)
        run.table.begin(*lent)
    rows, pooled = run.table.lend()
    assert (pooled.n_pools > 0) == (capacity != MANY)
    total = rows.values.sum(axis=0) + pooled.values.sum(axis=0)
    assert total == pytest.approx(run.values.sum(axis=0), abs=1e-11)
    for action, value, is_whole in zip(unpack_rows(rows.keys, 6), rows.values, rows.whole, strict=True):
        wanted = run.values[(action == TABLE).all(axis=1)][0]
        assert not is_whole or value == pytest.approx(wanted, abs=1e-12)
    if pooled.n_pools:
        with pytest.raises(InvalidInput, match="pools"):
            ActionRows(ACTIONS, 99).begin(rows, pooled)


def _first_to(number: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return what sets the first entry of an array."""

    def change(array: np.ndarray) -> np.ndarray:
        changed = np.array(array)
        changed.flat[0] = number
        return changed

    return change


WRONG: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "a vector that is not there": ("rows.at", _first_to(10**6)),
    "a vector before the first": ("rows.at", _first_to(-1)),
    "fewer vectors": ("rows.vectors", lambda array: array[:-1]),
    "vectors of another length": ("rows.vectors", lambda array: array[:, :-1].copy()),
    "fewer shares": ("rows.shares", lambda array: array[:-1]),
    "a share below zero": ("rows.shares", _first_to(-1.0)),
    "a share that is no number": ("rows.shares", _first_to(np.nan)),
    "fewer actions": ("rows.words", lambda array: array[:-1]),
    "elements that are not there": ("rows.words", _first_to(2**63)),
    "days of fewer vectors": ("rows.vector_days", lambda array: array[:-1]),
    "pieces that are neither whole nor not": ("rows.intact", lambda array: array.astype(np.int64)),
    "a pool less": ("pooled.values", lambda array: array[:-1]),
    "gains of fewer pools": ("pooled.gains", lambda array: array[:-1]),
    "counts of more pools": ("pooled.counts", lambda array: np.ones(99)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_ledger_in_a_file_is_checked(wrong: str) -> None:
    """Arrays that do not fit each other are refused before a kernel sees them; as they were they are taken."""
    name, change = WRONG[wrong]
    ledger, rng = SwapLedger(ACTIONS, capacity=12 if name.startswith("pooled") else None), np.random.default_rng(2)
    for _ in range(40 if name.startswith("pooled") else 5):
        ledger.record(FinitePolicy(TABLE[rng.permutation(15)[:3]], [0.5, 0.25, 0.25]), rng.random(6))
    closed = ledger.close()
    assert len(closed.rows.words) > len(closed.rows) or closed.pooled.n_pools == 3
    arrays = write_ledger(closed)
    assert contents(read_ledger(arrays, ACTIONS).rows) == contents(closed.rows)
    with pytest.raises(InvalidInput, match="Restore the file"):
        read_ledger(arrays | {name: change(arrays[name])}, ACTIONS)


def test_a_ledger_goes_on_from_a_file() -> None:
    """Written and read after every few days, a ledger measures what one in a single piece does, and stays of one source."""
    one, other, rng = SwapLedger(ACTIONS), SwapLedger(ACTIONS), np.random.default_rng(2)
    for day in range(40):
        policy, rewards = FinitePolicy(TABLE[rng.permutation(15)[:3]], [0.5, 0.25, 0.25]), rng.random(6)
        if day % 4 == 0:
            arrays, other = other.dump(), SwapLedger(ACTIONS)
            other.restore(arrays)
        one.record(policy, rewards)
        other.record(policy, rewards)
    wanted, found = one.close(), other.close()
    assert np.array_equal(found.actions, wanted.actions)
    assert found.values == pytest.approx(wanted.values, abs=1e-12)
    assert (found.n_days, found.earned) == (40.0, pytest.approx(wanted.earned, abs=1e-12))
    with pytest.raises(InvalidInput, match="two ledgers"):
        other.record_plays(TABLE[:1], np.ones((1, 6)))
    empty = SwapLedger(ACTIONS)
    empty.restore(SwapLedger(ACTIONS).dump())
    empty.record_plays(TABLE[:1], np.ones((1, 6)))
    assert empty.close().source == "realised play"
