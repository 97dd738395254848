"""What the engines of all families share: a master as a rule, its state as arrays, and back.

May touch: ``arrays``, ``policy``, ``kernels.master_steps``, ``learners``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.geometry.solve import DENSE_LIMIT, not_solved
from swapregret.kernels.master_arrays import NOT_PROJECTED, NOT_SOLVED, Log, Memory, Rule
from swapregret.learners.estimator import BanditEstimator
from swapregret.learners.lazy import AdaptiveRate, LazyState
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.master import MasterState, SwapMaster
from swapregret.policy import Policy, on_grid

__all__ = ["Law", "Piece", "Replay", "Stretches", "is_dense", "must_project", "run_scales"]

_LOGGED = 2**22
_FEEDBACK = {"bandit": 0, "semi-bandit": 1, "full": 2}
Driver = Callable[[np.random.Generator, Matrix, Rule, Memory, Log], tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class Piece:
    """What was logged of some days.

    Attributes
    ----------
    first, n_days : int
        Where in the block they begin, and how many were played.
    state : MasterState
        Before them.
    events : int64 array, shape (n, 2)
        Turns of the calendar: (day that ended, number of windows that ended with it).
    points : Matrix, shape (n, dimension)
        The point of the scale that updated at each turn, or its log-weights if it is Lazy-ComBand; 0 where none did.
    """

    first: int
    n_days: int
    state: MasterState
    events: npt.NDArray[np.int64]
    points: Matrix


@dataclass(frozen=True, eq=False)
class Stretches:
    """A block of days, played.

    Attributes
    ----------
    state : MasterState
        After the last day.
    received : Vector
        The reward of each day played; shorter than the block if the engine had to stop.
    pieces : tuple of Piece
        Turns of the calendar and the points they led to; none unless laws were wanted.
    master : SwapMaster
    plays : Actions, shape (n, dimension) or (0, dimension)
        The action of each day, if actions were wanted.
    """

    state: MasterState
    received: Vector
    pieces: tuple[Piece, ...]
    master: SwapMaster
    plays: Actions

    def replay(self) -> "Replay":
        """Return what makes the laws that were played, one after the other."""
        return Replay(self)

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Make the laws that were played, one after the other, each with where in the block it began."""
        return ((law.start, law.policy) for law in Replay(self))


class Law(NamedTuple):
    """A law that was played: from which day of the block on, and the scales it mixes, where it does."""

    start: int
    policy: Policy
    scales: tuple[LazyState, ...]


class Replay:
    """The laws of a block, made again; after the last of them, ``state`` is the block's with these very objects.

    Whoever follows laws by their identity can then go on with the next block.

    Parameters
    ----------
    block : Stretches
    """

    def __init__(self, block: Stretches) -> None:
        self._block = block
        self.state = block.state

    def __iter__(self) -> Iterator[Law]:
        master, pieces = self._block.master, [piece for piece in self._block.pieces if piece.n_days]
        if not pieces:
            return
        first = pieces[0].state
        mixture, scales, has_turned = first.mixture, first.scales, False
        for piece in pieces:
            yield Law(piece.first, mixture, scales)
            for (day, n_ending), point in zip(piece.events.tolist(), piece.points, strict=True):
                scales = _turned(master, scales, n_ending, point)
                mixture, has_turned = master.mixture_of(scales), True
                start = day + 1 - piece.state.day
                if start < piece.n_days:
                    yield Law(piece.first + start, mixture, scales)
        if has_turned:
            paired = zip(self._block.state.scales, scales, strict=True)
            same = tuple(replace(new, exploit=old.exploit, policy=old.policy) for new, old in paired)
            self.state = replace(self._block.state, scales=same, mixture=mixture)


def is_dense(master: SwapMaster) -> bool:
    """Tell whether Σ is factored, or not needed at all."""
    estimator: Any = master.estimator
    if not isinstance(estimator, BanditEstimator):
        return True
    return estimator.solver in ("dense", "inverse") or (
        estimator.solver == "auto" and master.actions.rank <= DENSE_LIMIT
    )


def must_project(master: SwapMaster) -> bool:
    """Tell whether the master takes the part in the span of what it hands to its scales (``SwapMaster.observe``)."""
    if master.actions.rank == master.actions.dimension:
        return False
    return master.actions.rank <= DENSE_LIMIT or (master.feedback == "bandit" and is_dense(master))


