"""Laws of largest entropy: marginals met on every face, Gibbs laws given back, tight sets found, failure said."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from swapregret.actions import tree_entropy
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.errors import InvalidInput, NotConverged


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


def test_max_entropy_law_of_gibbs_marginals_is_the_gibbs_law():
    """Marginals of a Gibbs law give back its probabilities."""
    actions = SpanningTrees.from_networkx(nx.petersen_graph())
    law = actions.gibbs(np.random.default_rng(2).uniform(-3, 3, size=15))
    fitted = actions.max_entropy_policy(law.marginals())
    for row in actions.enumerate()[::97]:
        assert fitted.probability(row) == pytest.approx(law.probability(row), rel=1e-6)


@settings(max_examples=25)
@given(tree_sets(), st.integers(0, 2**32))
def test_max_entropy_law_meets_marginals_on_every_face(actions, seed):
    """Projections and mixtures of few trees are met to 1e-9; the law is one over trees, with consistent second moments."""
    rng = np.random.default_rng(seed)
    rows = np.array([actions.argmax(rng.normal(size=actions.dimension)) for _ in range(3)])
    for point in (
        actions.kl_project(rng.normal(size=actions.dimension) * 3.0).point,
        np.array([0.5, 0.25, 0.25]) @ rows,
    ):
        law = actions.max_entropy_policy(point)
        np.testing.assert_allclose(law.marginals(), point, atol=1e-9)
        assert law.sample(rng) in actions
        p = np.array([law.probability(row) for row in actions.enumerate()])
        assert p.sum() == pytest.approx(1.0, abs=1e-9)
        np.testing.assert_allclose((actions.enumerate().T * p) @ actions.enumerate(), law.cooccurrence(), atol=1e-9)
        v = rng.normal(size=actions.dimension)
        np.testing.assert_allclose(law.second_moment(v), law.cooccurrence() @ v, atol=1e-9)


def test_tight_sets_divide_the_graph():
    """A point in which a triangle of K_4 holds two units divides into the triangle and three parallel edges."""
    actions = SpanningTrees([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)])
    point = np.array([0.5, 0.7, 0.8, 0.2, 0.3, 0.5])
    minors = [chosen.tolist() for chosen, _ in tree_entropy.tight_minors(actions.graph, point)]
    assert minors == [[0, 1, 2], [3, 4, 5]]
    law = actions.max_entropy_policy(point)
    assert repr(law) == "TreesOfMinors(2 minors, 6 edges)"
    np.testing.assert_allclose(law.cooccurrence()[0, 3], 0.1, atol=1e-12)


@pytest.mark.parametrize("spread", [1.0, 10.0, 30.0])
def test_projections_of_a_larger_graph_are_met(spread):
    """On 20 vertices and 60 edges the marginals are met to 1e-9 also near a vertex of the polytope."""
    actions = SpanningTrees.from_networkx(nx.connected_watts_strogatz_graph(20, 6, 0.3, seed=1))
    point = actions.kl_project(np.random.default_rng(0).normal(size=60) * spread).point
    np.testing.assert_allclose(actions.max_entropy_policy(point).marginals(), point, atol=1e-9)


def test_too_few_steps_and_points_outside_are_refused(monkeypatch):
    """Without steps the marginals are not met, and the sentence names the way out."""
    actions = SpanningTrees.from_networkx(nx.complete_graph(5))
    point = actions.kl_project(np.random.default_rng(0).normal(size=10)).point
    with pytest.raises(InvalidInput):
        actions.max_entropy_policy(2.0 * point)
    monkeypatch.setattr(tree_entropy, "_STEPS", 0)
    with pytest.raises(NotConverged, match="Use decompose"):
        actions.max_entropy_policy(point)
