"""Permutations against the list of all of them, against SciPy and CVXPY, and against known values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import swapregret as sr
from swapregret.actions.listed_policy import ListedPolicy
from swapregret.actions.matchings.permutation_policies import GIBBS_LIMIT
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidAction, InvalidInput, NotConverged, TooLarge, Unsupported
from swapregret.testing.policy_checks import check_policy
from swapregret.testing.set_checks import check_action_set
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value

SETS = {n: Permutations(n) for n in range(1, 6)}
LISTS = {n: Explicit(actions.enumerate()) for n, actions in SETS.items()}


def _vector(draw, n, bound):
    entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-bound, bound))
    return np.array(draw(st.lists(entries, min_size=n * n, max_size=n * n)))


@st.composite
def _cases(draw, bound, largest=4):
    n = draw(st.integers(1, largest))
    return n, _vector(draw, n, bound)


@st.composite
def _points(draw):
    n = draw(st.integers(1, 4))
    rows = LISTS[n].enumerate()
    shares = np.array(draw(st.lists(st.integers(0, 99), min_size=len(rows), max_size=len(rows))), dtype=float)
    shares[draw(st.integers(0, len(rows) - 1))] += 1.0
    return n, shares / shares.sum() @ rows


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_conformance(n):
    """The set passes every check of the kit shipped to users."""
    assert "decomposition" in str(check_action_set(Permutations(n)))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_enumeration_lists_all(n):
    """There are n! different permutations, all of them actions."""
    rows = SETS[n].enumerate()
    assert len({row.tobytes() for row in rows}) == len(rows) == SETS[n].n_actions == math.factorial(n)
    assert all(row in SETS[n] for row in rows)


def test_counts_are_exact_and_long_lists_refused():
    """The count n! is an exact integer for n = 30, and such a list is refused."""
    assert Permutations(30).n_actions == math.factorial(30)
    with pytest.raises(TooLarge):
        Permutations(30).enumerate()


@settings(max_examples=100)
@given(_cases(100.0))
def test_oracle_agrees_with_the_list(case):
    """The value of argmax is the best over all permutations."""
    n, weights = case
    best = SETS[n].argmax(weights)
    assert best in SETS[n]
    assert abs(weights @ best - (LISTS[n].enumerate() @ weights).max()) <= 1e-12 * (1.0 + np.abs(weights).max())


def test_oracle_agrees_with_scipy_at_forty():
    """At n = 40 the value is that of linear_sum_assignment."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        weights = rng.normal(size=(40, 40))
        rows, columns = linear_sum_assignment(weights, maximize=True)
        found = weights.reshape(-1) @ Permutations(40).argmax(weights.reshape(-1))
        assert abs(found - weights[rows, columns].sum()) <= 1e-12 * 40


@settings(max_examples=100)
@given(st.integers(1, 4), st.data())
def test_membership_is_that_of_the_list(n, data):
    """A 0/1 vector is an action exactly if it is listed."""
    if data.draw(st.booleans()):
        bits = data.draw(st.lists(st.integers(0, 1), min_size=n * n, max_size=n * n))
    else:
        table = np.eye(n, dtype=np.int64)[data.draw(st.permutations(range(n)))].reshape(-1)
        table[data.draw(st.integers(0, n * n - 1))] ^= data.draw(st.integers(0, 1))
        bits = table.tolist()
    assert (bits in SETS[n]) == (bits in LISTS[n])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8])
def test_span(n):
    """The rank is (n−1)² + 1, found for small n also by the generic search; the lift reproduces every action."""
    actions = Permutations(n)
    span = actions.span
    assert span.rank == actions.rank == (n - 1) ** 2 + 1
    if n <= 5:
        assert LISTS[n].rank == span.rank
        rows = LISTS[n].enumerate()
        assert np.array_equal(rows[:, span.coordinates] @ span.lift.T, rows)
    assert np.linalg.matrix_rank(span.basis[:, span.coordinates].astype(float)) == span.rank
    assert all(row in actions for row in span.basis)
    assert (np.diff(span.coordinates) > 0).all()


