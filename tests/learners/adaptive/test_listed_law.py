"""Laws over packed actions are the laws over the same actions as vectors."""

import numpy as np
import pytest
from swapregret.learners.adaptive.floor import mixed
from swapregret.learners.adaptive.listed_law import ListedLaw

import swapregret as sr
from swapregret.kernels.ledger import pack_rows
from swapregret.policy import FinitePolicy, mix


def _laws(dimension: int, seed: int) -> tuple[FinitePolicy, ListedLaw]:
    """Return one law twice, drawn with repetitions."""
    rng = np.random.default_rng(seed)
    rows = (rng.random((12, dimension)) < 0.3).astype(np.int64)[rng.integers(12, size=30)]
    weights = rng.dirichlet(np.ones(30))
    return FinitePolicy(rows, weights), ListedLaw.merged(pack_rows(rows), weights, dimension)


@pytest.mark.parametrize("dimension", [5, 64, 130])
def test_a_listed_law_is_the_finite_policy(dimension: int) -> None:
    """Support, weights, marginals, Σ, Σ on coordinates and Σv agree, whether actions fill one word or several."""
    plain, listed = _laws(dimension, dimension)
    order = {row.tobytes(): weight for row, weight in zip(plain.atoms, plain.weights, strict=True)}
    assert len(listed.weights) == len(order)
    assert listed.weights.sum() == 1.0
    for row, weight in zip(listed.atoms, listed.weights, strict=True):
        assert abs(order[row.tobytes()] - weight) < 1e-14
    some = np.arange(0, dimension, 2)
    vector = np.random.default_rng(1).normal(size=dimension)
    np.testing.assert_allclose(listed.marginals(), plain.marginals(), atol=1e-14)
    np.testing.assert_allclose(listed.cooccurrence(), plain.cooccurrence(), atol=1e-14)
    np.testing.assert_allclose(listed.cooccurrence_on(some), plain.cooccurrence_on(some), atol=1e-14)
    np.testing.assert_allclose(listed.second_moment(vector), plain.second_moment(vector), atol=1e-12)
    assert listed.finite().dimension == dimension


def test_draws_follow_the_weights() -> None:
    """Each draw takes one uniform number and inverts the cumulative weights in the order of the list."""
    _, listed = _laws(70, 3)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(50):
        place = int(np.searchsorted(np.cumsum(listed.weights), other.random(), side="right"))
        assert np.array_equal(listed.sample(rng), listed.atoms[place])


def test_decompositions_keep_their_marginals() -> None:
    """The list made of a decomposition of several variants has the marginals of the point."""
    actions = sr.Permutations(9)
    point = actions.kl_project(np.random.default_rng(0).normal(size=81)).point
    law = ListedLaw.of(actions.decompose(point, variants=2))
    np.testing.assert_allclose(law.marginals(), point, atol=1e-10)
    assert len(np.unique(law.words, axis=0)) == len(law.words)


def test_mixing_without_checks_is_mixing() -> None:
    """The short way gives the components, weights and Σ that ``mix`` gives; one law comes back as it is."""
    parts = [_laws(9, seed)[1] for seed in range(3)]
    parts.append(parts[0])
    shares = [0.1, 0.3, 0.2, 0.4]
    short, long = mixed(parts, shares), mix(parts, shares)
    assert short.components == long.components
    assert np.array_equal(short.component_weights, long.component_weights)
    some = np.array([0, 4, 7])
    np.testing.assert_allclose(short.cooccurrence_on(some), long.cooccurrence()[np.ix_(some, some)], atol=1e-15)
    assert mixed(parts[:1], [1.0]) is parts[0]
