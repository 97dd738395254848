"""The best assignment, against enumeration, SciPy and its own prices."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from swapregret.actions.matchings.kernels.assignment import assign, best_matching


def _assign(weights):
    chosen, prices = np.empty(len(weights), dtype=np.int64), np.empty(weights.shape[1])
    assign(weights, chosen, prices)
    return chosen, prices


def _check_certificate(weights, chosen, prices):
    """Assert primal and dual feasibility and equal values: together they prove the assignment best."""
    k, m = weights.shape
    slack = 1e-12 * (1.0 + np.abs(weights).max()) * k
    assert len(set(chosen.tolist())) == k
    assert prices.min() >= 0.0
    potentials = (weights - prices).max(axis=1)
    value = weights[np.arange(k), chosen].sum()
    assert abs(potentials.sum() + prices.sum() - value) <= slack
    if k < m:
        assert not prices[np.setdiff1d(np.arange(m), chosen)].any()


@st.composite
def _tables(draw):
    k = draw(st.integers(1, 4))
    m = k + draw(st.integers(0, 2))
    entries = draw(st.sampled_from([st.integers(-2, 2).map(float), st.floats(-1e3, 1e3), st.floats(-1e-9, 1e-9)]))
    return np.array(draw(st.lists(entries, min_size=k * m, max_size=k * m))).reshape(k, m)


@settings(deadline=None, max_examples=150)
@given(_tables())
def test_no_assignment_is_better(weights):
    """The value equals the maximum over all assignments, ties and tiny differences included."""
    k, m = weights.shape
    chosen, prices = _assign(weights)
    best = max(weights[np.arange(k), list(columns)].sum() for columns in permutations(range(m), k))
    assert abs(weights[np.arange(k), chosen].sum() - best) <= 1e-12 * (1.0 + np.abs(weights).max())
    _check_certificate(weights, chosen, prices)


@pytest.mark.parametrize("shape", [(20, 20), (50, 50), (80, 80), (20, 50), (3, 90), (1, 7)])
@pytest.mark.parametrize("family", ["normal", "whole", "product", "additive", "graded"])
def test_large_instances_agree_with_scipy(shape, family):
    """Values agree with scipy.optimize.linear_sum_assignment and the prices prove them."""
    rng = np.random.default_rng(len(family))
    k, m = shape
    weights = {
        "normal": lambda: rng.normal(size=shape),
        "whole": lambda: rng.integers(0, 5, size=shape).astype(float),
        "product": lambda: rng.random((k, 1)) * rng.random((1, m)),
        "additive": lambda: rng.random((k, 1)) + rng.random((1, m)),
        "graded": lambda: rng.normal(size=shape) * 10.0 ** rng.integers(-8, 8, size=shape),
    }[family]()
    chosen, prices = _assign(weights)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    scale = 1e-12 * (1.0 + np.abs(weights).max()) * k
    assert abs(weights[np.arange(k), chosen].sum() - weights[rows, columns].sum()) <= scale
    _check_certificate(weights, chosen, prices)


def test_the_certificate_rejects_a_worse_assignment():
    """The helper above fails when two rows of a strict optimum are exchanged."""
    weights = np.eye(3)
    chosen, prices = _assign(weights)
    with pytest.raises(AssertionError):
        _check_certificate(weights, chosen[::-1].copy(), prices)


def test_ties_give_the_identity():
    """Equal weights are decided by the lowest free column."""
    assert best_matching(np.zeros((3, 4))).reshape(3, 4).argmax(axis=1).tolist() == [0, 1, 2]
    assert best_matching(np.ones((4, 4))).reshape(4, 4).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_weights_near_the_largest_float():
    """Weights whose differences would overflow are still ranked correctly."""
    weights = 1e308 * np.array([[1.0, -1.0, 0.5], [1.5, 1.0, -1.5], [-1.0, 0.25, 1.0]])
    assert best_matching(weights).reshape(3, 3).argmax(axis=1).tolist() == [0, 1, 2]
