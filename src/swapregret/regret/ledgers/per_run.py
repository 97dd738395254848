r"""Swap regret with the maximum inside the expectation: the mean of per-run maxima.

.. math:: \mathbb E\Big[\max_\phi \sum_t \sum_M p_t(M)\,(R_t\cdot\phi(M) - R_t\cdot M)\Big]

Each replication may have a rule of its own, so this is never below the paper's notion (Jensen). It is the one that
Dagan et al. (2024) and Peng and Rubinstein (2024) bound.
"""

from collections.abc import Sequence

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.swap import notes, swap_regret

__all__ = ["swap_regret_per_run"]


def swap_regret_per_run(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    """Return the mean over replications of the swap regret of each.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> runs = []
    >>> for rewards in ([1., 0.], [0., 1.]):
    ...     ledger = SwapLedger(MSets(2, 1))
    ...     ledger.record(FinitePolicy([[1, 0]], [1.]), np.array(rewards))
    ...     runs.append(ledger.close())
    >>> swap_regret_per_run(MSets(2, 1), runs).value, swap_regret(MSets(2, 1), runs).value
    (0.5, 0.0)
    """
    runs = list(ledgers)
    each = [swap_regret(actions, [ledger]) for ledger in runs]
    values = [regret.value for regret in each]
    error = standard_error(values)
    return Regret(
        float(np.mean(values)),
        float(np.mean([regret.lower for regret in each])),
        float(np.mean([regret.upper for regret in each])),
        error,
        float(np.mean([regret.n_days for regret in each])),
        f"swap regret, maximum over φ in every run, then the mean over runs, from {runs[0].source}{notes(runs[0])}",
    )
