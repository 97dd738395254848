"""Whole blocks of days in compiled code, bit for bit what stepping a ``Session`` gives.

An engine exists for a configuration, not for a class: ``find_engine`` looks at the player and returns one that can run
it, or None, in which case the days are stepped. User-written sets and learners are stepped at the speed of their Python.

May touch: ``arrays``, ``actions.m_sets``, ``kernels.m_set_master``, ``learners``.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets import MSets
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.kernels.m_set_master import run_master
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster
from swapregret.learners.adaptive.pool_engine import PoolBlock, PoolEngine
from swapregret.learners.estimator import BanditEstimator
from swapregret.learners.lazy import AdaptiveRate, LazyState
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import MasterState, SwapMaster
from swapregret.learners.player import Player
from swapregret.policy import on_grid

__all__ = ["BlockResult", "Engine", "MSetEngine", "PoolBlock", "PoolEngine", "find_engine"]

_LARGEST_DIMENSION = 64


@dataclass(frozen=True, eq=False)
class BlockResult:
    """A block of days, played.

    Attributes
    ----------
    state : MasterState
        After the last day.
    received : Vector
        The reward of each day played; shorter than the block if the engine had to stop.
    events : int64 array, shape (n, 2)
        Turns of the calendar: (day that ended, number of windows that ended with it).
    event_units : int64 array, shape (n, dimension)
        The marginals, in units of 2⁻⁴⁴, of the scale that updated at each turn.
    """

    state: MasterState
    received: Vector
    events: npt.NDArray[np.int64]
    event_units: npt.NDArray[np.int64]


@dataclass(frozen=True)
class MSetEngine:
    """Swap-ComBCP on m-sets with bandit feedback and uniform exploration."""

    master: SwapMaster

    def run(self, state: MasterState, rng: np.random.Generator, rewards: Matrix) -> BlockResult:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        master, scales = self.master, state.scales
        learners: list[Any] = list(master.learners)
        learner: LazyComBCP = learners[0]
        actions, first = learner.actions, learner.start()
        assert isinstance(actions, MSets)
        assert isinstance(master.estimator, BanditEstimator)
        n_days, d = rewards.shape
        windows = np.array(master.schedule.windows, dtype=np.int64)
        is_adaptive = isinstance(learner.rate, AdaptiveRate)
        rates = np.array([_constant(each) for each in learners])
        clock = np.array([state.day, state.calendar.offset], dtype=np.int64)
        points = np.stack([scale.point for scale in scales])
        log_weights = np.stack([scale.log_weights for scale in scales])
        scores = np.stack([scale.score for scale in scales])
        aggregates = state.aggregates.copy()
        scalars = np.array([[scale.variation, scale.memory_sum] for scale in scales])
        counts = np.array([[scale.n_updates, scale.memory_count] for scale in scales], dtype=np.int64)
        prediction, running, total = state.prediction.copy(), state.running.copy(), state.total.copy()
        most = n_days // int(windows[0]) + 2
        events = np.zeros((most, 2), dtype=np.int64)
        event_units = np.zeros((most, d), dtype=np.int64)
        received = np.empty(n_days)
        n_played, n_events = run_master(
            rng,
            np.ascontiguousarray(rewards),
            windows,
            actions.orders(learner.variants),
            rates,
            is_adaptive,
            learner.diameter,
            _shares(learner.exploration),
            actions.size * (actions.size - 1) / (d * (d - 1)) if d > 1 else 1.0,
            actions.size,
            master.estimator.predictor_step,
            clock,
            first.point,
            first.log_weights,
            points,
            log_weights,
            scores,
            aggregates,
            scalars,
            counts,
            prediction,
            running,
            total,
            events,
            event_units,
            received,
        )
        earned = state.earned
        for reward in received[:n_played].tolist():
            earned += reward
        rebuilt = []
        for k, each in enumerate(learners):
            numbers = LazyState(
                int(counts[k, 0]),
                frozen(log_weights[k].copy()),
                first.origin,
                frozen(scores[k].copy()),
                float(scalars[k, 0]),
                frozen(points[k].copy()),
                first.exploit,
                first.policy,
                float(scalars[k, 1]),
                int(counts[k, 1]),
            )
            rebuilt.append(each.resume(numbers))
        after = replace(
            state,
            day=int(clock[0]),
            prediction=frozen(prediction),
            running=frozen(running),
            aggregates=frozen(aggregates),
            total=frozen(total),
            earned=earned,
        )
        if n_events:
            after = master.with_scales(after, tuple(rebuilt))
        return BlockResult(after, received[:n_played], events[:n_events], event_units[:n_events])


Engine = MSetEngine | PoolEngine
"""What runs blocks of days."""


def _constant(learner: LazyComBCP) -> float:
    return learner.rate.scale if isinstance(learner.rate, AdaptiveRate) else learner.rate.learning_rate


def _shares(exploration: float) -> Vector:
    """Return the weights of exploit and explore as ``policy.mix`` keeps them."""
    if exploration == 0.0:
        return np.array([1.0, 0.0])
    return on_grid([1.0 - exploration, exploration])


def find_engine(player: Player[Any], *, is_measured: bool = True) -> Engine | None:
    """Return an engine for a player, or None where its days must be stepped.

    ``is_measured`` tells whether the laws that were played must be handed out.

    Examples
    --------
    >>> from swapregret.learners.presets import swap_combcp
    >>> find_engine(swap_combcp(MSets(10, 3), horizon=1000)) is not None
    True
    >>> find_engine(swap_combcp(MSets(10, 3), horizon=1000, feedback="full")) is None
    True
    """
    if isinstance(player, MSetAdaptiveMaster):
        return PoolEngine(player, is_taped=is_measured)
    if not isinstance(player, SwapMaster) or player.warm_restarts:
        return None
    if not isinstance(player.estimator, BanditEstimator) or player.estimator.solver == "iterative":
        return None
    learner, actions = player.learners[0], player.actions
    if not isinstance(learner, LazyComBCP) or type(actions) is not MSets:
        return None
    if learner.exploration_law not in (None, "uniform"):
        return None
    if any(other is not learner for other in player.learners):  # scales of different learners share no law when fresh
        return None
    if actions.size == actions.dimension or actions.dimension > _LARGEST_DIMENSION:
        return None
    return MSetEngine(player)
