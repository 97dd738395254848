"""The swap filter: shrunken vectors, exchanges and replacements."""

import numpy as np
import pytest
from swapregret.kernels.swap_filter import best_exchanges, shrunken_vectors
from swapregret.learners.adaptive.filter import FilteredLaw, SwapFilter
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.vectors import ActionVectors

from swapregret.actions.base import ActionSet
from swapregret.actions.explicit import Explicit
from swapregret.actions.m_sets import MSets
from swapregret.actions.permutations import Permutations
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.kernels.ledger import pack_rows, unpack_rows
from swapregret.policy import FinitePolicy


def _knowledge(d: int, seed: int) -> tuple[np.ndarray, ActionVectors, PairMeans]:
    rng = np.random.default_rng(seed)
    atoms = MSets(d, 2).enumerate()[::2]
    vectors, pairs = ActionVectors.start(d, 256), PairMeans.start(d)
    for _ in range(5):
        p = rng.dirichlet(np.ones(len(atoms)))
        law = FinitePolicy(atoms, p)
        seen = rng.normal(size=d)
        vectors = vectors.add(pack_rows(law.atoms), law.weights, seen, 0.3)
        pairs = pairs.add(law.cooccurrence(), seen, 0.8, 0.3)
    return atoms, vectors, pairs


def test_shrunken_vectors_are_the_formula() -> None:
    """V = V[a] + 2·mean over pairs of V2/N2, and its variance, computed independently entry by entry."""
    atoms, vectors, pairs = _knowledge(5, 0)
    known, v, noise = shrunken_vectors(
        pack_rows(atoms),
        vectors.slots,
        vectors.keys,
        vectors.values,
        vectors.squares,
        pairs.values,
        pairs.counts,
        pairs.squares,
        2.0,
    )
    assert known.tolist() == list(range(len(atoms)))
    for index, atom in enumerate(atoms):
        j, i = np.flatnonzero(atom)
        row = int(vectors.rows_of(pack_rows(atom[None]))[0])
        mean = pairs.values[i, j] / pairs.counts[i, j]
        np.testing.assert_allclose(v[index], vectors.values[row] + 2.0 * mean, atol=1e-12)
        spread = vectors.squares[row] + 4.0 * pairs.squares[i, j] / pairs.counts[i, j] ** 2
        assert abs(noise[index] - spread) < 1e-12


def test_exchanges_stop_within_the_threshold() -> None:
    """After the exchanges no single exchange gains more than the threshold, and each kept the number of elements."""
    rng = np.random.default_rng(1)
    atoms = MSets(7, 3).enumerate()
    v, thresholds = rng.normal(size=atoms.shape), rng.random(len(atoms)) + 1e-3
    result = best_exchanges(atoms, v, thresholds)
    assert (result.sum(axis=1) == 3).all()
    for before, after, values, limit in zip(atoms, result, v, thresholds, strict=True):
        inside, outside = values[after > 0].min(), values[after == 0].max()
        assert outside - inside <= limit
        assert values @ after >= values @ before


def test_nothing_is_replaced_without_knowledge() -> None:
    """With empty tables what is recommended is played."""
    actions = MSets(5, 2)
    law = ListedLaw.of(FinitePolicy(actions.enumerate(), np.full(10, 0.1)))
    instead = SwapFilter().apply(actions, law, ActionVectors.start(5, 256), PairMeans.start(5), 1.0)
    filtered = FilteredLaw.make(law, instead)
    assert filtered.played is law


@pytest.mark.parametrize("kind", ["exchange", "oracle"])
def test_a_plain_gain_is_taken_and_a_doubtful_one_left(kind: str) -> None:
    """An action that clearly lost is replaced by the better one; with noise above the gain it is not."""
    sets = MSets(4, 2)
    actions = sets if kind == "exchange" else Explicit(sets.enumerate())
    atom = np.array([[1, 1, 0, 0]])
    vectors = ActionVectors.start(4, 256).add(pack_rows(atom), np.ones(1), np.array([0.0, 0.0, 5.0, 6.0]), 1.0)
    law = ListedLaw.of(FinitePolicy(atom, [1.0]))
    sure = SwapFilter().apply(actions, law, vectors, PairMeans.none(), 1e-4)
    np.testing.assert_array_equal(sure, [[0b1100]])
    doubtful = SwapFilter().apply(actions, law, vectors, PairMeans.none(), 1e4)
    np.testing.assert_array_equal(doubtful, [[0b0011]])


def test_pooling_is_off_above_its_dimension() -> None:
    """Pairs of many elements would need d³ memory: above 48 nothing is kept, and adding to it changes nothing."""
    pairs = PairMeans.start(49)
    assert pairs.counts.size == 0
    assert pairs.add(np.ones((49, 49)), np.ones(49), 1.0, 1.0) is pairs


@pytest.mark.parametrize(
    "actions", [MSets(6, 3), Permutations(3), SpanningTrees([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])], ids=repr
)
def test_replacements_are_the_best_less_a_threshold_for_what_is_given_up(actions: ActionSet) -> None:
    """What is played maximises v·M − τ·|a ∖ M| over all actions, by enumeration."""
    rng = np.random.default_rng(3)
    listed = actions.enumerate()
    law = ListedLaw.of(FinitePolicy(listed, np.full(len(listed), 1.0 / len(listed))))
    atoms = unpack_rows(law.words, actions.dimension)
    vectors = ActionVectors.start(actions.dimension, 256)
    for atom in atoms:
        seen = rng.normal(size=actions.dimension)
        vectors = vectors.add(pack_rows(atom[None]), np.ones(1), seen, float(rng.uniform(0.1, 2.0)))
    instead = unpack_rows(SwapFilter().apply(actions, law, vectors, PairMeans.none(), 0.7), actions.dimension)
    rows = vectors.rows_of(law.words)
    for atom, played, row in zip(atoms, instead, rows, strict=True):
        tau = SwapFilter().standard_errors * np.sqrt(2.0 * 0.7 * vectors.squares[row])
        worth = listed @ vectors.values[row] - tau * (atom * (1 - listed)).sum(axis=1)
        reached = played @ vectors.values[row] - tau * (atom * (1 - played)).sum()
        assert abs(reached - worth.max()) < 1e-12
    assert (instead != atoms).any()
    assert (instead == atoms).all(axis=1).any()
