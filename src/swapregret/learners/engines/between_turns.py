"""Any multi-scale master, its days compiled from turn to turn; the turns themselves are the master's own.

For what the engines of the families leave out: warm restarts, Swap-ComBand off trees, sets without a family. The law stays
between two turns, so its draws are made first and the days are learnt from in one go.

May touch: ``arrays``, ``geometry.solve``, ``kernels.stretch_days``, ``learners``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.geometry.solve import DenseSolver
from swapregret.kernels.stretch_days import learn_days
from swapregret.learners.engines.scales import Law
from swapregret.learners.estimator import BanditEstimator, FullEstimator, SemiBanditEstimator
from swapregret.learners.master import MasterState, SwapMaster
from swapregret.policy import Policy

__all__ = ["HeldBlock", "TurnEngine"]

_FEEDBACK = {"bandit": 0, "semi-bandit": 1, "full": 2}
_NO_COORDINATES, _NO_MATRIX = np.zeros(0, dtype=np.int64), np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class HeldBlock:
    """A block of days, played by laws that were held for some of them each.

    Attributes
    ----------
    state : object
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day.
    held : tuple of Law
        The laws, in order; the same objects as in the states.
    """

    state: Any
    received: Vector
    plays: Actions
    held: tuple[Law, ...]

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Return the laws that were played, each with where in the block it began."""
        return ((law.start, law.policy) for law in self.held)


@dataclass(frozen=True)
class TurnEngine:
    """Runs blocks for a master.

    Parameters
    ----------
    master : SwapMaster

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale", warm_restarts=True)
    >>> rng = np.random.default_rng(0)
    >>> block = TurnEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> float(block.received.sum()), block.state.day
    (25.0, 50)
    """

    master: SwapMaster

    @staticmethod
    def can_run(master: SwapMaster) -> bool:
        """Tell whether the estimator is one the kernel knows."""
        return type(master.estimator) in (BanditEstimator, SemiBanditEstimator, FullEstimator)

    def run(self, state: MasterState, rng: np.random.Generator, rewards: Matrix) -> HeldBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        rows = np.require(rewards, np.float64, ["C", "W"])
        received, plays, held, done = np.empty(len(rows)), np.empty(rows.shape, dtype=np.int64), [], 0
        while done < len(rows):
            held.append(Law(done, state.mixture, state.scales))
            days_left = state.calendar.days_left(state.day)
            stop = min(len(rows), done + days_left)
            plays[done:stop] = state.mixture.sample_many(rng, stop - done)
            state = self._learn(state, rows[done:stop], plays[done:stop], received[done:stop])
            if stop - done == days_left:
                state = self.master.turn(state, state.day - 1)
            done = stop
        return HeldBlock(state, received, plays, tuple(held))

    def _learn(self, state: MasterState, rewards: Matrix, plays: Actions, received: Vector) -> MasterState:
        """Learn from days that lie in one base window, up to its turn."""
        prediction, running, total = state.prediction.copy(), state.running.copy(), state.total.copy()
        earned, solver, n_recoveries = np.array([state.earned]), state.solver, state.n_recoveries
        factored, aids = None, _NO_MATRIX
        if solver is not None:
            factored = solver.factored if isinstance(solver, DenseSolver) else None
        if solver is not None and factored is None:
            aids = np.empty(rewards.shape)
            for index, action in enumerate(plays):
                aids[index] = solver.solve(action)
                n_recoveries += solver.has_recovered
        elif self.master.feedback == "semi-bandit":
            aids = state.mixture.marginals()[None, :].copy()
        factor, coordinates, has_inverse = (_NO_MATRIX, _NO_COORDINATES, False) if factored is None else factored
        learn_days(
            rewards,
            plays,
            _FEEDBACK[self.master.feedback],
            float(getattr(self.master.estimator, "predictor_step", 0.0)),
            has_inverse,
            factor,
            coordinates,
            aids,
            prediction,
            running,
            total,
            earned,
            received,
        )
        return replace(
            state,
            day=state.day + len(rewards),
            prediction=frozen(prediction),
            running=frozen(running),
            total=frozen(total),
            earned=float(earned[0]),
            n_recoveries=n_recoveries,
        )
