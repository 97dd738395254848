"""Paths in a DAG, against enumeration, certificates and independent solvers."""

import math
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.path_policies import MarkovPaths
from swapregret.errors import InvalidAction, InvalidInput
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.testing import check_action_set
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value


def layered(width, layers):
    """Take all edges between neighbouring layers, from one source to one sink."""
    stages = [["s"], *([(layer, place) for place in range(width)] for layer in range(layers)), ["t"]]
    edges = [pair for here, there in pairwise(stages) for pair in product(here, there)]
    return DagPaths(edges, source="s", sink="t")


def shortcut(n):
    """Build the paper's counterexample: n stages of two vertices, and one edge from the source straight to the sink."""
    stages = [["s"], *([(stage, "up"), (stage, "down")] for stage in range(n)), ["t"]]
    edges = [pair for here, there in pairwise(stages) for pair in product(here, there)]
    return DagPaths([*edges, ("s", "t")], source="s", sink="t")


@st.composite
def dags(draw):
    """Graphs on up to seven vertices with parallel edges and dead ends; vertices are given in scrambled order."""
    n = draw(st.integers(2, 7))
    names = draw(st.permutations(range(n)))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=16))
    chosen.append((0, n - 1))
    order = draw(st.permutations(range(len(chosen))))
    edges = [(names[chosen[i][0]], names[chosen[i][1]]) for i in order]
    return edges, names[0], names[n - 1]


def enumerate_paths(edges, source, sink):
    """List the paths by following every edge from the source."""
    found = []

    def walk(vertex, used):
        if vertex == sink:
            row = np.zeros(len(edges), dtype=np.int64)
            row[used] = 1
            found.append(row)
        for index, (u, v) in enumerate(edges):
            if u == vertex:
                walk(v, [*used, index])

    walk(source, [])
    table = np.array(found)
    return table[np.lexsort(table.T)]


