"""Room on the stack of a kernel."""

from typing import Any

import numpy as np

from swapregret.compiled.address import scratch
from swapregret.compiled.kernel import kernel


@kernel
def _polynomial(roots: Any) -> float:
    """Return the sum of the coefficients of ∏(x + root), which is ∏(1 + root)."""
    n = len(roots)
    total = 0.0
    for _ in range(10):  # every call has room of its own, given back when it returns
        coefficients = scratch(n + 1)
        coefficients[:] = 0.0
        coefficients[0] = 1.0
        for i in range(n):
            for j in range(n, 0, -1):
                coefficients[j] += roots[i] * coefficients[j - 1]
        total = 0.0
        for j in range(coefficients.size):
            total += coefficients[j]
    return total


def test_room_is_an_array_whether_its_length_is_known_or_not() -> None:
    """A tuple, whose length compiled code knows, an array, and plain Python give the same number."""
    roots = (1.0, 2.0, 3.0)
    assert _polynomial(roots) == _polynomial(np.array(roots)) == _polynomial.__wrapped__(roots) == 24.0  # type: ignore[attr-defined]
