r"""External regret: against the best fixed action.

.. math:: \mathrm{Reg}_T = \max_{M^* \in \mathcal A} \sum_t R_t \cdot M^* - \mathbb E\Big[\sum_t R_t \cdot M_t\Big]

May touch: ``actions.base``, ``regret.ledger``, ``regret.measure``.
"""

import math
from collections.abc import Sequence

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.regret.ledger import Ledger
from swapregret.regret.measure import Regret

__all__ = ["external_regret"]

DEFINITION = "external regret: best fixed action in hindsight minus expected reward, from policies"


def external_regret(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    """Return the external regret of one run, or of the mean of several replications.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledger import SwapLedger
    >>> ledger = SwapLedger(2)
    >>> ledger.record(FinitePolicy([[1, 0], [0, 1]], [.5, .5]), np.array([1., 0.]))
    >>> external_regret(MSets(2, 1), [ledger.close()]).value
    0.5
    """
    mean = Ledger.mean(ledgers)
    best = actions.argmax(mean.total)
    value = float(best @ mean.total) - mean.earned
    each = [float(best @ part.total) - part.earned for part in ledgers]
    error = float(np.std(each, ddof=1)) / math.sqrt(len(each)) if len(each) > 1 else math.nan
    return Regret(value, value, value, error, mean.n_days, DEFINITION)
