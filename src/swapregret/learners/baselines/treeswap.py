r"""TreeSwap (Dagan, Daskalakis, Fishelson and Golowich 2024; Peng and Rubinstein 2024) on a list of actions.

Scale k = 1..K keeps exponential weights :math:`q_k`, changes them every :math:`L_{k-1}` days and forgets everything
every :math:`L_k` days; the play is the mean of the K policies. That is the paper's master without its geometry: N arms, no
estimate shared between them.

*Full feedback*: multi-scale multiplicative weights, with the sum of the reward vectors of a meta-day. *Bandit
feedback*: a scale is drawn with the action, :math:`P(k \mid j) = q_k(j) / \sum_l q_l(j)`, and only its own estimate is
made, :math:`K (r - b) / q_k(j)`. ``estimator="shared"`` broadcasts :math:`(r - b)/\hat p(j)` to all scales instead,
which is the conditional expectation of the former and therefore less noisy: the paper's idea on a list.

**Bound.** T/K plus the mean external regret of the scales, each √(ln N · H) meta-days with full feedback (the authors:
O(T ln ln N / ln T) for the best H); with bandit feedback each scale pays √(K N ln N / L_k) a day.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from swapregret.arguments import Share
from swapregret.arrays import Floats, Integers, Vector
from swapregret.learners.baselines.drivers.action_table import Cost, place_of
from swapregret.learners.baselines.drivers.competitor import OwnRule, rule_class
from swapregret.learners.baselines.drivers.listed_player import ListedPlayer, ListedState, TableFamily, play_weights
from swapregret.learners.baselines.drivers.listed_steps import choose, daily_uniform, exponential_weights, listed_totals
from swapregret.learners.round.day import FULL_VECTOR, end_windows, learn_day
from swapregret.learners.schedule import Schedule, draw_offset
from swapregret.learners.settings import Estimator, Step

TreeRule = rule_class(__name__, "TreeRule", "rates", "baseline", "is_shared")
_RATIO = 4


class Scales(NamedTuple):
    """What K scales know: the seed (1,) of their draws; scores of the interval and of the meta-day, and the weights, all (K, N)."""

    seed: Integers
    scores: Floats
    aggregates: Floats
    rows: Floats


@learn_day.of(TreeRule)
def add_to_scales(
    rule: OwnRule, family: TableFamily, state: ListedState[Scales], action: Integers, seen: Floats, reward: float
) -> None:
    """Add the day to the meta-days: of all scales, or of the one that chose the action."""
    own, aggregates = state.own, state.own.aggregates
    n_scales = aggregates.shape[0]
    if rule.feedback == FULL_VECTOR:
        aggregates += listed_totals(family.columns, seen)
        return
    a, gain = place_of(family.words, action), reward - rule.baseline
    if rule.is_shared:
        aggregates[:, a] += gain / state.policies.chances[0, a]
    else:
        k = choose(own.rows[:, a].copy(), daily_uniform(own.seed[0], state.tally.day[0]))
        aggregates[k, a] += n_scales * gain / own.rows[k, a]


@end_windows.of(TreeRule)
def turn(rule: OwnRule, family: TableFamily, state: ListedState[Scales], n_ending: int) -> int:
    """End windows: the scale of the last of them updates, if there is one, those before it restart; play the mean of the scales."""
    scores, aggregates, rows = state.own.scores, state.own.aggregates, state.own.rows
    n_scales, n = rows.shape
    if 0 < n_ending <= n_scales:
        k = n_ending - 1
        scores[k] += aggregates[k]
        aggregates[k] = 0.0
        rows[k] = exponential_weights(scores[k], rule.rates[k])
    for k in range(min(n_ending - 1, n_scales)):
        scores[k] = 0.0
        aggregates[k] = 0.0
        rows[k] = 1.0 / n
    return play_weights(family, state, rows.sum(axis=0) / n_scales)


@dataclass(frozen=True)
class TreeSwap(ListedPlayer):
    """TreeSwap on the list of all actions.

    Parameters
    ----------
    actions : ActionSet
        With at most 100,000 actions, or ``limit``.
    horizon : int
    schedule : Schedule, optional
        Windows of the scales. If not given: ``Schedule.practical`` with N unknowns, so that the shortest interval is
        long enough to try every arm; with full feedback, windows that grow fourfold from 1.
    rate_scale : float, optional
        Multiplies the steps of theory; 3 if not given (of 3, 10 and 30 the best at N = 120 and close to the best at
        N = 15), 1 with full feedback. The steps are, with H = L_k / L_{k−1} meta-days an interval, √(2 ln N / (L_k (K N
        + L_{k−1}))), and √(8 ln N / H) / L_{k−1} with full feedback.
    baseline : float
        b.
    estimator : {"own", "shared"}
        Whether each scale learns from its own draws only, or all from one estimate.
    random_offset : bool
        Whether the windows start at a random day.
    feedback : {"bandit", "full"}
    limit : int, optional

    Examples
    --------
    >>> from swapregret import MSets
    >>> treeswap(MSets(6, 2), 10_000).windows
    (4, 160, 640, 2560, 10240)
    """

    schedule: Schedule | None = None
    rate_scale: Step | None = None
    baseline: Share = 1.0
    estimator: Estimator = "own"
    random_offset: bool = True
    rule_class = TreeRule
    cost = Cost("treeswap", limit=100_000, base=3e-7, per_action=3e-9, vectors=20)

    def _default_schedule(self) -> Schedule:
        if self.feedback == "full":
            return Schedule.uniform(_RATIO, max(1, math.ceil(math.log(self.horizon, _RATIO) - 1e-9)))
        return Schedule.practical(self.horizon, rank=self.n_actions, size=1)

    def _default_rate_scale(self) -> float:
        return 1.0 if self.feedback == "full" else 3.0

    @property
    def windows(self) -> tuple[int, ...]:
        """Return L_0, …, L_K."""
        assert self.schedule is not None
        return self.schedule.windows

    _windows = windows

    @property
    def longest_window(self) -> int:
        """L_K."""
        return self.windows[-1]

    @cached_property
    def rates(self) -> Vector:
        """η of each scale."""
        n, lengths, is_full = self.n_actions, self.windows, self.feedback == "full"
        noise = [
            interval * meta_day / 4.0 if is_full else float(interval * ((len(lengths) - 1) * n + meta_day))
            for meta_day, interval in pairwise(lengths)
        ]
        return np.array([(self.rate_scale or 0.0) * math.sqrt(2.0 * math.log(n) / each) for each in noise])

    @property
    def is_shared(self) -> bool:
        """Whether all scales share one estimate."""
        return self.estimator == "shared"

    def _offset(self, rng: np.random.Generator) -> int:
        return draw_offset(self.windows, rng) if self.random_offset else 0

    def _own(self, n_actions: int) -> Scales:
        k, n = len(self.windows) - 1, n_actions
        return Scales(np.zeros(1, dtype=np.int64), np.zeros((k, n)), np.zeros((k, n)), np.full((k, n), 1.0 / n))


treeswap = TreeSwap
