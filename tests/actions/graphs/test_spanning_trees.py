"""Spanning trees, against the list of all trees, networkx, an independent solver and known values."""

import cvxpy as cp
import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.relabelling import check_relabelling

from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidAction, InvalidInput, TooLarge
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.span import find_span
from swapregret.testing import check_action_set


@st.composite
def tree_sets(draw, max_vertices=6, max_extra=8, limit=2000):
    """Draw a connected multigraph with bridges and parallel edges, in scrambled order, whose trees can be listed."""
    n = draw(st.integers(2, max_vertices))
    tree = [(v, draw(st.integers(0, v - 1))) for v in range(1, n)]
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    more = draw(st.lists(st.sampled_from(pairs), max_size=max_extra))
    actions = SpanningTrees(draw(st.permutations(tree + more)))
    assume(actions.n_actions <= limit)
    return actions


def large(n, d, seed=0):
    """Draw a connected graph of n vertices and d different edges."""
    for attempt in range(1000):
        graph = nx.gnm_random_graph(n, d, seed=1000 * seed + attempt)
        if nx.is_connected(graph):
            return SpanningTrees(graph)
    raise AssertionError("no connected graph drawn")


@settings(max_examples=12)
@given(tree_sets(), st.integers(0, 100))
def test_every_promise_against_the_list_of_trees(actions, seed):
    """Oracle, list, count, membership, span, spanner, projection, decomposition, uniform and Gibbs policy agree with the list."""
    graph = nx.MultiGraph(zip(actions.graph.tails.tolist(), actions.graph.heads.tolist(), strict=True))
    assert actions.n_actions == round(nx.number_of_spanning_trees(graph))
    check_action_set(actions, seed=seed)


@settings(max_examples=40)
@given(tree_sets(), st.integers(0, 2**32))
def test_projection_agrees_with_the_list_of_trees(actions, seed):
    """The point is that of the generic projection onto the listed trees, and its gap holds for the list too."""
    rng = np.random.default_rng(seed)
    reference = Explicit(actions.enumerate())
    for spread in (0.0, 1.0, 5.0):
        w = rng.uniform(-spread, spread, size=actions.dimension)
        projection = actions.kl_project(w)
        np.testing.assert_allclose(projection.point, reference.kl_project(w).point, atol=2e-6)
        assert kl_gap(reference, w, projection.log_point) <= 1e-9


@settings(max_examples=40)
@given(tree_sets(max_vertices=5, max_extra=6), st.floats(5.0, 60.0), st.integers(0, 2**32))
def test_projection_of_nearly_a_vertex_is_certified(actions, spread, seed):
    """With log-weights up to ±60 the gap is at most 1e-9 and the logarithms are consistent with a block structure."""
    w = np.random.default_rng(seed).uniform(-spread, spread, size=actions.dimension)
    projection = actions.kl_project(w)
    assert projection.gap <= 1e-9
    assert kl_gap(actions, w, projection.log_point) <= 1e-9
    assert projection.point.sum() == pytest.approx(actions.size, abs=1e-12)
    rows = actions.enumerate()
    scales = projection.log_point - w
    best = rows[np.argmin(rows @ scales)]
    assert scales @ best == pytest.approx(float(scales @ projection.point), abs=1e-9)


def test_projection_agrees_with_an_interior_point_solver():
    """On K_5 with mild weights Clarabel finds the same point over the convex hull of all 125 trees."""
    actions = SpanningTrees(nx.complete_graph(5))
    rows = actions.enumerate().astype(float)
    w = np.random.default_rng(4).normal(size=10)
    weights = cp.Variable(len(rows), nonneg=True)
    point = rows.T @ weights
    problem = cp.Problem(cp.Minimize(cp.sum(cp.kl_div(point, np.exp(w)))), [cp.sum(weights) == 1])
    problem.solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(actions.kl_project(w).point, point.value, atol=1e-4)


@settings(max_examples=30)
@given(tree_sets(), st.integers(0, 2**32))
def test_span_in_closed_form_is_the_one_the_oracle_finds(actions, seed):
    """The rank is that of the generic search, and the lift gives every tree from its independent coordinates."""
    span, rows = actions.span, actions.enumerate()
    assert span.rank == find_span(actions).rank == np.linalg.matrix_rank(rows)
    np.testing.assert_allclose(rows[:, span.coordinates] @ span.lift.T, rows, atol=1e-12)
    assert abs(np.linalg.det(span.basis[:, span.coordinates].astype(float))) > 0.5
    assert all(row in actions for row in span.basis)


