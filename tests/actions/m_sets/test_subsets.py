"""Selection, projection and systematic policies of m-sets, against definitions, closed cases and an independent solver."""

from itertools import combinations

import cvxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapregret.actions.m_sets.kernels.subsets import (
    project_capped,
    round_to_units,
    systematic_starts,
    systematic_words,
)
from swapregret.compiled.bits import UNIT, unpack_rows
from swapregret.compiled.selection import in_order, largest, top_elements
from swapregret.testing.strategies import log_weights, weights

_sizes = st.integers(1, 9).flatmap(lambda d: st.tuples(st.just(d), st.integers(1, d)))


def _divergence(x: np.ndarray, log_w: np.ndarray) -> float:
    """Return Σ x log(x/w), with 0 log 0 = 0, up to a constant on a set of uniform size."""
    positive = x > 0.0
    return float((x[positive] * (np.log(x[positive]) - log_w[positive])).sum())


_numbers = st.integers(-3, 3).map(float) | st.floats(allow_nan=False) | st.sampled_from([1.0, np.nextafter(1.0, 2.0)])


@given(st.lists(_numbers, min_size=1, max_size=30), st.data())
def test_halving_finds_the_ranked_value(values: list[float], data: st.DataObject) -> None:
    """The count-th largest is the one a full sort finds, with ties, infinities, and numbers with none between them."""
    count = data.draw(st.integers(1, len(values)))
    ranked = np.argsort(-np.array(values), kind="stable")
    assert largest(np.array(values), count) == values[ranked[count - 1]]
    assert np.flatnonzero(top_elements(np.array(values), count)).tolist() == sorted(ranked[:count].tolist())


@pytest.mark.parametrize("n", [0, 1, 2, 47, 48, 49, 96, 97, 1000])
def test_positions_are_in_order_and_those_of_equal_values_as_they_come(n: int) -> None:
    """Runs that are merged give what a stable sort gives, with many ties and with none."""
    rng = np.random.default_rng(n)
    for values in (rng.integers(-3, 3, n), rng.permutation(n), np.arange(n)[::-1].copy()):
        assert in_order(values).tolist() == np.argsort(values, kind="stable").tolist()


@given(_sizes, st.data())
def test_selection_is_a_stable_sort(shape: tuple[int, int], data: st.DataObject) -> None:
    """The elements chosen are the first m of a stable descending sort: among equals the lowest index wins."""
    d, m = shape
    w = data.draw(weights(d))
    chosen = top_elements(w, m)
    assert np.flatnonzero(chosen).tolist() == sorted(np.argsort(-w, kind="stable")[:m].tolist())


def test_nothing_can_be_selected() -> None:
    """Size 0 selects nothing."""
    assert top_elements(np.ones(3), 0).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("w", "m", "x"),
    [
        ([1, 1, 1, 1], 2, [0.5, 0.5, 0.5, 0.5]),
        ([8, 1, 1, 2], 2, [1, 0.25, 0.25, 0.5]),
        ([1, 3], 1, [0.25, 0.75]),
        ([5, 7, 9], 3, [1, 1, 1]),
        ([100, 100, 1, 1], 3, [1, 1, 0.5, 0.5]),
        ([100, 50, 3, 1], 2, [1, 50 / 54, 3 / 54, 1 / 54]),
        ([100, 60, 3, 1], 3, [1, 1, 0.75, 0.25]),
        ([7], 1, [1]),
    ],
)
def test_projections_that_can_be_done_by_hand(w: list[float], m: int, x: list[float]) -> None:
    """Capped coordinates are 1, the others share the rest in proportion to their weights."""
    point, log_point, gap = project_capped(np.log(np.array(w, dtype=float)), m)
    np.testing.assert_allclose(point, x, rtol=1e-14)
    np.testing.assert_allclose(np.exp(log_point), x, rtol=1e-14)
    assert abs(gap) <= 1e-13


