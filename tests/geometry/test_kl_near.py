"""The projection of learners: its certificate from near and from far, how little it asks, and which actions it is made of."""

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from tests.generic import by_oracle, project_from_near

import swapregret as sr
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.geometry.few_actions import few_actions
from swapregret.geometry.kl import cover, kl_gap
from swapregret.geometry.kl_from_actions import approach, begin_approach, project_near
from swapregret.geometry.oracle import AskedOracle
from swapregret.geometry.rows import elements_of_rows
from swapregret.testing.strategies import explicit_sets


@settings(max_examples=200)
@given(
    explicit_sets(max_dimension=8, max_actions=40),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1.0, 5.0, 30.0, 300.0]),
)
@example(Explicit([[1]]), 2, 300.0)  # where nothing is held, nothing may be certified
def test_the_gap_is_certified_on_every_action_from_any_start(actions: Explicit, seed: int, spread: float) -> None:
    """For log-weights spread up to ±300 and starts down to e⁻³⁰ the gap is ≤ 1e-9 on every action, and the point in the hull."""
    rng = np.random.default_rng(seed)
    log_weights, start = (
        rng.uniform(-spread, spread, size=actions.dimension),
        rng.uniform(-30.0, 0.0, actions.dimension),
    )
    pool, rows = cover(actions).astype(np.float64), actions.enumerate()
    found, added = project_from_near(actions, log_weights, np.exp(start), pool)
    used = rows.any(axis=0)
    assert np.array_equal(found.point > 0.0, used)
    g = found.log_point[used] - log_weights[used]
    exact = float((g @ (found.point - rows)[:, used].T).max())
    assert exact <= found.gap + 1e-12 * (1.0 + spread)
    assert found.gap <= 1e-9
    listed = {row.tobytes() for row in rows.astype(np.int64)}
    assert all(row.tobytes() in listed for row in added)
    policy = actions.decompose(found.point)
    assert np.abs(policy.marginals() - found.point).max() <= 1e-12


@settings(max_examples=60)
@given(explicit_sets(max_dimension=8, max_actions=40), st.integers(0, 2**32 - 1), st.sampled_from([0.3, 3.0, 10.0]))
def test_it_is_the_point_of_the_interior_point_method(actions: Explicit, seed: int, spread: float) -> None:
    """From any start the point is that of the exact projection, as near as two gaps of 1e-9 allow."""
    rng = np.random.default_rng(seed)
    log_weights, pool = spread * rng.standard_normal(actions.dimension), cover(actions).astype(np.float64)
    exact = by_oracle(actions).kl_project(log_weights).point
    for start in (pool.mean(axis=0), exact, rng.uniform(0.1, 1.0, actions.dimension)):
        found, _ = project_from_near(actions, log_weights, start, pool)
        np.testing.assert_allclose(found.point, exact, atol=2e-4)


def _trees(n_nodes: int) -> sr.SpanningTrees:
    return sr.SpanningTrees([(a, b) for a in range(n_nodes) for b in range(a)])


@pytest.mark.parametrize("spread", [0.3, 3.0, 10.0])
def test_one_question_is_enough_where_all_actions_are_known(spread: float) -> None:
    """If the pool has all 125 spanning trees of K₅, the oracle is asked once, for the certificate."""
    actions, rng = _trees(5), np.random.default_rng(1)
    table = actions.enumerate().astype(np.float64)
    for _ in range(20):
        oracle, log_weights = Mock(wraps=actions, dimension=actions.dimension), spread * rng.standard_normal(10)
        found, added = project_from_near(oracle, log_weights, table.mean(axis=0), table)
        assert oracle.argmax.call_count == 1
        assert len(added) == 0
        assert kl_gap(actions, log_weights, found.log_point) <= 1e-9


def test_the_rows_it_names_make_the_point() -> None:
    """The rows that are said to be held have the point in their hull, and are no more than the rank of K₆'s trees and one."""
    actions, rng = _trees(6), np.random.default_rng(2)
    asked, pool = AskedOracle.of(actions), actions.span.basis.astype(np.float64)
    for spread in (0.3, 3.0, 10.0) * 5:
        log_weights = spread * rng.standard_normal(15)
        start, (elements, ends) = pool.mean(axis=0), elements_of_rows(pool)
        x, gap, _, elements, ends, held = project_near(asked, log_weights, start, elements, ends, len(pool))
        assert gap <= 1e-9
        assert len(held) <= actions.rank + 1
        rows = np.zeros((len(held), 15))
        for k, row in enumerate(held):
            rows[k, elements[ends[row] : ends[row + 1]]] = 1.0
        assert few_actions(*elements_of_rows(rows), x, np.ones(15))[2] <= 1e-12


@pytest.mark.parametrize("spread", [0.3, 3.0, 30.0, 300.0, 3000.0])
def test_newton_comes_to_an_end_where_all_actions_are_known(spread: float) -> None:
    """On lists of 60 actions, from the projection before, 19 of 20 projections need no interior point; the gap is that of all."""
    rng = np.random.default_rng(7)
    table = np.unique(rng.permuted(np.tile([1.0] * 4 + [0.0] * 8, (60, 1)), axis=1), axis=0)
    elements, ends = elements_of_rows(table)
    start, theta, n_ended = table.mean(axis=0), rng.standard_normal(12), 0
    for _ in range(200):
        theta = 0.9 * theta + 0.4 * rng.standard_normal(12)
        at = begin_approach(elements, ends, spread * theta, start)
        point, gap, count = approach(elements, ends, spread * theta, at, 0, len(table), 1e-10)
        if np.isfinite(gap):
            n_ended += 1
            slope = np.log(point) - spread * theta
            assert slope @ point - (table @ slope).min() <= 1e-10 + 1e-13 * spread
            held = table[at.search.basis.held[:count]]
            distance = nnls(np.vstack([held.T, np.ones(count)]), np.append(point, 1.0))[1]
            assert distance <= 1e-11
            start = point
    assert n_ended >= 190
