"""The engine of ComBand on sets too large to be listed whose Gibbs laws have kernels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from swapregret.arrays import Matrix, frozen
from swapregret.geometry.solve import DENSE_LIMIT, make_solver
from swapregret.kernels.comband_gibbs import run_comband_gibbs
from swapregret.learners.baselines.comband import ComBand, LinearState
from swapregret.learners.engines.gibbs_settings import GibbsSettings, gibbs_settings, has_gibbs_kernels
from swapregret.learners.engines.vectors import VectorBlock, close_block, empty_log
from swapregret.policy import on_grid

__all__ = ["ComBandEngine"]


@dataclass(frozen=True)
class ComBandEngine:
    """Runs blocks for ComBand by the Gibbs law.

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
        """Tell whether a player is ComBand by a Gibbs law with kernels, and a Σ to factor."""
        if type(player) is not ComBand or player.actions.rank > DENSE_LIMIT or player.table is not None:
            return False
        return has_gibbs_kernels(player.actions, player.mu)

    @cached_property
    def _settings(self) -> GibbsSettings:
        return gibbs_settings(self.player.actions, self.player.mu, is_bandit=True, is_projected=False)

    def run(self, state: LinearState, rng: np.random.Generator, rewards: Matrix) -> VectorBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        player, n_days, log = self.player, len(rewards), empty_log(rewards, self.keeps_laws)
        rows, scores, done, is_new = np.require(rewards, np.float64, ["C", "W"]), state.scores.copy(), 0, True
        shares = on_grid([1.0 - player.exploration, player.exploration])
        while done < n_days:
            done, is_learnt = run_comband_gibbs(
                rng, rows, done, *self._settings, shares, player.learning_rate, is_new, scores, log
            )
            if not is_learnt:
                solver = make_solver(player.law(scores), player.actions.span)
                scores += log.received[done - 1] * solver.solve(log.plays[done - 1])
        has_changed = log.filled.tolist() != [1, 1]
        after = LinearState(state.day + n_days, frozen(scores), player.law(scores) if has_changed else state.law)
        return close_block(log, state, after, player.law)
