"""CombEXP and hybrid mirror descent on permutations, paths, trees and their kin in compiled blocks."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from swapregret.arrays import Matrix
from swapregret.geometry.solve import DENSE_LIMIT, make_solver
from swapregret.kernels.point_run import run_combexp_hull, run_hybrid_hull
from swapregret.kernels.vector_log import VectorLog
from swapregret.learners.baselines.combexp import CombEXP, CombEXPState
from swapregret.learners.baselines.hybrid_omd import ACCEPTABLE, HybridOMD, HybridState
from swapregret.learners.engines.vectors import VectorBlock, close_block, empty_log
from swapregret.learners.hulls import Hulls, hulls_of

__all__ = ["PointEngine"]


@dataclass(frozen=True)
class PointEngine:
    """Runs blocks for a player that moves its point every day, on sets whose hull has kernels.

    Parameters
    ----------
    player : CombEXP or HybridOMD
    keeps_laws : bool
        Whether to hand out the laws that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.combexp(sr.Permutations(3), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = PointEngine(player).run(player.start(rng), rng, np.full((50, 9), 0.25))
    >>> float(block.received.sum()), block.state.day
    (37.5, 50)
    """

    player: CombEXP | HybridOMD
    keeps_laws: bool = False

    @staticmethod
    def can_run(player: Any) -> TypeGuard[CombEXP | HybridOMD]:
        """Tell whether a player is one of the two on a set of a family; Σ of CombEXP must be one to factor."""
        if type(player) not in (CombEXP, HybridOMD):
            return False
        if type(player) is CombEXP and player.actions.rank > DENSE_LIMIT:
            return False
        return hulls_of(player.actions, player.variants) is not None

    @cached_property
    def _hulls(self) -> Hulls:
        hulls = hulls_of(self.player.actions, self.player.variants)
        assert hulls is not None
        return hulls

    def run(self, state: Any, rng: np.random.Generator, rewards: Matrix) -> VectorBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        log = empty_log(rewards, self.keeps_laws)
        rows = np.require(rewards, np.float64, ["C", "W"])
        move: Any = self._combexp if isinstance(self.player, CombEXP) else self._hybrid
        return close_block(log, state, move(self.player, state, rng, rows, log), self.player.law)

    def _combexp(
        self, player: CombEXP, state: CombEXPState, rng: np.random.Generator, rewards: Matrix, log: VectorLog
    ) -> CombEXPState:
        actions = player.actions
        log_point, point, done = state.log_point.copy(), state.point.copy(), 0
        coordinates, uniform = np.array(actions.span.coordinates, dtype=np.int64), player.uniform.marginals().copy()
        while done < len(rewards):
            done, is_learnt = run_combexp_hull(
                rng,
                rewards,
                done,
                *self._hulls,
                coordinates,
                player.learning_rate,
                player.exploration,
                uniform,
                True,
                log_point,
                point,
                log,
            )
            if not is_learnt:  # as stepping would, or raises what that would raise
                solver = make_solver(player.law(point), actions.span)
                estimate = log.received[done - 1] * solver.solve(log.plays[done - 1])
                projection = actions.kl_project(log_point + player.learning_rate * estimate)
                log_point, point = np.array(projection.log_point), np.array(projection.point)
            elif done < len(rewards):
                player.law(point)  # raises what stepping would raise
        if log.filled.tolist() == [1, 1]:
            return replace(state, day=state.day + len(rewards))
        return player.at(state.day + len(rewards), log_point, point)

    def _hybrid(
        self, player: HybridOMD, state: HybridState, rng: np.random.Generator, rewards: Matrix, log: VectorLog
    ) -> HybridState:
        losses, point, done = state.losses.copy(), state.point.copy(), 0
        while done < len(rewards):
            done, is_learnt = run_hybrid_hull(
                rng,
                rewards,
                done,
                *self._hulls,
                player.is_free,
                player.actions.size,
                player.scale,
                player.mix,
                ACCEPTABLE,
                state.day,
                losses,
                point,
                log,
            )
            if not is_learnt:  # as stepping would, or raises what that would raise
                point = player.moved(state.day + done, losses, point).point.copy()
            elif done < len(rewards):
                player.law(point)  # raises what stepping would raise
        return player.at(state.day + len(rewards), losses, point)
