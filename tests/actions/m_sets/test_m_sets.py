"""m-sets have the counts, policies, spans and refusals that can be written down."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.relabelling import check_relabelling

from swapregret.actions.m_sets.kernels.subsets import UNIT
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidAction, InvalidInput, TooLarge, Unsupported
from swapregret.geometry.kl import kl_gap
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.testing import check_action_set, check_policy, strategies


@pytest.mark.parametrize(
    ("d", "m", "count"),
    [(1, 1, 1), (5, 2, 10), (10, 3, 120), (20, 5, 15_504), (6, 6, 1), (100, 50, math.comb(100, 50))],
)
def test_counts_are_binomials(d: int, m: int, count: int) -> None:
    """The number of m-sets is exact, beyond 64 bits too."""
    assert MSets(d, m).n_actions == count


@pytest.mark.parametrize(("d", "m"), [(1, 1), (2, 1), (4, 2), (6, 5), (6, 6), (7, 3)])
def test_small_sets_conform(d: int, m: int) -> None:
    """Every promise of an action set holds, from one of one to all of all."""
    assert not check_action_set(MSets(d, m)).skipped


def test_a_set_too_large_to_list_conforms() -> None:
    """Certificates that need no list hold for C(40, 12) actions, and listing them is refused."""
    actions = MSets(40, 12)
    assert [name for name, _ in check_action_set(actions).skipped] == ["enumeration"]
    with pytest.raises(TooLarge, match=r"5\.6·10⁹ actions"):
        actions.enumerate()


@pytest.mark.parametrize(("d", "m"), [(2, 1), (5, 2), (10, 3), (20, 5), (9, 8)])
def test_the_uniform_policy_has_its_known_eigenvalue(d: int, m: int) -> None:
    """The smallest eigenvalue of the uniform policy is m(d − m)/(d(d − 1)), the largest m²/d."""
    actions = MSets(d, m)
    policy = actions.uniform_policy()
    assert smallest_eigenvalue(policy, actions.span) == pytest.approx(m * (d - m) / (d * (d - 1)), rel=1e-12)
    assert np.linalg.eigvalsh(policy.cooccurrence())[-1] == pytest.approx(m * m / d, rel=1e-12)


def test_all_of_all_is_one_action_of_rank_one() -> None:
    """For m = d every question has the same answer."""
    actions = MSets(4, 4)
    assert (actions.rank, actions.n_actions) == (1, 1)
    assert actions.argmax([-1.0, -2.0, 3.0, 0.0]).tolist() == [1, 1, 1, 1]
    assert actions.kl_project([5.0, -300.0, 0.0, 7.0]).point.tolist() == [1.0] * 4
    assert actions.decompose([1.0] * 4).atoms.tolist() == [[1, 1, 1, 1]]
    assert actions.uniform_policy().atoms.tolist() == [[1, 1, 1, 1]]
    assert actions.gibbs([1.0, 2.0, 3.0, 4.0]).probability(np.ones(4, dtype=np.int64)) == pytest.approx(1.0)
    assert smallest_eigenvalue(actions.uniform_policy(), actions.span) == pytest.approx(4.0)


def test_one_of_one() -> None:
    """The smallest set there is: one element, always chosen."""
    actions = MSets(1, 1)
    assert actions.enumerate().tolist() == [[1]]
    assert actions.uniform_policy().cooccurrence().tolist() == [[1.0]]
    assert actions.exploration_policy("spanner").atoms.tolist() == [[1]]


def test_the_oracle_breaks_ties_by_the_lowest_index() -> None:
    """Among equal weights the first are chosen; larger ones come first wherever they stand."""
    actions = MSets(5, 2)
    assert actions.argmax(np.zeros(5)).tolist() == [1, 1, 0, 0, 0]
    assert actions.argmax([0.0, 1.0, 0.0, 0.0, 0.0]).tolist() == [1, 1, 0, 0, 0]
    assert actions.argmax([0.0, 0.0, 0.0, 1.0, 1.0]).tolist() == [0, 0, 0, 1, 1]
    assert actions.argmax([-1.0, -1.0, -5.0, -1.0, -1.0]).tolist() == [1, 1, 0, 0, 0]


@settings(max_examples=40)
@given(strategies.m_sets(7), st.data())
def test_m_sets_agree_with_their_list(actions: MSets, data: st.DataObject) -> None:
    """Oracle values, projections and uniform moments are those of the explicit list of the same actions."""
    listed = Explicit(actions.enumerate())
    w = data.draw(strategies.log_weights(actions.dimension))
    assert float(w @ actions.argmax(w)) == pytest.approx(float(w @ listed.argmax(w)), abs=1e-12)
    assert actions.rank == listed.rank
    projection = actions.kl_project(w)
    assert kl_gap(listed, w, projection.log_point) <= 1e-9
    policies = (actions.uniform_policy(), listed.uniform_policy()), (actions.gibbs(w), listed.gibbs(w))
    for ours, theirs in policies:
        assert np.abs(ours.cooccurrence() - theirs.cooccurrence()).max() <= 1e-12


@settings(max_examples=40)
@given(strategies.m_sets(8), st.data())
def test_decompositions_are_exact(actions: MSets, data: st.DataObject) -> None:
    """At most d sets for one variant, marginals on the grid of 2⁻⁴⁴ and within d units of the point, weights that sum to 1."""
    point = data.draw(strategies.points(actions))
    policy = actions.decompose(point)
    assert len(policy.weights) <= actions.dimension
    assert policy.weights.sum() == 1.0
    assert (policy.atoms.sum(axis=1) == actions.size).all()
    assert (policy.marginals() * UNIT == np.rint(policy.marginals() * UNIT)).all()
    assert np.abs(policy.marginals() - point).max() <= (actions.dimension + 1) / UNIT
    several = actions.decompose(point, variants=4)
    assert np.array_equal(several.marginals(), policy.marginals())
    check_policy(several, actions, n_samples=200)


def test_variants_are_different_fixed_orders() -> None:
    """The first order is the natural one, the others are different, and more variants only add to them."""
    orders = MSets(9, 4).orders(4)
    assert orders.shape == (4, 9)
    assert orders[0].tolist() == list(range(9))
    assert len({tuple(order) for order in orders.tolist()}) == 4
    assert (np.sort(orders, axis=1) == np.arange(9)).all()
    assert np.array_equal(MSets(9, 4).orders(6)[:4], orders)


def test_shuffling_the_elements_shuffles_everything() -> None:
    """Projections, policies and counts do not depend on the order of the elements."""
    for order in (np.arange(9)[::-1], np.random.default_rng(0).permutation(9)):
        check_relabelling(MSets(9, 4), MSets(9, 4), order)
        w = np.random.default_rng(1).normal(size=9)
        point = MSets(9, 4).kl_project(w).point
        np.testing.assert_allclose(MSets(9, 4).kl_project(w[order]).point, point[order], rtol=1e-14)


def test_elements_are_read_by_name() -> None:
    """Labels of any hashable kind name the elements, in both directions."""
    actions = MSets(3, 2, labels=["a", ("b", 1), 3.5])
    assert actions.elements([1, 0, 1]) == ("a", 3.5)
    assert actions.action_of([("b", 1), "a"]).tolist() == [1, 1, 0]
    for wrong in (["a"], ["a", "a"], ["a", "x"], ["a", ["b"]], ["a", ("b", 1), 3.5]):
        with pytest.raises(InvalidAction):
            actions.action_of(wrong)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0, 1), r"`dimension` must be a whole number, at least 1: got 0"),
        ((-3, 1), r"`dimension` must be"),
        ((4, 0), r"`size` must be a whole number, 1\.\.4: got 0"),
        ((4, 5), r"`size` must be a whole number, 1\.\.4: got 5"),
        ((4.5, 2), r"`dimension` must be a whole number"),
        ((4, "two"), r"`size` must be a whole number"),
        ((True, 1), r"`dimension` must be a whole number"),
        ((3, 1, "ab"), r"`labels` must be 3 different names, one per coordinate: got 2 names"),
        ((3, 1, "aba"), r"got 3 names, 2 of them different"),
        ((2, 1, [["a"], ["b"]]), r"`labels` must be hashable"),
    ],
    ids=str,
)
def test_sets_that_cannot_be_are_refused(arguments: tuple[Any, ...], sentence: str) -> None:
    """Sizes out of range, fractions, words and labels out of step are refused by name."""
    with pytest.raises(InvalidInput, match=sentence):
        MSets(*arguments)


def test_whole_floats_are_sizes() -> None:
    """A size that came out of arithmetic as 4.0 is 4."""
    assert MSets(4.0, np.int64(2)).enumerate().shape == (6, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "point", [[0.5] * 3, [1.2, 0.3, 0.3, 0.2], [-0.1, 0.9, 0.6, 0.6], [np.nan] * 4, [1, 1, 0], [0.5] * 4 + [0]]
)
def test_points_outside_the_hull_are_refused(point: Any) -> None:
    """Wrong sums, entries outside [0, 1] and wrong shapes are refused, with a way out."""
    with pytest.raises(InvalidInput):
        MSets(4, 2).decompose(point)


def test_points_a_rounding_error_away_are_taken() -> None:
    """A point within 1e-8 of the hull is decomposed as its neighbour on the grid."""
    policy = MSets(4, 2).decompose(np.full(4, 0.5) + 1e-9)
    assert policy.weights.sum() == 1.0
    np.testing.assert_allclose(policy.marginals(), 0.5, atol=2e-9)


def test_a_long_list_is_not_made() -> None:
    """The uniform and Gibbs policies over more than 10,000 sets keep their moments and refuse to be listed."""
    actions = MSets(30, 10)
    for policy in (actions.uniform_policy(), actions.gibbs(np.arange(30.0) / 10)):
        assert not policy.has_atoms
        with pytest.raises(Unsupported):
            policy.finite()
        assert policy.marginals().sum() == pytest.approx(10.0)


def test_the_same_question_gets_the_same_bits() -> None:
    """Two objects of the same set give the same decompositions, orders included."""
    point = MSets(9, 4).kl_project(np.random.default_rng(3).normal(size=9)).point
    first, second = (MSets(9, 4).decompose(point, variants=8) for _ in range(2))
    assert first.finite() == second.finite()
    assert repr(MSets(9, 4)) == "MSets(9, 4)"


def test_ten_thousand_coordinates() -> None:
    """With C(10⁴, 10³) ≈ 10^1410 actions every operation but a list still answers, and no dense matrix is made."""
    actions = MSets(10_000, 1_000)
    weights = np.random.default_rng(0).uniform(-30.0, 30.0, 10_000)
    best = actions.argmax(weights)
    projection = actions.kl_project(weights)
    policy, uniform = actions.decompose(projection.point), actions.uniform_policy()
    assert best in actions
    assert policy.sample(np.random.default_rng(1)) in actions
    assert uniform.sample(np.random.default_rng(2)) in actions
    assert projection.gap <= 1e-9
    np.testing.assert_allclose(policy.marginals(), projection.point, atol=1e-12)
    np.testing.assert_allclose(policy.second_moment(np.ones(10_000)), 1_000 * policy.marginals(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(uniform.second_moment(np.ones(10_000)), np.full(10_000, 100.0), rtol=1e-12)
    assert uniform.probability(best) == 0.0  # 10^-1410 is no float
    assert actions.rank == 10_000
    assert not {"lift", "basis"} & set(vars(actions.span))
    with pytest.raises(TooLarge, match=r"\d·10¹⁴⁰⁹ actions"):
        actions.enumerate()


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
def test_a_common_factor_leaves_the_certificate_alone(offset: float) -> None:
    """Weights times any factor have the same projection, with a gap that stays below 1e-9."""
    weights = np.random.default_rng(3).normal(size=100)
    projection = MSets(100, 10).kl_project(weights + offset)
    assert abs(projection.gap) <= 1e-9
    np.testing.assert_allclose(
        projection.point, MSets(100, 10).kl_project((weights + offset) - offset).point, atol=1e-12
    )
