r"""Thompson sampling for linear rewards (Agrawal and Goyal 2013; Russo and Van Roy 2014), with the oracle of the set.

.. math:: \theta^{(1)}, \dots, \theta^{(n)} \sim \mathcal N(\hat\theta_t, \Lambda_t^{-1}), \qquad
    p_t = \frac1n \sum_{j} \delta_{M^{(j)}}, \quad M^{(j)} = \arg\max_M \theta^{(j)}\cdot M

The posterior is that of ``posterior.gaussian``. The action is one of n best actions, for n draws: whatever n is, it is distributed
as Thompson's. p_t is the policy exactly, and its swap regret is measured as everybody's is; for n = 1 it is that of the actions
played, and the larger n, the nearer it comes to that of the probabilities, which have no formula. ``memory`` forgets as Kim and
Tewari (2020) do.

**Bound.** Bayesian external regret O(d √(T log T)) on days that are independent with the prior as stated, in expectation. Nothing
is promised for worlds that move, or for swap regret.
"""

from dataclasses import dataclass

from swapregret.actions.family import Family
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.posterior.gaussian import (
    POSTERIOR,
    PosteriorPlayer,
    PosteriorState,
    learn_sums,
    play_draws,
)
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_SOLVED, end_windows, learn_day
from swapregret.learners.round.posterior_sums import fit_totals
from swapregret.learners.settings import Draws

LinTSRule = rule_class(__name__, "LinTSRule", *POSTERIOR, "draws")
learn_day.of(LinTSRule)(learn_sums)


@end_windows.of(LinTSRule)
def draw_rewards(rule: OwnRule, family: Family, state: PosteriorState, n_ending: int) -> int:
    """Play the best actions for draws of the rewards."""
    mean, factor, is_definite = fit_totals(rule, state.own, n_ending)
    return play_draws(rule, family, state, mean, factor, mean, n_ending) if is_definite else NOT_SOLVED


@dataclass(frozen=True)
class LinTS(PosteriorPlayer):
    """Thompson sampling on totals.

    Parameters
    ----------
    actions, horizon, memory, prior_mean, prior_width, noise
        As of every ``PosteriorPlayer``: see ``posterior.gaussian``.
    draws : int
        n, of which one is played: n oracle calls per day.

    Examples
    --------
    >>> from swapregret import MSets
    >>> lin_ts(MSets(10, 3), 10_000, memory=300).draws
    16
    """

    draws: Draws = 16
    feedback: Feedback = "bandit"
    rule_class = LinTSRule

    @property
    def _n_atoms(self) -> int:
        return self.draws


lin_ts = LinTS
