r"""Whom to follow: a ladder of choices between two, each made for a whole block of days, and learned from estimated gains.

Level k = 0, 1, … is followed with a share :math:`s_k` of the weight that came down to it, the levels below with the rest. Within a
level the tracker is chosen against the cold learner; at the bottom the steady member against these two, and the fast one against
these three; and for each member what the filter plays against what it recommends. With z what the first option of a choice gained
beyond the second in a base window, it is followed with

.. math:: s = (1 - \varepsilon)\,\sigma\Bigl(\log\tfrac{s^*}{1 - s^*} + c\,\frac{\sum z}{\sqrt{\sum z^2}}\Bigr) + \varepsilon s^*,

both sums over what has ended, :math:`s^* = 1/n` for the nth level from the bottom, .9 for the filter, .1 for the fast member, ½ for
the others. What a level gains is

.. math:: u_k = g_k + (g_k - f_{k-1}) / \lambda,

:math:`g_k` the reward of its policy, :math:`f_{k-1}` that of the cold learner of the level below, unfiltered, at the bottom the
number of days. The second term is what bounds swap regret (``docs/guarantee.md``); the price
:math:`\lambda = \lambda_0/\sqrt{\log_2(t + 2)}` falls to 0 slowly.
"""

import numpy as np

from swapregret.arrays import Floats
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.learners.ladder.ladder_state import LadderRule, Weights

_FAST, _FILTERED = 0.1, 0.9
_FARTHEST = 30.0


@kernel
def settle(weights: Weights, rule: LadderRule, choice: int) -> None:
    """End a block of a choice, and decide how often its first option is followed in the next one."""
    weights.scores[choice] += weights.gains[choice]
    weights.gains[choice] = 0.0
    variance, first = weights.variance[choice], first_share(weights.policy.size, choice, weights.bottom[0])
    if variance > 0.0 and first < 1.0:
        odds = np.log(first / (1.0 - first)) + rule.weight_step * weights.scores[choice] / np.sqrt(variance)
        learned = 1.0 / (1.0 + np.exp(min(max(-odds, -_FARTHEST), _FARTHEST)))
        weights.shares[choice] = (1.0 - rule.weight_spread) * learned + rule.weight_spread * first


@kernel
def first_share(n_members: int, choice: int, bottom: int) -> float:
    """Return s* of a choice: of a level, within a level, of the steady and the fast member, of the filter of a member."""
    if choice < n_members // 2 - 1:
        return 1.0 / (max(0, choice - bottom) + 1.0)
    if choice < n_members:
        return 0.5 if choice < n_members - 1 else _FAST
    return _FILTERED


@kernel
def note(weights: Weights, choice: int, gain: float) -> None:
    """Take note of what the first option of a choice gained beyond the second in a base window."""
    weights.gains[choice] += gain
    weights.variance[choice] += gain * gain


@kernel
def note_gains(weights: Weights, gains: Floats, learned: Floats, n_days: float, price: float) -> None:
    """Take note of what every member gained in a base window, for the choices within levels and between them.

    ``learned`` is what the cold learner of each level gained by itself, without the filter.
    """
    n_levels, mixed, below = gains.size // 2 - 1, 0.0, n_days
    for k in range(weights.bottom[0], weights.top[0] + 1):
        cold, tracker = gains[k], gains[n_levels + k]
        share = weights.shares[n_levels + k]
        note(weights, n_levels + k, tracker - cold)
        level = share * tracker + (1.0 - share) * cold
        if k == weights.bottom[0]:
            for g in range(2 * n_levels, 2 * n_levels + 2):  # the steady member, then the fast one
                share = weights.shares[g]
                note(weights, g, gains[g] - level)
                level = share * gains[g] + (1.0 - share) * level
        worth = level + (level - below) / price
        below = learned[k]
        if k == weights.bottom[0]:
            mixed = worth
        else:
            share = weights.shares[k]
            note(weights, k, worth - mixed)
            mixed = share * worth + (1.0 - share) * mixed


@kernel
def note_filter(weights: Weights, g: int, played: Floats, window_sum: Floats) -> None:
    """Take note of what the filter gained on the recommendations of member g; ``played`` is its mixture of both."""
    n_members = weights.policy.size
    gain = dot(played, window_sum) - dot(weights.plain[g], window_sum)
    note(weights, n_members + g, gain / weights.shares[n_members + g])


@kernel
def deal(weights: Weights) -> None:
    """Deal out the weight from the top level down."""
    policy, rest = weights.policy, 1.0
    n_levels = policy.size // 2 - 1
    for g in range(policy.size):
        policy[g] = 0.0
    for k in range(weights.top[0], weights.bottom[0] - 1, -1):
        share = weights.shares[k] if k > weights.bottom[0] else 1.0
        level = rest * share
        rest *= 1.0 - share
        if k == weights.bottom[0]:
            for g in range(2 * n_levels + 1, 2 * n_levels - 1, -1):
                policy[g] = level * weights.shares[g]
                level *= 1.0 - weights.shares[g]
        share = weights.shares[n_levels + k]
        policy[n_levels + k] = level * share
        policy[k] = level * (1.0 - share)
