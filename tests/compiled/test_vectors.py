"""Carried sums: exact where plain sums are not, and the same however they are cut."""

import math

import numpy as np

from swapregret.compiled.vectors import carry_sum


def test_cuts_make_no_difference_and_digits_are_kept() -> None:
    """A sum of numbers of very different sizes, in one piece and in many, equals the exact one to the last bit."""
    values = np.random.default_rng(0).random(5000) ** 40
    whole, parts = np.zeros(2), np.zeros(2)
    carry_sum(whole, values)
    for part in np.split(values, [1, 2, 700, 4999]):
        carry_sum(parts, part)
    assert whole.tobytes() == parts.tobytes()
    assert float(whole.sum()) == math.fsum(values)
