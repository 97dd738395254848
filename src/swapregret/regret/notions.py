r"""External regret, against the best fixed action; internal, against the best single exchange; swap, against the best rule.

.. math:: \mathrm{Reg}_T = \max_{M^* \in \mathcal A} \sum_t R_t \cdot M^* - \mathbb E\Big[\sum_t R_t \cdot M_t\Big]

needs only two numbers of the ledger, Σ R_t and the expected reward, so it is exact whatever was played. An exchange says "whenever
you chose M, choose M' instead":

.. math:: \mathrm{IntReg}_T = \max_{M, M' \in \mathcal A} \mathbb E\Big[\sum_t \mathbb 1[M_t = M]\,(R_t\cdot M' - R_t\cdot M)\Big]
    = \max_M \Big(\max_{M'} V[M]\cdot M' - V[M]\cdot M\Big)

Swap regret is the sum of these gains over all M, against the best rule "whenever you chose M, choose φ(M) instead":

.. math:: \mathrm{SwapReg}_T = \max_{\phi:\mathcal A\to\mathcal A}
    \mathbb E\Big[\sum_t R_t\cdot\phi(M_t) - R_t\cdot M_t\Big]
    = \sum_M \max_{M'} V[M]\cdot M' - \mathbb E\Big[\sum_t R_t\cdot M_t\Big]

so swap ≥ internal ≥ 0. Maxima stand outside the expectation: replications are averaged in the ledger before they are taken
(deviation D16). ``swap_regret_per_run`` has its maximum inside.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Vector
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import OracleFault
from swapregret.regret.ledgers.answers import AnswerRule, Answers, answer, answer_samples, lower_sum
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.row_sums import pool_of, read_only
from swapregret.regret.measure import Regret, standard_error

if TYPE_CHECKING:
    from swapregret.regret.laziness import LazyTotals


def external_regret(actions: ActionSet, ledgers: "Sequence[Ledger | LazyTotals]") -> Regret:
    """Return the external regret of one run, or of the mean of several replications: one oracle call."""
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
    for policy, weight in zip(mean.policies, answers.rest_weights, strict=True):
        likely = min(float(weight), float(getattr(policy.policy, "largest_probability", 1.0)))
        spread = float(policy.value @ (actions.argmax(policy.value) - actions.argmax(-policy.value)))
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


def swap_regret(answers: Answers) -> Regret:
    """Return the swap regret of one run, or of the mean of several replications.

    Exact while no ledger reached its capacity and at most one policy without listed support was played (a fixed
    exploration policy: actions without a row have parallel V under it and share one best answer). Otherwise the bracket
    is certified, and the definition says what happened: ``upper`` splits what has no row, ``lower`` pools it.

    Examples
    --------
    >>> from swapregret import FinitePolicy, MSets
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> ledger = SwapLedger(MSets(2, 1))
    >>> ledger.record(FinitePolicy([[1, 0]], [1.]), np.array([0., 1.]))
    >>> ledger.record(FinitePolicy([[0, 1]], [1.]), np.array([1., 0.]))
    >>> swap_regret(answer(MSets(2, 1), [ledger.close()])).value
    2.0
    """
    mean = answers.ledger
    upper = answers.upper - mean.earned
    lower = upper
    if not answers.is_exact:  # one answer for all that has no row, or no answer but to actions that are whole in theirs
        known = float(answers.gains[mean.rows.whole].sum()) - answers.blur
        lower = min(upper, max(lower_sum(answers) - mean.earned, known))
    value = upper
    if mean.dropped is not None:  # Σ max V̂[M]·M' with dropped policies replaced by the actions drawn from them
        sampled = float(answer_samples(answers)[0].sum()) + float(answers.rest_best.sum())
        sampled += mean.pooled.split + mean.dropped.pooled.split
        value = min(max(sampled - mean.earned, lower), upper)
    _check_order(answers, upper)
    error = math.nan
    if len(answers.runs) > 1:
        rule = AnswerRule.of(answers)
        error = standard_error([rule.gain(part) for part in answers.runs])
    # below 0 is rounding, since a rule may change nothing
    value, lower, upper = (max(each, 0.0) for each in (value, lower, upper))
    return Regret(value, lower, upper, error, mean.n_days, _describe(mean, len(answers.runs)))


def swap_regret_per_run(actions: ActionSet, ledgers: Sequence[Ledger]) -> Regret:
    r"""Return swap regret with the maximum inside the expectation: the mean over replications of the swap regret of each.

    .. math:: \mathbb E\Big[\max_\phi \sum_t \sum_M p_t(M)\,(R_t\cdot\phi(M) - R_t\cdot M)\Big]

    Each replication may have a rule of its own, so this is never below the paper's notion (Jensen). It is the one that
    Dagan et al. (2024) and Peng and Rubinstein (2024) bound.

    Examples
    --------
    >>> from swapregret import FinitePolicy, MSets
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> runs = []
    >>> for rewards in ([1., 0.], [0., 1.]):
    ...     ledger = SwapLedger(MSets(2, 1))
    ...     ledger.record(FinitePolicy([[1, 0]], [1.]), np.array(rewards))
    ...     runs.append(ledger.close())
    >>> swap_regret_per_run(MSets(2, 1), runs).value, swap_regret(answer(MSets(2, 1), runs)).value
    (0.5, 0.0)
    """
    runs = list(ledgers)
    each = [swap_regret(answer(actions, [ledger])) for ledger in runs]
    value, lower, upper, n_days = np.mean([(run.value, *run.bracket, run.n_days) for run in each], axis=0).tolist()
    error = standard_error([run.value for run in each])
    what = f"swap regret, maximum over φ in every run, then the mean over runs, from {runs[0].source}{_notes(runs[0])}"
    return Regret(value, lower, upper, error, n_days, what)


def _describe(ledger: Ledger, n_runs: int) -> str:
    """Say in words what swap regret of this ledger is."""
    if ledger.source == "policies":
        words = "swap regret, maximum over φ outside the expectation (the paper's), from policies"
    else:
        words = f"swap regret of {ledger.source}: maximum over φ for the actions drawn, luck included (not the paper's)"
    return words + (f" of {n_runs} replications" if n_runs > 1 else "") + _notes(ledger)


def _notes(ledger: Ledger) -> str:
    """Say what keeps a value from being exact."""
    words = ""
    if ledger.pooled.n_pools:
        words += (
            f"; more reward vectors were met than the capacity of {ledger.capacity:,}: the upper end splits the others,"
            " the lower end pools them"
        )
    if ledger.dropped is not None:
        words += (
            f"; {ledger.dropped.n_policies:,.0f} policies without a listed support entered by sampled play, which can only be too"
            " high in expectation"
        )
    elif len(ledger.policies) > 1:
        words += f"; {len(ledger.policies)} policies without listed support: each on its own above, all together below"
    return words


def _check_order(answers: Answers, upper: float) -> None:
    """Refuse a swap regret below the external one: the oracle then does not maximise."""
    actions, mean = answers.actions, answers.ledger
    best = actions.argmax(mean.total)
    external = float(mean.total @ best) - mean.earned
    slack = 1e-9 * (1.0 + float(np.abs(mean.total).sum()))
    if upper < external - slack:
        raise OracleFault(
            "swap regret must be at least external regret",
            f"{upper!r} below {external!r}",
            f"The oracle of {actions!r} does not maximise: correct its argmax.",
        )
