r"""Ito (2020): one expert per action, of which only one learns each day.

As with Blum and Mansour the play is the p with :math:`p = pQ`. An expert :math:`i_t \sim p_t` is drawn, the action
comes from :math:`q_{i_t}`, and only that expert is told the outcome; each runs Tsallis-INF over its own days,

.. math:: q_i = \arg\min_q\ q\cdot L_i - \frac{4}{\eta_i}\sum_j\sqrt{q_j}, \qquad \eta_i = \frac{c}{\sqrt{n_i}},

with :math:`n_i` the days of expert i so far and losses 1 − r weighted by :math:`1/q_{i_t}`, not by 1/p.

The action is drawn from p first and the expert from what it then is, :math:`P(i \mid j) = p(i) q_i(j) / p(j)`: the
same joint policy, and the policy that travels with the action is p itself.

**Bound.** With c = 2, Σ_i 4√(N n_i) ≤ 4 N √T in expectation, up to lower order terms. Each expert has only its own
days, about T/N of them; the default c = 8, the largest of 1, 2, 4 and 8, was best at N = 15. At N = 120 and T = 20,000
none of them learnt much.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_agreement
from swapregret.learners.baselines.drivers.listed_steps import choose, daily_uniform
from swapregret.learners.baselines.tsallis_inf import loss_estimate, tsallis_weights
from swapregret.learners.round.day import end_windows, learn_day
from swapregret.learners.round.stationary import follow_chain, start_chain
from swapregret.learners.settings import Positive

SingleRule = rule_class(__name__, "SingleRule", "scale", "is_variance_reduced")
end_windows.of(SingleRule)(play_agreement)


class SingleExperts(NamedTuple):
    """What the experts know.

    The seed (1,) of the draws of experts; L and q (N, N), one row for every expert, and n (N,), its days; p, and what helps to
    find the next one (``round.stationary``).
    """

    seed: Integers
    losses: Floats
    rows: Floats
    counts: Floats
    point: Floats
    inverse: Floats


@learn_day.of(SingleRule)
def tell_one(
    rule: OwnRule, family: TableFamily, state: ListedState[SingleExperts], action: Integers, seen: Floats, reward: float
) -> None:
    """Draw the expert that chose the action, let it learn, and find the distribution they agree on."""
    own, a = state.own, place_of(family.words, action)
    posterior = own.point * own.rows[:, a]  # P(i | j) ∝ p(i) q_i(j)
    i = choose(posterior, daily_uniform(own.seed[0], state.tally.day[0]))
    rate = rule.scale / np.sqrt(own.counts[i] + 1.0)
    own.losses[i, a] += loss_estimate(1.0 - reward, own.rows[i, a], rate, rule.is_variance_reduced)
    own.counts[i] += 1.0
    weights, _ = tsallis_weights(own.losses[i], rule.scale / np.sqrt(own.counts[i] + 1.0))
    own.rows[i] = weights
    follow_chain(own.rows, own.point, own.inverse)


@dataclass(frozen=True)
class Ito(ListedPlayer):
    """Ito's reduction with Tsallis-INF experts on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 2,000 actions, or ``limit``: it keeps N² numbers.
    horizon : int
        Not needed by the algorithm.
    scale : float
        c in η = c/√n (2 is Tsallis-INF's own).
    is_variance_reduced : bool
        Whether losses are estimated about ½, as Tsallis-INF does by default. With few days an expert this locks in
        early.
    limit : int, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> ito(MSets(4, 2), 1000).scale
    8.0
    """

    scale: Positive = 8.0
    is_variance_reduced: bool = False
    rule_class = SingleRule
    cost = Cost("ito", limit=2_000, base=2e-6, per_action=1e-8, per_pair=3e-9, matrices=4)

    def _own(self, n_actions: int) -> SingleExperts:
        n = n_actions
        seed, losses, rows = np.zeros(1, dtype=np.int64), np.zeros((n, n)), np.full((n, n), 1.0 / n)
        return SingleExperts(seed, losses, rows, np.zeros(n), *start_chain(n))


ito = Ito