@given(_sizes, st.data())
def test_projection_has_the_form_and_the_certificate(shape: tuple[int, int], data: st.DataObject) -> None:
    """The point is min(1, c·w) with Σx = m, and the duality gap over all m-sets is zero to rounding, for spreads up to ±30."""
    d, m = shape
    w = data.draw(log_weights(d))
    point, log_point, gap = project_capped(w, m)
    assert abs(point.sum() - m) <= 1e-13 * m
    assert ((point >= 0.0) & (point <= 1.0)).all()
    shifts = (log_point - w)[log_point < 0.0]
    assert np.ptp(shifts) <= 1e-12 * (1 + np.abs(w).max()) if len(shifts) else True
    if len(shifts) and (log_point == 0.0).any():
        assert (w[log_point == 0.0] + shifts[0] >= -1e-12 * (1 + np.abs(w).max())).all()
    g = log_point - w
    best = min(g[list(chosen)].sum() for chosen in combinations(range(d), m))
    assert g @ point - best <= 1e-11 * (1 + np.abs(w).max())
    assert abs(gap - (g @ point - best)) <= 1e-11 * (1 + np.abs(w).max())


@pytest.mark.parametrize("spread", [30.0, 600.0, 1e4])
@pytest.mark.parametrize(("d", "m"), [(8, 3), (8, 7), (200, 40)])
def test_projection_survives_any_spread(spread: float, d: int, m: int) -> None:
    """Spreads of ±30, ±600 and beyond neither overflow nor lose the sum, and the logarithm stays finite."""
    rng = np.random.default_rng(d + m)
    for _ in range(20):
        w = rng.uniform(-spread, spread, d)
        point, log_point, gap = project_capped(w, m)
        assert np.isfinite(log_point).all()
        assert abs(point.sum() - m) <= 1e-12 * m
        assert abs(gap) <= 1e-12 * spread * m
        order = np.argsort(-w)
        assert (np.diff(log_point[order]) <= 0.0).all()


def test_projection_does_not_see_a_common_factor() -> None:
    """Adding a constant to the log-weights, however large, leaves the point as it was to the last digits it can."""
    w = np.random.default_rng(0).normal(size=12)
    point = project_capped(w, 5)[0]
    for shift in (-1e3, 1.0, 1e3, 1e6):
        assert np.abs(project_capped(w + shift, 5)[0] - point).max() <= 1e-15 * (1 + abs(shift)) * 10


@pytest.mark.parametrize(("d", "m", "spread"), [(5, 2, 0.5), (8, 3, 2.0), (12, 9, 3.0)])
def test_projection_against_an_interior_point_solver(d: int, m: int, spread: float) -> None:
    """An independent conic solver finds no lower divergence, and a point near ours."""
    w = spread * np.random.default_rng(d).uniform(-1, 1, d)
    x = cvxpy.Variable(d)
    objective = cvxpy.Minimize(cvxpy.sum(cvxpy.rel_entr(x, np.exp(w))))
    cvxpy.Problem(objective, [cvxpy.sum(x) == m, x <= 1.0, x >= 0.0]).solve(solver=cvxpy.CLARABEL)
    point = project_capped(w, m)[0]
    assert _divergence(point, w) <= _divergence(np.clip(x.value, 0.0, 1.0), w) + 1e-6
    np.testing.assert_allclose(point, x.value, atol=1e-4)


AWKWARD = [
    ([0.5, 0.5], 1),
    ([1.0, 1.0, 0.0], 2),
    ([1 / 3] * 3, 1),
    ([2 / 3] * 3, 2),
    ([1e-300, 1.0 - 1e-16, 1e-16], 1),
    ([1.0 - 2**-53] * 4, 4),
    ([0.1] * 10, 1),
    ([0.7] * 10, 7),
    ([2**-45, 1.0 - 2**-45], 1),
    ([2**-46] * 4 + [1.0 - 2**-44], 1),
    ([0.0, 0.0, 1.0 - 1e-9, 1.0 - 1e-9], 2),
    ([1e-9, 0.0, 1.0, 1.0], 2),
    ([-1e-9, 1.0 + 1e-9, 1.0], 2),
    ([1.0, 0.0], 1),
    ([0.0, 0.0], 1),
    ([1.0, 1.0, 1.0], 2),
]


