r"""Swap regret: against the best rule "whenever you chose M, choose φ(M) instead".

.. math:: \mathrm{SwapReg}_T = \max_{\phi:\mathcal A\to\mathcal A}
    \mathbb E\Big[\sum_t R_t\cdot\phi(M_t) - R_t\cdot M_t\Big]
    = \sum_M \max_{M'} V[M]\cdot M' - \mathbb E\Big[\sum_t R_t\cdot M_t\Big]

The maximum stands outside the expectation: replications are averaged in the ledger before it is taken (deviation D16).
One oracle call an action ever played gives it exactly, whatever the number of actions that exist.

May touch: ``actions.base``, ``regret.ledger``, ``regret.measure``.
"""

import math
from collections.abc import Sequence

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Actions
from swapregret.regret.ledger import Ledger
from swapregret.regret.measure import Regret

__all__ = ["swap_regret"]

DEFINITION = "swap regret, maximum over φ outside the expectation (the paper's), from policies"


def swap_regret(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    """Return the swap regret of one run, or of the mean of several replications.

    Policies whose support is not listed enter exactly as long as there is only one of them (a fixed exploration law):
    listed actions get their share by its ``probability``, all others have parallel rows of V and so share one best
    answer. With several, treating each on its own gives the upper end of the bracket, one common answer for all of
    them the lower.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledger import SwapLedger
    >>> ledger = SwapLedger(2)
    >>> ledger.record(FinitePolicy([[1, 0]], [1.]), np.array([0., 1.]))
    >>> ledger.record(FinitePolicy([[0, 1]], [1.]), np.array([1., 0.]))
    >>> swap_regret(MSets(2, 1), [ledger.close()]).value
    2.0
    """
    mean = Ledger.mean(ledgers)
    values = mean.values
    remainders = []
    for law, share in mean.implicit:
        probabilities = np.array([law.probability(action) for action in mean.actions])
        values = values + probabilities[:, None] * share
        remainders.append(max(0.0, 1.0 - float(probabilities.sum())) * share)
    answers = np.array([actions.argmax(row) for row in values], dtype=np.int64).reshape(-1, actions.dimension)
    listed = float((answers * values).sum())
    upper = listed + sum(float(actions.argmax(rest) @ rest) for rest in remainders)
    lower = upper
    if len(remainders) > 1:
        pooled = np.sum(remainders, axis=0)
        lower = listed + float(actions.argmax(pooled) @ pooled)
    error = _standard_error(mean, ledgers, answers) if len(ledgers) > 1 else math.nan
    return Regret(upper - mean.earned, lower - mean.earned, upper - mean.earned, error, mean.n_days, DEFINITION)


def _standard_error(mean: Ledger, ledgers: Sequence[Ledger], answers: Actions) -> float:
    """Return the error of the mean gain of the one rule φ that is best on average; unlisted play keeps its reward."""
    position = {action.tobytes(): index for index, action in enumerate(mean.actions)}
    gains = []
    for part in ledgers:
        rows = [position[action.tobytes()] for action in part.actions]
        gains.append(float((answers[rows] * part.values).sum()) - part.earned)
    return float(np.std(gains, ddof=1)) / math.sqrt(len(gains))
