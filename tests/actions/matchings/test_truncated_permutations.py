"""Truncated permutations against the list of all of them, against SciPy and CVXPY, and against known values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput, Unsupported
from swapregret.testing.set_checks import check_action_set
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value

SHAPES = [(1, 1), (1, 4), (2, 3), (2, 5), (3, 3), (3, 4), (3, 5), (4, 5)]
SETS = {shape: TruncatedPermutations(*shape) for shape in SHAPES}
LISTS = {shape: Explicit(actions.enumerate()) for shape, actions in SETS.items()}


@st.composite
def _cases(draw, bound):
    shape = draw(st.sampled_from(SHAPES))
    entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-bound, bound))
    d = shape[0] * shape[1]
    return shape, np.array(draw(st.lists(entries, min_size=d, max_size=d)))


@st.composite
def _points(draw):
    shape = draw(st.sampled_from(SHAPES))
    rows = LISTS[shape].enumerate()
    count = draw(st.integers(1, 9))
    picked = draw(st.lists(st.integers(0, len(rows) - 1), min_size=count, max_size=count))
    shares = np.array(draw(st.lists(st.integers(1, 99), min_size=count, max_size=count)), dtype=float)
    return shape, shares / shares.sum() @ rows[picked]


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 4), (3, 3), (3, 5)])
def test_conformance(shape):
    """The set passes every check of the kit shipped to users."""
    assert "decomposition" in str(check_action_set(TruncatedPermutations(*shape)))


@pytest.mark.parametrize("shape", SHAPES)
def test_counts_and_rank(shape):
    """There are m!/(m−k)! actions of rank km − k + 1, or those of the permutations if k = m."""
    k, m = shape
    actions = SETS[shape]
    rows = actions.enumerate()
    assert len({row.tobytes() for row in rows}) == len(rows) == actions.n_actions == math.perm(m, k)
    assert actions.rank == actions.span.rank == LISTS[shape].rank == (k * m - k + 1 if k < m else (m - 1) ** 2 + 1)
    assert np.array_equal(rows[:, actions.span.coordinates] @ actions.span.lift.T, rows)
    assert np.linalg.matrix_rank(actions.span.basis.astype(float)) == actions.rank
    assert all(row in actions for row in actions.span.basis)
    assert all(row in actions for row in rows)


@settings(max_examples=100)
@given(_cases(100.0))
def test_oracle_agrees_with_the_list(case):
    """The value of argmax is the best over all truncated permutations."""
    shape, weights = case
    best = SETS[shape].argmax(weights)
    assert best in SETS[shape]
    assert abs(weights @ best - (LISTS[shape].enumerate() @ weights).max()) <= 1e-12 * (1.0 + np.abs(weights).max())


def test_oracle_agrees_with_scipy_at_twenty_of_sixty():
    """At 20 of 60 the value is that of linear_sum_assignment."""
    rng = np.random.default_rng(0)
    actions = TruncatedPermutations(20, 60)
    for _ in range(20):
        weights = rng.normal(size=(20, 60))
        rows, columns = linear_sum_assignment(weights, maximize=True)
        found = weights.reshape(-1) @ actions.argmax(weights.reshape(-1))
        assert abs(found - weights[rows, columns].sum()) <= 1e-11


@settings(max_examples=80)
@given(st.sampled_from(SHAPES), st.data())
def test_membership_is_that_of_the_list(shape, data):
    """A 0/1 vector is an action exactly if it is listed."""
    rows = LISTS[shape].enumerate()
    vector = rows[data.draw(st.integers(0, len(rows) - 1))].copy()
    for flip in data.draw(st.lists(st.integers(0, len(vector) - 1), max_size=4)):
        vector[flip] ^= 1
    assert (vector in SETS[shape]) == (vector in LISTS[shape])


@settings(max_examples=60)
@given(_cases(30.0))
def test_projection_agrees_with_the_generic_one(case):
    """On the listed set the generic projection reaches the same divergence, to 1e-6, and no smaller one."""
    shape, log_weights = case
    ours = SETS[shape].kl_project(log_weights)
    theirs = LISTS[shape].kl_project(log_weights)

    def divergence(found):
        inside = found.point > 0.0
        return float((found.point * (found.log_point - log_weights))[inside].sum())

    assert ours.gap <= 1e-9
    assert divergence(ours) <= divergence(theirs) + 2e-9
    assert divergence(theirs) <= divergence(ours) + 1e-6
    assert np.abs(ours.point - theirs.point).max() <= 1e-3


@pytest.mark.filterwarnings("ignore")
def test_projection_agrees_with_an_interior_point_solver():
    """CVXPY, loose as it is, finds the same point to 1e-4 where some columns are full and some are not."""
    cp = pytest.importorskip("cvxpy")
    weights = np.exp(np.random.default_rng(7).normal(size=(3, 6)) + 3.0 * (np.arange(6) < 2))
    x = cp.Variable((3, 6))
    problem = cp.Problem(cp.Minimize(cp.sum(cp.kl_div(x, weights))), [cp.sum(x, axis=0) <= 1, cp.sum(x, axis=1) == 1])
    problem.solve()
    found = TruncatedPermutations(3, 6).kl_project(np.log(weights).reshape(-1)).point
    full = found.reshape(3, 6).sum(axis=0) > 1.0 - 1e-9
    assert 0 < full.sum() < 6
    assert np.abs(x.value.reshape(-1) - found).max() <= 1e-4


def test_one_row_is_normalised():
    """With one row the projection is the softmax of the log-weights."""
    scores = np.array([1.0, -2.0, 0.5, 3.0])
    softmax = np.exp(scores) / np.exp(scores).sum()
    assert np.abs(TruncatedPermutations(1, 4).kl_project(scores).point - softmax).max() <= 1e-15


def test_square_sets_are_the_permutations():
    """With k = m everything agrees with Permutations, bit for bit."""
    values = np.random.default_rng(3).normal(size=16)
    ours, theirs = TruncatedPermutations(4, 4), Permutations(4)
    assert np.array_equal(ours.kl_project(values).point, theirs.kl_project(values).point)
    point = ours.kl_project(values).point
    assert np.array_equal(ours.decompose(point).atoms, theirs.decompose(point).atoms)
    assert np.array_equal(ours.span.coordinates, theirs.span.coordinates)


@settings(max_examples=100)
@given(_points())
def test_decomposition_of_drawn_points(case):
    """Any point of the hull, on its faces too, is a policy over at most rank actions whose marginals are the point."""
    shape, point = case
    policy = SETS[shape].decompose(point)
    assert policy.weights.sum() == 1.0
    assert len(policy.weights) <= SETS[shape].rank
    assert all(row in SETS[shape] for row in policy.atoms)
    assert np.abs(policy.marginals() - point).max() <= 1e-11
    assert not policy.marginals()[point == 0.0].any()


def test_ten_thousand_points_leave_no_residual():
    """10⁴ random points, spread and concentrated, come apart with row sums exactly 1 and nothing left over."""
    rng = np.random.default_rng(12)
    for index in range(10_000):
        k, m = shape = SHAPES[index % len(SHAPES)]
        actions = SETS[shape]
        point = actions.kl_project(rng.normal(size=k * m) * (0.1, 1.0, 5.0, 20.0)[index % 7 % 4]).point
        policy = actions.decompose(point)
        table = policy.marginals().reshape(k, m)
        assert (table.sum(axis=1) == 1.0).all()
        assert table.sum(axis=0).max() <= 1.0
        assert policy.weights.sum() == 1.0
        assert len(policy.weights) <= actions.rank
        assert np.abs(policy.marginals() - point).max() <= 1e-11


def test_variants_average_different_decompositions():
    """Several variants keep the marginals and spread over more actions."""
    actions = TruncatedPermutations(4, 7)
    point = actions.kl_project(np.random.default_rng(1).normal(size=28)).point
    one, many = actions.decompose(point), actions.decompose(point, variants=4)
    assert len(many.weights) > 1.5 * len(one.weights)
    assert many.weights.sum() == 1.0
    assert np.abs(many.marginals() - point).max() <= 1e-11


def test_points_outside_are_refused():
    """Row sums other than 1, a column above 1 and negative entries are refused; a column below 1 is not."""
    actions = TruncatedPermutations(2, 3)
    for bad in ([0.5, 0.2, 0.2, 0.5, 0.3, 0.2], [0.6, 0.2, 0.2, 0.5, 0.3, 0.2], [1.1, -0.1, 0.0, 0.0, 1.0, 0.0]):
        with pytest.raises(InvalidInput, match="marginals"):
            actions.decompose(bad)
    assert actions.decompose([0.5, 0.3, 0.2, 0.5, 0.3, 0.2]).weights.sum() == 1.0


@pytest.mark.parametrize("shape", [(1, 4), (2, 3), (2, 5), (3, 5), (4, 5)])
def test_uniform_policy(shape):
    """The closed form equals the uniform policy over the list; its least non-zero eigenvalue is (m−k)/(m(m−1))."""
    k, m = shape
    policy, listed = SETS[shape].uniform_policy(), LISTS[shape].uniform_policy()
    vector = np.random.default_rng(m).normal(size=k * m)
    assert np.abs(policy.marginals() - listed.marginals()).max() <= 1e-14
    assert np.abs(policy.cooccurrence() - listed.cooccurrence()).max() <= 1e-14
    assert np.abs(policy.second_moment(vector) - listed.second_moment(vector)).max() <= 1e-13
    values = np.linalg.eigvalsh(policy.cooccurrence())
    assert abs(values[values > 1e-9].min() - (m - k) / (m * (m - 1))) <= 1e-12


@pytest.mark.parametrize("kind", ["uniform", "decomposition"])
def test_samplers(kind):
    """12,000 draws fit the exact probabilities by a chi-square; a correct sampler fails with probability 1e-6."""
    actions = SETS[(2, 5)]
    scores = np.random.default_rng(2).normal(size=10)
    policy = actions.uniform_policy() if kind == "uniform" else actions.decompose(actions.kl_project(scores).point)
    position = {row.tobytes(): index for index, row in enumerate(policy.atoms)}
    rng = np.random.default_rng(21)
    counts = np.zeros(len(position), dtype=np.int64)
    for _ in range(12_000):
        counts[position[policy.sample(rng).tobytes()]] += 1
    assert chi_square_p_value(counts, policy.weights, 12_000) > FALSE_ALARM


@settings(max_examples=40)
@given(_cases(30.0), st.randoms(use_true_random=False))
def test_relabelling_permutes_everything(case, random):
    """Renaming rows and columns renames the projection and keeps the value of the oracle."""
    (k, m), values = case
    rows, columns = random.sample(range(k), k), random.sample(range(m), m)
    order = np.arange(k * m).reshape(k, m)[rows][:, columns].reshape(-1)
    actions = SETS[(k, m)]
    here, there = actions.kl_project(values), actions.kl_project(values[order])
    assert np.abs(here.point[order] - there.point).max() <= 1e-9
    assert abs(values @ actions.argmax(values) - values[order] @ actions.argmax(values[order])) <= 1e-11


@pytest.mark.parametrize("shape", [(2, 3), (3, 3)])
def test_gibbs_is_refused(shape):
    """There is no exact Gibbs policy; the refusal says why and what to use, and names Permutations for k = m."""
    actions = TruncatedPermutations(*shape)
    assert not actions.has_gibbs
    with pytest.raises(Unsupported, match=r"permanent.*swap_combcp") as caught:
        actions.gibbs(np.zeros(actions.dimension))
    assert ("Permutations(n)" in caught.value.do) == (shape[0] == shape[1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 2), (1.5, 2), (2, "3")])
def test_bad_shapes_are_refused(shape):
    """Rows and columns are whole numbers, rows at least 1 and at most columns."""
    with pytest.raises(InvalidInput, match=r"rows|columns"):
        TruncatedPermutations(*shape)


def test_labels():
    """Coordinates are called (row, column), with the names given."""
    actions = TruncatedPermutations(1, 2, row_labels=["top"], column_labels="ab")
    assert actions.labels == (("top", "a"), ("top", "b"))
    assert actions.rows == 1
    assert actions.columns == 2