def test_bridges_and_blocks_lower_the_rank():
    """Two triangles joined by a bridge: 7 edges in 3 blocks have rank 5."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
    actions = SpanningTrees(edges)
    assert actions.rank == 5
    assert actions.n_actions == 9


@settings(max_examples=40)
@given(tree_sets(), st.integers(0, 2**32))
def test_decomposition_is_exact_and_variants_average(actions, seed):
    """Atoms are trees, weights add up to 1, marginals are met to 1e-13; several variants are other policies of that point."""
    rng = np.random.default_rng(seed)
    point = rng.dirichlet(np.ones(3)) @ np.array([actions.argmax(rng.normal(size=actions.dimension)) for _ in range(3)])
    single = actions.decompose(point)
    assert single.finite() == actions.decompose(point).finite()
    for policy in (single, actions.decompose(point, variants=3)):
        assert policy.weights.sum() == 1.0
        assert all(row in actions for row in policy.atoms)
        np.testing.assert_allclose(policy.marginals(), point, atol=1e-13)


def test_variants_spread_the_policy():
    """Eight variants of the uniform marginals of K_7 have far more atoms than one."""
    actions = SpanningTrees(nx.complete_graph(7))
    point = np.full(21, 2.0 / 7.0)
    assert len(actions.decompose(point, variants=8).weights) > 3 * len(actions.decompose(point).weights)


def test_points_outside_are_refused():
    """A point 1e-6 outside is refused with its distance, one 1e-10 outside is moved inside."""
    actions = SpanningTrees([(0, 1), (0, 1), (1, 2), (2, 0)])
    inside = actions.kl_project([0.3, 0.1, -0.2, 0.0]).point
    for wrong in (inside * (1.0 + 1e-6), inside + 1e-6 * np.eye(4)[0], np.array([1.0, 1.0, 0.0, 0.0]), np.zeros(4)):
        with pytest.raises(InvalidInput, match="convex hull"):
            actions.decompose(wrong)
    near = actions.decompose(inside + np.array([1e-10, -1e-11, 0.0, 0.0]))
    np.testing.assert_allclose(near.marginals(), inside, atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(30, 300), (100, 300)])
def test_large_graphs(n, d):
    """Weights of trees are networkx's; projections have certified gaps; decompositions are exact; policies have trace n − 1."""
    actions = large(n, d)
    rng = np.random.default_rng(1)
    for spread in (0.1, 3.0, 30.0):
        w = rng.normal(size=d) * spread
        projection = actions.kl_project(w)
        assert projection.gap <= 1e-9
        policy = actions.decompose(projection.point)
        np.testing.assert_allclose(policy.marginals(), projection.point, atol=1e-12)
        gibbs = actions.gibbs(w)
        assert gibbs.marginals().sum() == pytest.approx(n - 1, abs=1e-9)
        assert gibbs.sample(rng) in actions
        np.testing.assert_allclose(gibbs.second_moment(np.ones(d)), (n - 1) * gibbs.marginals(), atol=1e-9)


def test_relabelling_edges_shuffles_everything():
    """The same graph with its edges in another order, vertices renamed, says the same of the shuffled edges."""
    rng = np.random.default_rng(0)
    edges = [*nx.petersen_graph().edges, (0, 1), (3, 8)]
    order = rng.permutation(len(edges))
    renamed = [(f"v{edges[e][1]}", f"v{edges[e][0]}") for e in order]
    check_relabelling(SpanningTrees(edges), SpanningTrees(renamed), order)


def test_graphs_that_are_not_connected_are_refused_by_name():
    """Two vertices without a path between them are named, isolated ones too."""
    with pytest.raises(InvalidInput, match="no path between 'a' and 'x'"):
        SpanningTrees([("a", "b"), ("x", "y")])
    with pytest.raises(InvalidInput, match="no path between 'a' and 'z'"):
        SpanningTrees([("a", "b")], vertices=["a", "b", "z"])
    with pytest.raises(InvalidInput, match="no path"):
        SpanningTrees(nx.Graph([(0, 1), (2, 3)]))


def test_labels_elements_and_listing():
    """Elements are read and written by label; too long a list is refused; duplicate labels are refused."""
    actions = SpanningTrees([("a", "b"), ("b", "c"), ("c", "a")], labels=["ab", "bc", "ca"])
    assert actions.elements(actions.action_of(["bc", "ca"])) == ("bc", "ca")
    assert actions.vertices == ("a", "b", "c")
    with pytest.raises(InvalidAction):
        actions.action_of(["ab", "bc", "ca"])
    with pytest.raises(TooLarge):
        SpanningTrees(nx.complete_graph(9)).enumerate(1000)
    with pytest.raises(InvalidInput, match="labels"):
        SpanningTrees([(0, 1), (1, 2)], labels=["x", "x"])
    assert repr(actions) == "SpanningTrees(3 vertices, 3 edges)"
    multi = SpanningTrees(nx.MultiGraph([("a", "b"), ("a", "b")]))
    assert multi.labels == (("a", "b", 0), ("a", "b", 1))
    arguments, options = multi.arguments
    assert SpanningTrees(*arguments, **options).labels == multi.labels
    assert [1, 1, 1] not in actions
    assert [1, 0, 0] not in actions
    assert "ab" not in actions
