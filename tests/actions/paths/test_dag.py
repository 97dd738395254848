"""The compiled loops of paths: sums over paths, elimination, rounding."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.directed import read_digraph
from swapregret.actions.paths.kernels.dag import log_sums_from_source, log_sums_to_sink
from swapregret.actions.paths.kernels.dag_newton import newton_flow
from swapregret.actions.paths.kernels.elimination import factor_rows, plan_elimination, solve_rows
from swapregret.actions.paths.kernels.log_newton import fill_rows, newton_logs
from swapregret.actions.paths.kernels.path_projection import factor_balance, path_span_part
from swapregret.actions.paths.kernels.path_stripping import imbalance, round_flow, strip_paths
from swapregret.arrays import frozen
from swapregret.compiled.bits import UNIT, unpack_rows


def random_graph(seed, n=8, density=0.5):
    """Read a random graph whose vertices 0..n-1 all lie on paths."""
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if v == u + 1 or rng.random() < density]
    return read_digraph(pairs, 0, n - 1)


def exact_solution(graph, conductance, right):
    """Solve the grounded Laplacian in fractions."""
    n = len(graph.vertices) - 1
    matrix = [[Fraction(0)] * n + [Fraction(float(right[row]))] for row in range(n)]
    for u, v, c in zip(graph.tail.tolist(), graph.head.tolist(), conductance.tolist(), strict=True):
        matrix[u][u] += Fraction(c)
        if v < n:
            matrix[v][v] += Fraction(c)
            matrix[u][v] -= Fraction(c)
            matrix[v][u] -= Fraction(c)
    for column in range(n):
        pivot = next(row for row in range(column, n) if matrix[row][column] != 0)
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for row in range(n):
            if row != column and matrix[row][column] != 0:
                ratio = matrix[row][column] / matrix[column][column]
                matrix[row] = [a - ratio * b for a, b in zip(matrix[row], matrix[column], strict=True)]
    return np.array([float(matrix[row][n] / matrix[row][row]) for row in range(n)])


@pytest.mark.parametrize("in_order", [True, False])
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([1.0, 20.0, 100.0]), n=st.sampled_from([8, 14]))
def test_elimination_is_exact_to_rounding_however_unlike_the_conductances(in_order, seed, spread, n):
    """For a non-negative right-hand side every entry is right to 1e-11, relative, with conductances from e^-100 to e^100."""
    graph = random_graph(seed, n)
    rng = np.random.default_rng(seed)
    n = len(graph.vertices) - 1
    plan = plan_elimination(graph.tail, graph.head, n, in_order=in_order)
    assert bool(plan.band.size) == in_order
    log_flow = rng.uniform(-spread, spread, graph.head.size)
    right, scale = rng.random(n), rng.uniform(-5, 5, n)
    expected = exact_solution(graph, np.exp(log_flow), right)
    upper, lower = np.empty(plan.later.size), np.empty(plan.later.size)
    ground, pivot, work, other = np.empty((4, n))
    found = np.zeros(n + 4)
    fill_rows(plan, log_flow, scale, scale, upper, lower, ground)
    factor_rows(plan, upper, lower, ground, pivot, work, other)
    found[plan.place] = right * np.exp(-scale)
    solve_rows(plan, upper, lower, pivot, found)
    assert not found[n:].any()
    assert found[plan.place] == pytest.approx(expected, rel=1e-11, abs=0.0)


@pytest.mark.parametrize("in_order", [True, False])
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_the_part_in_the_span_is_balanced_and_nearest(in_order, seed):
    """What is left balances at every inner vertex, and what was taken off is orthogonal to every such vector."""
    graph = random_graph(seed)
    plan = plan_elimination(graph.tail, graph.head, 7, in_order=in_order)
    given_ = np.random.default_rng(seed).normal(size=graph.n_edges)
    joined, pivot = factor_balance(plan)
    part = path_span_part(plan, graph.edge, joined, pivot, given_)[graph.edge]
    balance = np.zeros((8, graph.head.size))
    balance[graph.tail, np.arange(graph.head.size)] = 1.0
    balance[graph.head, np.arange(graph.head.size)] -= 1.0
    assert np.abs(balance[1:-1] @ part).max(initial=0.0) <= 1e-13
    taken = given_[graph.edge] - part
    inner = balance[1:-1].T
    assert np.abs(taken - inner @ np.linalg.lstsq(inner, taken, rcond=None)[0]).max() <= 1e-12


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([0.1, 1.0, 3.0]))
def test_both_roads_to_the_projection_end_in_the_same_place(seed, spread):
    """Newton from the weights and Newton on logarithms find the same potentials."""
    graph = random_graph(seed)
    plan = plan_elimination(graph.tail, graph.head, len(graph.vertices) - 1)
    w = np.random.default_rng(seed).uniform(-spread, spread, graph.head.size)
    near, flow, steps = newton_flow(plan, w, 1e6)
    far, n_steps = newton_logs(plan, w)
    assert steps > 0
    assert n_steps > 0
    assert near == pytest.approx(far, abs=1e-9)
    assert imbalance(graph.start, graph.head, flow) <= 1e-11


@pytest.mark.parametrize("in_order", [True, False])
def test_newton_gets_there_in_few_steps_from_far_away(in_order):
    """From weights out of balance by e^30 and more it takes at most a dozen steps, in either order of elimination."""
    for seed in range(20):
        graph = random_graph(seed, 14)
        plan = plan_elimination(graph.tail, graph.head, 13, in_order=in_order)
        w = np.random.default_rng(seed).uniform(-30.0, 30.0, graph.head.size)
        potential, flow, steps = newton_flow(plan, w, 1e200)
        assert 0 < steps <= 20
        assert imbalance(graph.start, graph.head, flow) <= 1e-11
        assert np.abs(np.log(flow) - (w + potential[graph.tail] - potential[graph.head])).max() <= 1e-10


def test_newton_gives_up_where_floats_end():
    """Flows below the range of floats are left to the logarithms."""
    chain = [(i, i + 1) for i in range(30)]
    graph = read_digraph([*chain, (0, "v"), ("v", 30)], 0, 30)
    plan = plan_elimination(graph.tail, graph.head, len(graph.vertices) - 1)
    w = np.array([60.0 if graph.edge[k] < 30 else -60.0 for k in range(32)])
    assert newton_flow(plan, w, 1e6)[2] == -1
    potential, _ = newton_logs(plan, w)
    log_flow = w + potential[graph.tail] - potential[graph.head]
    assert log_flow[graph.edge >= 30] == pytest.approx(-960.0, abs=1e-9)
    assert np.logaddexp.reduce(log_flow[graph.tail == 0]) == pytest.approx(0.0, abs=1e-10)


def unlike_weights(seed, kind, spread, size):
    """Draw log-weights of several kinds: two values, few values, heavy tails, one sign."""
    rng = np.random.default_rng(seed)
    drawn = {
        "two": rng.choice([-1.0, 1.0], size),
        "few": rng.integers(-3, 4, size).astype(float),
        "heavy": rng.standard_cauchy(size),
        "negative": -rng.random(size),
    }
    return spread * drawn[kind]


@pytest.mark.parametrize("spread", [20.0, 300.0, 1e5])
@pytest.mark.parametrize("kind", ["two", "few", "heavy", "negative"])
def test_logarithms_get_there_in_few_steps_however_unlike_the_weights(kind, spread):
    """Long roads with shortcuts, on which whole steps can go round in circles, are balanced to rounding within 40 steps."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shortcuts = [tuple(np.sort(rng.choice(101, 2, replace=False)).tolist()) for _ in range(50)]
        graph = read_digraph([*((i, i + 1) for i in range(100)), *shortcuts], 0, 100)
        w = unlike_weights(seed, kind, spread, graph.head.size)
        potential, steps = newton_logs(plan_elimination(graph.tail, graph.head, 100), w)
        log_flow = w + potential[graph.tail] - potential[graph.head]
        out, into = np.full(101, -np.inf), np.full(101, -np.inf)
        np.logaddexp.at(out, graph.tail, log_flow)
        np.logaddexp.at(into, graph.head, log_flow)
        assert steps <= 40
        assert np.abs(into - out)[1:-1].max() <= 1e-9 + 1e-14 * np.abs(w).sum()


