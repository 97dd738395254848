"""Exponentials and logarithms of whole arrays."""

import numpy as np

from swapregret.compiled.vectors import exponentials, logarithms


def test_exponentials_are_right_to_rounding() -> None:
    """Over the whole range they differ from the library's by at most four units in the last place; 0 gives 1 exactly."""
    values = np.concatenate([np.linspace(-708.0, 708.0, 20_011), np.linspace(-1.0, 1.0, 20_011), [0.0, -0.0, 1e-300]])
    found = np.empty(values.size)
    exponentials(values, found)
    assert np.abs(found / np.exp(values) - 1.0).max() <= 4 * 2.0**-52
    assert found[-3:].tolist() == [1.0, 1.0, 1.0]


def test_exponentials_end_where_floats_do() -> None:
    """Beyond ±708 they stay at the values there, so that nothing becomes 0 or infinite."""
    found = np.empty(4)
    exponentials(np.array([-1e9, -np.inf, 1e9, np.inf]), found)
    assert found[0] == found[1] > 0.0
    assert found[2] == found[3] < np.inf


def test_logarithms_are_right_to_rounding() -> None:
    """From 1e-300 to 1e300, and close to 1, they differ from the library's by at most four units in the last place."""
    values = np.concatenate([10.0 ** np.linspace(-300, 300, 20_011), np.linspace(0.4, 2.5, 20_011), [1.0 + 1e-12, 1.0]])
    found = np.empty(values.size)
    logarithms(values, found, np.empty(values.size))
    expected = np.log(values)
    assert (np.abs(found - expected) <= 4 * 2.0**-52 * np.abs(expected)).all()
    assert found[-1] == 0.0
