"""What the adaptive master and the ladder share: members that fit, a filter, and experts."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.adaptive.state import Basis
from swapregret.learners.adaptive.swap_filter import PAIRS_LIMIT
from swapregret.learners.ingredients import Ingredients
from swapregret.learners.lazy import AdaptiveRate
from swapregret.learners.round.running_player import Master
from swapregret.learners.settings import Capacity, Step


@dataclass(frozen=True, repr=False)
class FilteredMaster(Master):
    """A master whose members follow least squares, and whose play is filtered and on small sets left to experts.

    Parameters
    ----------
    swap_filter, pooling, experts, least_squares : bool
        Each ingredient can be switched off.
    standard_errors, prior : float
        Of the filter: what a gain must exceed (``adaptive.swap_filter``), and the weight of the pooled mean in base windows.
    boldness : float
        How far a member that fits moves per standard error.
    capacity : int
        Most actions with a vector of their own.
    """

    swap_filter: bool = Ingredients.swap_filter
    pooling: bool = Ingredients.pooling
    experts: bool = Ingredients.experts
    least_squares: bool = Ingredients.least_squares
    standard_errors: Step = Ingredients.standard_errors
    prior: Step = 2.0
    boldness: Step = Ingredients.boldness
    capacity: Capacity = 8192
    plays_lists: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        as_integer(self.capacity, "capacity", 256)
        if not isinstance(self.learner.rates[0], AdaptiveRate):
            raise InvalidInput(
                "`rates` of the learner of an adaptive master must be adaptive", repr(self.learner.rates), "They adapt."
            )

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least: rows of its tables, where it asks for more of them than others do."""
        return max(super().least_numbers, self.capacity if self.capacity > FilteredMaster.capacity else 0)

    @property
    def fits(self) -> bool:
        """Tell whether members that do not restart follow least squares."""
        return self.least_squares and self.feedback != "full" and self.actions.dimension <= DENSE_LIMIT

    @cached_property
    def _basis(self) -> Basis:
        """Return the coordinates that members are fitted on: all of them, where every element is seen on its own."""
        d, rank = self.actions.dimension, self.actions.rank
        if not self.fits or self.feedback != "bandit" or rank == d:
            return Basis(np.arange(d), np.zeros((0, 0)))
        span, place = self.actions.span, np.full(d, -1)
        J = np.sort(span.coordinates)
        place[J] = np.arange(rank)
        return Basis(place, np.array([span.project(unit)[J] for unit in np.eye(d)[J]]))

    @property
    def _n_parts(self) -> int:
        """Return how many parts of actions the filter learns from; none where an action is one element, or there are very many."""
        d = self.actions.dimension
        if not (self.swap_filter and self.pooling and self.actions.size > 1 and d <= DENSE_LIMIT):
            return 0
        return d * (d - 1) // 2 if d <= PAIRS_LIMIT else d
