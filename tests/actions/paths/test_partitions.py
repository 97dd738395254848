"""Partitions in both coordinates, against enumeration and against each other."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.pooled_hull import PooledSet
from swapregret.actions.paths.partitions import Partitions
from swapregret.errors import InvalidAction, InvalidInput
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.testing import check_action_set
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value

COORDINATES = pytest.mark.parametrize("coordinates", ["path", "compact"])
SIZES = st.tuples(st.integers(1, 5), st.integers(1, 4))


def all_amounts(total, parts):
    """List the partitions by trying everything."""
    return [plan for plan in product(range(total + 1), repeat=parts) if sum(plan) == total]


def test_dimensions_and_counts_are_the_known_ones():
    """The stage graph has 220 and 1890 edges for 10 into 5 and 20 into 10; counts are binomials."""
    for total, parts, dimension in ((10, 5, 220), (20, 10, 1890)):
        actions = Partitions(total, parts)
        assert actions.dimension == dimension
        assert actions.n_actions == actions.paths.n_actions == math.comb(total + parts - 1, parts - 1)
        assert actions.size == parts
        assert actions.is_uniform
        compact = Partitions(total, parts, coordinates="compact")
        assert (compact.dimension, compact.n_actions) == (parts * (total + 1), actions.n_actions)
    assert Partitions(100, 10, coordinates="compact").n_actions == 4_263_421_511_271


@COORDINATES
@settings(deadline=None, max_examples=20)
@given(size=SIZES, seed=st.integers(0, 2**32))
def test_the_set_is_the_list_of_partitions(coordinates, size, seed):
    """Actions, oracle, membership and rank are those of the list; amounts and actions are one to one."""
    total, parts = size
    actions = Partitions(total, parts, coordinates=coordinates)
    plans = all_amounts(total, parts)
    table = np.array([actions.action_from_amounts(plan) for plan in plans])
    assert [actions.amounts(row) for row in table] == plans
    assert {row.tobytes() for row in actions.enumerate()} == {row.tobytes() for row in table}
    assert len({row.tobytes() for row in table}) == len(plans)
    assert actions.rank == actions.span.rank == np.linalg.matrix_rank(table)
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=actions.dimension)
    assert weights @ actions.argmax(weights) == pytest.approx((table @ weights).max(), abs=1e-12)
    assert all(row in actions for row in table)
    known = {row.tobytes() for row in table}
    for vector in rng.integers(0, 2, (20, actions.dimension)):
        assert (vector in actions) == (vector.tobytes() in known)


@settings(deadline=None, max_examples=20)
@given(size=SIZES, seed=st.integers(0, 2**32))
def test_the_two_coordinates_say_the_same(size, seed):
    """The maps are inverse to each other, and a compact reward is worth the same on the path."""
    total, parts = size
    path, compact = Partitions(total, parts), Partitions(total, parts, coordinates="compact")
    weights = np.random.default_rng(seed).normal(size=compact.dimension)
    values = dict(zip(compact.labels, weights, strict=True))
    on_path = np.array([values[part, after - before] for part, before, after in path.labels])
    for plan in all_amounts(total, parts):
        one, other = path.action_from_amounts(plan), compact.action_from_amounts(plan)
        assert np.array_equal(path.to_compact(one), other)
        assert np.array_equal(compact.to_path(other), one)
        assert on_path @ one == pytest.approx(weights @ other)
    assert np.array_equal(path.to_compact(path.argmax(on_path)), compact.argmax(weights))
    assert path.gibbs(on_path).probability(one) == pytest.approx(compact.gibbs(weights).probability(other))


@COORDINATES
@pytest.mark.parametrize("spread", [0.5, 5.0, 30.0])
def test_projection_is_certified_and_that_of_the_list(coordinates, spread):
    """The gap is at most 1e-9 by one oracle call and the point that of the explicit list."""
    actions = Partitions(4, 3, coordinates=coordinates)
    explicit = Explicit(actions.enumerate())
    rng = np.random.default_rng(8)
    for _ in range(5):
        w = rng.uniform(-spread, spread, actions.dimension)
        found = actions.kl_project(w)
        assert found.gap <= 1e-9
        assert kl_gap(actions, w, found.log_point) <= 1e-9
        assert found.point == pytest.approx(explicit.kl_project(w).point, abs=2e-5)
        policy = actions.decompose(found.point)
        assert policy.weights.sum() == 1.0
        assert policy.marginals() == pytest.approx(found.point, abs=1e-10)
        assert len(policy.weights) <= actions.rank + 1


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_compact_projection_is_certified_at_twenty_into_ten(spread):
    """With ten million actions, one oracle call still certifies the gap, and the point lies in the hull."""
    actions = Partitions(20, 10, coordinates="compact")
    w = np.random.default_rng(3).uniform(-spread, spread, actions.dimension)
    found = actions.kl_project(w)
    assert kl_gap(actions, w, found.log_point) <= found.gap + 1e-12 <= 1e-9
    table = found.point.reshape(10, 21)
    assert table.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert (table @ np.arange(21)).sum() == pytest.approx(20.0, abs=1e-10)


@COORDINATES
def test_policies_are_those_of_the_list(coordinates):
    """Uniform and Gibbs policies have the exact moments; draws fit the exact probabilities (false alarm 1e-6)."""
    actions = Partitions(4, 3, coordinates=coordinates)
    explicit = Explicit(actions.enumerate())
    rng = np.random.default_rng(9)
    scores = rng.normal(size=actions.dimension)
    v = rng.normal(size=actions.dimension)
    for policy, exact in (
        (actions.gibbs(scores), explicit.gibbs(scores)),
        (actions.uniform_policy(), explicit.uniform_policy()),
    ):
        assert policy.marginals() == pytest.approx(exact.marginals(), abs=1e-12)
        assert policy.cooccurrence() == pytest.approx(exact.cooccurrence(), abs=1e-12)
        assert policy.second_moment(v) == pytest.approx(exact.second_moment(v), abs=1e-12)
        assert [policy.probability(row) for row in exact.atoms] == pytest.approx(exact.weights, abs=1e-12)
    where = {row.tobytes(): index for index, row in enumerate(exact.atoms)}
    counts = np.bincount([where[policy.sample(rng).tobytes()] for _ in range(10_000)], minlength=len(where))
    assert chi_square_p_value(counts, exact.weights, 10_000) > FALSE_ALARM
    assert policy.probability(1 - exact.atoms[0]) == 0.0


@COORDINATES
def test_exploration_by_cover_beats_uniform_play(coordinates):
    """At 10 into 5 the cover's smallest eigenvalue is several times that of the uniform policy, and unknown kinds are refused."""
    actions = Partitions(10, 5, coordinates=coordinates)
    cover = smallest_eigenvalue(actions.exploration_policy(), actions.span)
    assert cover > 4.0 * smallest_eigenvalue(actions.exploration_policy("uniform"), actions.span) > 0.0
    with pytest.raises(InvalidInput, match="`kind` must be one of"):
        actions.exploration_policy("random")