@pytest.mark.parametrize("seed", [344, 1526])
def test_steps_that_get_stuck_begin_again(seed):
    """On these two of thousands of long graphs the first steps end far from balance; the projection is exact all the same."""
    rng = np.random.default_rng(seed)
    shortcuts = [tuple(np.sort(rng.choice(301, 2, replace=False)).tolist()) for _ in range(150)]
    paths = DagPaths([*((i, i + 1) for i in range(300)), *shortcuts], source=0, sink=300)
    for w in (rng.uniform(-1000.0, 1000.0, 450), rng.choice([-100.0, 100.0], 450)):
        assert paths.kl_project(w).gap <= 1e-9


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([1.0, 500.0]))
def test_log_sums_over_paths_agree_in_both_directions(seed, spread):
    """The sum over all paths is the same from the source and to the sink, also where exp overflows."""
    graph = random_graph(seed)
    scores = np.random.default_rng(seed).uniform(-spread, spread, graph.head.size)
    forth = log_sums_from_source(graph.start, graph.head, scores)
    back = log_sums_to_sink(graph.start, graph.head, scores)
    assert forth[-1] == pytest.approx(back[0], rel=1e-12)
    through = np.exp(forth + back - back[0])
    assert (through <= 1.0 + 1e-9).all()
    assert through[0] == pytest.approx(1.0)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32))