def random_points(actions, rng, count):
    """Points of the convex hull: projections at several spreads, and mixtures of a few paths."""
    for index in range(count):
        if index % 2:
            yield actions.kl_project(rng.uniform(-1, 1, actions.dimension) * (0.1, 2.0, 10.0)[index // 2 % 3]).point
        else:
            rows = np.array([actions.argmax(rng.normal(size=actions.dimension)) for _ in range(4)])
            yield rng.dirichlet(np.ones(4)) @ rows


@settings(deadline=None, max_examples=60)
@given(dags(), st.integers(0, 2**32))
def test_oracle_membership_count_and_span_agree_with_enumeration(graph, seed):
    """On small graphs, every combinatorial answer is that of the list of all paths."""
    edges, source, sink = graph
    actions = DagPaths(edges, source=source, sink=sink)
    table = enumerate_paths(edges, source, sink)
    assert actions.n_actions == len(table)
    assert np.array_equal(actions.enumerate(), table)
    assert actions.size == table.sum(axis=1).max()
    assert actions.is_uniform == (len(set(table.sum(axis=1))) == 1)
    assert actions.rank == actions.span.rank == np.linalg.matrix_rank(table)
    assert np.array_equal(actions.span.lift @ table[:, actions.span.coordinates].T, table.T)
    assert abs(np.linalg.det(actions.span.basis[:, actions.span.coordinates])) == pytest.approx(1.0)
    assert all(row in actions for row in actions.span.basis)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        weights = rng.normal(size=len(edges))
        assert weights @ actions.argmax(weights) == pytest.approx((table @ weights).max(), abs=1e-12)
    known = {row.tobytes() for row in table}
    for vector in rng.integers(0, 2, (30, len(edges))):
        assert (vector in actions) == (vector.tobytes() in known)


@settings(deadline=None, max_examples=40)
@given(dags(), st.sampled_from([0.1, 1.0, 5.0, 30.0, 60.0]), st.integers(0, 2**32))
def test_projection_is_that_of_the_list_with_a_certificate(graph, spread, seed):
    """The projection has a gap of at most 1e-9 by one oracle call, and is the point the general method finds."""
    edges, source, sink = graph
    actions = DagPaths(edges, source=source, sink=sink)
    w = np.random.default_rng(seed).uniform(-spread, spread, len(edges))
    found = actions.kl_project(w)
    assert found.gap <= 1e-9
    assert kl_gap(actions, w, found.log_point) <= 1e-9
    assert actions.decompose(found.point).marginals() == pytest.approx(found.point, abs=1e-12)
    reference = Explicit(enumerate_paths(edges, source, sink)).kl_project(w)
    assert found.point == pytest.approx(reference.point, abs=1e-7)


@pytest.mark.parametrize("spread", [1.0, 30.0, 60.0, 1000.0])
def test_projection_keeps_its_certificate_at_any_spread(spread):
    """On a deep graph the gap stays below 1e-9 even where flows are smaller than any float."""
    actions = layered(6, 20)
    rng = np.random.default_rng(5)
    for _ in range(3):
        found = actions.kl_project(rng.uniform(-spread, spread, actions.dimension))
        assert found.gap <= 1e-9
        assert np.isfinite(found.log_point).all()
        assert actions.decompose(found.point).marginals() == pytest.approx(found.point, abs=1e-12)


def test_projection_ignores_the_scale_of_the_weights_where_paths_are_equally_long():
    """On a levelled graph, log-weights around −1,000,000 give the point of those around 0."""
    actions = layered(3, 5)
    w = np.random.default_rng(1).normal(size=actions.dimension)
    far = actions.kl_project(w - 1e6)
    assert far.point == pytest.approx(actions.kl_project(w).point, abs=1e-8)
    assert far.gap <= 1e-9


def test_projection_recovers_a_flow_too_small_for_floats():
    """A detour of weight e^-120 beside a path of 30 edges of weight e^60 keeps its exact logarithm."""
    chain = [(i, i + 1) for i in range(30)]
    actions = DagPaths([*chain, (0, "v"), ("v", 30)], source=0, sink=30)
    found = actions.kl_project(np.array([60.0] * 30 + [-60.0, -60.0]))
    assert found.point[-2:].tolist() == [0.0, 0.0]
    assert found.log_point[-2:] == pytest.approx([-960.0, -960.0], abs=1e-9)  # x² = e^(-120 - 30·60)


def test_projection_agrees_with_a_conic_solver():
    """On a spread of ±1 the point agrees with CVXPY and Clarabel to that solver's accuracy."""
    cvxpy = pytest.importorskip("cvxpy")
    actions = layered(4, 4)
    graph = actions.graph
    w = np.random.default_rng(2).uniform(-1, 1, actions.dimension)
    incidence = np.zeros((len(graph.vertices), actions.dimension))
    incidence[graph.tail, graph.edge] += 1.0
    incidence[graph.head, graph.edge] -= 1.0
    supply = np.zeros(len(graph.vertices))
    supply[0], supply[-1] = 1.0, -1.0
    x = cvxpy.Variable(actions.dimension)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(cvxpy.kl_div(x, np.exp(w)))), [incidence @ x == supply])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    assert actions.kl_project(w).point == pytest.approx(x.value, abs=1e-6)


def test_oracle_agrees_with_linear_programming():
    """On 920 edges the best path has the value of the linear program over flows."""
    actions = layered(10, 10)
    graph = actions.graph
    incidence = np.zeros((len(graph.vertices), actions.dimension))
    incidence[graph.tail, graph.edge] += 1.0
    incidence[graph.head, graph.edge] -= 1.0
    supply = np.zeros(len(graph.vertices))
    supply[0], supply[-1] = 1.0, -1.0
    weights = np.random.default_rng(3).normal(size=actions.dimension)
    best = linprog(-weights, A_eq=incidence, b_eq=supply, method="highs")
    assert weights @ actions.argmax(weights) == pytest.approx(-best.fun, abs=1e-9)


def test_ten_thousand_points_decompose_without_residual():
    """Every decomposition has weights that add up to exactly 1, at most rank paths, and the point as its mean."""
    actions = shortcut(4)
    rng = np.random.default_rng(0)
    for point in random_points(actions, rng, 10_000):
        policy = actions.decompose(point)
        assert policy.weights.sum() == 1.0
        assert len(policy.weights) <= actions.rank
        assert np.abs(policy.marginals() - point).max() <= 2.0**-40


