"""Algorithms that list all actions, in compiled blocks.

Each of them knows how to run its days (``run_days``), by the kernels it is stepped with; what they share is the tape of
laws, a row of N shares for each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.kernels.listed_steps import ListedLog
from swapregret.learners.baselines.blum_mansour import BlumMansour
from swapregret.learners.baselines.exp3 import Exp3
from swapregret.learners.baselines.ito import Ito
from swapregret.learners.baselines.listing import ActionTable
from swapregret.learners.baselines.regret_matching import RegretMatching
from swapregret.learners.baselines.stoltz import Stoltz
from swapregret.learners.baselines.treeswap import TreeSwap
from swapregret.learners.baselines.tsallis_inf import TsallisINF
from swapregret.policy import Policy

__all__ = ["ListedBlock", "ListedEngine", "ListedPlayer"]

ListedPlayer = BlumMansour | Exp3 | Ito | RegretMatching | Stoltz | TreeSwap | TsallisINF
_KINDS = (BlumMansour, Exp3, Ito, RegretMatching, Stoltz, TreeSwap, TsallisINF)
_TAPED = 2**21


@dataclass(frozen=True, eq=False)
class ListedBlock:
    """A block of days, played.

    Attributes
    ----------
    state : object
        After the last day.
    received : Vector
        The reward of each day.
    chosen : int64 array
        The number of the action played each day.
    starts : int64 array, shape (n,)
        The first day of each law; none unless laws were wanted.
    shares : Matrix, shape (n, N)
        The laws, a weight for each action of the table.
    first, last : Policy
        The law of the first day, and that of the last if it is also that of the day after; the same objects as in the
        states before and after. ``last`` is None where the law has ended.
    table : ActionTable
    """

    state: Any
    received: Vector
    chosen: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    shares: Matrix
    first: Policy
    last: Policy | None
    table: ActionTable

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Make the laws that were played, one after the other, each with where in the block it began."""
        count = len(self.starts)
        for index, start in enumerate(self.starts.tolist()):
            if index == 0:
                yield start, self.first
            elif index == count - 1 and self.last is not None:
                yield start, self.last
            else:
                yield start, self.table.law_again(self.shares[index]).policy

    @property
    def plays(self) -> Actions:
        """Return the actions that were played, one a row."""
        return self.table.rows[self.chosen]


@dataclass(frozen=True)
class ListedEngine:
    """Runs blocks for an algorithm that lists all actions.

    Parameters
    ----------
    player : ListedPlayer
    keeps_laws : bool
        Whether to hand out the laws that were played; the actions always are.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.exp3(sr.MSets(4, 2), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = ListedEngine(player).run(player.start(rng), rng, np.full((50, 4), 0.25))
    >>> float(block.received.sum()), block.state.day
    (25.0, 50)
    """

    player: ListedPlayer
    keeps_laws: bool = False

    @staticmethod
    def can_run(player: Any) -> TypeGuard[ListedPlayer]:
        """Tell whether a player is one of those algorithms."""
        return type(player) in _KINDS

    @property
    def most_days(self) -> int | None:
        """Return how many days a block may have, so that its laws are not too much to keep."""
        player: Any = self.player
        return max(1, _TAPED // player.table.n_actions) if self.keeps_laws else None

    def run(self, state: Any, rng: np.random.Generator, rewards: Matrix) -> ListedBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        n_days, n_laws = len(rewards), len(rewards) if self.keeps_laws else 0
        player: Any = self.player
        log = ListedLog(
            np.empty(n_days),
            np.empty(n_days, dtype=np.int64),
            np.empty(n_laws, dtype=np.int64),
            np.empty((n_laws, player.table.n_actions)),
            np.zeros(2, dtype=np.int64),
        )
        after = player.run_days(state, rng, np.require(rewards, np.float64, ["C", "W"]), log)
        count = int(log.filled[0]) if n_laws else 0
        first, last = player.policy(state), player.policy(after) if log.filled[1] else None
        starts, shares = log.starts[:count], log.shares[:count]
        return ListedBlock(after, log.received, log.chosen, starts, shares, first, last, player.table)
