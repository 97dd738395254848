r"""TreeSwap (Dagan, Daskalakis, Fishelson and Golowich 2024; Peng and Rubinstein 2024) on a list of actions.

Scale k = 1..K keeps exponential weights :math:`q_k`, changes them every :math:`L_{k-1}` days and forgets everything
every :math:`L_k` days; the play is the mean of the K laws. That is the paper's master without its geometry: N arms, no
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
from typing import Any, ClassVar, NamedTuple

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Floats, Integers, as_integer
from swapregret.boundary import refuses
from swapregret.errors import InvalidInput
from swapregret.learners.baselines.listed.player import ListedPlayer, play_weights
from swapregret.learners.baselines.listed.scales import add_day, mean_row, turn_scales
from swapregret.learners.baselines.listed.steps import daily_uniform, listed_totals, place_of
from swapregret.learners.baselines.listing import Cost, list_actions, read_rate, read_share
from swapregret.learners.player import Feedback
from swapregret.learners.round.day import FULL_VECTOR
from swapregret.learners.round.master import PLAYED, end_windows, learn_day
from swapregret.learners.round.running import Running
from swapregret.learners.schedule import Schedule
from swapregret.learners.settings import check_settings

__all__ = ["TreeSwap", "treeswap"]

COST = Cost("treeswap", limit=100_000, base=3e-7, per_action=3e-9, vectors=20)
_RATIO = 4


class TreeRule(NamedTuple):
    """What does not change; five fields as of every rule (``learners.multiscale.phases``), η of each scale, b, and more.

    ``is_shared`` tells whether all scales share one estimate.
    """

    windows: Integers
    feedback: int
    predictor_step: float
    has_inverse: bool
    first_log: Floats
    rates: Floats
    baseline: float
    is_shared: bool


class Scales(NamedTuple):
    """What K scales know.

    Attributes
    ----------
    seed : int64 array, shape (1,)
        Of the draws of scales.
    scores, aggregates, rows : float64 arrays, shape (K, N)
        Of the interval, of the meta-day, and the weights.
    """

    seed: Integers
    scores: Floats
    aggregates: Floats
    rows: Floats


@learn_day.of(TreeRule)
def add_to_scales(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Add the day to the meta-days."""
    own = state.own
    if rule.feedback == FULL_VECTOR:
        aggregates = own.aggregates
        aggregates += listed_totals(family.columns, seen)
    else:
        a = place_of(family.words, action)
        chance, uniform = state.laws.chances[0, a], daily_uniform(own.seed[0], state.tally.day[0])
        add_day(own.aggregates, own.rows, a, reward - rule.baseline, chance, uniform, rule.is_shared)
    return True


@end_windows.of(TreeRule)
def turn(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """End the base window: scales 1..c−1 restart, scale c updates; play the mean of the scales."""
    own = state.own
    if n_ending > 0:
        turn_scales(own.scores, own.aggregates, own.rows, n_ending, rule.rates)
    play_weights(family, rule, state, mean_row(own.rows))
    return PLAYED


@dataclass(frozen=True)
class TreeSwap(ListedPlayer):
    """The player; :func:`treeswap` chooses its constants.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    schedule : Schedule
    learning_rates : tuple of float
        η of each scale.
    baseline : float
        b.
    estimator : {"own", "shared"}
    random_offset : bool
    feedback : {"bandit", "full"}
    limit : int, optional
    """

    actions: ActionSet
    horizon: int
    schedule: Schedule
    learning_rates: tuple[float, ...]
    baseline: float = 1.0
    estimator: str = "own"
    random_offset: bool = True
    feedback: Feedback = "bandit"
    limit: int | None = None
    cost: ClassVar[Cost] = COST

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def _windows(self) -> tuple[int, ...]:
        return self.schedule.windows

    def _offset(self, rng: np.random.Generator) -> int:
        windows = self.schedule.windows
        return windows[0] * int(rng.integers(windows[-1] // windows[0])) if self.random_offset else 0

    def start(self, rng: np.random.Generator) -> Running:
        """Begin every scale with equal weights; draw the offset of the windows and the seed of the scales."""
        running = super().start(rng)
        running.state.own.seed[0] = rng.integers(2**63)
        return running

    def _rule(self, windows: Any, feedback: int, first_log: Floats) -> TreeRule:
        rates, is_shared = np.array(self.learning_rates), self.estimator == "shared"
        return TreeRule(windows, feedback, 0.0, False, first_log, rates, self.baseline, is_shared)

    def _own(self, n_actions: int) -> Scales:
        k, n = self.schedule.n_scales, n_actions
        return Scales(np.zeros(1, dtype=np.int64), np.zeros((k, n)), np.zeros((k, n)), np.full((k, n), 1.0 / n))


@refuses
def treeswap(
    actions: ActionSet,
    horizon: int,
    *,
    schedule: Schedule | None = None,
    rate_scale: float | None = None,
    baseline: float = 1.0,
    estimator: str = "own",
    random_offset: bool = True,
    feedback: Feedback = "bandit",
    limit: int | None = None,
) -> TreeSwap:
    """Return TreeSwap on the list of all actions.

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
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> treeswap(MSets(6, 2), 10_000).schedule.windows
    (4, 160, 640, 2560, 10240)
    """
    days = as_integer(horizon, "horizon", 1)
    if estimator not in ("own", "shared"):
        raise InvalidInput("`estimator` must be 'own' or 'shared'", repr(estimator), "'own' is the published one.")
    n = list_actions(actions, days, COST, limit).n_actions
    if schedule is None and feedback == "full":
        schedule = Schedule.uniform(_RATIO, max(1, math.ceil(math.log(days, _RATIO) - 1e-9)))
    windows = schedule or Schedule.practical(days, rank=n, size=1)
    factor, count = read_rate(rate_scale, 1.0 if feedback == "full" else 3.0, "rate_scale"), windows.n_scales
    rates = []
    for scale in range(1, count + 1):
        meta_day, interval = windows.update_every(scale), windows.restart_every(scale)
        noise = interval * meta_day / 4.0 if feedback == "full" else float(interval * (count * n + meta_day))
        rates.append(factor * math.sqrt(2.0 * math.log(n) / noise))
    base = read_share(baseline, "baseline")
    return TreeSwap(actions, days, windows, tuple(rates), base, estimator, random_offset, feedback, limit)