def test_decompositions_list_paths_and_variants_differ():
    """Atoms are paths; several variants average several strippings with the same marginals."""
    actions = layered(3, 4)
    point = actions.kl_project(np.random.default_rng(1).normal(size=actions.dimension)).point
    one, four = actions.decompose(point), actions.decompose(point, variants=4)
    assert all(row in actions for row in four.atoms)
    assert one.weights.sum() == four.weights.sum() == 1.0
    assert len(four.weights) > len(one.weights)
    assert four.marginals() == pytest.approx(point, abs=1e-12)
    assert four.finite().cooccurrence() == pytest.approx(four.cooccurrence(), abs=1e-14)
    v = np.arange(actions.dimension, dtype=float)
    assert four.second_moment(v) == pytest.approx(four.cooccurrence() @ v, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(dags(), st.sampled_from([0.0, 1.0, 30.0]), st.integers(0, 2**32))
def test_gibbs_and_markov_policies_have_the_moments_of_the_list(graph, spread, seed):
    """Marginals, second moments and probabilities of chains are sums over the list of paths."""
    edges, source, sink = graph
    actions = DagPaths(edges, source=source, sink=sink)
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-spread, spread, len(edges))
    gibbs, table = actions.gibbs(scores), actions.enumerate()
    exact = np.exp(table @ scores - (table @ scores).max())
    exact /= exact.sum()
    assert [gibbs.probability(row) for row in table] == pytest.approx(exact, abs=1e-12)
    assert gibbs.probability(np.ones(len(edges), dtype=np.int64)) == float(len(edges) == 1)
    chain = actions.markov_policy(gibbs.marginals())
    v = rng.normal(size=len(edges))
    for policy in (gibbs, chain):
        assert policy.marginals() == pytest.approx(exact @ table, abs=1e-12)
        assert policy.cooccurrence() == pytest.approx((table.T * exact) @ table, abs=1e-12)
        assert policy.second_moment(v) == pytest.approx((table.T * exact) @ (table @ v), abs=1e-11)


def test_chains_are_sampled_with_their_probabilities():
    """20,000 draws of a Gibbs policy and of a list fit the exact probabilities (false alarm 1e-6)."""
    actions = shortcut(3)
    rng = np.random.default_rng(11)
    gibbs = actions.gibbs(rng.normal(size=actions.dimension))
    table = actions.enumerate()
    for policy in (gibbs, actions.decompose(gibbs.marginals(), variants=3)):
        exact = np.array([policy.probability(row) for row in table])
        where = {row.tobytes(): index for index, row in enumerate(table)}
        counts = np.bincount([where[policy.sample(rng).tobytes()] for _ in range(20_000)], minlength=len(table))
        assert counts[exact == 0.0].sum() == 0
        assert chi_square_p_value(counts[exact > 0.0], exact[exact > 0.0], 20_000) > FALSE_ALARM


def test_the_counterexample_of_the_paper_has_its_known_size():
    """|V| = 2n + 2, |E| = 4n + 1, 2ⁿ + 1 paths, the shortcut on one of them, rank 2n + 1."""
    for n in (1, 4, 10, 60):
        actions = shortcut(n)
        assert (len(actions.graph.vertices), actions.dimension) == (2 * n + 2, 4 * n + 1)
        assert actions.n_actions == 2**n + 1
        assert actions.rank == 2 * n + 1
    assert shortcut(4).enumerate()[:, -1].sum() == 1


def test_exploration_policies_show_every_direction():
    """The cover visits every edge with probability 1/5 on the counterexample, where the uniform policy fades with n."""
    for n in (4, 8):
        actions = shortcut(n)
        cover = smallest_eigenvalue(actions.exploration_policy(), actions.span)
        uniform = smallest_eigenvalue(actions.exploration_policy("uniform"), actions.span)
        spanner = smallest_eigenvalue(actions.exploration_policy("spanner"), actions.span)
        assert cover == pytest.approx(0.2, abs=1e-12)
        assert 0.0 < uniform < cover
        assert spanner > 0.0
        assert uniform <= 1.0 / (2**n + 1) + 1e-12
    assert actions.exploration_policy("cover").marginals().min() == pytest.approx(0.2)
    assert actions.uniform_policy().probability(actions.argmax(np.zeros(33))) == pytest.approx(1.0 / 257)
    with pytest.raises(InvalidInput, match="must be one of 'cover'"):
        actions.exploration_policy("random")


