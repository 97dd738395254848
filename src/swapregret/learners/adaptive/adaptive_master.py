"""The adaptive master: a pool of members, learned weights, a swap filter, experts for single actions, and a guard.

The pool has the K cold scales of Algorithm 1; one learner that never restarts, best on a world that stands still; uniform play,
best where nothing can be learnt; trackers, which forget with time constants τ and are best on worlds that drift; and, with
semi-bandit feedback, the forecaster (``adaptive.forecaster``).
"""

import math
from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.policy_slots import list_room, room_for_lists
from swapregret.arguments import Days, Share
from swapregret.arrays import as_integer
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.adaptive import pool_phases as phases  # the code behind its methods
from swapregret.learners.adaptive.experts import list_actions, start_experts
from swapregret.learners.adaptive.filtered_master import FilteredMaster
from swapregret.learners.adaptive.forecaster import ForecastRule, start_forecast
from swapregret.learners.adaptive.state import (
    AdaptiveRule,
    AdaptiveState,
    start_fit,
    start_guard,
    start_memory,
    start_weights,
)
from swapregret.learners.ingredients import Ingredients
from swapregret.learners.round.day import FEEDBACKS, begin_round
from swapregret.learners.round.posterior_sums import Prior
from swapregret.learners.round.running import LISTS_DERIVED, Running
from swapregret.learners.round.running_player import rates_of
from swapregret.learners.round.scale import start_learners
from swapregret.learners.round.upper_bound import list_up_to
from swapregret.learners.settings import Positive, Step

_ = phases

_UPDATES_PER_MEMORY = 8
_NOISY_ESTIMATES = 16
_FORECASTER = 0.9
"""The weight of the forecaster before day 0, and of what is dealt out evenly: the others share the rest."""
_CHANGES = {"bandit": -1.0, "semi-bandit": -0.75}
"""The share ε that the memories of the forecaster deal out is T to this power."""
_SHORTEST, _PLAYS, _LISTED = 4.0, 8, 2000
"""Its shortest memory, in days; with bandit feedback, how many actions it recommends, and up to how many are listed for it."""
_MOST_UNKNOWN, _BOLDER = 100, 1.2
"""The largest r·m with which totals are foretold; the factor of α there."""
_SLOWER = 3.0
"""By how much smaller the steps of members that never restart are: what they sum up, they sum up for good."""


def time_constants(actions: ActionSet, horizon: int, base: int) -> tuple[float, ...]:
    """Return the τ of the trackers: (dm/16)·4^j from a quarter of a base window to T/2, d the rank.

    Below a quarter of a window all are alike: nothing is left of the window before.

    Examples
    --------
    >>> from swapregret import MSets
    >>> time_constants(MSets(10, 4), 10_000, 19)
    (10.0, 40.0, 160.0, 640.0, 2560.0)
    """
    first = actions.rank * max(1, actions.size) / 16.0
    while first < base / 4.0:
        first *= 4.0
    constants: list[float] = []
    while first * 4.0 ** len(constants) < horizon / 2.0:
        constants.append(first * 4.0 ** len(constants))
    return tuple(constants)


def can_foretell(actions: ActionSet, feedback: str) -> bool:
    """Tell whether a forecaster is of use: where not all is seen, not too many elements are to be fitted, and totals say enough.

    Where totals of r·m > 100 are seen (r the rank), it follows changes too slowly, and the pool hears so too late: on permutations
    of 8, over 10,000 days, swap regret was .089 with it and .067 without, at eight times the cost. Where actions have one element,
    as in games, players that follow it chase each other: over 20,000 days of Shapley's game the largest gap was .05 with it and
    .03 without.
    """
    if feedback == "bandit":
        return actions.size > 1 and actions.rank * actions.size <= _MOST_UNKNOWN
    return feedback == "semi-bandit" and actions.dimension <= DENSE_LIMIT


def forecast_memories(horizon: int, base: int) -> tuple[float, ...]:
    """Return the memories of the forecaster: all days, and the horizon divided by 3, 10, 30, 100, … down to a base window.

    Examples
    --------
    >>> [round(memory, 1) for memory in forecast_memories(1_000, 1)]
    [inf, 316.2, 100.0, 31.6, 10.0]
    """
    memories = [math.inf]
    while (memory := horizon / math.sqrt(10.0) ** len(memories)) >= max(base, _SHORTEST):
        memories.append(memory)
    return tuple(memories)


