r"""Swap regret: against the best rule "whenever you chose M, choose φ(M) instead".

.. math:: \mathrm{SwapReg}_T = \max_{\phi:\mathcal A\to\mathcal A}
    \mathbb E\Big[\sum_t R_t\cdot\phi(M_t) - R_t\cdot M_t\Big]
    = \sum_M \max_{M'} V[M]\cdot M' - \mathbb E\Big[\sum_t R_t\cdot M_t\Big]

The maximum stands outside the expectation: replications are averaged in the ledger before it is taken (deviation D16).
``swap_regret_per_run`` has it inside.
"""

import math
from collections.abc import Sequence

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.errors import OracleFault
from swapregret.regret.ledgers.answers import Answers, Rule, answer, answer_samples, lower_sum
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.merge import mean_ledger
from swapregret.regret.measure import Regret, standard_error


def swap_regret(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    """Return the swap regret of one run, or of the mean of several replications, one ledger each.

    Exact while no ledger reached its capacity and at most one law without listed support was played (a fixed
    exploration law: actions without a row have parallel V under it and share one best answer). Otherwise the bracket
    is certified, and the definition says what happened: ``upper`` splits what has no row, ``lower`` pools it.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> ledger = SwapLedger(MSets(2, 1))
    >>> ledger.record(FinitePolicy([[1, 0]], [1.]), np.array([0., 1.]))
    >>> ledger.record(FinitePolicy([[0, 1]], [1.]), np.array([1., 0.]))
    >>> swap_regret(MSets(2, 1), [ledger.close()]).value
    2.0
    """
    parts = list(ledgers)
    return measure_swap(actions, answer(actions, mean_ledger(parts)), parts)


def swap_regret_per_run(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    r"""Return swap regret with the maximum inside the expectation: the mean over replications of the swap regret of each.

    .. math:: \mathbb E\Big[\max_\phi \sum_t \sum_M p_t(M)\,(R_t\cdot\phi(M) - R_t\cdot M)\Big]

    Each replication may have a rule of its own, so this is never below the paper's notion (Jensen). It is the one that
    Dagan et al. (2024) and Peng and Rubinstein (2024) bound.

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


def measure_swap(actions: ActionSet, answers: Answers, ledgers: Sequence[Ledger]) -> Regret:
    """Read swap regret off the answers to the mean of some ledgers."""
    mean = answers.ledger
    upper = answers.upper - mean.earned
    lower = upper
    if not answers.is_exact:  # one answer for all that has no row, or no answer but to actions that are whole in theirs
        known = float(answers.gains[mean.rows.whole].sum()) - answers.blur
        lower = min(upper, max(lower_sum(actions, answers) - mean.earned, known))
    value = upper
    if mean.dropped is not None:
        value = min(max(_sampled_sum(actions, answers) - mean.earned, lower), upper)
    _check_order(actions, mean, upper)
    error = math.nan
    if len(ledgers) > 1:
        rule = Rule.of(actions, answers)
        error = standard_error([rule.gain(part) for part in ledgers])
    # below 0 is rounding, since a rule may change nothing
    value, lower, upper = (max(each, 0.0) for each in (value, lower, upper))
    return Regret(value, lower, upper, error, mean.n_days, describe_swap(mean, len(ledgers)))


def describe_swap(ledger: Ledger, n_runs: int) -> str:
    """Say in words what swap regret of this ledger is."""
    if ledger.source == "policies":
        words = "swap regret, maximum over φ outside the expectation (the paper's), from policies"
    else:
        words = f"swap regret of {ledger.source}: maximum over φ for the actions drawn, luck included (not the paper's)"
    return words + (f" of {n_runs} replications" if n_runs > 1 else "") + notes(ledger)


def notes(ledger: Ledger) -> str:
    """Say what keeps a value from being exact."""
    words = ""
    if ledger.pooled.n_pools:
        words += (
            f"; more reward vectors were met than the capacity of {ledger.capacity:,}: the upper end splits the others,"
            " the lower end pools them"
        )
    if ledger.dropped is not None:
        words += (
            f"; {ledger.dropped.n_laws:,.0f} policies without a listed support entered by sampled play, which can only be too"
            " high in expectation"
        )
    elif len(ledger.laws) > 1:
        words += f"; {len(ledger.laws)} laws without listed support: each on its own above, all together below"
    return words


def _sampled_sum(actions: ActionSet, answers: Answers) -> float:
    """Return Σ max V̂[M]·M' with dropped laws replaced by the actions drawn from them."""
    dropped = answers.ledger.dropped
    assert dropped is not None
    best, _ = answer_samples(actions, answers)
    split = answers.ledger.pooled.split + dropped.pooled.split
    return float(best.sum()) + float(answers.rest_best.sum()) + split


def _check_order(actions: ActionSet, mean: Ledger, upper: float) -> None:
    """Refuse a swap regret below the external one: the oracle then does not maximise."""
    best = actions.argmax(mean.total)
    external = float(mean.total @ best) - mean.earned
    slack = 1e-9 * (1.0 + float(np.abs(mean.total).sum()))
    if upper < external - slack:
        raise OracleFault(
            "swap regret must be at least external regret",
            f"{upper!r} below {external!r}",
            f"The oracle of {actions!r} does not maximise: correct its argmax.",
        )
