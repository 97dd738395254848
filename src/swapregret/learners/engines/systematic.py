"""CombEXP and hybrid mirror descent on m-sets in compiled blocks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from swapregret.actions.m_sets.m_set_laws import SystematicPolicy
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import Actions, Integers, Matrix, Vector
from swapregret.geometry.solve import DENSE_LIMIT, make_solver
from swapregret.kernels.systematic_run import SystematicLog, run_combexp, run_hybrid
from swapregret.learners.baselines.combexp import CombEXP, CombEXPState
from swapregret.learners.baselines.hybrid_omd import HybridOMD, HybridState
from swapregret.policy import Policy

__all__ = ["SystematicBlock", "SystematicEngine"]


@dataclass(frozen=True, eq=False)
class SystematicBlock:
    """A block of days, played.

    Attributes
    ----------
    state : object
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day.
    starts : int64 array, shape (n,)
        The first day of each law.
    units : int64 array, shape (n, dimension) or (0, dimension)
        Their marginals in units of 2⁻⁴⁴; none unless laws were wanted.
    first, last : Policy
        As of ``ListedBlock``.
    orders : int64 array
        In which the arcs of the laws are laid.
    """

    state: Any
    received: Vector
    plays: Actions
    starts: Integers
    units: Integers
    first: Policy
    last: Policy | None
    orders: Integers

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Make the laws that were played, one after the other, each with where in the block it began."""
        count, size = len(self.units), int(self.plays[0].sum())
        for index in range(count):
            start = int(self.starts[index])
            if index == 0:
                yield start, self.first
            elif index == count - 1 and self.last is not None:
                yield start, self.last
            else:
                yield start, SystematicPolicy(self.units[index].copy(), self.orders, size)


@dataclass(frozen=True)
class SystematicEngine:
    """Runs blocks for a player that moves its point on m-sets every day.

    Parameters
    ----------
    player : CombEXP or HybridOMD
    keeps_laws : bool
        Whether to hand out the laws that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.combexp(sr.MSets(4, 2), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = SystematicEngine(player).run(player.start(rng), rng, np.full((50, 4), 0.25))
    >>> float(block.received.sum()), block.state.day
    (25.0, 50)
    """

    player: CombEXP | HybridOMD
    keeps_laws: bool = False

    @staticmethod
    def can_run(player: Any) -> TypeGuard[CombEXP | HybridOMD]:
        """Tell whether a player is one of the two, on m-sets; Σ of CombEXP must be one to factor."""
        if type(player) not in (CombEXP, HybridOMD) or type(player.actions) is not MSets:
            return False
        d, m = player.actions.dimension, player.actions.size
        return type(player) is HybridOMD or (m < d <= DENSE_LIMIT)

    def run(self, state: Any, rng: np.random.Generator, rewards: Matrix) -> SystematicBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        n_days, d = rewards.shape
        log = SystematicLog(
            np.empty(n_days),
            np.empty((n_days, d), dtype=np.int64),
            np.empty(n_days, dtype=np.int64),
            np.empty((n_days if self.keeps_laws else 0, d), dtype=np.int64),
            np.zeros(2, dtype=np.int64),
        )
        actions: Any = self.player.actions
        orders = actions.orders(self.player.variants)
        rows = np.require(rewards, np.float64, ["C", "W"])
        move: Any = _combexp if isinstance(self.player, CombEXP) else _hybrid
        after = move(self.player, state, rng, rows, orders.copy(), log)
        count = int(log.filled[0])
        last = after.law if log.filled[1] else None
        units = log.units[:count]
        return SystematicBlock(after, log.received, log.plays, log.starts[:count], units, state.law, last, orders)


def _combexp(
    player: CombEXP,
    state: CombEXPState,
    rng: np.random.Generator,
    rewards: Matrix,
    orders: Integers,
    log: SystematicLog,
) -> CombEXPState:
    log_point, point, done, is_new = state.log_point.copy(), state.point.copy(), 0, True
    uniform, size = player.uniform.marginals().copy(), player.actions.size
    while done < len(rewards):
        done, is_learnt = run_combexp(
            rng,
            rewards,
            done,
            orders,
            size,
            player.learning_rate,
            player.exploration,
            uniform,
            is_new,
            log_point,
            point,
            log,
        )
        if not is_learnt:
            solver = make_solver(player.law(point), player.actions.span)
            estimate = log.received[done - 1] * solver.solve(log.plays[done - 1])
            projection = player.actions.kl_project(log_point + player.learning_rate * estimate)
            log_point, point = np.array(projection.log_point), np.array(projection.point)
    if log.filled.tolist() == [1, 1]:
        return replace(state, day=state.day + len(rewards))
    return player.at(state.day + len(rewards), log_point, point)


def _hybrid(
    player: HybridOMD,
    state: HybridState,
    rng: np.random.Generator,
    rewards: Matrix,
    orders: Integers,
    log: SystematicLog,
) -> HybridState:
    losses, point = state.losses.copy(), state.point.copy()
    run_hybrid(rng, rewards, orders, player.actions.size, player.scale, player.mix, state.day, losses, point, log)
    return player.at(state.day + len(rewards), losses, point)
