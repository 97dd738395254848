"""The engine of ComBand on m-sets and paths too many to be listed.

May touch: ``arrays``, ``policy``, ``geometry.solve``, ``kernels``, ``learners``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.actions.path_laws import MarkovPaths
from swapregret.arrays import Actions, Matrix, Vector, frozen
from swapregret.geometry.solve import DENSE_LIMIT, make_solver
from swapregret.kernels.comband_chains import ScoreLog, run_comband_chains
from swapregret.kernels.gibbs_master import GibbsSetting
from swapregret.learners.baselines.comband import ComBand, LinearState
from swapregret.learners.engines.gibbs_chains import gibbs_setting, is_chain
from swapregret.policy import Policy, on_grid

__all__ = ["ComBandEngine", "ScoreBlock"]


@dataclass(frozen=True, eq=False)
class ScoreBlock:
    """A block of days, played.

    Attributes
    ----------
    state : LinearState
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day.
    starts : int64 array, shape (n,)
        The first day of each law.
    scores : Matrix, shape (n, dimension) or (0, dimension)
        The scores of the laws; none unless laws were wanted.
    first, last : Policy
        As of ``ListedBlock``.
    player : ComBand
    """

    state: LinearState
    received: Vector
    plays: Actions
    starts: npt.NDArray[np.int64]
    scores: Matrix
    first: Policy
    last: Policy | None
    player: ComBand

    @property
    def laws(self) -> Iterator[tuple[int, Policy]]:
        """Make the laws that were played, one after the other, each with where in the block it began."""
        count = len(self.scores)
        for index in range(count):
            start = int(self.starts[index])
            if index == 0:
                yield start, self.first
            elif index == count - 1 and self.last is not None:
                yield start, self.last
            else:
                yield start, self.player.law(self.scores[index])


@dataclass(frozen=True)
class ComBandEngine:
    """Runs blocks for ComBand where the Gibbs law is a chain.

    Parameters
    ----------
    player : ComBand
    keeps_laws : bool
        Whether to hand out the laws that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> player = sr.baselines.comband(sr.MSets(16, 5), 100)
    >>> rng = np.random.default_rng(0)
    >>> block = ComBandEngine(player).run(player.start(rng), rng, np.full((50, 16), 0.1))
    >>> round(float(block.received.sum()), 9), block.state.day
    (25.0, 50)
    """

    player: ComBand
    keeps_laws: bool = False

    @staticmethod
    def can_run(player: Any) -> TypeGuard[ComBand]:
        """Tell whether a player is ComBand with chains for laws, and a Σ to factor."""
        if type(player) is not ComBand or player.actions.rank > DENSE_LIMIT or player.table is not None:
            return False
        return is_chain(player.actions) and isinstance(player.mu, UniformSubsets | MarkovPaths)

    @cached_property
    def _setting(self) -> GibbsSetting:
        return gibbs_setting(self.player.actions, self.player.mu, is_bandit=True, is_projected=False)

    def run(self, state: LinearState, rng: np.random.Generator, rewards: Matrix) -> ScoreBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        player, (n_days, d) = self.player, rewards.shape
        log = ScoreLog(
            np.empty(n_days),
            np.empty((n_days, d), dtype=np.int64),
            np.empty(n_days, dtype=np.int64),
            np.empty((n_days if self.keeps_laws else 0, d)),
            np.zeros(2, dtype=np.int64),
        )
        rows, scores, done, is_new = np.require(rewards, np.float64, ["C", "W"]), state.scores.copy(), 0, True
        shares = on_grid([1.0 - player.exploration, player.exploration])
        while done < n_days:
            done, is_learnt = run_comband_chains(
                rng, rows, done, self._setting, shares, player.learning_rate, is_new, scores, log
            )
            if not is_learnt:
                solver = make_solver(player.law(scores), player.actions.span)
                scores += log.received[done - 1] * solver.solve(log.plays[done - 1])
        has_changed = log.filled.tolist() != [1, 1]
        after = LinearState(state.day + n_days, frozen(scores), player.law(scores) if has_changed else state.law)
        last, count = after.law if log.filled[1] else None, int(log.filled[0])
        return ScoreBlock(
            after, log.received, log.plays, log.starts[:count], log.scores[:count], state.law, last, player
        )
