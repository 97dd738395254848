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
    accumulate_days,
    accumulate_law,
    dot_rows,
    locate_rows,
    pool_law,
    pool_of,
    rebuild_slots,
)
from swapregret.regret.ledgers.table import reading


def _random_rows(seed: int, n: int, d: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, size=(n, d))


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
    found = dot_rows(reading(values), reading(pack_rows(reading(rows))))
    assert found == pytest.approx((rows * values).sum(axis=1), abs=1e-12)


def test_every_single_bit_is_found() -> None:
    """The de Bruijn table names each of the 64 bits of a word, in each of three words."""
    d = 192
    values = np.tile(np.arange(1.0, d + 1.0), (d, 1))
    words = pack_rows(reading(np.eye(d, dtype=np.int64)))
    assert np.array_equal(dot_rows(reading(values), reading(words)), np.arange(1.0, d + 1.0))


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
    slots = np.zeros(128, dtype=np.int64)
    keys = np.zeros((limit, words.shape[1]), dtype=np.uint64)
    whole = np.zeros(limit, dtype=bool)
    found, n = locate_rows(slots, keys, whole, np.zeros(0, dtype=np.int64), 0, limit, reading(words))
    expected: dict[bytes, int] = {}
    for index, row in enumerate(rows):
        if row.tobytes() not in expected and len(expected) < limit:
            expected[row.tobytes()] = len(expected)
        assert found[index] == expected.get(row.tobytes(), -1)
    assert n == len(expected)
    assert whole[:n].all()
    again = np.zeros(256, dtype=np.int64)
    rebuild_slots(again, keys, n)
    refound, _ = locate_rows(again, keys, whole, np.zeros(0, dtype=np.int64), n, n, reading(words))
    assert np.array_equal(refound, found)


def test_sums_go_to_rows_and_pools() -> None:
    """What has a row is added to it, what has none to its pool; nothing is lost and gains are best minus own."""
    rng = np.random.default_rng(5)
    rows = np.unique(_random_rows(5, 20, 6), axis=0)
    words = reading(pack_rows(reading(rows)))
    weights, vector = rng.dirichlet(np.ones(len(rows))), rng.normal(size=6)
    place = np.where(np.arange(len(rows)) < 4, np.arange(len(rows)), -1)
    values, days, scores = np.zeros((4, 6)), np.zeros(4), np.zeros(4)
    missing = accumulate_law(values, days, scores, place, reading(weights), reading(vector), 3.0)
    assert missing == len(rows) - 4
    assert values == pytest.approx(weights[:4, None] * vector)
    assert days == pytest.approx(3.0 * weights[:4])
    pools, gains, counts = np.zeros((3, 6)), np.zeros(3), np.zeros(3, dtype=np.int64)
    pooled = pool_law(pools, gains, counts, words, place, reading(weights), reading(vector), 2.5)
    assert pooled == pytest.approx(weights[4:].sum())
    assert pools.sum(axis=0) == pytest.approx(pooled * vector)
    assert counts.sum() == missing
    assert gains.sum() == pytest.approx((weights[4:] * (2.5 - rows[4:] @ vector)).sum())
    own = pool_of(words, 3)
    assert gains[own[5]] != 0.0
    fresh = np.zeros((4, 6))
    accumulate_days(fresh, days, scores, np.array([1, 1, -1]), reading(rng.normal(size=(3, 6))))
    assert np.count_nonzero(fresh.any(axis=1)) == 1


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
