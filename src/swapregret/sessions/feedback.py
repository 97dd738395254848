"""What the world shows, checked and mapped to [0, 1] (deviation D15)."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Vector, real_numbers, shown
from swapregret.errors import InvalidReward
from swapregret.learners.player import Feedback
from swapregret.units import Units, read_range

__all__ = ["RewardReader"]

_SLACK = 1e-12


def _one_number(value: npt.ArrayLike) -> Vector:
    """Return a real number, or raise TypeError for text, truth values, dates, complex numbers and tables."""
    number = real_numbers(value)
    if number.ndim != 0 or np.asarray(value).dtype == bool:
        raise TypeError
    return number


@dataclass(frozen=True)
class RewardReader:
    """Reads rewards of a declared range for one kind of feedback.

    Parameters
    ----------
    actions : ActionSet
    feedback : {"bandit", "semi-bandit", "full"}
    low, high : float
        The least and the largest total reward an action can get.
    is_cost : bool
        Whether costs are read: a cost c is the reward −c, and ``low`` and ``high`` are minus the largest and the least cost.

    Notes
    -----
    A total r becomes (r − low)/(high − low). Where elements are seen one by one, each gives up its share of ``low``: an
    element becomes (r_i − low·u_i)/(high − low), where u·M = 1 for every action M; u is 1/m where all actions have m elements.
    A set without such a vector is refused unless low = 0.
    """

    actions: ActionSet
    feedback: Feedback
    low: float = 0.0
    high: float = 1.0
    is_cost: bool = False

    def __post_init__(self) -> None:
        read_range((self.low, self.high))
        if self.feedback != "bandit" and self.low != 0.0:
            _ = self._share  # refused where the set has no such vector

    @cached_property
    def units(self) -> Units:
        """Return what people count."""
        return Units(self.low, self.high, self.is_cost)

    @cached_property
    def _share(self) -> Vector:
        """What each element gives up: low·u."""
        return np.asarray(self.low * self.actions.constant_vector())

    def read(self, reward: npt.ArrayLike, action: Action) -> float | Vector:
        """Return the reward of a day on the scale of the learners, or refuse it."""
        if self.feedback == "bandit":
            return self._read_total(reward)
        return self._read_vector(reward, action)

    def _read_total(self, reward: npt.ArrayLike) -> float:
        try:
            value = reward if type(reward) is float else float(_one_number(reward))
        except (TypeError, ValueError, OverflowError):
            raise InvalidReward(
                "`reward` must be one number with bandit feedback",
                shown(reward),
                "Pass the total reward of the action.",
            ) from None
        value = self.units.reward(value)
        self._check_total(value)
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def _read_vector(self, reward: npt.ArrayLike, action: Action) -> Vector:
        d, chosen = self.actions.dimension, np.flatnonzero(action)
        try:
            values = real_numbers(reward).copy() if np.asarray(reward).dtype != bool else np.empty(0)
        except (TypeError, ValueError, OverflowError):
            values = np.empty(0)
        if self.feedback == "semi-bandit" and values.shape == (len(chosen),) and len(chosen) != d:
            spread = np.zeros(d)
            spread[chosen] = values
            values = spread
        if values.shape != (d,):
            expected = f"{len(chosen)} (one per chosen element, in order) or {d}" if self.feedback != "full" else str(d)
            raise InvalidReward(
                f"`reward` must be a vector of {expected} numbers with {self.feedback} feedback",
                shown(reward),
                "Pass the rewards of the elements.",
            )
        seen = values[chosen] if self.feedback == "semi-bandit" else values
        if not np.isfinite(seen).all():
            raise InvalidReward("`reward` must be finite", "NaN or infinity", "Leave the day out with skip().")
        values = self.units.reward(values)
        self._check_total(float(values[chosen].sum()))
        if self.feedback == "full":  # the whole vector is seen, so no action's total may leave the range
            self._check_total(float(values @ self.actions.argmax(values)))
            self._check_total(float(values @ self.actions.argmax(-values)))
        scaled = (values - (self._share if self.low else 0.0)) / (self.high - self.low)
        if self.feedback == "semi-bandit":
            scaled = np.where(action > 0, scaled, 0.0)
        return np.asarray(scaled)

    def _check_total(self, total: float) -> None:
        slack = _SLACK * max(abs(self.low), abs(self.high))
        if not (math.isfinite(total) and self.low - slack <= total <= self.high + slack):
            word, (low, high) = self.units.word, self.units.declared
            raise InvalidReward(
                f"the total {word} of an action must be a finite number in [{low:g}, {high:g}]",
                repr(self.units.reward(total)),
                f"Declare the true range: Session(..., {word}_range=(low, high)).",
            )