@settings(max_examples=60)
@given(_cases(30.0))
def test_projection_agrees_with_the_generic_one(case):
    """On the listed set the generic projection reaches the same divergence, to 1e-6, and no smaller one."""
    n, log_weights = case
    ours = SETS[n].kl_project(log_weights)
    theirs = LISTS[n].kl_project(log_weights)

    def divergence(found):
        inside = found.point > 0.0
        return float((found.point * (found.log_point - log_weights))[inside].sum())

    assert ours.gap <= 1e-9
    assert divergence(ours) <= divergence(theirs) + 2e-9
    assert divergence(theirs) <= divergence(ours) + 1e-6
    assert np.abs(ours.point - theirs.point).max() <= 1e-3


def test_projection_of_one_two_three_four():
    """Sinkhorn of [[1, 2], [3, 4]] has first entry 2/(2 + √6)."""
    found = Permutations(2).kl_project(np.log([1.0, 2.0, 3.0, 4.0]))
    assert abs(found.point[0] - 2.0 / (2.0 + 6.0**0.5)) <= 1e-14


@pytest.mark.filterwarnings("ignore")
def test_projection_agrees_with_an_interior_point_solver():
    """CVXPY, loose as it is, finds the same point to 1e-4 on a spread input."""
    cp = pytest.importorskip("cvxpy")
    weights = np.exp(np.random.default_rng(7).normal(size=(5, 5)))
    x = cp.Variable((5, 5))
    problem = cp.Problem(cp.Minimize(cp.sum(cp.kl_div(x, weights))), [cp.sum(x, axis=0) == 1, cp.sum(x, axis=1) == 1])
    problem.solve()
    found = Permutations(5).kl_project(np.log(weights).reshape(-1)).point
    assert np.abs(x.value.reshape(-1) - found).max() <= 1e-4


def test_projection_keeps_logs_that_underflow():
    """Entries too small for a float are 0 in the point, and their logarithms still multiply to the right ratio."""
    found = Permutations(2).kl_project([0.0, -2000.0, -2000.0, 0.0])
    assert np.abs(found.point - [1.0, 0.0, 0.0, 1.0]).max() <= 1e-14
    assert found.point.min() == 0.0
    assert abs(found.log_point @ [1.0, -1.0, -1.0, 1.0] - 4000.0) <= 1e-9


def test_projection_refuses_what_has_no_digits_left():
    """Log-weights of size 1e300 are refused by name, not projected to nonsense."""
    with pytest.raises(NotConverged, match=r"from -1.7e\+308 to"):
        Permutations(3).kl_project([1.7e308, -1.7e308, 0.0, 0.0, 1.7e308, -1.7e308, 0.0, 0.0, 1.0])


@settings(max_examples=100)
@given(_points())
def test_decomposition_of_drawn_points(case):
    """Any point of the hull is a policy over at most rank permutations whose marginals are the point."""
    n, point = case
    policy = SETS[n].decompose(point)
    assert policy.weights.sum() == 1.0
    assert len(policy.weights) <= SETS[n].rank
    assert all(row in SETS[n] for row in policy.atoms)
    assert np.abs(policy.marginals() - point).max() <= 1e-11
    assert not policy.marginals()[point == 0.0].any()


def test_ten_thousand_points_leave_no_residual():
    """10⁴ random points, spread and concentrated, come apart with sums exactly 1 and nothing left over."""
    rng = np.random.default_rng(11)
    for index in range(10_000):
        n = 2 + index % 4
        actions = SETS[n]
        point = actions.kl_project(rng.normal(size=n * n) * (0.1, 1.0, 5.0, 20.0)[index % 7 % 4]).point
        policy = actions.decompose(point)
        table = policy.marginals().reshape(n, n)
        assert (table.sum(axis=0) == 1.0).all()
        assert (table.sum(axis=1) == 1.0).all()
        assert policy.weights.sum() == 1.0
        assert len(policy.weights) <= n * n - 2 * n + 2
        assert np.abs(policy.marginals() - point).max() <= 1e-11


def test_variants_average_different_decompositions():
    """Several variants keep the marginals, spread over more permutations, and are the same every time."""
    actions = Permutations(6)
    point = actions.kl_project(np.random.default_rng(1).normal(size=36)).point
    one, many = actions.decompose(point), actions.decompose(point, variants=8)
    assert len(many.weights) > 2 * len(one.weights)
    assert many.weights.sum() == 1.0
    assert np.abs(many.marginals() - point).max() <= 1e-11
    again = Permutations(6).decompose(point, variants=8)
    assert np.array_equal(again.atoms, many.atoms)
    assert np.array_equal(again.weights, many.weights)


