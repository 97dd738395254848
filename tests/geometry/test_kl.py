"""The generic KL projection: its certificate, closed forms, an independent solver, and honest failure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.generic import by_oracle

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.errors import InvalidInput, NotConverged
from swapregret.geometry.kl import Projection, kl_gap
from swapregret.geometry.oracle import LinearOracle
from swapregret.testing.strategies import explicit_sets


def project(oracle: LinearOracle, log_weights: np.ndarray) -> Projection:
    """Project, knowing the oracle alone."""
    return by_oracle(oracle).kl_project(log_weights)


def divergence(point: np.ndarray, log_weights: np.ndarray) -> float:
    """Return Σ x log(x/w) − x, with 0 log 0 = 0."""
    used = point > 0.0
    x = point[used]
    return float((x * (np.log(x) - log_weights[used]) - x).sum())


def subsets(d: int, m: int) -> Explicit:
    """List all m-sets."""
    codes = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    return Explicit(codes[codes.sum(axis=1) == m])


def capped(log_weights: np.ndarray, m: int) -> np.ndarray:
    """Project onto the m-set polytope by trying every number of capped coordinates: x = min(1, c w)."""
    order = np.argsort(-log_weights)
    for n_capped in range(m + 1):
        rest = order[n_capped:]
        log_c = np.log(m - n_capped) - np.logaddexp.reduce(log_weights[rest]) if n_capped < m else -np.inf
        if n_capped == m or log_weights[rest[0]] + log_c <= 0.0:
            x = np.ones(len(order))
            x[rest] = np.exp(log_weights[rest] + log_c)
            return x
    raise AssertionError("unreachable")


@settings(max_examples=150)
@given(
    explicit_sets(max_dimension=8, max_actions=40), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 5.0, 30.0])
)
def test_gap_is_certified_on_every_listed_action(actions: Explicit, seed: int, spread: float) -> None:
    """For log-weights spread up to ±30 the gap is ≤ 1e-9, and trying every action confirms it."""
    log_weights = np.random.default_rng(seed).uniform(-spread, spread, size=actions.dimension)
    found = project(actions, log_weights)
    rows = actions.enumerate()
    used = rows.any(axis=0)
    assert found.gap <= 1e-9
    assert np.array_equal(found.point > 0.0, used)
    assert np.array_equal(np.isneginf(found.log_point), ~used)
    assert np.abs(np.exp(found.log_point) - found.point).max() <= 1e-14
    g = found.log_point[used] - log_weights[used]
    exact = float((g @ (found.point - rows)[:, used].T).max())
    assert exact <= found.gap + 1e-12
    assert kl_gap(actions, log_weights, found.log_point) == pytest.approx(found.gap, abs=1e-11)


@settings(max_examples=60)
@given(explicit_sets(max_dimension=6, max_actions=20), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 3.0]))
def test_no_worse_than_an_independent_solver(actions: Explicit, seed: int, spread: float) -> None:
    """The point lies in conv(A), and SLSQP over the weights of the listed actions finds no smaller divergence."""
    log_weights = np.random.default_rng(seed).uniform(-spread, spread, size=actions.dimension)
    rows = actions.enumerate().astype(float)
    found = project(actions, log_weights)
    policy = actions.decompose(found.point)
    assert np.abs(policy.marginals() - found.point).max() <= 1e-12
    used = rows.any(axis=0)

    def objective(mass: np.ndarray) -> tuple[float, np.ndarray]:
        x = np.maximum(mass @ rows[:, used], 1e-12)
        g = np.log(x) - log_weights[used]
        return float((x * g - x).sum()), rows[:, used] @ g

    n = len(rows)
    total = {"type": "eq", "fun": lambda mass: mass.sum() - 1.0, "jac": lambda mass: np.ones(n)}
    other = minimize(
        objective, np.full(n, 1.0 / n), jac=True, bounds=[(0.0, 1.0)] * n, constraints=[total], method="SLSQP"
    )
    rival = np.clip(other.x, 0.0, None)
    assert divergence(found.point, log_weights) <= divergence(rival / rival.sum() @ rows, log_weights) + 1e-9


@pytest.mark.parametrize("spread", [1.0, 5.0, 30.0, 100.0])
@pytest.mark.parametrize(("d", "m"), [(6, 1), (8, 3), (10, 5)])
def test_m_sets_have_the_capped_closed_form(d: int, m: int, spread: float) -> None:
    """On m-sets the projection is min(1, c·w); coordinates down to e⁻²⁰⁰ agree relatively, not only absolutely."""
    for seed in range(5):
        log_weights = np.random.default_rng(seed).uniform(-spread, spread, size=d)
        found = project(subsets(d, m), log_weights)
        assert np.abs(found.log_point - np.log(capped(log_weights, m))).max() <= 1e-6


@pytest.mark.parametrize("shift", [-8.0, 0.0, 8.0])
def test_the_cube_caps_each_coordinate_alone(shift: float) -> None:
    """Where sizes differ the scale of w matters: on the cube the projection is min(w, 1), coordinate by coordinate."""
    cube = Explicit((np.arange(64)[:, None] >> np.arange(6)) & 1)
    log_weights = np.random.default_rng(4).uniform(-2.0, 2.0, size=6) + shift
    found = project(cube, log_weights)
    assert np.abs(found.log_point - np.minimum(log_weights, 0.0)).max() <= 1e-4
    assert found.gap <= 1e-9


def test_scale_is_ignored_on_uniform_sizes() -> None:
    """On a set of uniform size, adding a constant to the log-weights moves the point by rounding only."""
    actions, log_weights = subsets(7, 3), np.linspace(-2.0, 2.0, 7)
    first, second = project(actions, log_weights), project(actions, log_weights + 50.0)
    assert np.abs(first.point - second.point).max() <= 1e-6


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[1, 0, 1]], [1.0, 0.0, 1.0]),
        ([[1, 1, 0], [1, 0, 1]], [1.0, 0.25, 0.75]),
        ([[0, 1, 0], [0, 0, 1]], [0.0, 0.25, 0.75]),
    ],
)
def test_fixed_coordinates(rows: list[list[int]], expected: list[float]) -> None:
    """One action; a coordinate that is always 1; one that is always 0, which keeps log −∞ and no say."""
    found = project(Explicit(rows), np.log([5.0, 1.0, 3.0]))
    assert found.point == pytest.approx(expected, abs=1e-5)
    assert found.gap <= 1e-9


def test_permutations_agree_with_sinkhorn_by_hand() -> None:
    """The projection of [[1, 2], [3, 4]] onto the Birkhoff polytope has first entry 2/(2+√6)."""
    actions = Explicit([[1, 0, 0, 1], [0, 1, 1, 0]])
    assert project(actions, np.log([1.0, 2.0, 3.0, 4.0])).point[0] == pytest.approx(2 / (2 + 6**0.5), abs=1e-6)


def test_wrong_points_are_not_certified() -> None:
    """The gap of a point that is not the projection is large, and infinite on a face it should not be on."""
    actions = subsets(4, 2)
    assert kl_gap(actions, np.array([2.0, 0.0, 0.0, 0.0]), np.log(np.full(4, 0.5))) > 0.5
    with np.errstate(divide="ignore"):
        assert kl_gap(actions, np.zeros(4), np.log([1.0, 1.0, 0.0, 0.0])) == np.inf


def test_few_questions() -> None:
    """A projection of eight elements with all that goes before it asks 60 questions at most."""
    actions, n_calls = subsets(8, 3), [0]

    def ask(weights: np.ndarray) -> np.ndarray:
        n_calls[0] += 1
        return actions.argmax(weights)

    OracleSet(8, ask).kl_project(np.linspace(-3.0, 3.0, 8))
    assert n_calls[0] <= 60


def test_failure_is_honest() -> None:
    """Where coordinates underflow, an error says so, and what to do; nothing is returned."""
    with pytest.raises(NotConverged, match="closer together"):
        project(subsets(4, 2), np.array([0.0, 0.0, 0.0, -900.0]))


def test_same_input_same_bits_and_read_only() -> None:
    """Two projections of the same weights are equal bit for bit, and cannot be written to."""
    actions, log_weights = subsets(8, 3), np.linspace(-3.0, 3.0, 8)
    first, second = project(actions, log_weights), project(actions, log_weights)
    assert first.point.tobytes() == second.point.tobytes()
    for array in (first.point, first.log_point):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize("log_weights", [[0.0], [0.0, np.nan], [0.0, -np.inf], "ab"])
def test_bad_log_weights_are_refused(log_weights: object) -> None:
    """Wrong shapes and values that are not finite are refused before the oracle is asked."""
    with pytest.raises(InvalidInput, match="`log_weights`"):
        project(Explicit([[1, 0], [0, 1]]), log_weights)  # type: ignore[arg-type]


@pytest.mark.parametrize("log_point", [[0.0], [0.5, 0.0], [np.nan, 0.0]])
def test_bad_log_points_are_refused(log_point: list[float]) -> None:
    """A certificate is only given for logarithms of numbers in [0, 1]."""
    with pytest.raises(InvalidInput, match="`log_point`"):
        kl_gap(Explicit([[1, 0], [0, 1]]), np.zeros(2), np.array(log_point))
