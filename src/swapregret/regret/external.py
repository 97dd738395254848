r"""External regret: against the best fixed action.

.. math:: \mathrm{Reg}_T = \max_{M^* \in \mathcal A} \sum_t R_t \cdot M^* - \mathbb E\Big[\sum_t R_t \cdot M_t\Big]

Only two numbers of the ledger are needed, Σ R_t and the expected reward, so it is exact whatever was played.
"""

from collections.abc import Sequence

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.measure import Regret, standard_error

__all__ = ["external_regret"]


def external_regret(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    """Return the external regret of one run, or of the mean of several replications: one oracle call.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> ledger = SwapLedger(MSets(2, 1))
    >>> ledger.record(FinitePolicy([[1, 0], [0, 1]], [.5, .5]), np.array([1., 0.]))
    >>> external_regret(MSets(2, 1), [ledger.close()]).value
    0.5
    """
    parts = list(ledgers)
    total = np.mean([part.total for part in parts], axis=0)
    best = actions.argmax(total)
    value = float(total @ best) - float(np.mean([part.earned for part in parts]))
    each = [float(part.total @ best) - part.earned for part in parts]
    error = standard_error(each)
    days = float(np.mean([part.n_days for part in parts]))
    definition = f"external regret: best fixed action in hindsight minus expected reward, from {parts[0].source}"
    return Regret(value, value, value, error, days, definition)