@dataclass(frozen=True, repr=False)
class AdaptiveMaster(FilteredMaster):
    """Swap-ComBCP or Swap-ComBand with a pool, learned weights, a filter, experts and a guard.

    Parameters
    ----------
    horizon : int
        T, which sets the trackers and the threshold of the guard.
    trackers, learned_weights, guarded, forecaster : bool
        Each ingredient can be switched off.
    weight_step, weight_spread : float
        How fast the weights move, and the share that is dealt out evenly.
    optimism : float
        α of the forecaster.
    guard_slack : float
        The guard trips when Ŝ exceeds ``guard_slack``·(T/K + 16/γ). T/K is a term of Algorithm 1's own bound; 16/γ is for
        noise, since an estimate of a reward can be as large as 1/γ.
    """

    horizon: Days = 1
    trackers: bool = Ingredients.trackers
    learned_weights: bool = Ingredients.learned_weights
    guarded: bool = Ingredients.guarded
    weight_step: Step = Ingredients.weight_step
    weight_spread: Share = Ingredients.weight_spread
    forecaster: bool = Ingredients.forecaster
    optimism: Step = Ingredients.optimism
    guard_slack: Positive = Ingredients.guard_slack

    def __post_init__(self) -> None:
        super().__post_init__()
        as_integer(self.horizon, "horizon", 1)

    @property
    def foretells(self) -> bool:
        """Tell whether there is a forecaster."""
        return self.forecaster and can_foretell(self.actions, self.feedback)

    def _forecast_rule(self, memories: tuple[float, ...]) -> ForecastRule:
        """Return what does not change of the forecaster."""
        prior, size, is_bandit = Prior(), self.actions.size, self.feedback == "bandit"
        return ForecastRule(
            np.array(memories),
            float(self.horizon ** _CHANGES.get(self.feedback, 0.0)),
            prior.origin(size),
            prior.precision(size),
            prior.gain(size, is_bandit=is_bandit),
            float(self.optimism) * (_BOLDER if is_bandit else 1.0),
            FEEDBACKS[self.feedback],
            list_up_to(self.actions, _LISTED if memories and is_bandit else 0),
        )

    @property
    def threshold(self) -> float:
        """Return the Ŝ above which the guard trips."""
        if not self.guarded:
            return math.inf
        noise = _NOISY_ESTIMATES / self.learner.exploration if self.learner.exploration > 0.0 else 0.0
        return self.guard_slack * (self.horizon / self.n_scales + noise)

    def _waits(self, memory: float) -> int:
        """Return how many base windows a member with a memory of so many days waits between updates: an eighth of it."""
        return max(1, int(memory / (_UPDATES_PER_MEMORY * self.schedule.windows[0])))

    def _running(self, offset: int) -> Running:
        learner, n_cold, windows = self.learner, self.n_scales, self.schedule.windows
        family = self._family
        rates, is_adaptive = rates_of(learner, 1)
        memories = time_constants(self.actions, self.horizon, windows[0]) if self.trackers else ()
        waits = [self._waits(windows[1]), 0] + [self._waits(tau) for tau in memories]
        kept = [1.0] * (n_cold + 2)
        kept += [math.exp(-self._waits(tau) * windows[0] / tau) for tau in memories]
        foretells = forecast_memories(self.horizon, windows[0]) if self.foretells else ()
        waits += [0] * bool(foretells)
        kept += [1.0] * bool(foretells)
        n = len(kept)
        first = np.full(n, 1.0 / n)
        if foretells:
            first[:] = (1.0 - _FORECASTER) / (n - 1)
            first[-1] = _FORECASTER
        point, log_point = learner.first
        listed = list_actions(self.actions, has_experts=self.experts)
        rule = AdaptiveRule(
            listed=listed,
            windows=np.array(windows, dtype=np.int64),
            rates=np.array([rates[0]] * n_cold + [rates[0] / _SLOWER] * (n - n_cold)),
            retention=np.array(kept),
            update_every=np.array([0] * n_cold + waits, dtype=np.int64),
            is_adaptive=is_adaptive,
            diameter=float(learner.diameter),
            exploration=float(learner.exploration),
            predictor_step=float(self.predictor_step),
            feedback=FEEDBACKS[self.feedback],
            has_fit=self.fits,
            basis=self._basis,
            boldness=float(self.boldness),
            prior=float(self.prior),
            standard_errors=float(self.standard_errors),
            weight_step=float(self.weight_step) if self.learned_weights else 0.0,
            weight_spread=float(self.weight_spread),
            threshold=float(self.threshold),
            first_weights=first,
            forecast=self._forecast_rule(foretells),
            first_point=point,
            first_log=log_point,
        )
        d = family.common.dimension
        n_atoms = max(room_for_lists(self.actions, learner.plan.variants), len(listed.words))
        learners, policies = start_learners(n, point, log_point), list_room(family, n + 2, n_atoms)
        state = AdaptiveState(
            *begin_round(d, offset, learners, policies, n + 2),
            start_weights(first),
            start_experts(listed),
            start_memory(n, d, n_atoms, self.capacity if self.swap_filter else 0, self._n_parts),
            start_guard(n + 1, d, self.capacity, is_guarded=self.guarded),
            start_fit(n - n_cold - bool(foretells), d, int((rule.basis.place >= 0).sum()))
            if self.fits
            else start_fit(0, 0, 0),
            start_forecast(rule.forecast, d, windows[0], _PLAYS if self.feedback == "bandit" else 1),
        )
        return Running(family, rule, state, LISTS_DERIVED, learner)