def test_policy_of_a_decomposition_is_that_of_its_list():
    """A decomposition, kept as packed actions, answers like the FinitePolicy of the same atoms, and draws by its weights."""
    rng = np.random.default_rng(4)
    policy = SETS[4].decompose(SETS[4].kl_project(rng.normal(size=16)).point, variants=3)
    listed = policy.finite()
    vector = rng.normal(size=16)
    assert isinstance(policy, ListedPolicy)
    assert np.array_equal(policy.atoms, listed.atoms)
    assert np.array_equal(policy.weights, listed.weights)
    assert np.array_equal(policy.marginals(), listed.marginals())
    assert np.abs(policy.second_moment(vector) - listed.second_moment(vector)).max() <= 1e-15
    assert np.abs(policy.cooccurrence() - listed.cooccurrence()).max() <= 1e-15
    assert [policy.probability(row) for row in listed.atoms] == listed.weights.tolist()
    assert policy.probability(np.ones(16, dtype=np.int64)) == 0.0
    check_policy(policy, SETS[4])  # its samples follow these weights, among other things


@pytest.mark.parametrize("shift", [2e-8, -2e-8, 1.0])
def test_points_outside_are_refused(shift):
    """A point outside the hull by more than 1e-8 is refused; by less it is repaired."""
    point = np.full(9, 1.0 / 3.0)
    point[0] += shift
    with pytest.raises(InvalidInput, match="marginals"):
        SETS[3].decompose(point)
    point[0] = 1.0 / 3.0 + 4e-9
    assert np.abs(SETS[3].decompose(point).marginals() - point).max() <= 1e-8


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_uniform_policy(n):
    """The closed form equals the uniform policy over the list, and its smallest non-zero eigenvalue is 1/(n−1)."""
    policy, listed = SETS[n].uniform_policy(), LISTS[n].uniform_policy()
    vector = np.random.default_rng(n).normal(size=n * n)
    assert np.abs(policy.marginals() - listed.marginals()).max() <= 1e-14
    assert np.abs(policy.cooccurrence() - listed.cooccurrence()).max() <= 1e-14
    assert np.abs(policy.second_moment(vector) - listed.second_moment(vector)).max() <= 1e-13
    assert abs(policy.probability(SETS[n].argmax(vector)) - 1.0 / math.factorial(n)) <= 1e-15
    values = np.linalg.eigvalsh(policy.cooccurrence())
    assert abs(values[values > 1e-9].min() - 1.0 / (n - 1)) <= 1e-12


def test_uniform_policy_lists_itself_only_while_that_is_short():
    """7! permutations are listed, 8! are not."""
    assert len(Permutations(7).uniform_policy().atoms) == 5040
    assert not Permutations(8).uniform_policy().has_atoms
    with pytest.raises(Unsupported):
        Permutations(8).uniform_policy().finite()


@settings(max_examples=60)
@given(_cases(40.0))
def test_gibbs_policy_agrees_with_the_list(case):
    """Marginals, pairs and probabilities are those of exp(scores·M) over all permutations."""
    n, scores = case
    policy, listed = SETS[n].gibbs(scores), LISTS[n].gibbs(scores)
    assert np.abs(policy.marginals() - listed.marginals()).max() <= 1e-12
    assert np.abs(policy.cooccurrence() - listed.cooccurrence()).max() <= 1e-12
    vector = np.linspace(-1.0, 1.0, n * n)
    assert np.abs(policy.second_moment(vector) - listed.second_moment(vector)).max() <= 1e-12
    best = SETS[n].argmax(scores)
    assert abs(policy.probability(best) - listed.probability(best)) <= 1e-12