def run_scales(
    master: SwapMaster,
    state: MasterState,
    rng: np.random.Generator,
    rewards: Matrix,
    run: Driver,
    *,
    keeps_laws: bool,
    keeps_plays: bool,
) -> Stretches:
    """Play one day a row of ``rewards`` by a compiled driver, drawing from ``rng`` as stepping would.

    Points of scales are logged only where laws are wanted, and then a block is cut into pieces whose log is small; actions
    are logged only where they are.
    """
    rule = _rule(master)
    n_days, d = rewards.shape
    base = int(rule.windows[0])
    piece = max(64, _LOGGED // d * base) if keeps_laws else n_days
    received, pieces, plays, done = [], [], [], 0
    while done < n_days:
        rows = np.require(rewards[done : done + piece], np.float64, ["C", "W"])
        memory = _memory(master, state)
        most = len(rows) // base + 2
        log = Log(
            np.empty(len(rows)),
            np.zeros((most, 2), dtype=np.int64),
            np.zeros((most if keeps_laws else 0, d)),
            np.zeros(d),
            np.empty((len(rows) if keeps_plays else 0, d), dtype=np.int64),
        )
        n_played, n_events, end = run(rng, rows, rule, memory, log)
        if end == NOT_PROJECTED:
            master.actions.kl_project(log.tilted)  # raises what stepping would raise
        if end == NOT_SOLVED:
            raise not_solved(float(log.tilted[0]))
        if keeps_laws:
            pieces.append(Piece(done, n_played, state, log.events[:n_events], log.points[:n_events]))
        state = _after(master, state, memory, n_events)
        received.append(log.received[:n_played])
        plays.append(log.plays[:n_played])
        done += n_played
        if n_played < len(rows):
            break
    return Stretches(state, np.concatenate(received), tuple(pieces), master, np.concatenate(plays))


def _turned(master: SwapMaster, scales: tuple[LazyState, ...], n_ending: int, point: Vector) -> tuple[LazyState, ...]:
    """Return the scales with their laws after a turn: the one that updates has a new point, those before it restart."""
    after = list(scales)
    if n_ending <= len(after):
        k = n_ending - 1
        learner, new = master.learners[k], frozen(point.copy())
        is_gibbs = isinstance(learner, LazyComBand)
        state = replace(after[k], log_weights=new) if is_gibbs else replace(after[k], point=new)
        after[k] = learner.resume(replace(state, n_updates=1))
    for k in range(min(n_ending - 1, len(after))):
        after[k] = master.learners[k].start()
    return tuple(after)


def _rule(master: SwapMaster) -> Rule:
    learners: list[Any] = list(master.learners)
    first: Any = learners[0]
    estimator: Any = master.estimator
    exploration = first.exploration
    shares = on_grid([1.0 - exploration, exploration]) if exploration > 0.0 else np.array([1.0, 0.0])
    groups = [next(j for j, other in enumerate(learners) if other is learner) for learner in learners]
    is_adaptive = isinstance(first.rate, AdaptiveRate)
    return Rule(
        windows=np.array(master.schedule.windows, dtype=np.int64),
        groups=np.array(groups, dtype=np.int64),
        rates=np.array([each.rate.scale if is_adaptive else each.rate.learning_rate for each in learners]),
        shares=shares,
        diameter=float(first.diameter),
        predictor_step=float(getattr(estimator, "predictor_step", 0.0)),
        is_adaptive=is_adaptive,
        is_uniform=first.actions.is_uniform,
        feedback=_FEEDBACK[master.feedback],
        has_inverse=getattr(estimator, "solver", "") == "inverse",
    )


def _memory(master: SwapMaster, state: MasterState) -> Memory:
    scales = state.scales
    learner: Any = master.learners[0]
    first: LazyState = learner.start()
    return Memory(
        clock=np.array([state.day, state.calendar.offset], dtype=np.int64),
        prediction=state.prediction.copy(),
        running=state.running.copy(),
        total=state.total.copy(),
        aggregates=state.aggregates.copy(),
        points=np.stack([scale.point for scale in scales]),
        log_weights=np.stack([scale.log_weights for scale in scales]),
        scores=np.stack([scale.score for scale in scales]),
        scalars=np.array([[scale.variation, scale.memory_sum] for scale in scales]),
        counts=np.array([[scale.n_updates, scale.memory_count] for scale in scales], dtype=np.int64),
        first_point=first.point.copy(),
        first_log=first.log_weights.copy(),
        earned=np.array([state.earned]),
        recoveries=np.array([state.n_recoveries], dtype=np.int64),
    )


def _after(master: SwapMaster, state: MasterState, memory: Memory, n_events: int) -> MasterState:
    after = replace(
        state,
        day=int(memory.clock[0]),
        prediction=frozen(memory.prediction),
        running=frozen(memory.running),
        aggregates=frozen(memory.aggregates),
        total=frozen(memory.total),
        earned=float(memory.earned[0]),
        n_recoveries=int(memory.recoveries[0]),
    )
    if n_events == 0:
        return after
    scales = []
    for k, learner in enumerate(master.learners):
        first = learner.start()
        numbers = LazyState(
            n_updates=int(memory.counts[k, 0]),
            log_weights=frozen(memory.log_weights[k].copy()),
            origin=first.origin,
            score=frozen(memory.scores[k].copy()),
            variation=float(memory.scalars[k, 0]),
            point=frozen(memory.points[k].copy()),
            exploit=first.exploit,
            policy=first.policy,
            memory_sum=float(memory.scalars[k, 1]),
            memory_count=int(memory.counts[k, 1]),
        )
        scales.append(learner.resume(numbers))
    return master.with_scales(after, tuple(scales))
