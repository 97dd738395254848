r"""Tsallis-INF (Zimmert and Seldin 2021): best of both worlds for external regret.

.. math:: p_t = \arg\min_p\ p\cdot L_t - \frac{4}{\eta_t}\sum_i \sqrt{p_i}, \qquad \eta_t = \frac{c}{\sqrt{t}}

with losses 1 − r estimated by importance weights (c = 2), or with reduced variance (c = 4): the estimate is taken
about ½ wherever :math:`p_t(i) \ge \eta_t^2`. The minimiser is :math:`p_i = 4\,(\eta (L_i - x))^{-2}`, with the one
:math:`x < \min L` for which they add up to 1.

**Bound.** External regret at most 4√(N T) + 1, and of order Σ_i ln T / Δ_i on independent days. It needs no horizon.
Nothing is promised for swap regret.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_weights
from swapregret.learners.baselines.exp3 import Scores
from swapregret.learners.round.day import end_windows, learn_day
from swapregret.learners.settings import Positive

TsallisRule = rule_class(__name__, "TsallisRule", "scale", "is_variance_reduced")
_STEPS = 100


@kernel
def tsallis_weights(losses: Floats, learning_rate: float) -> tuple[Floats, float]:
    """Return the weights and the x they belong to.

    The sum of the weights is convex and increasing in x. At min L − 2/η it is at least 1, so Newton's steps go down to
    the root and never pass it; the last step changes nothing in double precision.
    """
    n, least = losses.size, losses.min()
    depth = 2.0 / learning_rate  # x = least − depth: relative to the least loss, no digits are lost
    weights = np.empty(n)
    for _ in range(_STEPS):
        total, slope = 0.0, 0.0
        for i in range(n):
            root = 2.0 / (learning_rate * (losses[i] - least + depth))
            weights[i] = root * root
            total += weights[i]
            slope += weights[i] * root
        step = (total - 1.0) / (learning_rate * slope)
        if total <= 1.0 + 1e-15 or depth + step == depth:
            break
        depth += step
    for i in range(n):
        weights[i] /= total
    return weights, least - depth


@kernel
def loss_estimate(loss: float, probability: float, rate: float, is_variance_reduced: bool) -> float:
    """Return the estimate for the arm that was played, less the constant that all arms would get."""
    middle = 0.5 if is_variance_reduced and probability >= rate * rate else 0.0
    return (loss - middle) / probability


@learn_day.of(TsallisRule)
def add_loss(
    rule: OwnRule, family: TableFamily, state: ListedState[Scores], action: Integers, seen: Floats, reward: float
) -> None:
    """Add the estimated loss of the day."""
    a, rate = place_of(family.words, action), rule.scale / np.sqrt(state.tally.day[0] + 1.0)
    probability = state.policies.chances[0, a]
    state.own.scores[a] += loss_estimate(1.0 - reward, probability, rate, rule.is_variance_reduced)


@end_windows.of(TsallisRule)
def weigh_losses(rule: OwnRule, family: TableFamily, state: ListedState[Scores], n_ending: int) -> int:
    """Play the weights of the losses, at the rate of the day that comes."""
    weights, _ = tsallis_weights(state.own.scores, rule.scale / np.sqrt(state.tally.day[0] + 1.0))
    return play_weights(family, state, weights)


@dataclass(frozen=True)
class TsallisINF(ListedPlayer):
    """Tsallis-INF on the list of all actions. Scores are cumulative losses.

    Parameters
    ----------
    actions : ActionSet
        With at most 100,000 actions, or ``limit``.
    horizon : int
        Not needed by the algorithm.
    scale : float, optional
        c in η = c/√t; the authors' 4 with reduced variance and 2 without, if not given.
    is_variance_reduced : bool
        Whether losses are estimated about ½. Its bound has a smaller constant and an additive 10 N ln T, which at T =
        20,000 and N = 120 made it worse than plain importance weights.
    limit : int, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> tsallis_inf(MSets(4, 2), 1000).scale
    2.0
    """

    scale: Positive | None = None
    is_variance_reduced: bool = False
    rule_class = TsallisRule
    cost = Cost("tsallis_inf", limit=100_000, base=1e-6, per_action=4e-8, vectors=6)

    def _default_scale(self) -> float:
        return 4.0 if self.is_variance_reduced else 2.0

    def _own(self, n_actions: int) -> Scores:
        return Scores(np.zeros(n_actions))


tsallis_inf = TsallisINF