def test_rounded_flows_balance_exactly_and_strip_to_nothing(seed):
    """Integers balance at every vertex, edges without flow stay without, and the paths taken off add up to the flow."""
    graph = random_graph(seed)
    rng = np.random.default_rng(seed)
    flow = np.zeros(graph.head.size)
    order = frozen(np.arange(graph.head.size))
    for share in rng.dirichlet(np.ones(3)):
        u = 0
        while u < len(graph.vertices) - 1:
            k = int(rng.integers(graph.start[u], graph.start[u + 1]))
            flow[k] += share
            u = int(graph.head[k])
    units = round_flow(graph.start, graph.head, flow)
    balance = np.bincount(graph.tail, units, 8) - np.bincount(graph.head, units, 8)
    assert balance.tolist() == [UNIT, *[0] * 6, -UNIT]
    assert (units[flow == 0.0] == 0).all()
    assert np.abs(units / UNIT - flow).max() <= 2.0**-40
    words, amount = np.empty((graph.n_edges, 1), dtype=np.uint64), np.empty(graph.n_edges, dtype=np.int64)
    n = strip_paths(graph.start, graph.head, graph.edge, order, units, words, amount)
    total = amount[:n] @ unpack_rows(words[:n], graph.n_edges)
    assert np.array_equal(total[graph.edge], units)
    assert amount[:n].sum() == UNIT
    assert n <= (units > 0).sum()


def test_elimination_of_a_complete_graph_stops_choosing():
    """When all vertices are joined, the order is theirs and nothing is missing."""
    pairs = [(u, v) for u in range(6) for v in range(u + 1, 6)]
    graph = read_digraph(pairs, 0, 5)
    plan = plan_elimination(graph.tail, graph.head, 5, in_order=False)
    assert plan.place.tolist() == [0, 1, 2, 3, 4]
    assert np.diff(plan.start).tolist() == [4, 3, 2, 1, 0]
    assert (plan.slot[graph.head == 5] == -1).all()
    assert len(set(plan.slot[graph.head < 5].tolist())) == 10
