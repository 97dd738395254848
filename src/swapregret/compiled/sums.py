"""Sums that are carried from block to block."""

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel

__all__ = ["carry_sum"]


@kernel
def carry_sum(carried: Floats, values: Floats) -> None:
    """Add values to a sum carried as (sum, what rounding has lost): the same bits however the values are cut up.

    Neumaier's compensated summation; the two numbers together are as exact as one rounding.
    """
    total, lost = carried[0], carried[1]
    for i in range(values.size):
        new = total + values[i]
        if abs(total) >= abs(values[i]):
            lost += (total - new) + values[i]
        else:
            lost += (values[i] - new) + total
        total = new
    carried[0], carried[1] = total, lost
