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
from typing import Any

import numpy as np

from swapregret.compiled.cholesky import solve_upper
from swapregret.learners.baselines.drivers.competitor import rule_class
from swapregret.learners.baselines.posterior.gaussian import (
    POSTERIOR,
    PosteriorPlayer,
    add_best,
    draw_normals,
    fit_totals,
    learn_sums,
    play_draws,
)
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import NOT_PROJECTED, NOT_SOLVED, end_windows, learn_day
from swapregret.learners.settings import Draws

LinTSRule = rule_class(__name__, "LinTSRule", *POSTERIOR, "draws")
learn_day.of(LinTSRule)(learn_sums)


@end_windows.of(LinTSRule)
def draw_rewards(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Play the best actions for draws of the rewards."""
    own, n_words = state.own, state.policies.words.shape[2]
    mean, factor, is_definite = fit_totals(rule, own, n_ending)
    if not is_definite:
        return NOT_SOLVED
    words, noise = np.zeros((rule.draws, n_words), dtype=np.uint64), np.empty(mean.size)
    for j in range(rule.draws):
        draw_normals(own.seed[0], (state.tally.day[0] * rule.draws + j) * mean.size, noise)
        solve_upper(factor, noise)  # U⁻¹z has covariance Λ⁻¹
        if not add_best(family, mean + noise, words[j]):
            return NOT_PROJECTED
    return play_draws(rule, family, state, words, n_ending)


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
