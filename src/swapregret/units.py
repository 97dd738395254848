"""The units people count in: rewards or costs of a declared range, and how both become rewards in [0, 1].

This is the one place that turns a cost into a reward: a cost c is the reward −c, so costs in [low, high] are rewards in
[−high, −low]. Regrets are differences of rewards, so they have the same size and sign whether rewards or costs are counted.
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import real_number
from swapregret.counts import shown
from swapregret.errors import InvalidInput, InvalidReward

Range = tuple[float, float]
"""The least and the largest value, the smaller first."""
_Values = TypeVar("_Values", float, npt.NDArray[np.float64])
_SLACK = 1e-9
"""By how much of its length a range may be missed: rounding."""


@dataclass(frozen=True)
class Units:
    """Rewards or costs of a declared range.

    Attributes
    ----------
    low, high : float
        The least and the largest reward; of costs, minus the largest and minus the least cost.
    is_cost : bool
        Whether people count costs.

    Examples
    --------
    >>> minutes = read_units(None, (5, 45))
    >>> minutes.reward(20.0), minutes.scale, minutes.amount(0.625)
    (-20.0, 40.0, 20.0)
    """

    low: float = 0.0
    high: float = 1.0
    is_cost: bool = False

    @property
    def scale(self) -> float:
        """Return how much one unit of reward on the scale [0, 1] is: the length of the range."""
        return self.high - self.low

    @property
    def word(self) -> str:
        """Return what is counted: "cost" or "reward"."""
        return "cost" if self.is_cost else "reward"

    @property
    def declared(self) -> Range:
        """Return the range as people declared it, of rewards or of costs."""
        return (0.0 - self.high, 0.0 - self.low) if self.is_cost else (self.low, self.high)

    def reward(self, value: _Values) -> _Values:
        """Return the reward behind what people count: a cost c is the reward −c."""
        return 0.0 - value if self.is_cost else value

    def check(self, values: npt.NDArray[np.float64], what: str) -> None:
        """Refuse the first row, counted from 1, that has a value outside the declared range; ``what`` has the rows."""
        (low, high), slack = self.declared, _SLACK * self.scale
        wrong = np.argwhere(~((values >= low - slack) & (values <= high + slack)))
        if len(wrong):
            row, *column = wrong[0].tolist()
            raise InvalidReward(
                f"row {row + 1} of {what} must lie in the declared range [{low:g}, {high:g}]",
                repr(float(values[(row, *column)])) + "".join(f" in column {each}" for each in column),
                f"Declare the true `{self.word}_range`, or correct the log.",
            )

    def shares(self, totals: npt.NDArray[np.float64], what: str) -> npt.NDArray[np.float64]:
        """Return totals as rewards on the scale [0, 1], or refuse the first that is outside the declared range."""
        self.check(totals, what)
        return np.clip((self.reward(totals) - self.low) / self.scale, 0.0, 1.0)

    def amount(self, share: float) -> float:
        """Return what people count behind a reward on the scale [0, 1]."""
        return float(self.reward(self.low + share * self.scale))


UNIT_REWARDS = Units()
"""Rewards in [0, 1], the scale of the learners."""


def read_range(given: object, name: str = "reward_range", what: str = "total reward an action can get") -> Range:
    """Read the declared range of values, two finite numbers with the smaller first, or say what is wrong with it."""
    try:
        if isinstance(given, str | bytes | set | frozenset | dict):
            raise TypeError
        low, high = map(real_number, given)  # type: ignore[call-overload]
        if not (low < high and math.isfinite(high - low)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            f"`{name}` must be two finite numbers, the smaller first",
            shown(given),
            f"Give the least and the largest {what}.",
        ) from None
    return low, high


def read_units(reward_range: Range | None, cost_range: Range | None, *, of_elements: bool = False) -> Units:
    """Read which of the two ranges was declared, of whole actions or ``of_elements``: [0, 1] for rewards if none."""
    if reward_range is not None and cost_range is not None:
        raise InvalidInput(
            "`reward_range` and `cost_range` must not both be given",
            f"{reward_range!r} and {cost_range!r}",
            "Count either rewards, the more the better, or costs, the less the better.",
        )
    what = "{} an element can have" if of_elements else "total {} an action can get"
    if cost_range is not None:
        low, high = read_range(cost_range, "cost_range", what.format("cost"))
        return Units(0.0 - high, 0.0 - low, is_cost=True)
    if reward_range is None:
        return UNIT_REWARDS
    return Units(*read_range(reward_range, "reward_range", what.format("reward")))
