"""The days between two turns of the adaptive master in compiled code, on any set; the turns themselves are the master's own.

The same days, bit for bit, as stepping a ``Session``.

May touch: ``arrays``, ``policy``, ``geometry.solve``, ``kernels``, ``learners.adaptive.master``, ``learners.estimator``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.geometry.solve import DenseSolver
from swapregret.kernels.turn_arrays import MUST_DRAW, MUST_MAKE_LAWS, MUST_TURN, NOT_PROJECTED
from swapregret.kernels.turn_run import run_turns
from swapregret.kernels.vectors import action_total
from swapregret.kernels.window_days import play_days
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.adaptive.state import AdaptiveState
from swapregret.learners.adaptive.turns import Turns, find_turns
from swapregret.learners.estimator import BanditEstimator, FullEstimator, SemiBanditEstimator
from swapregret.learners.player import Decision
from swapregret.policy import Mixture, Policy

__all__ = ["WindowBlock", "WindowEngine"]

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]
Note = Callable[[int, Policy], None]

_FEEDBACK = {"bandit": 0, "semi-bandit": 1, "full": 2}
_NOTHING, _NONE, _NO_MATRIX = np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class WindowBlock:
    """A block of days, played.

    Attributes
    ----------
    state : AdaptiveState
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day, or no rows if they were not kept.
    """

    state: AdaptiveState
    received: Vector
    plays: Actions


@dataclass(frozen=True, eq=False)
class _Window:
    """A mixture as the kernel takes it; see :func:`~swapregret.kernels.window_days.play_days`."""

    parts: tuple[Policy, ...]
    unlisted: Policy | None
    shares: Vector
    first: Integers
    chances: Vector
    words: Words
    has_inverse: bool
    factor: Matrix
    coordinates: Integers
    marginals: Vector


class WindowEngine:
    """Runs blocks for a master; a state it has returned is used up when it runs on from it.

    Parameters
    ----------
    master : AdaptiveMaster
    is_noting, keeps_plays : bool
        Whether laws are to be told of, and actions written down; turns are then the master's own.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.Permutations(3), 1000, preset="adaptive")
    >>> rng = np.random.default_rng(0)
    >>> block = WindowEngine(master).run(master.start(rng), rng, np.full((50, 9), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 37.5, 50)
    """

    def __init__(self, master: AdaptiveMaster, *, is_noting: bool = False, keeps_plays: bool = False) -> None:
        self.master = master
        self.is_noting = is_noting
        self._keeps_plays = keeps_plays
        self._own: AdaptiveState | None = None
        self._turns = find_turns(master)

    @staticmethod
    def can_run(master: AdaptiveMaster) -> bool:
        """Tell whether the estimator is one the kernel knows."""
        return type(master.estimator) in (BanditEstimator, SemiBanditEstimator, FullEstimator)

    def run(
        self, state: AdaptiveState, rng: np.random.Generator, rewards: Matrix, note: Note | None = None
    ) -> WindowBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would.

        ``note`` is told of every law before its first day in the block, with the row of that day.
        """
        if state is not self._own:
            state = self.master.own(state)
        rewards = np.require(rewards, np.float64, ["C", "W"])
        received = np.empty(len(rewards))
        plays = np.empty((len(rewards) if self._keeps_plays else 0, rewards.shape[1]), dtype=np.int64)
        done = 0
        while done < len(rewards):
            if note is not None:
                note(done, state.mixture)
            elif self._turns is not None and not self._keeps_plays and self._turns.can_take(state):
                state, done = self._run(self._turns, state, rng, rewards, received, done)
                continue
            stop = min(len(rewards), done + state.calendar.days_left(state.day))
            state = self._play(state, rng, rewards[done:stop], received[done:stop], plays[done:stop])
            done = stop
        self._own = state
        return WindowBlock(state, received, plays)

    def _run(
        self,
        turns: Turns,
        state: AdaptiveState,
        rng: np.random.Generator,
        rewards: Matrix,
        received: Vector,
        done: int,
    ) -> tuple[AdaptiveState, int]:
        """Play days and common turns in compiled code, up to a turn that is not; that one is the master's."""
        pool = turns.pack(state)
        none = np.zeros((0, rewards.shape[1]), dtype=np.int64)
        handed = none
        while True:
            done, end = run_turns(rng, rewards, received, done, handed, turns.rule, pool, *turns.hulls)
            if end != MUST_DRAW:
                break
            n_drawn = 1
            if pool.clock[3]:  # in calm every action of the window is drawn here
                n_drawn = min(len(rewards) - done, state.calendar.days_left(int(pool.clock[0])))
            handed = self.master.mu.sample_many(rng, n_drawn)
        if end == NOT_PROJECTED:
            self.master.actions.kl_project(pool.running)  # raises what stepping would raise
        after = turns.unpack(pool, state)
        if end == MUST_TURN:
            same = replace(after, mixture=state.mixture, solver=state.solver)
            return self.master.turn(same, after.day - 1, owns=True), done
        if end == MUST_MAKE_LAWS:
            return self.master.ready(after, pool.changed.astype(bool).tolist()), done
        return self.master.ready(after), done

    def _play(
        self, state: AdaptiveState, rng: np.random.Generator, rewards: Matrix, received: Vector, plays: Actions
    ) -> AdaptiveState:
        """Play days that lie in one base window, and turn if it ends with them."""
        window = self._window(state)
        if window is None:
            return self._step(state, rng, rewards, received, plays)
        prediction, running, total = state.prediction.copy(), state.running.copy(), state.total.copy()
        earned = np.array([state.earned])
        feedback, step = _FEEDBACK[self.master.feedback], float(getattr(self.master.estimator, "predictor_step", 0.0))
        handed = np.zeros((0, len(prediction)), dtype=np.int64)
        at = 0
        if len(window.parts) == 1 and window.unlisted is not None:  # one law without a list: all days are drawn here
            handed = window.unlisted.sample_many(rng, len(rewards))
        while True:
            at = play_days(
                rng,
                rewards,
                received,
                at,
                window.shares,
                window.first,
                window.chances,
                window.words,
                feedback,
                step,
                window.has_inverse,
                window.factor,
                window.coordinates,
                window.marginals,
                prediction,
                running,
                total,
                earned,
                handed,
                plays,
            )
            if at == len(rewards):
                break
            assert window.unlisted is not None
            handed = window.unlisted.sample(rng)[None].copy()
        last = state.day + len(rewards) - 1
        is_over = state.calendar.days_left(state.day) == len(rewards)
        state = replace(
            state,
            day=last + 1,
            prediction=frozen(prediction),
            running=frozen(running),
            total=frozen(total),
            earned=float(earned[0]),
        )
        return self.master.turn(state, last, owns=True) if is_over else state

    def _step(
        self, state: AdaptiveState, rng: np.random.Generator, rewards: Matrix, received: Vector, plays: Actions
    ) -> AdaptiveState:
        """Play days of a mixture whose Σ is not factored, one by one."""
        master = self.master
        for index, row in enumerate(rewards):
            law = master.policy(state)
            action = law.sample(rng)
            reward = min(max(action_total(row, action), 0.0), 1.0)
            seen = reward if master.feedback == "bandit" else (row if master.feedback == "full" else row * action)
            state = master.observe(state, Decision(state.day, action, (), law), seen, owns=True)
            received[index] = reward
            if len(plays):
                plays[index] = action
        return state

    def _window(self, state: AdaptiveState) -> _Window | None:
        """Return the mixture as the kernel takes it, or None if its Σ is not factored."""
        mixture, solver = state.mixture, state.solver
        factored = None
        if solver is not None:
            factored = solver.factored if isinstance(solver, DenseSolver) else None
            if factored is None:
                return None
        parts = mixture.components if isinstance(mixture, Mixture) else (mixture,)
        laws = [part for part in parts if isinstance(part, ListedLaw)]
        if len(parts) - len(laws) > 1:
            return None
        first = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part.cumulative) if isinstance(part, ListedLaw) else 0 for part in parts], out=first[1:])
        width = (self.master.actions.dimension + 63) // 64
        factor, coordinates, has_inverse = (_NO_MATRIX, _NONE, False) if factored is None else factored
        return _Window(
            parts=parts,
            unlisted=next((part for part in parts if not isinstance(part, ListedLaw)), None),
            shares=np.cumsum(mixture.component_weights) if isinstance(mixture, Mixture) else _NOTHING,
            first=first,
            chances=np.concatenate([law.cumulative for law in laws]) if laws else _NOTHING,
            words=np.concatenate([law.words for law in laws]) if laws else np.zeros((0, width), dtype=np.uint64),
            has_inverse=has_inverse,
            factor=factor,
            coordinates=coordinates,
            marginals=mixture.marginals().copy() if self.master.feedback == "semi-bandit" else _NOTHING,
        )