def test_gibbs_at_the_limit_and_beyond():
    """At n = 14 the policy has row and column sums 1 whatever the spread; n = 15 is refused, naming another way."""
    scores = 40.0 * np.random.default_rng(0).normal(size=(GIBBS_LIMIT, GIBBS_LIMIT))
    table = Permutations(GIBBS_LIMIT).gibbs(scores.reshape(-1)).marginals().reshape(scores.shape)
    assert np.abs(table.sum(axis=0) - 1.0).max() <= 1e-12
    assert np.abs(table.sum(axis=1) - 1.0).max() <= 1e-12
    beyond = Permutations(GIBBS_LIMIT + 1)
    assert not beyond.has_gibbs
    with pytest.raises(Unsupported, match="swap_combcp"):
        beyond.gibbs(np.zeros(beyond.dimension))


@pytest.mark.parametrize("kind", ["uniform", "gibbs", "decomposition"])
def test_samplers(kind):
    """12,000 draws fit the exact probabilities by a chi-square; a correct sampler fails with probability 1e-6."""
    actions = SETS[4]
    scores = np.random.default_rng(2).normal(size=16)
    policy = {
        "uniform": actions.uniform_policy,
        "gibbs": lambda: actions.gibbs(scores),
        "decomposition": lambda: actions.decompose(actions.kl_project(scores).point, variants=2),
    }[kind]()
    position = {row.tobytes(): index for index, row in enumerate(policy.atoms)}
    rng = np.random.default_rng(20)
    counts = np.zeros(len(position), dtype=np.int64)
    for _ in range(12_000):
        counts[position[policy.sample(rng).tobytes()]] += 1
    assert chi_square_p_value(counts, policy.weights, 12_000) > FALSE_ALARM


@settings(max_examples=40)
@given(_cases(30.0), st.randoms(use_true_random=False))
def test_relabelling_permutes_everything(case, random):
    """Renaming rows and columns renames the projection, the value of the oracle and the policies."""
    n, values = case
    rows, columns = random.sample(range(n), n), random.sample(range(n), n)
    order = np.arange(n * n).reshape(n, n)[rows][:, columns].reshape(-1)
    actions = SETS[n]
    here, there = actions.kl_project(values), actions.kl_project(values[order])
    assert np.abs(here.point[order] - there.point).max() <= 1e-9
    assert abs(values @ actions.argmax(values) - values[order] @ actions.argmax(values[order])) <= 1e-11
    assert np.abs(actions.gibbs(values).marginals()[order] - actions.gibbs(values[order]).marginals()).max() <= 1e-12


def test_labels():
    """Coordinates are called (row, column); names can be given, twice the same name cannot."""
    actions = Permutations(2, row_labels=["Ann", "Bob"], column_labels=["dig", "sow"])
    assert Permutations(2).labels == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert actions.elements([0, 1, 1, 0]) == (("Ann", "sow"), ("Bob", "dig"))
    assert actions.action_of([("Bob", "sow"), ("Ann", "dig")]).tolist() == [1, 0, 0, 1]
    with pytest.raises(InvalidAction):
        actions.action_of([("Bob", "sow"), ("Ann", "sow")])
    with pytest.raises(InvalidInput, match="row_labels"):
        Permutations(2, row_labels=["Ann", "Ann"])


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", True])
def test_bad_sizes_are_refused(n):
    """The size must be a whole number, at least 1."""
    with pytest.raises(InvalidInput, match="`n`"):
        Permutations(n)


def test_ten_thousand_coordinates():
    """A 100 × 100 table is projected with its certificate and decomposed without a remainder."""
    actions = Permutations(100)
    found = actions.kl_project(10.0 * np.random.default_rng(8).normal(size=10_000))
    assert found.gap <= 1e-9
    policy = actions.decompose(found.point)
    assert len(policy.weights) <= actions.rank == 9_802
    assert (policy.marginals().reshape(100, 100).sum(axis=0) == 1.0).all()


def test_names_that_cannot_be_hashed_are_refused() -> None:
    """A row called by a list is refused in a sentence that says what to use."""
    with pytest.raises(InvalidInput, match="`row_labels` must be hashable"):
        Permutations(2, row_labels=[[1], [2]])  # type: ignore[list-item]


def test_a_product_with_an_oracle_lists_no_more_than_it_may() -> None:
    """How many actions such a product has is not known, so listing stops at the limit: 12! matchings would never end."""
    either = sr.OracleSet(2, lambda weights: np.eye(2, dtype=int)[np.argmax(weights)])
    with pytest.raises(TooLarge):
        sr.Product(Permutations(12), either).enumerate(100)
