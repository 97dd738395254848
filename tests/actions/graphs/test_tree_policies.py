"""Gibbs policies over spanning trees, against the list of all trees."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from swapregret.actions.graphs import tree_policies
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.errors import Unsupported
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value


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


@settings(max_examples=40)
@given(tree_sets(), st.integers(0, 2**32))
def test_gibbs_policy_has_the_moments_of_the_list(actions, seed):
    """Marginals, pairs, probabilities and the partition function are those of the sum over all trees."""
    rng = np.random.default_rng(seed)
    rows = actions.enumerate()
    for spread in (0.5, 5.0, 60.0):
        s = rng.uniform(-spread, spread, size=actions.dimension)
        totals = rows @ s
        p = np.exp(totals - totals.max())
        policy = actions.gibbs(s)
        assert policy.log_partition == pytest.approx(totals.max() + np.log(p.sum()), rel=1e-12, abs=1e-11)
        p /= p.sum()
        np.testing.assert_allclose(policy.marginals(), p @ rows, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(policy.cooccurrence(), (rows.T * p) @ rows, atol=1e-12)
        v = rng.normal(size=actions.dimension)
        np.testing.assert_allclose(policy.second_moment(v), policy.cooccurrence() @ v, atol=1e-12)
        assert policy.probability(rows[0]) == pytest.approx(p[0], rel=1e-9, abs=1e-300)
        assert policy.probability(1 - rows[0]) == 0.0 or (1 - rows[0]) in actions


def test_gibbs_sampler_switches_where_walks_are_long_and_both_are_exact():
    """On the Petersen graph, with near and with far scores, the draws pass a chi-square at 1e-6."""
    actions = SpanningTrees(nx.petersen_graph())
    rows = actions.enumerate()
    codes = 1 << np.arange(15)
    for spread, is_long in ((1.0, False), (12.0, True)):
        s = np.random.default_rng(3).uniform(-spread, spread, size=15)
        policy = actions.gibbs(s)
        assert (policy.walk is None) == is_long
        rng = np.random.default_rng(8)
        drawn = np.array([policy.sample(rng) for _ in range(10_000)]) @ codes
        counts = np.array([(drawn == code).sum() for code in rows @ codes])
        assert counts.sum() == 10_000
        weights = np.exp(rows @ s - policy.log_partition)
        assert chi_square_p_value(counts, weights, 10_000) > FALSE_ALARM


@pytest.mark.parametrize("n", [3, 4, 6, 9, 14])
def test_uniform_policy_of_complete_graphs_has_least_eigenvalue_one_over_n(n):
    """λ_min of E[MMᵀ] is 1/n on K_n, and every edge has probability 2/n."""
    policy = SpanningTrees(nx.complete_graph(n)).uniform_policy()
    np.testing.assert_allclose(policy.marginals(), 2.0 / n, rtol=1e-12)
    assert np.linalg.eigvalsh(policy.cooccurrence())[0] == pytest.approx(1.0 / n, rel=1e-10)


def test_small_policies_are_listed_and_large_ones_refuse():
    """Up to 10,000 trees the policy lists itself, with its own moments; K_9 has too many."""
    policy = SpanningTrees(nx.complete_graph(5)).gibbs(np.linspace(-1.0, 1.0, 10))
    assert policy.has_atoms
    assert len(policy.atoms) == 125
    np.testing.assert_allclose(policy.finite().cooccurrence(), policy.cooccurrence(), atol=1e-12)
    large = SpanningTrees(nx.complete_graph(9)).uniform_policy()
    assert not large.has_atoms
    with pytest.raises(Unsupported):
        large.finite()
    assert repr(large) == "GibbsTrees(9 vertices, 36 edges)"


def test_products_on_large_graphs_are_the_same(monkeypatch):
    """Above the limit for a dense matrix the product is taken without one, with the same result."""
    actions = SpanningTrees(nx.complete_graph(7))
    s, v = np.random.default_rng(0).normal(size=(2, 21))
    expected = actions.gibbs(s).second_moment(v)
    monkeypatch.setattr(tree_policies, "_DENSE", 16)
    np.testing.assert_allclose(actions.gibbs(s).second_moment(v), expected, atol=1e-13)
