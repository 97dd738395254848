r"""The multi-scale master (Algorithm 1): a uniform mixture of scales, one estimate broadcast to all.

*Notation*: K ``n_scales``, :math:`p_{k,t}` the policy of scale k, :math:`\hat p_t` the ``mixture`` that is played,
:math:`\widetilde R_t` the ``estimate``, :math:`\widetilde X` the ``aggregate`` of a meta-day.

May touch: ``arrays``, ``errors``, ``policy``, ``geometry``, ``actions.base``, the other files of ``learners``.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DENSE_LIMIT, DenseSolver, Solver
from swapregret.kernels.vectors import action_total
from swapregret.learners.calendar import Calendar
from swapregret.learners.estimator import BanditEstimator, Estimator
from swapregret.learners.lazy import LazyLearner, LazyState
from swapregret.learners.lazy_arrays import dump_lazy, load_lazy
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.schedule import Schedule
from swapregret.policy import Policy, mix

__all__ = ["MasterState", "SwapMaster"]

_WARM_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class MasterState:
    """What the master knows before a day.

    Attributes
    ----------
    day : int
        Days observed or skipped so far.
    calendar : Calendar
        With the offset that was drawn at the start.
    scales : tuple of LazyState
        One a scale, k = 1..K.
    mixture : Policy
        p̂, the law of the next action.
    solver : Solver or None
        What the estimator prepared for that law, once, and uses until a scale changes.
    prediction : Vector
        R̂, the predictor of the estimator.
    running : Vector
        Sum of the estimates since any scale last changed.
    aggregates : Matrix, shape (K, dimension)
        Sum of the estimates of each scale's meta-day, up to then.
    total : Vector
        Sum of all estimates: an unbiased estimate of Σ R on the span.
    earned : float
        Sum of the rewards received.
    n_recoveries : int
        Estimates made the solver's second way, because Σ was singular to working precision.
    """

    day: int
    calendar: Calendar
    scales: tuple[LazyState, ...]
    mixture: Policy
    solver: Solver | None
    prediction: Vector
    running: Vector
    aggregates: Matrix
    total: Vector
    earned: float = 0.0
    n_recoveries: int = 0


@dataclass(frozen=True)
class SwapMaster:
    """Algorithm 1: K lazy learners, each updating and restarting on its own scale.

    Parameters
    ----------
    learners : sequence of LazyLearner
        Lazy-CombAlg of scales 1..K; often K times the same configuration.
    schedule : Schedule
    estimator : Estimator
    random_offset : bool
        Whether the calendar starts at a random day of its windows (deviation D20).
    warm_restarts : bool
        Whether a scale restarts from .8 of the next coarser scale's point and .2 of the uniform start (deviation D21).

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> from swapregret.learners.lazy import AdaptiveRate
    >>> from swapregret.learners.lazy_combcp import LazyComBCP
    >>> learner = LazyComBCP(MSets(4, 2), exploration=0.1, rate=AdaptiveRate())
    >>> master = SwapMaster((learner,) * 2, Schedule([1, 4, 16]))
    >>> master.policy(master.start(np.random.default_rng(0))).marginals().round(6)
    array([0.5, 0.5, 0.5, 0.5])
    """

    learners: tuple[LazyLearner, ...]
    schedule: Schedule
    estimator: Estimator = field(default_factory=BanditEstimator)
    random_offset: bool = False
    warm_restarts: bool = False

    def __post_init__(self) -> None:
        given = tuple(self.learners)
        shared = tuple(next(other for other in given if other == learner) for learner in given)
        object.__setattr__(self, "learners", shared)  # equal learners are one object, so that they share their laws
        if len(self.learners) != self.schedule.n_scales:
            raise InvalidInput(
                "`learners` must be one for each scale of the schedule",
                f"{len(self.learners)} learners and {self.schedule.n_scales} scales",
                "Repeat one configuration K times, or give K of them.",
            )
        if any(learner.actions is not self.learners[0].actions for learner in self.learners):
            raise InvalidInput(
                "`learners` must all learn on the same action set",
                "learners with sets of their own",
                "Make the set once and hand the one object to every learner.",
            )

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""
        return self.learners[0].actions

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""
        return self.estimator.feedback

    @property
    def n_scales(self) -> int:
        """Return K."""
        return self.schedule.n_scales

    def start(self, rng: np.random.Generator) -> MasterState:
        """Start every scale; the only randomness is the offset of the calendar."""
        windows = self.schedule.windows
        offset = windows[0] * int(rng.integers(windows[-1] // windows[0])) if self.random_offset else 0
        zero = frozen(np.zeros(self.actions.dimension))
        state = MasterState(
            day=0,
            calendar=Calendar(self.schedule, offset),
            scales=(),
            mixture=self.learners[0].mu,
            solver=None,
            prediction=zero,
            running=zero,
            aggregates=frozen(np.zeros((self.n_scales, self.actions.dimension))),
            total=zero,
        )
        return self.with_scales(state, tuple(learner.start() for learner in self.learners))

    def policy(self, state: MasterState) -> Policy:
        """Return p̂ (lines 3, 4)."""
        return state.mixture

    def observe(self, state: MasterState, decision: Decision, reward: float | Vector | None) -> MasterState:
        """Estimate, broadcast, and let the scales whose windows end act on it (lines 6, 7, 12–14).

        A day without feedback (``reward`` None) passes on the calendar with estimate 0.
        """
        running, total, prediction, earned = state.running, state.total, state.prediction, state.earned
        n_recoveries = state.n_recoveries
        if reward is not None:
            law, solver = decision.policy, state.solver
            if law is not state.mixture:  # the reward of an earlier law comes late
                solver = self.estimator.prepare(law, self.actions.span)
            estimate = self.estimator.estimate(law, solver, decision.action, reward, prediction)  # line 6
            n_recoveries += solver is not None and solver.has_recovered
            running, total = frozen(running + estimate), frozen(total + estimate)
            prediction = self.estimator.learn(prediction, decision.action, reward)
            if self.feedback == "bandit":
                earned += float(reward)
            else:
                earned += action_total(np.array(reward, dtype=np.float64), decision.action)
        after = MasterState(
            day=state.day + 1,
            calendar=state.calendar,
            scales=state.scales,
            mixture=state.mixture,
            solver=state.solver,
            prediction=prediction,
            running=running,
            aggregates=state.aggregates,
            total=total,
            earned=earned,
            n_recoveries=n_recoveries,
        )
        return after if state.calendar.days_left(state.day) > 1 else self.turn(after, state.day)

    def turn(self, state: MasterState, day: int) -> MasterState:
        """End the base window after its last day: scales 1..c−1 restart, scale c updates, the rest go on."""
        aggregates = state.aggregates + self._on_span(state)  # line 7
        scales = list(state.scales)
        updating = state.calendar.updating(day)
        if updating is not None:
            k = updating - 1
            scales[k] = self.learners[k].update(scales[k], aggregates[k])  # line 14
            aggregates[k] = 0.0
        for scale in reversed(state.calendar.restarting(day)):
            k = scale - 1
            prior = self._prior(scales, k) if self.warm_restarts else None
            scales[k] = self.learners[k].start(scales[k], prior)  # line 13
            aggregates[k] = 0.0
        zero = frozen(np.zeros(self.actions.dimension))
        return self.with_scales(replace(state, running=zero, aggregates=frozen(aggregates)), tuple(scales))

    def with_scales(self, state: MasterState, scales: tuple[LazyState, ...]) -> MasterState:
        """Return the state with other scales: their mixture, and what the estimator prepares for it."""
        mixture = self.mixture_of(scales)
        solver = self.estimator.prepare(mixture, self.actions.span)
        return replace(state, scales=scales, mixture=mixture, solver=solver)

    def mixture_of(self, scales: tuple[LazyState, ...]) -> Policy:
        """Return p̂, the uniform mixture of the scales' policies."""
        return mix([scale.policy for scale in scales], [1.0 / self.n_scales] * self.n_scales)  # line 4

    def _on_span(self, state: MasterState) -> Vector:
        """Return the part of the running sum in span(A): Σ⁺M itself where the solver used r coordinates only."""
        span = self.actions.span
        is_large = span.rank > DENSE_LIMIT and not isinstance(state.solver, DenseSolver)
        if span.rank == self.actions.dimension or is_large:
            return state.running
        return span.project(state.running)

    def _prior(self, scales: list[LazyState], k: int) -> Vector | None:
        if k + 1 >= len(scales):
            return None
        return _WARM_SHARE * scales[k + 1].point + (1.0 - _WARM_SHARE) * self.learners[k].start().point

    def dump(self, state: MasterState) -> Arrays:
        """Write the state as named arrays; policies and factors are made again by ``load``."""
        return {
            "day": np.array(state.day),
            "offset": np.array(state.calendar.offset),
            "prediction": state.prediction,
            "running": state.running,
            "aggregates": state.aggregates,
            "total": state.total,
            "earned": np.array(state.earned),
            "n_recoveries": np.array(state.n_recoveries),
        } | dump_lazy(state.scales)

    def load(self, arrays: Arrays) -> MasterState:
        """Read a state written by ``dump`` of an equally configured master."""
        state = MasterState(
            day=int(arrays["day"]),
            calendar=Calendar(self.schedule, int(arrays["offset"])),
            scales=(),
            mixture=self.learners[0].mu,
            solver=None,
            prediction=frozen(arrays["prediction"].copy()),
            running=frozen(arrays["running"].copy()),
            aggregates=frozen(arrays["aggregates"].copy()),
            total=frozen(arrays["total"].copy()),
            earned=float(arrays["earned"]),
            n_recoveries=int(arrays["n_recoveries"]),
        )
        return self.with_scales(state, load_lazy(self.learners, arrays))
