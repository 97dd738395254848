"""The projection onto matchings by its certificate, on spread, concentrated and degenerate inputs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.matchings.kernels.assignment import best_matching
from swapregret.actions.matchings.kernels.permutation_newton import solve_laplacian
from swapregret.actions.matchings.kernels.sinkhorn import project_matchings

SHAPES = [(1, 1), (1, 3), (2, 2), (3, 3), (5, 5), (7, 8), (3, 12), (10, 10), (20, 20), (20, 30), (50, 50), (40, 47)]


def _scores(rng, shape, family):
    k, m = shape
    i, j = np.arange(k)[:, None], np.arange(m)[None, :]
    noise = rng.normal(size=shape)
    return {
        "spread": lambda: noise,
        "±30": lambda: rng.uniform(-30.0, 30.0, size=shape),
        "±60": lambda: rng.uniform(-60.0, 60.0, size=shape),
        "two values": lambda: rng.choice([-30.0, 30.0], size=shape),
        "nearly a vertex": lambda: noise + 30.0 * (rng.permutation(m)[:k, None] == j),
        "triangle": lambda: np.where(i <= j, 0.0, -60.0),
        "chain": lambda: np.where((j == i) | (j == i + 1), 0.0, -60.0) + 1e-3 * noise,
        "near ties": lambda: np.where(j == i, 0.0, np.where(j == (i + 1) % m, 1e-6 * noise, -40.0)),
        "crowded": lambda: noise + np.where((i < 2 * k / 3) & (j < m / 3), 0.0, -30.0),
        "one column": lambda: noise + 60.0 * (j == 0),
        "thousands": lambda: 1e3 * noise,
        "low rank": lambda: 50.0 * rng.normal(size=(k, 1)) * rng.normal(size=(1, m)),
    }[family]()


FAMILIES = [
    "spread",
    "±30",
    "±60",
    "two values",
    "nearly a vertex",
    "triangle",
    "chain",
    "near ties",
    "crowded",
    "one column",
    "thousands",
    "low rank",
]


def _check(scores, bound=1e-9):
    """Assert sums to 1e-12, the form ℓ − u − v of the logarithm, and a gap by one true oracle call."""
    k, m = scores.shape
    point, log_point, gap, residual, n_iterations, _ = project_matchings(scores)
    x, log_x = point.reshape(k, m), log_point.reshape(k, m)
    assert residual <= 1e-12
    assert np.abs(x.sum(axis=1) - 1.0).max() <= 1e-12
    assert x.sum(axis=0).max() <= 1.0 + 1e-12
    if k == m:
        assert x.sum(axis=0).min() >= 1.0 - 1e-12
    assert np.abs(np.exp(log_x) - x).max() <= 1e-11
    slope = log_x - scores
    cross = slope - slope[:1] - slope[:, :1] + slope[0, 0]
    assert np.abs(cross).max() <= 1e-11 * (1.0 + np.abs(scores).max())
    true_gap = (slope * x).sum() - slope.reshape(-1) @ best_matching(-slope)
    assert true_gap <= gap + 1e-11 * (1.0 + np.abs(scores).max())
    assert gap <= bound
    assert n_iterations <= 100
    return x


@pytest.mark.parametrize("family", FAMILIES)
def test_certificate(family):
    """Every family, from 1 × 1 to 50 × 50, is projected with sums to 1e-12 and a gap of at most 1e-9."""
    rng = np.random.default_rng(sum(map(ord, family)))
    for shape in SHAPES:
        for _ in range(4):
            _check(_scores(rng, shape, family))


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 5), st.integers(0, 3), st.data())
def test_certificate_on_drawn_scores(k, extra, data):
    """Scores with ties, zeros and ± 60 in any arrangement are projected with their certificate."""
    entry = st.one_of(st.sampled_from([-60.0, -30.0, 0.0, 30.0, 60.0]), st.floats(-60.0, 60.0))
    drawn = data.draw(st.lists(entry, min_size=k * (k + extra), max_size=k * (k + extra)))
    _check(np.array(drawn).reshape(k, k + extra))


def test_sinkhorn_of_one_two_three_four():
    """The projection of [[1, 2], [3, 4]] has first entry 2 / (2 + √6)."""
    x = _check(np.log(np.array([[1.0, 2.0], [3.0, 4.0]])))
    assert abs(x[0, 0] - 2.0 / (2.0 + 6.0**0.5)) <= 1e-14


@pytest.mark.parametrize("power", [1.0, 10.0, 30.0, 60.0, 120.0])
def test_two_by_two_in_closed_form(power):
    """[[0, 0], [−p, 0]] has off-diagonal entry s with s/(1−s) = e^{−p/2}, to absolute rounding."""
    x = _check(np.array([[0.0, 0.0], [-power, 0.0]]))
    s = np.exp(-power / 2.0) / (1.0 + np.exp(-power / 2.0))
    assert np.abs(x - np.array([[1.0 - s, s], [s, 1.0 - s]])).max() <= 1e-13


def test_only_wanted_columns_have_a_price():
    """With columns to spare, uniform scores stay uniform and a column wanted by all is shared out exactly."""
    assert np.abs(_check(np.zeros((3, 5))) - 0.2).max() <= 1e-15
    x = _check(np.array([[50.0, 0.0, 0.0], [50.0, 0.0, 0.0]]))
    assert np.abs(x - [[0.5, 0.25, 0.25]] * 2).max() <= 1e-13


def test_scores_of_any_scale_do_not_move_a_clear_vertex():
    """Scores of size 1e6 with one best assignment give that assignment."""
    scores = 1e6 * np.random.default_rng(3).normal(size=(6, 6))
    point, _, gap, residual, _, _ = project_matchings(scores)
    assert np.array_equal(np.round(point), best_matching(scores))
    assert residual <= 1e-12
    assert gap <= 1e-5


def test_laplacian_with_graded_weights():
    """Conductances from 1 to 1e-14 are solved to 1e-12 relative, against exact rational elimination."""
    rng = np.random.default_rng(0)
    f = 6
    weights = np.triu(10.0 ** rng.uniform(-14.0, 0.0, size=(f, f)), 1)
    ground = 10.0 ** rng.uniform(-14.0, 0.0, size=f)
    rhs = ground * rng.uniform(0.5, 2.0, size=f)
    exact = _solve_exactly(weights, ground, rhs)
    solution = rhs.copy()
    solve_laplacian(weights.copy(), ground.copy(), solution)
    assert np.abs(solution / exact - 1.0).max() <= 1e-12


def _solve_exactly(weights, ground, rhs):
    f = len(rhs)
    full = [[Fraction(weights[min(a, b), max(a, b)]) if a != b else Fraction(0) for b in range(f)] for a in range(f)]
    rows = [[-full[a][b] for b in range(f)] + [Fraction(rhs[a])] for a in range(f)]
    for a in range(f):
        rows[a][a] = sum(full[a], Fraction(ground[a]))
    for p in range(f):
        for a in range(f):
            if a != p:
                share = rows[a][p] / rows[p][p]
                rows[a] = [y - share * z for y, z in zip(rows[a], rows[p], strict=True)]
    return np.array([float(rows[p][f] / rows[p][p]) for p in range(f)])
