"""Rewards as they come: mapped to [0, 1] where they can be, refused by name where they cannot."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.sessions.feedback import RewardReader
from swapregret.units import Units, read_range

ACTIONS = MSets(4, 2)
PLAYED = np.array([1, 0, 1, 0])
UNEVEN = Explicit([[1, 1, 0], [0, 0, 1]])


@settings(deadline=None, max_examples=100)
@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-3, 1e6), share=st.floats(0.0, 1.0))
def test_totals_are_mapped_to_the_unit_interval(low: float, width: float, share: float) -> None:
    """A total of the declared range becomes its place in it, whatever the signs."""
    reader = RewardReader(ACTIONS, "bandit", Units(low, low + width))
    reward = min(low + share * width, low + width)
    found = reader.read(reward, PLAYED)
    assert 0.0 <= found <= 1.0
    assert found == pytest.approx((reward - low) / (low + width - low), abs=1e-9)


@pytest.mark.parametrize(
    "reward", [0.25, 1, np.float32(0.5), np.array(0.5), np.int64(1), Fraction(1, 3), Decimal("0.5")]
)
def test_any_single_number_is_a_total(reward: object) -> None:
    """Python's, NumPy's and exact numbers are read alike."""
    assert RewardReader(ACTIONS, "bandit").read(reward, PLAYED) == float(reward)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reward",
    [
        True,
        np.True_,
        np.array(True),
        np.ma.array(0.5, mask=True),
        np.datetime64("2026-01-01"),
        np.timedelta64(1, "s"),
        pytest.param(10**5000, id="5,000 digits"),
        float("nan"),
        float("inf"),
        -float("inf"),
        -1e-9,
        1.0 + 1e-9,
        "0.5",
        b"1",
        None,
        [0.5],
        np.array([0.5]),
        1j,
        10**400,
        {},
    ],
)
def test_bad_totals_are_refused(reward: object) -> None:
    """NaN, infinity, values outside, text, lists of one and numbers beyond floats are no total reward."""
    with pytest.raises(InvalidReward, match="reward"):
        RewardReader(ACTIONS, "bandit").read(reward, PLAYED)  # type: ignore[arg-type]


def test_rounding_at_the_edges_is_forgiven() -> None:
    """A sum that overshoots by rounding is clipped, not refused."""
    assert RewardReader(ACTIONS, "bandit").read(1.0 + 1e-13, PLAYED) == 1.0
    assert RewardReader(ACTIONS, "bandit", Units(-3.0, 0.0)).read(-3.0 - 1e-13, PLAYED) == 0.0


def test_semi_bandit_reads_chosen_elements_in_order_or_a_vector_over_all() -> None:
    """Both forms give the same; entries outside the action are not looked at, not even NaN."""
    reader = RewardReader(ACTIONS, "semi-bandit")
    short = reader.read([0.25, 0.5], PLAYED)
    assert np.array_equal(short, [0.25, 0.0, 0.5, 0.0])
    assert np.array_equal(reader.read([0.25, np.nan, 0.5, np.inf], PLAYED), short)
    everything = MSets(2, 2)
    assert np.array_equal(RewardReader(everything, "semi-bandit").read([0.25, 0.5], np.array([1, 1])), [0.25, 0.5])


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_elements_give_up_their_share_of_the_low_end(feedback: str) -> None:
    """With a range (low, high) each element becomes (r_i − low/m)/(high − low), so that totals land in [0, 1]."""
    reader = RewardReader(ACTIONS, feedback, Units(-4.0, 6.0))  # type: ignore[arg-type]
    values = np.array([1.0, -2.0, 3.0, 0.5])
    found = reader.read(values, PLAYED)
    expected = (values + 2.0) / 10.0
    if feedback == "semi-bandit":
        expected = expected * PLAYED
    assert np.allclose(found, expected)
    assert float(found @ PLAYED) == pytest.approx((values @ PLAYED + 4.0) / 10.0)


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_where_sizes_differ_shares_add_up_to_the_low_end(feedback: str) -> None:
    """Elements give up low·u with u·M = 1 on every action, so totals of actions of any size land in [0, 1]."""
    reader = RewardReader(UNEVEN, feedback, Units(-1.0, 1.0))  # type: ignore[arg-type]
    for action in UNEVEN.enumerate():
        values = np.array([0.25, -0.5, 0.75])
        found = reader.read(values, action)
        assert float(found @ action) == pytest.approx((values @ action + 1.0) / 2.0)


def test_a_set_without_a_constant_must_begin_at_zero() -> None:
    """Where no linear function is 1 on every action, low must be 0: moved totals would be no sums over elements."""
    odd = Explicit([[1, 0], [0, 1], [1, 1]])
    for feedback in ("bandit", "semi-bandit", "full"):
        with pytest.raises(InvalidInput, match="with costs, or rewards below 0, actions must have one size"):
            RewardReader(odd, feedback, Units(-1.0, 1.0))  # type: ignore[arg-type]
        RewardReader(odd, feedback, Units(0.0, 3.0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("feedback", "reward"),
    [
        ("semi-bandit", 0.5),
        ("semi-bandit", [0.1, 0.2, 0.3]),
        ("semi-bandit", [0.1, np.nan]),
        ("semi-bandit", [0.7, 0.7]),
        ("semi-bandit", [-0.2, 0.1]),
        ("semi-bandit", ["a", "b"]),
        ("semi-bandit", [10**400, 0.1]),
        ("semi-bandit", None),
        ("full", 0.5),
        ("full", [0.1, 0.2]),
        ("full", [0.1, np.nan, 0.1, 0.1]),
        ("full", [0.1, np.inf, 0.1, 0.1]),
        ("full", [[0.1, 0.1], [0.1, 0.1]]),
        ("full", [0.7, 0.0, 0.7, 0.0]),
        ("full", [0.1, 0.9, 0.1, 0.9]),
        ("full", [0.1, -0.3, 0.1, 0.2]),
    ],
)
def test_bad_vectors_are_refused(feedback: str, reward: object) -> None:
    """Wrong shapes, NaN where it matters, and totals out of range: with full feedback the total of any action counts."""
    with pytest.raises(InvalidReward, match="reward"):
        RewardReader(ACTIONS, feedback).read(reward, PLAYED)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bounds", [(1.0, 0.0), (0.0, 0.0), (0.0, float("inf")), (float("nan"), 1.0), (0.0,), (0, 1, 2), 5, "ab", None]
)
def test_bad_ranges_are_refused(bounds: object) -> None:
    """A range is two finite numbers, the smaller first."""
    with pytest.raises(InvalidInput, match="reward_range"):
        read_range(bounds)  # type: ignore[arg-type]


def test_the_reward_given_is_not_changed() -> None:
    """The reader works on a copy."""
    values = np.array([1.0, -2.0, 3.0, 0.5])
    RewardReader(ACTIONS, "full", Units(-4.0, 6.0)).read(values, PLAYED)
    assert np.array_equal(values, [1.0, -2.0, 3.0, 0.5])
