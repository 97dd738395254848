"""Packed actions and the hash table of rows against dictionaries and plain sums."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.compiled.bits import pack_rows, unpack_rows
from swapregret.regret.ledgers.answers import AnswerRule
from swapregret.regret.ledgers.row_sums import (
    all_rows,
    distinct_rows,
    dot_rows,
    group_pieces,
    pool_of,
    pool_pieces,
    read_only,
    row_values,
    sum_numbers,
)


def _random_rows(seed: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, size=(n, d))


def _dot(values: np.ndarray, words: np.ndarray) -> np.ndarray:
    return dot_rows(read_only(values), all_rows(len(values)), read_only(words))


@settings(deadline=None, max_examples=30)
@given(d=st.integers(1, 200), seed=st.integers(0, 1000))
def test_packing_is_undone(d: int, seed: int) -> None:
    """Unpacking packed rows gives the rows, element i being bit i mod 64 of word i div 64."""
    rows = _random_rows(seed, 7, d)
    words = pack_rows(read_only(rows))
    assert np.array_equal(unpack_rows(read_only(words), d), rows)
    value = sum(int(words[0, w]) << (64 * w) for w in range(words.shape[1]))
    assert [value >> i & 1 for i in range(d)] == rows[0].tolist()


@settings(deadline=None, max_examples=30)
@given(d=st.integers(1, 150), seed=st.integers(0, 1000))
def test_dot_rows_adds_the_chosen_entries(d: int, seed: int) -> None:
    """A product with packed actions is the sum over their elements, whichever bits are set."""
    rows = _random_rows(seed, 5, d)
    values = np.random.default_rng(seed).normal(size=(5, d))
    found = _dot(values, pack_rows(read_only(rows)))
    assert found == pytest.approx((rows * values).sum(axis=1), abs=1e-12)


def test_every_single_bit_is_found() -> None:
    """The de Bruijn table names each of the 64 bits of a word, in each of three words."""
    d = 192
    values = np.tile(np.arange(1.0, d + 1.0), (d, 1))
    words = pack_rows(read_only(np.eye(d, dtype=np.int64)))
    assert np.array_equal(_dot(values, words), np.arange(1.0, d + 1.0))


@settings(deadline=None, max_examples=25)
@given(d=st.sampled_from([5, 64, 65, 130]), seed=st.integers(0, 1000), n=st.integers(0, 60))
def test_rows_are_found_as_in_a_dictionary(d: int, seed: int, n: int) -> None:
    """Each action has one row, in order of arrival; looked up by a rule it is found there, and no other action is."""
    rng = np.random.default_rng(seed)
    table = np.unique(_random_rows(seed, 12, d), axis=0)
    rows = table[rng.integers(len(table), size=n)]
    words = read_only(pack_rows(read_only(rows)))
    firsts, places = distinct_rows(words)
    expected: dict[bytes, int] = {}
    for index, row in enumerate(rows):
        if row.tobytes() not in expected:
            assert firsts[len(expected)] == index
        assert places[index] == expected.setdefault(row.tobytes(), len(expected))
    assert len(firsts) == len(expected)
    keys = words[firsts]
    found = AnswerRule(keys, keys, table[0]).find(pack_rows(read_only(table)))
    assert found.tolist() == [expected.get(row.tobytes(), -1) for row in table]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(0, 50), n_rows=st.integers(1, 9))
def test_rows_are_the_sums_of_their_pieces(seed: int, n: int, n_rows: int) -> None:
    """Pieces are grouped by row in the order they came, rows without pieces among them, and summed with their shares."""
    rng = np.random.default_rng(seed)
    rows, at = (rng.integers(high, size=n).astype(np.int32) for high in (n_rows, 4))
    shares, vectors = rng.random(n), rng.normal(size=(4, 3))
    starts, order = group_pieces(read_only(rows), n_rows)
    wanted = np.zeros((n_rows, 3))
    for row in range(n_rows):
        assert order[starts[row] : starts[row + 1]].tolist() == np.flatnonzero(rows == row).tolist()
    np.add.at(wanted, rows, shares[:, None] * vectors[at])
    numbers = sum_numbers(read_only(rows), n_rows, read_only(at), read_only(shares), read_only(vectors[:, 0].copy()))
    assert numbers == pytest.approx(wanted[:, 0], abs=1e-12)
    which = rng.permutation(n_rows)[:5]
    found = row_values(which, starts, order, read_only(at), read_only(shares), read_only(vectors))
    assert found == pytest.approx(wanted[which], abs=1e-12)


def test_pieces_go_to_their_pools() -> None:
    """What is pooled is added to the pool of its action; nothing is lost and gains are best minus own."""
    rng = np.random.default_rng(5)
    rows = np.unique(_random_rows(5, 20, 6), axis=0)
    words, weights, vectors = (
        read_only(pack_rows(read_only(rows))),
        rng.dirichlet(np.ones(len(rows))),
        rng.normal(size=(2, 6)),
    )
    at, bests = read_only((np.arange(len(rows)) % 2).astype(np.int32)), np.array([2.5, 3.5])
    pools, gains, counts = np.zeros((3, 6)), np.zeros(3), np.zeros(3, dtype=np.int64)
    pool_pieces(pools, gains, counts, words, read_only(weights), read_only(vectors), at, bests)
    own = pool_of(words, 3)
    for pool in range(3):
        here = own == pool
        assert pools[pool] == pytest.approx(weights[here] @ vectors[at[here]])
        earned = (rows[here] * vectors[at[here]]).sum(axis=1)
        assert gains[pool] == pytest.approx((weights[here] * (bests[at[here]] - earned)).sum())
        assert counts[pool] == here.sum()
