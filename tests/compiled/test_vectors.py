"""Carried sums: exact where plain sums are not, and the same however they are cut."""

import math

import numpy as np

from swapregret.compiled.vectors import add_rows, carry_sum, is_parallel


def test_cuts_make_no_difference_and_digits_are_kept() -> None:
    """A sum of numbers of very different sizes, in one piece and in many, equals the exact one to the last bit."""
    values = np.random.default_rng(0).random(5000) ** 40
    whole, parts = np.zeros(2), np.zeros(2)
    carry_sum(whole, values)
    for part in np.split(values, [1, 2, 700, 4999]):
        carry_sum(parts, part)
    assert whole.tobytes() == parts.tobytes()
    assert float(whole.sum()) == math.fsum(values)


def test_multiples_are_parallel_and_others_are_not() -> None:
    """A positive multiple points in the same direction; a negative one, the zero vector and a vector changed by 1e-6 do not."""
    vector = np.random.default_rng(0).normal(size=45)
    changed = vector.copy()
    changed[7] += 1e-6 * np.linalg.norm(vector)
    assert all(is_parallel(factor * vector, vector) for factor in (1.0, 1 / 3, 1e-9, 7e8))
    assert not any(is_parallel(other, vector) for other in (-vector, np.zeros(45), changed))


def test_rows_are_added_whatever_their_number() -> None:
    """Zero to nine rows, each times a factor, are added as NumPy adds them."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(12, 5))
    for count in range(10):
        which, factors, target = rng.integers(12, size=count), rng.normal(size=count), rng.normal(size=5)
        wanted = target + factors @ rows[which]
        add_rows(target, rows, which, factors)
        assert np.allclose(target, wanted, rtol=0.0, atol=1e-13)
