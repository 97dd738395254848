"""Putting numbers in order, and taking the largest."""

import numpy as np
import pytest

from swapregret.compiled.selection import in_order, largest, top_elements


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 128, 129, 300])
@pytest.mark.parametrize("n_different", [1, 3, 10**6])
def test_order_is_that_of_a_stable_sort(n: int, n_different: int) -> None:
    """Equal numbers stay as they come, within the runs that are counted and where these are merged."""
    values = np.random.default_rng(n).integers(n_different, size=n)
    expected = np.argsort(values, kind="stable")
    assert np.array_equal(in_order(values.astype(np.float64)), expected)
    assert np.array_equal(in_order(values), expected)


def test_what_is_no_number_leads_nowhere_else() -> None:
    """Whatever the values are, what comes out are places among them."""
    places = in_order(np.array([0.5, np.nan, 0.25, np.nan, np.inf]))
    assert ((places >= 0) & (places < 5)).all()


@pytest.mark.parametrize("n_different", [2, 10**6])
def test_the_largest_are_those_of_a_sort(n_different: int) -> None:
    """The count-th largest, and an indicator in which the first of equal ones come first."""
    values = np.random.default_rng(5).integers(n_different, size=40).astype(np.float64)
    order = np.argsort(-values, kind="stable")
    for count in range(1, 41):
        assert largest(values, count) == values[order[count - 1]]
        assert np.array_equal(np.flatnonzero(top_elements(values, count)), np.sort(order[:count]))
