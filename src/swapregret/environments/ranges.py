"""Values in a declared range, mapped to levels in [0, 1].

May touch: ``arrays``, ``errors``.
"""

import numpy as np

from swapregret.arrays import Matrix
from swapregret.arrays import as_range as two_numbers
from swapregret.errors import InvalidReward

__all__ = ["as_levels", "as_range"]


def as_range(reward_range: tuple[float, float]) -> tuple[float, float]:
    """Read two finite numbers, the smaller first."""
    return two_numbers(reward_range, "reward_range", "Give the least and the largest value an element can have.")


def as_levels(values: Matrix, low: float, high: float, *, first_day: int = 0) -> Matrix:
    """Map a table of values to [0, 1], or say which day and element lie outside the declared range.

    Examples
    --------
    >>> as_levels(np.array([[-1., 0., 1.]]), -1., 1.)
    array([[0. , 0.5, 1. ]])
    """
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        day, element = np.argwhere(wrong)[0].tolist()
        raise InvalidReward(
            f"all values must be finite numbers in the declared range [{low:g}, {high:g}]",
            f"{values[day, element]} on day {day + first_day} at element {element}",
            "Declare the true range with `reward_range`, or mend the data.",
        )
    return (values - low) / (high - low)