@COORDINATES
def test_what_is_no_partition_is_refused(coordinates):
    """Amounts that do not add up, vectors that are no action, and nonsensical sizes are refused."""
    actions = Partitions(3, 2, coordinates=coordinates)
    for amounts in ([1, 1], [3], [4, -1], [1.5, 1.5]):
        with pytest.raises(InvalidInput):
            actions.action_from_amounts(amounts)
    for read in (actions.amounts, actions.to_compact, actions.to_path):
        with pytest.raises(InvalidAction):
            read(np.ones(8))
    for total, parts in ((0, 2), (2, 0), (2.5, 2)):
        with pytest.raises(InvalidInput):
            Partitions(total, parts, coordinates=coordinates)
    with pytest.raises(InvalidInput, match="one of compact, path"):
        Partitions(3, 2, coordinates="dense")


@COORDINATES
def test_conformance(coordinates):
    """The set keeps every promise of ActionSet."""
    assert "projection" in check_action_set(Partitions(3, 3, coordinates=coordinates)).passed


def test_learners_on_compact_coordinates_begin_with_actions_they_know():
    """The family of a compact set keeps a pool of actions, and calls Python for the oracle alone; that of paths does not."""
    compact, path = Partitions(4, 3, coordinates="compact"), Partitions(4, 3)
    assert isinstance(compact.hull().data, PooledSet)
    assert not isinstance(path.hull().data, PooledSet)
