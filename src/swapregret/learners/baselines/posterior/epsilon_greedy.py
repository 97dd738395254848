r"""ε-greedy (Auer, Cesa-Bianchi and Fischer 2002; Langford and Zhang 2008), on least squares.

.. math:: p_t = (1-\varepsilon)\,\delta_{M_t} + \varepsilon\mu, \qquad M_t = \arg\max_M \hat\theta_t\cdot M

θ̂ is the posterior mean of ``posterior.gaussian``, a ridge regression of all totals; μ is the exploration policy of the set.

**Bound.** External regret O(T^{2/3}) on independent days for ε of order T^{-1/3}. Nothing is promised for worlds that move, or for
swap regret.
"""

import math
from dataclasses import dataclass

from swapregret.actions.family import Family
from swapregret.arguments import Share
from swapregret.learners.baselines.drivers.competitor import OwnRule, play_best, rule_class
from swapregret.learners.baselines.posterior.gaussian import POSTERIOR, PosteriorPlayer, PosteriorState, learn_sums
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_SOLVED, PLAYED, end_windows, learn_day
from swapregret.learners.round.posterior_sums import fade, fit_totals

GreedyRule = rule_class(__name__, "GreedyRule", *POSTERIOR, "exploration")
learn_day.of(GreedyRule)(learn_sums)


@end_windows.of(GreedyRule)
def play_mean(rule: OwnRule, family: Family, state: PosteriorState, n_ending: int) -> int:
    """Play the action that is best by the mean, and explore now and then."""
    mean, _, is_definite = fit_totals(rule, state.own, n_ending)
    if not is_definite:
        return NOT_SOLVED
    code = play_best(family, state, mean, rule.exploration, n_ending)
    if code == PLAYED:
        fade(rule, state.own, n_ending)
    return code


@dataclass(frozen=True)
class EpsilonGreedy(PosteriorPlayer):
    """The best action by least squares, and now and then another.

    Parameters
    ----------
    actions, horizon, memory, prior_mean, prior_width, noise
        As of every ``PosteriorPlayer``: see ``posterior.gaussian``.
    exploration : float, optional
        ε; T^{-1/3} if not given.

    Examples
    --------
    >>> from swapregret import MSets
    >>> round(epsilon_greedy(MSets(10, 3), 1000).exploration, 6)
    0.1
    """

    exploration: Share | None = None
    feedback: Feedback = "bandit"
    rule_class = GreedyRule

    def _default_exploration(self) -> float:
        return 1.0 / math.cbrt(self.horizon)


epsilon_greedy = EpsilonGreedy
