"""Packed actions and the hash table of rows against dictionaries and plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.m_sets.kernels.subsets import UNIT, systematic_atoms
from swapregret.actions.m_sets.kernels.systematic_words import systematic_words
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.compiled.bits import pack_lists, pack_rows, unpack_rows
from swapregret.regret.ledgers.kernels.row_sums import (
    RowArrays,
    add_pieces,
    dot_rows,
    find_rows,
    in_order,
    locate_rows,
    pool_of,
    pool_pieces,
    reading,
    rebuild_slots,
    spread_rows,
)


def _random_rows(seed: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, size=(n, d))


def _dot(values: np.ndarray, words: np.ndarray) -> np.ndarray:
    return dot_rows(reading(values), in_order(len(values)), reading(words))


def _table(n_rows: int, n_vectors: int, d: int) -> RowArrays:
    return RowArrays(
        counts=np.zeros(2, dtype=np.int64),
        slots=np.zeros(128, dtype=np.int32),
        keys=np.zeros((n_rows, (d + 63) // 64), dtype=np.uint64),
        at=np.zeros(n_rows, dtype=np.int32),
        shares=np.zeros(n_rows),
        whole=np.zeros(n_rows, dtype=np.bool_),
        vectors=np.zeros((n_vectors, d)),
        vector_days=np.zeros(n_vectors),
        holders=np.zeros(n_vectors, dtype=np.int64),
        pooled=np.zeros(0, dtype=np.int64),
    )


def _values(table: RowArrays) -> np.ndarray:
    n = int(table.counts[0])
    return spread_rows(reading(table.vectors), reading(table.at[:n]), reading(table.shares[:n]))


@settings(deadline=None, max_examples=30)
@given(d=st.integers(1, 200), seed=st.integers(0, 1000))
def test_packing_is_undone(d: int, seed: int) -> None:
    """Unpacking packed rows gives the rows, element i being bit i mod 64 of word i div 64."""
    rows = _random_rows(seed, 7, d)
    words = pack_rows(reading(rows))
    assert np.array_equal(unpack_rows(reading(words), d), rows)
    value = sum(int(words[0, w]) << (64 * w) for w in range(words.shape[1]))
    assert [value >> i & 1 for i in range(d)] == rows[0].tolist()


@settings(deadline=None, max_examples=30)
@given(d=st.integers(1, 150), seed=st.integers(0, 1000))
def test_dot_rows_adds_the_chosen_entries(d: int, seed: int) -> None:
    """A product with packed actions is the sum over their elements, whichever bits are set."""
    rows = _random_rows(seed, 5, d)
    values = np.random.default_rng(seed).normal(size=(5, d))
    found = _dot(values, pack_rows(reading(rows)))
    assert found == pytest.approx((rows * values).sum(axis=1), abs=1e-12)


def test_every_single_bit_is_found() -> None:
    """The de Bruijn table names each of the 64 bits of a word, in each of three words."""
    d = 192
    values = np.tile(np.arange(1.0, d + 1.0), (d, 1))
    words = pack_rows(reading(np.eye(d, dtype=np.int64)))
    assert np.array_equal(_dot(values, words), np.arange(1.0, d + 1.0))


def test_lists_pack_like_rows() -> None:
    """Packing lists of elements equals packing the 0/1 rows."""
    rows = _random_rows(3, 9, 130)
    first = np.concatenate([[0], np.cumsum(rows.sum(axis=1))])
    chosen = np.concatenate([np.flatnonzero(row) for row in rows]).astype(np.int32)
    chosen.flags.writeable = first.flags.writeable = False
    assert np.array_equal(pack_lists(first, chosen, 130), pack_rows(reading(rows)))


@settings(deadline=None, max_examples=25)
@given(d=st.sampled_from([5, 64, 65, 130]), seed=st.integers(0, 1000), limit=st.integers(1, 40))
def test_rows_are_found_as_in_a_dictionary(d: int, seed: int, limit: int) -> None:
    """The open-addressing table gives each action one row, in order of arrival, and −1 past the limit."""
    rng = np.random.default_rng(seed)
    rows = _random_rows(seed, 12, d)[rng.integers(12, size=60)]
    words = pack_rows(reading(rows))
    table = _table(limit, 60, d)
    found = locate_rows(table, reading(words))
    expected: dict[bytes, int] = {}
    for index, row in enumerate(rows):
        if row.tobytes() not in expected and len(expected) < limit:
            expected[row.tobytes()] = len(expected)
        assert found[index] == expected.get(row.tobytes(), -1)
    n = len(expected)
    assert table.counts[0] == n
    assert table.whole[:n].all()
    again = np.zeros(256, dtype=np.int32)
    rebuild_slots(again, table.keys, n)
    assert np.array_equal(find_rows(again, table.keys, reading(words)), found)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n_vectors=st.integers(1, 30))
def test_rows_are_sums_whoever_shares_a_vector(seed: int, n_vectors: int) -> None:
    """After laws and days V[M] is the sum of what was entered, every vector has a row, and what finds no room is told."""
    rng = np.random.default_rng(seed)
    actions = np.unique(_random_rows(seed, 20, 6), axis=0)
    table, wanted, lost = _table(len(actions), n_vectors, 6), np.zeros((len(actions), 6)), 0
    for _ in range(12):
        chosen = rng.integers(len(actions), size=rng.integers(1, 7))  # an action may come twice
        words, vector = reading(pack_rows(reading(actions[chosen]))), rng.normal(size=6)
        rows = locate_rows(table, words)
        if rng.random() < 0.3:
            weights, vectors = np.ones(len(chosen)), rng.normal(size=(len(chosen), 6))
            lost += add_pieces(table, rows, reading(weights), reading(vectors), 0, 1, 1.0)
        else:
            weights, vectors = rng.dirichlet(np.ones(len(chosen))), np.tile(vector, (len(chosen), 1))
            weights[: rng.integers(2)] = 0.0
            lost += add_pieces(table, rows, reading(weights), reading(vectors), 0, 0, 2.0)
        for index in np.flatnonzero((rows >= 0) & (weights > 0.0)):
            wanted[chosen[index]] += weights[index] * vectors[index]
        n, k = table.counts
        holders = np.bincount(table.at[:n][table.shares[:n] > 0.0], minlength=n_vectors)
        assert np.array_equal(table.holders[:k], holders[:k])
        assert (holders[:k] > 0).all()
    place = find_rows(table.slots, table.keys, reading(pack_rows(reading(actions))))
    assert _values(table)[place[place >= 0]] == pytest.approx(wanted[place >= 0], abs=1e-12)
    assert not wanted[place < 0].any()
    assert lost > 0 or table.whole[: table.counts[0]].all()
    assert n_vectors < len(actions) or lost == 0


def test_pieces_go_to_their_pools() -> None:
    """What is pooled is added to the pool of its action; nothing is lost and gains are best minus own."""
    rng = np.random.default_rng(5)
    rows = np.unique(_random_rows(5, 20, 6), axis=0)
    words, weights, vectors = (
        reading(pack_rows(reading(rows))),
        rng.dirichlet(np.ones(len(rows))),
        rng.normal(size=(2, 6)),
    )
    at, bests = reading((np.arange(len(rows)) % 2).astype(np.int32)), np.array([2.5, 3.5])
    pools, gains, counts = np.zeros((3, 6)), np.zeros(3), np.zeros(3, dtype=np.int64)
    pool_pieces(pools, gains, counts, words, reading(weights), reading(vectors), at, bests)
    own = pool_of(words, 3)
    for pool in range(3):
        here = own == pool
        assert pools[pool] == pytest.approx(weights[here] @ vectors[at[here]])
        earned = (rows[here] * vectors[at[here]]).sum(axis=1)
        assert gains[pool] == pytest.approx((weights[here] * (bests[at[here]] - earned)).sum())
        assert counts[pool] == here.sum()


@settings(deadline=None, max_examples=25)
@given(d=st.sampled_from([1, 2, 7, 48, 49, 70]), share=st.floats(0.01, 1.0), seed=st.integers(0, 1000))
def test_systematic_words_are_the_atoms(d: int, share: float, seed: int) -> None:
    """Walking round the circle gives the sets and arc lengths that drawing each set on its own gives."""
    actions = MSets(d, max(1, round(share * d)))
    scores = np.random.default_rng(seed).normal(size=d) * 4.0
    law = actions.decompose(actions.kl_project(scores).point, variants=3)
    words, lengths = systematic_words(law._units, law._starts, law._orders, UNIT)
    atoms, expected = systematic_atoms(law._units, law._starts)
    assert np.array_equal(lengths, expected)
    assert np.array_equal(unpack_rows(reading(words), d), atoms)
