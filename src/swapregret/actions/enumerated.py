"""What follows from a best action alone: which vectors are actions, and the list of all."""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from swapregret.actions.labelled import Labelled
from swapregret.arrays import Action, Actions, as_action, as_integer, check_memory
from swapregret.counts import count_in_words
from swapregret.errors import InvalidAction, TooLarge
from swapregret.geometry.enumeration import enumerate_actions

ENUMERATION_LIMIT = 100_000
"""How many actions ``enumerate`` lists before it asks to be told otherwise."""


class Enumerated(Labelled):
    """Vectors of zeros and ones with labels, of which a best one is known for all weights."""

    @abstractmethod
    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return an action that maximises ``weights · M``."""

    @property
    def n_actions(self) -> int | None:
        """Return the exact number of actions, or None where it is not known."""
        return None

    def __contains__(self, action: object) -> bool:
        """Tell whether a vector is an action."""
        try:
            vector = as_action(action, self.dimension)  # type: ignore[arg-type]
        except InvalidAction:
            return False
        return self._is_action(vector)

    def _is_action(self, vector: Action) -> bool:
        """Tell whether zeros and ones are an action: M is the only maximiser of (2M − 1)·M' over all 0/1 vectors."""
        return bool(np.array_equal(self.argmax(2.0 * vector - 1.0), vector))

    def enumerate(self, limit: int = ENUMERATION_LIMIT) -> Actions:
        """List all actions, one per row, in canonical order.

        Raises
        ------
        TooLarge
            If there are more than ``limit`` of them.
        """
        limit = as_integer(limit, "limit", 0)
        if self.n_actions is not None and self.n_actions > limit:
            raise _too_many(limit, f"{count_in_words(self.n_actions)} actions")
        if self.n_actions is not None:
            check_memory(self.n_actions, "a list of all actions", 8 * self.dimension)
        rows: list[Action] = []
        for row in self._actions():
            if len(rows) == limit:
                raise _too_many(limit, "more")
            rows.append(row)
        table = np.array(rows, dtype=np.int64)
        return table[np.lexsort(table.T)]

    def _actions(self) -> Iterator[Action]:
        """Yield every action once, in any order."""
        return enumerate_actions(self)


def _too_many(limit: int, came: str) -> TooLarge:
    return TooLarge(
        f"the set must have at most `limit` = {limit:,} actions to be listed",
        came,
        "Raise `limit`, or work with marginals and policies, which need no list.",
    )
