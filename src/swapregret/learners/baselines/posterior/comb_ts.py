r"""Combinatorial Thompson sampling (Wang and Chen 2018) for the rewards of the chosen elements, with Gaussian posteriors.

.. math:: \theta_i^{(j)} \sim \mathcal N(\hat\theta_i, s_i^2), \qquad
    p_t = \frac1n \sum_{j=1}^n \delta_{M^{(j)}}, \quad M^{(j)} = \arg\max_M \theta^{(j)}\cdot M

each element by itself (``posterior.gaussian``); what p_t is, ``lin_ts`` says. ``memory`` forgets (Raj and Kalyani 2017).

**Bound.** External regret O(d log T / Δ) on independent days whose elements are independent. Nothing is promised for worlds that
move, or for swap regret.
"""

from dataclasses import dataclass

import numpy as np

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
from swapregret.learners.round.day import end_windows, learn_day
from swapregret.learners.round.posterior_sums import fit_elements
from swapregret.learners.settings import Draws

CombTSRule = rule_class(__name__, "CombTSRule", *POSTERIOR, "draws")
learn_day.of(CombTSRule)(learn_sums)


@end_windows.of(CombTSRule)
def draw_elements(rule: OwnRule, family: Family, state: PosteriorState, n_ending: int) -> int:
    """Play the best actions for draws of the rewards of elements."""
    mean, deviation = fit_elements(rule, state.own, n_ending)
    return play_draws(rule, family, state, mean, np.zeros((0, 0)), deviation, n_ending)


@dataclass(frozen=True)
class CombTS(PosteriorPlayer):
    """Thompson sampling on the rewards of elements.

    Parameters
    ----------
    actions, horizon, memory, prior_mean, prior_width, noise
        As of every ``PosteriorPlayer``: see ``posterior.gaussian``.
    draws : int
        n, of which one is played: n oracle calls per day.

    Examples
    --------
    >>> from swapregret import MSets
    >>> comb_ts(MSets(10, 3), 10_000, memory=300).feedback
    'semi-bandit'
    """

    draws: Draws = 16
    feedback: Feedback = "semi-bandit"
    rule_class = CombTSRule

    @property
    def _n_atoms(self) -> int:
        return self.draws


comb_ts = CombTS
