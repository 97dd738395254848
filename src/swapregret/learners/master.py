r"""The multi-scale master (Algorithm 1): a uniform mixture of scales, one estimate broadcast to all.

*Notation*: K ``n_scales``, :math:`p_{k,t}` the policy of scale k, :math:`\hat p_t` the ``mixture`` that is played,
:math:`\widetilde R_t` the ``estimate``, :math:`\widetilde X` the ``aggregate`` of a meta-day.

May touch: ``arrays``, ``policy``, ``geometry``, ``actions.base``, the other files of ``learners``.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.geometry.solve import DenseSolver
from swapregret.learners.calendar import Calendar
from swapregret.learners.estimator import BanditEstimator
from swapregret.learners.lazy_combcp import LazyComBCP, LazyState
from swapregret.learners.player import Decision
from swapregret.learners.schedule import Schedule
from swapregret.policy import Policy, mix

__all__ = ["MasterState", "SwapMaster"]


@dataclass(frozen=True, eq=False)
class MasterState:
    """What the master knows before a day.

    Attributes
    ----------
    day : int
        Days observed so far.
    calendar : Calendar
        With the offset that was drawn at the start.
    scales : tuple of LazyState
        One a scale, k = 1..K.
    mixture : Policy
        p̂, the law of the next action.
    solver : DenseSolver
        Σ⁺ of that law, factored once and used until a scale changes.
    prediction : Vector
        R̂, the predictor of the estimator.
    running : Vector
        Sum of the estimates since any scale last changed.
    aggregates : Matrix, shape (K, dimension)
        Sum of the estimates of each scale's meta-day, up to then.
    """

    day: int
    calendar: Calendar
    scales: tuple[LazyState, ...]
    mixture: Policy
    solver: DenseSolver
    prediction: Vector
    running: Vector
    aggregates: Matrix


@dataclass(frozen=True)
class SwapMaster:
    """Algorithm 1: K copies of one lazy learner, each updating and restarting on its own scale.

    Parameters
    ----------
    learner : LazyComBCP
        The configuration all scales share (Lazy-CombAlg of the paper).
    schedule : Schedule
    estimator : BanditEstimator
    random_offset : bool
        Whether the calendar starts at a random day of its windows (deviation D20).

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.learners.lazy_combcp import AdaptiveRate
    >>> learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=AdaptiveRate())
    >>> master = SwapMaster(learner, Schedule([1, 4, 16]))
    >>> master.policy(master.start(np.random.default_rng(0))).marginals().round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """

    learner: LazyComBCP
    schedule: Schedule
    estimator: BanditEstimator = field(default_factory=BanditEstimator)
    random_offset: bool = False

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""
        return self.learner.actions

    @property
    def n_scales(self) -> int:
        """Return K."""
        return self.schedule.n_scales

    def start(self, rng: np.random.Generator) -> MasterState:
        """Start every scale; the only randomness is the offset of the calendar."""
        windows = self.schedule.windows
        offset = windows[0] * int(rng.integers(windows[-1] // windows[0])) if self.random_offset else 0
        zero = frozen(np.zeros(self.actions.dimension))
        scales = (self.learner.start(),) * self.n_scales
        mixture = self._mixture(scales)
        return MasterState(
            day=0,
            calendar=Calendar(self.schedule, offset),
            scales=scales,
            mixture=mixture,
            solver=DenseSolver(mixture, self.actions.span),
            prediction=zero,
            running=zero,
            aggregates=frozen(np.zeros((self.n_scales, self.actions.dimension))),
        )

    def policy(self, state: MasterState) -> Policy:
        """Return p̂ (lines 3, 4)."""
        return state.mixture

    def observe(self, state: MasterState, decision: Decision, reward: float) -> MasterState:
        """Estimate, broadcast, and let the scales whose windows end act on it (lines 6, 7, 12–14)."""
        same_law = decision.policy is state.mixture
        solver = state.solver if same_law else DenseSolver(decision.policy, self.actions.span)
        estimate = self.estimator.estimate(solver, decision.action, reward, state.prediction)  # line 6
        estimate += state.running
        running = frozen(estimate)
        prediction = self.estimator.learn(state.prediction, decision.action, reward)
        if state.calendar.days_left(state.day) > 1:
            return replace(state, day=state.day + 1, prediction=prediction, running=running)
        return self._turn(state, prediction, running)

    def _turn(self, state: MasterState, prediction: Vector, running: Vector) -> MasterState:
        """End the base window: scales 1..c−1 restart, scale c updates, the rest go on."""
        aggregates = state.aggregates + running  # line 7
        scales = list(state.scales)
        calendar, day = state.calendar, state.day
        updating = calendar.updating(day)
        if updating is not None:
            scales[updating - 1] = self.learner.update(scales[updating - 1], aggregates[updating - 1])  # line 14
            aggregates[updating - 1] = 0.0
        for scale in calendar.restarting(day):
            scales[scale - 1] = self.learner.start(scales[scale - 1])  # line 13
            aggregates[scale - 1] = 0.0
        mixture = self._mixture(tuple(scales))
        return MasterState(
            day=day + 1,
            calendar=calendar,
            scales=tuple(scales),
            mixture=mixture,
            solver=DenseSolver(mixture, self.actions.span),
            prediction=prediction,
            running=frozen(np.zeros_like(running)),
            aggregates=frozen(aggregates),
        )

    def _mixture(self, scales: tuple[LazyState, ...]) -> Policy:
        return mix([scale.policy for scale in scales], [1.0 / self.n_scales] * self.n_scales)  # line 4
