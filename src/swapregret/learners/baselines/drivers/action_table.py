"""All actions of a set as a list, or a refusal that says what a run on them would take."""

from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Integers, Words
from swapregret.compiled.bits import pack_action
from swapregret.compiled.kernel import kernel
from swapregret.counts import bytes_in_words, count_in_words, duration_in_words
from swapregret.errors import TooLarge
from swapregret.policy import FinitePolicy

_BEYOND = 10**90


@dataclass(frozen=True)
class Cost:
    """What one day of an algorithm takes on N actions of dimension d: measured constants on one core.

    Parameters
    ----------
    name : str
    limit : int
        The largest N it accepts unless told otherwise.
    base : float
        Seconds per day that do not depend on N.
    per_action, per_pair, per_triple : float
        Seconds per day for each action, for each pair and for each triple of actions.
    vectors, matrices : int
        Arrays of N and of N² numbers it keeps.
    """

    name: str
    limit: int
    base: float
    per_action: float
    per_pair: float = 0.0
    per_triple: float = 0.0
    vectors: int = 6
    matrices: int = 0

    def sentence(self, n: float, dimension: int, horizon: int) -> str:
        """Say what a run on N actions would take, about.

        Examples
        --------
        >>> Cost("a", 10, 0.0, 0.0, 1e-6, matrices=2).sentence(10_000, 20, 3600)
        '4.2 days and 1.6 GB'
        """
        day = self.base + self.per_action * n + self.per_pair * n**2 + self.per_triple * n**3
        memory = 8.0 * n * (2.0 * dimension + self.vectors + self.matrices * n)
        return f"{duration_in_words(horizon * day)} and {bytes_in_words(memory)}"


@kernel
def place_of(words: Words, action: Integers) -> int:
    """Return the number of an action in a list in canonical order, by bisection."""
    row = np.empty(words.shape[1], dtype=np.uint64)
    pack_action(action, row)
    low, high = 0, words.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        w = row.size - 1
        while w > 0 and words[middle, w] == row[w]:
            w -= 1
        if words[middle, w] < row[w]:
            low = middle + 1
        else:
            high = middle
    return low


def list_actions(actions: ActionSet, horizon: int, cost: Cost, limit: int | None = None) -> FinitePolicy:
    """List all actions, in canonical order, as the uniform policy; or refuse with an estimate of what a run would take.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        For the estimate.
    cost : Cost
    limit : int, optional
        Takes the place of ``cost.limit``.

    Raises
    ------
    TooLarge
    """
    most, count, rows = cost.limit if limit is None else limit, actions.n_actions, None
    if count is None or count <= most:
        try:
            rows = actions.enumerate(most)
        except TooLarge:
            if count is not None:
                raise
    if rows is None:
        many = "more" if count is None else count_in_words(count)
        run = cost.sentence(float(most if count is None else min(count, _BEYOND)), actions.dimension, horizon)
        raise TooLarge(
            f"`actions` of {cost.name} must have at most {most:,} actions",
            f"{many}, for which {horizon:,} days would take {'over ' if count is None else ''}{run}",
            "Use swap_combcp, whose cost does not depend on the number of actions, or raise `limit`.",
        ) from None
    return FinitePolicy(rows, np.full(len(rows), 1.0 / len(rows)))
