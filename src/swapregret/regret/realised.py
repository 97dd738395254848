r"""How far realised swap regret may be from the swap regret of the policies, at a stated confidence.

On day t the policy p_t draws :math:`M_t`, and r_t is met, with mean R_t whatever is drawn. For actions M, M' the days' differences

.. math:: X_t = \mathbb 1[M_t = M]\,r_t\cdot(M' - M) - p_t(M)\,R_t\cdot(M' - M)

have mean 0 given the past. They are at most 2, since totals lie in [0, 1], and the sum of their variances is at most
:math:`n_M = \sum_t p_t(M)`. Freedman's inequality (1975): such a sum reaches

.. math:: x(v, L) = \tfrac23 L + \sqrt{\tfrac49 L^2 + 2vL}

while the sum of variances is at most v with probability :math:`e^{-L}` at most. Two ways to use it, each with half of δ:

* *Pair by pair.* With v = 1, 2, 4, … up to the days, both signs and all N² pairs no sum is farther from 0 than x for the least
  such v that is n_M or more and :math:`L = \log(4 N^2 (\lceil\log_2 T\rceil + 1)/\delta)`; nor ever than :math:`N_M + n_M`, N_M the
  days on which M was drawn. A maximum over φ is a sum over M of maxima over M', so these add up over M.
* *Rule by rule.* For one of the :math:`N^N` rules φ the differences of :math:`r\cdot(\phi(M) - M)` have variances of at most T in
  all, so no rule gains more than x(T, L) more or less than under the policies, :math:`L = \log(4 N^N/\delta)`.

The two swap regrets differ by at most the smaller of both.
"""

import math

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Vector
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import TooLarge
from swapregret.regret.ledgers.closed_ledger import Ledger

_MOST_LOG = 40.0
"""log N above which rules are too many to say anything."""


def farthest(days: Vector, log_ratio: float, n_days: float) -> Vector:
    """Return x(v, L) for the least v = 1, 2, 4, … that is at least the days on which each action is played, in expectation."""
    levels = np.exp2(np.clip(np.ceil(np.log2(np.maximum(days, 1.0))), 0.0, math.ceil(math.log2(max(2.0, n_days)))))
    return np.array([_freedman(level, log_ratio) for level in levels.tolist()])


def _freedman(variance: float, log_ratio: float) -> float:
    part = 2.0 * log_ratio / 3.0
    return part + math.sqrt(part * part + 2.0 * variance * log_ratio)


def most_apart(actions: ActionSet, policies: Ledger, realised: Ledger, confidence: float) -> float:
    """Return by how much the two swap regrets of one run differ at most, with probability ``confidence`` or more."""
    for ledger in (policies, realised):
        if ledger.pooled.n_pools or ledger.dropped is not None:
            raise TooLarge(
                "how far realised swap regret may be asks for every action that was played",
                f"more of them than the capacity of {ledger.capacity:,}, or too many policies without a list",
                "Play again with a larger `capacity`, or fewer days.",
            )
    log_n = actions.dimension * math.log(2.0) if actions.n_actions is None else math.log(actions.n_actions)
    n_levels = math.ceil(math.log2(max(2.0, policies.n_days))) + 1
    least = math.log(4.0) - math.log1p(-confidence)
    log_ratio = least + math.log(n_levels) + 2.0 * log_n
    keys = np.concatenate([policies.rows.keys, realised.rows.keys])
    firsts, places = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
    expected = _days(places[: len(policies.rows)], policies, len(firsts))
    drawn = _days(places[len(policies.rows) :], realised, len(firsts))
    known, rest = unpack_rows(keys[firsts], actions.dimension), 0.0
    for each in policies.policies:  # what has no list, and was never drawn, can differ by its own days at most
        days = each.days * each.policy.probabilities(known)
        expected = expected + days
        rest += max(0.0, each.days - float(days.sum()))
    by_pair = rest + float(np.minimum(farthest(expected, log_ratio, policies.n_days), drawn + expected).sum())
    by_rule = _freedman(policies.n_days, math.exp(log_n) * log_n + least) if log_n < _MOST_LOG else math.inf
    return min(by_pair, by_rule)


def _days(places: npt.NDArray[np.int64], ledger: Ledger, n: int) -> Vector:
    return np.bincount(places.ravel(), ledger.rows.days, minlength=n).astype(np.float64)