@settings(deadline=None, max_examples=60)
@given(dags(), st.integers(0, 2**32))
def test_levelling_makes_paths_equally_long_and_maps_them_back(graph, seed):
    """Within the bound of the paper, one to one, and with the rewards of the original."""
    edges, source, sink = graph
    actions = DagPaths(edges, source=source, sink=sink)
    levelled = actions.levelled()
    longest, n_vertices = actions.size, len(actions.graph.vertices)
    assert levelled.paths.is_uniform
    assert levelled.paths.size == longest
    assert levelled.n_dummies <= max((longest - 2) * (n_vertices - 2) + 1, 0)
    assert len(levelled.paths.graph.vertices) == n_vertices + levelled.n_dummies
    assert levelled.paths.n_actions == actions.n_actions
    rewards = np.random.default_rng(seed).normal(size=actions.dimension)
    for row in actions.enumerate():
        image = levelled.to_levelled(row)
        assert image in levelled.paths
        assert np.array_equal(levelled.to_original(image), row)
        assert levelled.lift(rewards) @ image == pytest.approx(rewards @ row, abs=1e-12)


def test_levelling_refuses_what_is_no_path():
    """Both maps check their argument."""
    levelled = shortcut(2).levelled()
    with pytest.raises(InvalidAction):
        levelled.to_original(np.ones(levelled.paths.dimension))
    with pytest.raises(InvalidAction):
        levelled.to_levelled(np.ones(9))


