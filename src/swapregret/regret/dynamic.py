r"""Dynamic regret: against the best action of every day.

.. math:: \sum_t \max_{M} R_t\cdot M - \mathbb E\Big[\sum_t R_t\cdot M_t\Big]

No rule "whenever you chose M, choose φ(M)" can gain more, so swap regret lies below it.
"""

import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix
from swapregret.regret.interval import interval_regret, windows_of
from swapregret.regret.measure import Regret

__all__ = ["dynamic_regret"]


def dynamic_regret(actions: ActionSet, rewards: Matrix, earned: npt.ArrayLike) -> Regret:
    """Return the dynamic regret of one run; one oracle call a day.

    Parameters
    ----------
    actions : ActionSet
    rewards : Matrix, shape (T, dimension)
    earned : array_like, shape (T,)
        The (expected) reward of the play, day by day.

    Examples
    --------
    >>> import numpy as np
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> dynamic_regret(MSets(2, 1), np.array([[1., 0.], [0., 1.]]), [1., 0.]).value
    1.0
    """
    return interval_regret([windows_of(actions, rewards, earned, 1)])
