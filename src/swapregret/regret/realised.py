r"""Regrets of the actions that were actually drawn, instead of the policies that drew them.

.. math:: \max_\phi \sum_t R_t\cdot\phi(M_t) - R_t\cdot M_t

A rule φ may now exploit which actions luck happened to draw, so this is above the notions that use policies, and the
more so the more actions there are (on one toy run 16.05 against 6.57). It is all that a log of plays can give.
"""

import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Actions, Matrix
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.reading import read_plays, read_rewards

__all__ = ["realised_ledger"]


def realised_ledger(
    actions: ActionSet, plays: npt.ArrayLike, rewards: npt.ArrayLike, *, capacity: int | None = None
) -> Ledger:
    """Return the ledger of one action and one reward vector a day.

    Parameters
    ----------
    actions : ActionSet
    plays : array_like, shape (T, dimension)
        0/1 rows, each an action of the set.
    rewards : array_like, shape (T, dimension)
    capacity : int, optional
        As of :class:`~swapregret.regret.ledgers.ledger.SwapLedger`.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> realised_ledger(MSets(2, 1), [[1, 0], [1, 0]], [[1., 0.], [0., 5.]]).values.tolist()
    [[1.0, 5.0]]
    """
    rows: Actions = read_plays(actions, plays)
    vectors: Matrix = read_rewards(rewards, len(rows), actions.dimension)
    ledger = SwapLedger(actions, capacity=capacity)
    ledger.record_plays(rows, vectors)
    return ledger.close()
