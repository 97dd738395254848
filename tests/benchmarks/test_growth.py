"""The script that fits how the time of a round grows, and counts what a state holds."""

import pytest
from growth import CURVES, HELD, fit_power, held_bytes

import swapregret as sr


def test_a_power_law_is_found_again() -> None:
    """The exponent of an exact power law comes back with error 0, and a point off the line raises the error."""
    sizes = [1.0, 2.0, 5.0, 9.0]
    assert fit_power(sizes, [3.0 * size**1.25 for size in sizes]) == pytest.approx((1.25, 0.0), abs=1e-9)
    assert fit_power(sizes, [1.0, 2.0, 5.0, 18.0])[1] > 0.1


def test_every_curve_and_state_can_be_made() -> None:
    """Sizes grow along a curve."""
    for _, _, parameters, make, _ in CURVES:
        assert make(parameters[0])[0] < make(parameters[1])[0]
    assert all(make().actions.dimension > 0 for _, make in HELD)


def test_a_state_does_not_grow_with_the_days() -> None:
    """After more days, and for a longer horizon, a state holds about as much."""
    small = held_bytes(sr.swap_combcp(sr.MSets(6, 2), 1_000, preset="multiscale"), 10)
    assert small > 0
    assert held_bytes(sr.swap_combcp(sr.MSets(6, 2), 1_000, preset="multiscale"), 300) < 2 * small
