r"""External regret, against the best fixed action, and internal regret, against the best single exchange.

.. math:: \mathrm{Reg}_T = \max_{M^* \in \mathcal A} \sum_t R_t \cdot M^* - \mathbb E\Big[\sum_t R_t \cdot M_t\Big]

needs only two numbers of the ledger, Σ R_t and the expected reward, so it is exact whatever was played. An exchange says "whenever
you chose M, choose M' instead":

.. math:: \mathrm{IntReg}_T = \max_{M, M' \in \mathcal A} \mathbb E\Big[\sum_t \mathbb 1[M_t = M]\,(R_t\cdot M' - R_t\cdot M)\Big]
    = \max_M \Big(\max_{M'} V[M]\cdot M' - V[M]\cdot M\Big)

Swap regret is the sum of these gains over all M, internal regret their maximum; so swap ≥ internal ≥ 0.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Vector
from swapregret.compiled.bits import unpack_rows
from swapregret.regret.ledgers.answers import Answers, answer_samples
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.row_sums import pool_of, read_only
from swapregret.regret.measure import Regret, standard_error

if TYPE_CHECKING:
    from swapregret.regret.laziness import LazyTotals


def external_regret(actions: ActionSet, ledgers: "Sequence[Ledger | LazyTotals]") -> Regret:
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
    error = standard_error([float(part.total @ best) - part.earned for part in parts])
    days = float(np.mean([part.n_days for part in parts]))
    definition = f"external regret: best fixed action in hindsight minus expected reward, from {parts[0].source}"
    return Regret.point(value, error, days, definition)


def internal_regret(answers: Answers) -> Regret:
    """Return the internal regret of one run, or of the mean of several replications."""
    mean = answers.ledger
    gains, blur = answers.gains, answers.blur
    value = float(gains.max(initial=0.0))
    lower = max(0.0, float(gains[mean.rows.whole].max(initial=0.0)) - blur)
    upper = max(value, _unlisted(answers, gains)) + blur
    if not answers.is_exact:
        upper = max(lower, min(upper, answers.upper - mean.earned))  # internal regret never exceeds swap regret
    if mean.dropped is not None:
        best, kept = answer_samples(answers)
        value = float((best - kept).max(initial=0.0))
    value = min(max(value, lower), upper)
    error = _standard_error(answers, gains) if len(answers.runs) > 1 and len(gains) else math.nan
    words = f"internal regret: best single exchange of one action for another, from {mean.source}"
    if lower < upper:
        words += "; the value is the best among actions with an entry or drawn, the bracket covers all others"
    return Regret(value, lower, upper, error, mean.n_days, words)


def _unlisted(answers: Answers, gains: Vector) -> float:
    """Bound the gain of exchanging an action that has no row, or not all of it in its row."""
    actions, mean, extra = answers.actions, answers.ledger, 0.0
    for law, weight in zip(mean.laws, answers.rest_weights, strict=True):
        likely = min(float(weight), float(getattr(law.policy, "largest_probability", 1.0)))
        spread = float(law.value @ (actions.argmax(law.value) - actions.argmax(-law.value)))
        extra += likely * spread
    bound = extra
    if mean.pooled.n_pools:
        bound = max(bound, float(mean.pooled.gains.max(initial=0.0)) + extra)
        loose = ~mean.rows.whole
        place = pool_of(read_only(mean.rows.keys[loose]), mean.pooled.n_pools)
        bound = max(bound, float((gains[loose] + mean.pooled.gains[place]).max(initial=0.0)))
    return bound


def _standard_error(answers: Answers, gains: Vector) -> float:
    """Return the error of the mean gain of the one exchange that is best on average."""
    row = int(np.argmax(gains))
    key, choice = answers.ledger.rows.keys[row : row + 1], answers.choices[row : row + 1]
    added, taken = (unpack_rows(read_only(words), len(answers.ledger.total))[0] for words in (choice, key))
    each = [part.rows.total((part.rows.keys == key).all(axis=1)) @ (added - taken) for part in answers.runs]
    return standard_error([float(gain) for gain in each])
