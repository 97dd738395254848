"""The principal partition: certificates, scales that never fall along the chain, and how many separations it takes."""

import numpy as np
import pytest

from swapregret.actions.graphs.kernels.tree_partition import mass_unit, principal_partition, project_forests


def connected_graph(n, d, seed):
    """Draw a random tree of n vertices and further pairs up to d edges."""
    rng = np.random.default_rng(seed)
    edges = [(v, int(rng.integers(v))) for v in range(1, n)]
    edges += [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(d - n + 1)]
    tails, heads = np.array(edges, dtype=np.int64)[rng.permutation(d)].T.copy()
    return tails, heads


@pytest.mark.parametrize(
    ("n", "d", "size"), [(30, 300, 29), (100, 300, 99), (30, 300, 12), (100, 300, 97), (60, 59, 59)]
)
@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 3.0, 10.0, 30.0, 60.0, 500.0])
def test_gap_is_certified_for_every_spread(n, d, size, spread):
    """The gap is at most 1e-9, the point has the right sum, and the separations are at most 2·blocks − 1."""
    tails, heads = connected_graph(n, d, n + d)
    log_weights = np.random.default_rng(7).uniform(-spread, spread, size=d)
    point, log_point, gap, n_separations = project_forests(log_weights, tails, heads, n, size)
    assert gap <= 1e-9
    assert point.sum() == pytest.approx(size, abs=1e-10)
    assert log_point.max() <= 0.0
    np.testing.assert_allclose(np.exp(log_point), point, rtol=1e-12)
    scales, count = principal_partition(tails, heads, log_weights - log_weights.max(), n, size)
    assert count == n_separations
    assert n_separations <= 2 * len(np.unique(scales.round(10))) - 1 + (spread == 0.0)


def test_shifting_log_weights_changes_nothing():
    """A common factor of all weights, however large, leaves the projection as it is."""
    tails, heads = connected_graph(20, 60, 3)
    log_weights = np.random.default_rng(1).normal(size=60)
    first = project_forests(log_weights, tails, heads, 20, 19)[0]
    second = project_forests(log_weights + 2.0**20, tails, heads, 20, 19)[0]
    np.testing.assert_allclose(first, second, atol=1e-9)


def test_extreme_weights_give_a_vertex():
    """With weights factors e^200 apart the point is the heaviest tree, and what is left out keeps its tiny logarithm."""
    tails, heads = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 3])
    point, log_point, gap, _ = project_forests(np.array([0.0, -200.0, -400.0, -600.0]), tails, heads, 4, 3)
    np.testing.assert_array_equal(point[[0, 1, 3]], 1.0)
    assert log_point[2] == pytest.approx(-200.0)
    assert gap == pytest.approx(0.0, abs=1e-12)


def test_units_leave_room_for_sums():
    """A unit is the largest power of 2 of which n + 2 fit in 62 bits."""
    assert mass_unit(30, 2**52) == 2**52
    assert mass_unit(10_000, 2**52) == 2**48
    assert 10_002 * 2**48 <= 2**62 < 10_002 * 2**49
