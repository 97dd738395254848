"""k-forests, against the list of all forests and known counts."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.relabelling import check_relabelling

from swapregret.actions.graphs.forests import Forests
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput, Unsupported
from swapregret.geometry.kl import kl_gap
from swapregret.testing import check_action_set


@st.composite
def forest_sets(draw, max_vertices=7, max_edges=9, limit=2000):
    """Draw a multigraph, connected or not, and a feasible size."""
    n = draw(st.integers(2, max_vertices))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    edges = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=max_edges))
    actions = Forests(edges, draw(st.integers(1, Forests(edges, 1).graph.rank)))
    assume(actions.n_actions is not None and actions.n_actions <= limit)
    return actions


@pytest.mark.parametrize(("n", "counts"), [(4, [6, 15, 16]), (5, [10, 45, 110, 125]), (6, [15, 105, 435, 1080, 1296])])
def test_known_counts(n, counts):
    """k-forests of complete graphs by k = 1, 2, …, n − 1."""
    found = [Forests(nx.complete_graph(n), size).n_actions for size in range(1, n)]
    assert found == counts


@settings(max_examples=12)
@given(forest_sets(), st.integers(0, 100))
def test_every_promise_against_the_list_of_forests(actions, seed):
    """Oracle, list, count, membership, span, spanner, projection, decomposition and policies agree with the list."""
    assert actions.n_actions == len(actions.enumerate())
    check_action_set(actions, seed=seed)


@settings(max_examples=40)
@given(forest_sets(), st.integers(0, 2**32))
def test_projection_agrees_with_the_list_of_forests(actions, seed):
    """The point is that of the generic projection onto the listed forests; with log-weights up to ±60 the gap is at most 1e-9."""
    rng = np.random.default_rng(seed)
    reference = Explicit(actions.enumerate())
    for spread in (0.0, 1.0, 5.0):
        w = rng.uniform(-spread, spread, size=actions.dimension)
        np.testing.assert_allclose(actions.kl_project(w).point, reference.kl_project(w).point, atol=2e-6)
    w = rng.uniform(-60.0, 60.0, size=actions.dimension)
    projection = actions.kl_project(w)
    assert projection.gap <= 1e-9
    assert kl_gap(reference, w, projection.log_point) <= 1e-9


@settings(max_examples=40)
@given(forest_sets(), st.integers(0, 2**32))
def test_decomposition_is_exact_and_variants_average(actions, seed):
    """Atoms are forests of the size, weights add up to 1, and marginals are met to 1e-13."""
    rng = np.random.default_rng(seed)
    point = rng.dirichlet(np.ones(3)) @ np.array([actions.argmax(rng.normal(size=actions.dimension)) for _ in range(3)])
    for variants in (1, 3):
        policy = actions.decompose(point, variants=variants)
        assert policy.weights.sum() == 1.0
        assert all(row in actions for row in policy.atoms)
        np.testing.assert_allclose(policy.marginals(), point, atol=1e-13)


def test_size_equal_to_the_rank_is_the_spanning_trees():
    """Count, projection, uniform and Gibbs policy are those of SpanningTrees, component by component."""
    edges = list(nx.petersen_graph().edges)
    forests, trees = Forests(edges, 9), SpanningTrees(edges)
    assert forests.has_gibbs
    assert forests.has_uniform
    assert forests.n_actions == trees.n_actions == 2000
    s = np.random.default_rng(0).normal(size=15)
    np.testing.assert_array_equal(forests.kl_project(s).point, trees.kl_project(s).point)
    np.testing.assert_array_equal(forests.gibbs(s).marginals(), trees.gibbs(s).marginals())
    apart = Forests([("a", "b"), ("b", "c"), ("c", "a"), ("x", "y"), ("x", "y")], 3)
    assert apart.n_actions == 6
    np.testing.assert_allclose(apart.uniform_policy().marginals(), [2 / 3, 2 / 3, 2 / 3, 0.5, 0.5])
    assert apart.uniform_policy().sample(np.random.default_rng(1)) in apart


def test_what_has_no_polynomial_policy_is_refused_and_says_why():
    """The Gibbs policy names the reason and the way out; the uniform policy of too many forests is refused; the count is None."""
    small = Forests(nx.complete_graph(5), 2)
    assert not small.has_gibbs
    assert small.has_uniform
    with pytest.raises(Unsupported, match="#P-hard") as info:
        small.gibbs(np.zeros(10))
    assert "swap_combcp" in str(info.value)
    large = Forests(nx.complete_graph(14), 9)
    assert large.n_actions is None
    assert not large.has_uniform
    with pytest.raises(Unsupported, match="uniform policy"):
        large.uniform_policy()
    with pytest.raises(InvalidInput):
        small.gibbs(np.zeros(3))


@pytest.mark.parametrize(("n", "d", "size"), [(30, 300, 10), (30, 300, 28), (100, 300, 66)])
def test_large_graphs(n, d, size):
    """Projections have certified gaps and decompositions are exact on larger graphs."""
    actions = Forests(nx.gnm_random_graph(n, d, seed=3), size)
    rng = np.random.default_rng(1)
    for spread in (0.1, 3.0, 30.0):
        projection = actions.kl_project(rng.normal(size=d) * spread)
        assert projection.gap <= 1e-9
        policy = actions.decompose(projection.point)
        np.testing.assert_allclose(policy.marginals(), projection.point, atol=1e-12)
        assert (policy.atoms.sum(axis=1) == size).all()


def test_relabelling_edges_shuffles_everything():
    """The same graph with its edges in another order says the same of the shuffled edges."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (7, 8), (7, 8)]
    order = np.random.default_rng(5).permutation(len(edges))
    check_relabelling(Forests(edges, 3), Forests([edges[e] for e in order], 3), order)


def test_sizes_that_are_not_feasible_are_refused():
    """The sentence names the largest feasible size; isolated vertices do not raise it."""
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y")]
    with pytest.raises(InvalidInput, match="at most 3"):
        Forests(edges, 4)
    with pytest.raises(InvalidInput, match="at least 1"):
        Forests(edges, 0)
    with pytest.raises(InvalidInput, match="whole number"):
        Forests(edges, 1.5)
    with pytest.raises(InvalidInput, match="at most 3"):
        Forests(edges, 4, vertices=["a", "b", "c", "x", "y", "z"])
    assert Forests(edges, 3, vertices=["z", "a", "b", "c", "x", "y"]).vertices == ("a", "b", "c", "x", "y", "z")
    assert repr(Forests(edges, size=3)) == "Forests(5 vertices, 4 edges, size=3)"


@pytest.mark.parametrize("weights", ["even", "spread"])
def test_forests_of_very_uneven_size_are_levelled_in_a_short_list(weights):
    """Half of a grid, where trees with the extra vertex leave forests of many sizes, needs at most three forests an edge."""
    edges = list(nx.grid_2d_graph(12, 12).edges)
    actions = Forests(edges, 72)
    rng = np.random.default_rng(0)
    point = actions.kl_project(np.zeros(len(edges)) if weights == "even" else rng.normal(size=len(edges))).point
    policy = actions.decompose(point)
    np.testing.assert_allclose(policy.marginals(), point, atol=1e-12)
    assert (policy.atoms.sum(axis=1) == 72).all()
    assert len(policy.weights) <= 3 * len(edges)
