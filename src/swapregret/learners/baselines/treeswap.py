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
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.kernels.listed_steps import ListedLog, daily_uniform
from swapregret.kernels.treeswap_run import add_day, mean_row, run_treeswap, turn_scales
from swapregret.learners.baselines.listing import (
    LEAST,
    ActionTable,
    Cost,
    ListedLaw,
    list_actions,
    read_rate,
    read_share,
)
from swapregret.learners.calendar import Calendar
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.schedule import Schedule
from swapregret.policy import FinitePolicy

__all__ = ["TreeSwap", "TreeSwapState", "treeswap"]

COST = Cost("treeswap", limit=100_000, base=3e-7, per_action=3e-9, vectors=20)
_RATIO = 4


@dataclass(frozen=True, eq=False)
class TreeSwapState:
    """What the scales know before a day.

    Attributes
    ----------
    seed : int
        Of the draws of scales.
    offset : int
        Days by which the windows are shifted.
    scores, aggregates, rows : Matrix, shape (K, N)
        Of the interval, of the meta-day, and the weights.
    law : FinitePolicy
    """

    day: int
    seed: int
    offset: int
    scores: Matrix
    aggregates: Matrix
    rows: Matrix
    law: ListedLaw


@dataclass(frozen=True)
class TreeSwap:
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

    @cached_property
    def table(self) -> ActionTable:
        """All actions."""
        return list_actions(self.actions, self.horizon, COST, self.limit)

    def start(self, rng: np.random.Generator) -> TreeSwapState:
        """Begin every scale with equal weights; draw the seed of the scales and the offset of the windows."""
        k, n = self.schedule.n_scales, self.table.n_actions
        windows = self.schedule.windows
        seed = int(rng.integers(2**63))
        offset = windows[0] * int(rng.integers(windows[-1] // windows[0])) if self.random_offset else 0
        return self._state(0, seed, offset, np.zeros((k, n)), np.zeros((k, n)), np.full((k, n), 1.0 / n))

    def policy(self, state: TreeSwapState) -> FinitePolicy:
        """Return the mean of the scales."""
        return state.law.policy

    def observe(self, state: TreeSwapState, decision: Decision, reward: float | Vector | None) -> TreeSwapState:
        """Add the day to the meta-days, and let the scales whose windows end act on it."""
        aggregates = state.aggregates
        if reward is not None:
            aggregates = aggregates.copy()
            if self.feedback == "full":
                aggregates += self.table.totals(np.asarray(reward))
            else:
                self._estimate(state, decision, float(reward), aggregates)
        calendar = Calendar(self.schedule, state.offset)
        if calendar.days_left(state.day) > 1:
            return replace(state, day=state.day + 1, aggregates=frozen(aggregates))
        return self._turn(state, calendar, aggregates.copy())

    def _estimate(self, state: TreeSwapState, decision: Decision, reward: float, aggregates: Matrix) -> None:
        """Add the estimate of a day to one scale's aggregate, or to all."""
        arm, uniform = self.table.index(decision.action), daily_uniform(state.seed, state.day)
        probability, is_shared = state.law.probability(decision, arm), self.estimator == "shared"
        add_day(aggregates, state.rows.copy(), arm, reward - self.baseline, probability, uniform, is_shared)

    def _turn(self, state: TreeSwapState, calendar: Calendar, aggregates: Matrix) -> TreeSwapState:
        """End the base window: scales 1..c−1 restart, scale c updates."""
        scores, rows = state.scores.copy(), state.rows.copy()
        turn_scales(scores, aggregates, rows, calendar.n_ending(state.day), np.array(self.learning_rates))
        return self._state(state.day + 1, state.seed, state.offset, scores, aggregates, rows)

    def run_days(
        self, state: TreeSwapState, rng: np.random.Generator, rewards: Matrix, log: ListedLog
    ) -> TreeSwapState:
        """Play one day a row of ``rewards`` in compiled code, as stepping would."""
        scores, aggregates, rows = state.scores.copy(), state.aggregates.copy(), state.rows.copy()
        run_treeswap(
            rng,
            rewards,
            self.table.columns,
            np.array(self.schedule.windows, dtype=np.int64),
            np.array(self.learning_rates),
            self.feedback == "full",
            self.estimator == "shared",
            self.baseline,
            state.seed,
            LEAST,
            state.day + state.offset,
            state.day,
            scores,
            aggregates,
            rows,
            log,
        )
        after = self._state(state.day + len(rewards), state.seed, state.offset, scores, aggregates, rows)
        return replace(after, law=state.law) if log.filled.tolist() == [1, 1] else after

    def _state(
        self, day: int, seed: int, offset: int, scores: Matrix, aggregates: Matrix, rows: Matrix
    ) -> TreeSwapState:
        law = self.table.law(mean_row(rows))
        return TreeSwapState(day, seed, offset, frozen(scores), frozen(aggregates), frozen(rows), law)

    def dump(self, state: TreeSwapState) -> Arrays:
        """Write all arrays."""
        return {
            "day": np.array(state.day),
            "seed": np.array(state.seed),
            "offset": np.array(state.offset),
            "scores": state.scores,
            "aggregates": state.aggregates,
            "rows": state.rows,
        }

    def load(self, arrays: Arrays) -> TreeSwapState:
        """Read all arrays."""
        day, seed, offset = (int(arrays[name]) for name in ("day", "seed", "offset"))
        scores, aggregates, rows = (np.array(arrays[name], dtype=float) for name in ("scores", "aggregates", "rows"))
        return self._state(day, seed, offset, scores, aggregates, rows)


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
