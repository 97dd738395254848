r"""CombUCB1 (Gai, Krishnamachari and Jain 2012; Kveton, Wen, Ashkan and Szepesvári 2015), with Gaussian posteriors.

.. math:: M_t = \arg\max_M \sum_{i \in M} \hat\theta_i + \alpha s_i

θ̂_i and s_i are the posterior mean and standard deviation of element i (``posterior.gaussian``). CombUCB1's bonus
√(1.5 log t / n_i) grows with the day; with a prior and known noise, s_i falls as fast and α is a constant. ``memory`` forgets, as
discounted UCB does (Garivier and Moulines 2011).

**Bound.** With the growing bonus O(d m log T / Δ) external regret on independent days. Nothing is promised for worlds that move,
or for swap regret.
"""

from dataclasses import dataclass

from swapregret.actions.family import Family
from swapregret.learners.baselines.drivers.competitor import OwnRule, play_best, rule_class
from swapregret.learners.baselines.posterior.gaussian import POSTERIOR, PosteriorPlayer, PosteriorState, learn_sums
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import PLAYED, end_windows, learn_day
from swapregret.learners.round.posterior_sums import fade, fit_elements
from swapregret.learners.settings import Step

CombUCBRule = rule_class(__name__, "CombUCBRule", *POSTERIOR, "standard_errors")
learn_day.of(CombUCBRule)(learn_sums)


@end_windows.of(CombUCBRule)
def play_bounds(rule: OwnRule, family: Family, state: PosteriorState, n_ending: int) -> int:
    """Play the action that is best for the upper bounds of its elements."""
    mean, deviation = fit_elements(rule, state.own, n_ending)
    code = play_best(family, state, mean + rule.standard_errors * deviation, 0.0, n_ending)
    if code == PLAYED:
        fade(rule, state.own, n_ending)
    return code


@dataclass(frozen=True)
class CombUCB(PosteriorPlayer):
    """Upper confidence bounds of the rewards of elements.

    Parameters
    ----------
    actions, horizon, memory, prior_mean, prior_width, noise
        As of every ``PosteriorPlayer``: see ``posterior.gaussian``.
    standard_errors : float
        α.

    Examples
    --------
    >>> from swapregret import MSets
    >>> comb_ucb(MSets(10, 3), 10_000).standard_errors
    1.5
    """

    standard_errors: Step = 1.5
    feedback: Feedback = "semi-bandit"
    rule_class = CombUCBRule


comb_ucb = CombUCB
