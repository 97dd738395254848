"""Values of elements in a declared range, mapped to rewards whose totals lie in [0, 1]."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix
from swapregret.errors import InvalidReward
from swapregret.units import UNIT_REWARDS, Range, Units, read_units


@dataclass(frozen=True)
class ElementRange:
    r"""What elements may be worth, and how a table of such values becomes one of rewards.

    Parameters
    ----------
    actions : ActionSet
    units : Units
        The range of one element.
    is_declared : bool
        Whether somebody declared it: a play then reports in these units, otherwise on the scale [0, 1].

    Notes
    -----
    With r = ±value the reward of an element, L and H the least and the largest total an action can get, and u·M = 1 for every
    action M, an element pays (r − L·u)/(H − L). Totals then lie in [0, 1] and differ as the declared values do. Where all actions
    have m elements, and where r begins at 0, that is its level in the range, divided by the size of the largest action.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> ElementRange(MSets(3, 2), Units(-1.0, 1.0)).levels(np.array([[-1., 0., 1.]]))
    array([[0. , 0.5, 1. ]])
    """

    actions: ActionSet
    units: Units
    is_declared: bool = True

    @classmethod
    def read(cls, actions: ActionSet, reward_range: Range | None, cost_range: Range | None) -> "ElementRange":
        """Read which of the two ranges was declared; [0, 1] for rewards if none."""
        units = read_units(reward_range, cost_range, of_elements=True)
        return cls(actions, units, reward_range is not None or cost_range is not None)

    @property
    def reported(self) -> Units:
        """Return what a play reports in."""
        return self.totals if self.is_declared else UNIT_REWARDS

    @property
    def is_plain(self) -> bool:
        """Tell whether levels are places in the range, as where all actions have the same size or rewards begin at 0."""
        return self.actions.is_uniform or self.units.low == 0.0

    @property
    def payment(self) -> float | None:
        """Return what a level of 1 pays: 1/m, or 1 where levels are rewards already."""
        return None if self.is_plain else 1.0

    @cached_property
    def totals(self) -> Units:
        """The units of whole actions: the least and the largest total."""
        sizes = (self.actions.size, int(self.actions.argmax(-np.ones(self.actions.dimension)).sum()))
        low, high = min(self.units.low * m for m in sizes), max(self.units.high * m for m in sizes)
        return Units(low, high, self.units.is_cost)

    def levels(self, values: Matrix, *, first_day: int = 0) -> Matrix:
        """Map a table of values, or say which day and element lie outside the declared range."""
        low, high = self.units.declared
        wrong = ~((values >= low) & (values <= high))
        if wrong.any():
            day, element = np.argwhere(wrong)[0].tolist()
            raise InvalidReward(
                f"all values must be finite numbers in the declared range [{low:g}, {high:g}]",
                f"{values[day, element]} on day {day + first_day} at element {element}",
                f"Declare the true range with `{self.units.word}_range`, or mend the data.",
            )
        rewards = self.units.reward(values)
        if self.is_plain:
            return (rewards - self.units.low) / self.units.scale
        return np.asarray((rewards - self.totals.low * self.actions.constant_vector()) / self.totals.scale)