@pytest.mark.parametrize(("x", "m"), AWKWARD, ids=str)
def test_awkward_points_are_rounded_exactly(x: list[float], m: int) -> None:
    """Units add up to exactly m·2⁴⁴, lie in 0..2⁴⁴, and are near the point even where it is a little off."""
    point = np.array(x)
    units = round_to_units(point, m)
    assert int(units.sum()) == m * UNIT
    assert units.min() >= 0
    assert units.max() <= UNIT
    inside = np.clip(point, 0.0, 1.0)
    off = abs(float(inside.sum()) - m)
    assert np.abs(units / UNIT - inside).max() <= off + (len(x) + 1) / UNIT


def test_exact_zeros_and_ones_are_spared() -> None:
    """What is missing is taken from entries strictly inside, as long as there are any."""
    units = round_to_units(np.array([0.0, 1.0, 1 / 3, 1 / 3, 1 / 3]), 2)
    assert units[0] == 0
    assert units[1] == UNIT
    assert int(units.sum()) == 2 * UNIT


def _drawn(units: np.ndarray, starts: np.ndarray, needle: int) -> list[int]:
    """Return the set whose arcs cover a point of the circle, by the definition."""
    return [
        int((needle - start) % UNIT < length) for start, length in zip(starts.tolist(), units.tolist(), strict=True)
    ]


def test_ten_thousand_points_leave_no_residual() -> None:
    """Whatever the point, the sum is exact in integers, and every needle finds exactly m elements."""
    rng = np.random.default_rng(1)
    order = np.arange(12, dtype=np.int64)[None, :]
    for trial in range(10_000):
        m = 1 + trial % 11
        point = project_capped(rng.normal(size=12) * 10.0 ** rng.uniform(-1, 1.5), m)[0]
        units = round_to_units(point, m)
        assert int(units.sum()) == m * UNIT
        starts = systematic_starts(units, order)
        for needle in (0, UNIT - 1, int(rng.integers(UNIT)), int(starts[0, trial % 12])):
            assert sum(_drawn(units, starts[0], needle)) == m


@given(_sizes | st.sampled_from([(48, 5), (65, 30), (70, 70)]), st.data())
def test_the_systematic_policy_is_consistent(shape: tuple[int, int], data: st.DataObject) -> None:
    """Sets have m elements and whole lengths, which add up to the marginals; each is the set that its arc of the circle draws."""
    d, m = shape
    units = round_to_units(project_capped(data.draw(log_weights(d)), m)[0], m)
    n = data.draw(st.integers(1, 3))
    orders = np.array([data.draw(st.permutations(range(d))) for _ in range(n)], dtype=np.int64)
    starts = systematic_starts(units, orders)
    words, lengths = systematic_words(units, starts, orders)
    atoms = unpack_rows(words, d)
    assert (atoms.sum(axis=1) == m).all()
    assert (lengths > 0).all()
    assert int(lengths.sum()) == n * UNIT
    assert len(lengths) <= n * d
    assert np.array_equal(lengths @ atoms, n * units)
    borders = [(row, int(start)) for row in starts for start in np.unique(row)]
    assert [_drawn(units, row, start) for row, start in borders] == atoms.tolist()


def test_every_needle_of_a_small_circle() -> None:
    """A circle cut at a half and at three quarters gives three sets with these lengths."""
    units = np.array([UNIT // 2, UNIT // 4, UNIT // 4, UNIT], dtype=np.int64)
    order = np.array([[3, 0, 2, 1]])
    starts = systematic_starts(units, order)
    assert starts.tolist() == [[0, UNIT // 2 + UNIT // 4, UNIT // 2, 0]]
    words, lengths = systematic_words(units, starts, order)
    assert unpack_rows(words, 4).tolist() == [[1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    assert lengths.tolist() == [UNIT // 2, UNIT // 4, UNIT // 4]