@settings(deadline=None, max_examples=30)
@given(dags(), st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_relabelling_permutes_everything(graph, random, seed):
    """Edges in another order, vertices under other names: the same answers in that order."""
    edges, source, sink = graph
    order = list(range(len(edges)))
    random.shuffle(order)
    first = DagPaths(edges, source=source, sink=sink)
    renamed = [(("v", edges[i][0]), ("v", edges[i][1])) for i in order]
    second = DagPaths(renamed, source=("v", source), sink=("v", sink))
    rng = np.random.default_rng(seed)
    w = rng.uniform(-10, 10, len(edges))
    assert second.kl_project(w[order]).point == pytest.approx(first.kl_project(w).point[order], abs=1e-10)
    assert second.gibbs(w[order]).marginals() == pytest.approx(first.gibbs(w).marginals()[order], abs=1e-12)
    assert np.array_equal(second.argmax(w[order]), first.argmax(w)[order])


def test_dead_ends_keep_their_coordinates_at_zero():
    """An edge on no path is never chosen, has no weight in any policy, and may have log-weight −∞."""
    edges = [("s", "a"), ("a", "x"), ("y", "a"), ("a", "t"), ("t", "z"), ("s", "t")]
    actions = DagPaths(edges, source="s", sink="t")
    assert actions.dimension == 6
    assert actions.n_actions == actions.rank == 2
    assert actions.argmax([0, 9, 9, 0, 9, 1]).tolist() == [0, 0, 0, 0, 0, 1]
    found = actions.kl_project(np.log([1.0, 5.0, 5.0, 2.0, 5.0, 3.0]))
    assert np.isneginf(found.log_point[[1, 2, 4]]).all()
    again = actions.kl_project(found.log_point)
    assert again.point == pytest.approx(found.point, abs=1e-12)
    for policy in (actions.uniform_policy(), actions.exploration_policy(), actions.decompose(found.point)):
        assert policy.marginals()[[1, 2, 4]].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(InvalidInput, match="must be finite"):
        actions.kl_project(np.array([-np.inf, 0.0, 0.0, 0.0, 0.0, 0.0]))


def test_networkx_graphs_are_read():
    """A DiGraph gives its edges as labels, a MultiDiGraph its keys too; an undirected graph is refused."""
    simple = nx.DiGraph([("s", "a"), ("a", "t"), ("s", "t")])
    assert DagPaths(simple, source="s", sink="t").labels == (("s", "a"), ("s", "t"), ("a", "t"))
    several = nx.MultiDiGraph()
    several.add_edge("s", "t", key="slow")
    several.add_edge("s", "t", key="fast")
    actions = DagPaths(several, source="s", sink="t")
    assert actions.labels == (("s", "t", "slow"), ("s", "t", "fast"))
    assert actions.elements(actions.argmax([0.0, 1.0])) == (("s", "t", "fast"),)
    with pytest.raises(InvalidInput, match="directed networkx graph"):
        DagPaths(nx.Graph([(0, 1)]), source=0, sink=1)


def test_counts_agree_with_networkx():
    """On a random DAG of 60 edges the number of paths is that of networkx's listing."""
    rng = np.random.default_rng(4)
    pairs = [(u, v) for u in range(18) for v in range(u + 1, 18) if rng.random() < 0.35 or v == u + 1]
    actions = DagPaths(pairs, source=0, sink=17)
    assert actions.n_actions == sum(1 for _ in nx.all_simple_paths(nx.DiGraph(pairs), 0, 17))


@pytest.mark.parametrize(
    ("edges", "source", "sink", "message"),
    [
        ([(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], 0, 4, "the cycle 1 → 2 → 3 → 1"),
        ([(0, 1), (7, 8), (8, 7)], 0, 1, "the cycle 7 → 8 → 7"),
        ([(0, 1), (1, 1)], 0, 1, "two different vertices: got \\(1, 1\\)"),
        ([(0, 1), (2, 3)], 0, 3, "no path from 0 to 3"),
        ([(1, 0)], 0, 1, "no path from 0 to 1"),
        ([(0, 1)], 5, 1, "`source` must be a vertex"),
        ([(0, 1)], 0, [1], "`sink` must be a vertex"),
        ([(0, 1)], 0, 0, "another vertex than `source`"),
        ([(0, 1, 2.5)], 0, 1, "edge 0 of `edges` must be a pair"),
        (["ab"], "a", "b", "edge 0 of `edges` must be a pair"),
        ([([], 1)], 0, 1, "edge 0 of `edges` must be a pair"),
        ([], 0, 1, "must not be empty"),
        (5, 0, 1, "list of pairs of vertices"),
    ],
)
def test_bad_graphs_are_refused_by_name(edges, source, sink, message):
    """Cycles, self-loops, unreachable sinks and malformed edges are refused in a sentence that names them."""
    with pytest.raises(InvalidInput, match=message):
        DagPaths(edges, source=source, sink=sink)


def test_long_cycles_are_shortened_in_the_message():
    """A cycle of a thousand vertices is named by its ends."""
    ring = [(i, (i + 1) % 1000) for i in range(1000)]
    with pytest.raises(InvalidInput, match=r" → \.\.\. → "):
        DagPaths(ring, source=0, sink=5)


def test_points_outside_the_hull_are_refused():
    """More than 1e-8 out of balance is refused; less is rounded onto the hull."""
    actions = shortcut(2)
    point = actions.uniform_policy().marginals().copy()
    point[0] += 1e-6
    with pytest.raises(InvalidInput, match="must be a point of the convex hull"):
        actions.decompose(point)
    with pytest.raises(InvalidInput, match="must be a flow of one unit"):
        actions.markov_policy(-point)
    point[0] -= 1e-6 - 1e-10
    assert actions.decompose(point).marginals() == pytest.approx(point, abs=1e-9)


def test_large_graphs_need_no_dense_matrix():
    """With 10,000 edges, rank and independent coordinates, projection, policy and product cost no d × d matrix."""
    actions = layered(10, 101)
    assert actions.dimension == 10_020
    assert actions.rank == actions.span.rank == actions.span.coordinates.size == 10_020 - 1012 + 2
    found = actions.kl_project(np.random.default_rng(0).normal(size=actions.dimension))
    policy = actions.markov_policy(found.point)
    assert isinstance(policy, MarkovPaths)
    assert policy.second_moment(np.ones(actions.dimension)) == pytest.approx(102 * found.point, abs=1e-10)
    assert actions.exploration_policy().marginals().min() == pytest.approx(1 / 100)
    assert math.log10(actions.n_actions) == pytest.approx(101)


@pytest.mark.parametrize("actions", [shortcut(3), layered(3, 3)], ids=["shortcut", "layered"])
def test_conformance(actions):
    """The set keeps every promise of ActionSet."""
    assert "projection" in check_action_set(actions).passed


def test_edges_of_an_array_are_named_by_plain_numbers() -> None:
    """A table of edges gives labels of Python's own integers, as a list would."""
    labels = DagPaths(np.array([[0, 1], [1, 2]]), source=0, sink=2).labels
    assert repr(labels) == "((0, 1), (1, 2))"
