"""Swap-ComBCP on permutations and truncated permutations in compiled blocks.

May touch: ``arrays``, ``policy``, ``geometry.solve``, ``actions``, ``kernels.matching_master``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.matching_set import MatchingSet
from swapregret.actions.permutation_laws import UniformMatchings
from swapregret.arrays import Matrix
from swapregret.geometry.solve import HOPELESS, LIMIT, TOLERANCE
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.matching_master import MatchingSetting, run_matchings
from swapregret.learners.engines.scales import Stretches, is_dense, must_project, run_scales
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import MasterState, SwapMaster

__all__ = ["MatchingEngine"]


@dataclass(frozen=True)
class MatchingEngine:
    """Runs blocks for a master whose scales are Lazy-ComBCP on matchings, with a dense Σ or, on permutations, without one.

    Parameters
    ----------
    master : SwapMaster
    keeps_laws, keeps_plays : bool
        Whether to hand out the laws, and the actions, that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.Permutations(3), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = MatchingEngine(master).run(master.start(rng), rng, np.full((50, 9), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 37.5, 50)
    """

    master: SwapMaster
    keeps_laws: bool = False
    keeps_plays: bool = False

    @cached_property
    def _setting(self) -> MatchingSetting:
        learner: Any = self.master.learners[0]
        actions: MatchingSet = learner.actions
        rows, columns = actions.shape
        across, down = actions.orders(learner.variants)
        J = actions.span.coordinates
        mu = learner.mu
        chosen, cumulative = np.zeros((0, rows), dtype=np.int32), np.zeros(0)
        if not isinstance(mu, UniformMatchings):
            law = mu.finite()
            chosen = np.argmax(law.atoms.reshape(-1, rows, columns), axis=2).astype(np.int32)
            cumulative = np.cumsum(law.weights)
        is_bandit = self.master.feedback == "bandit"
        factors = is_bandit and is_dense(self.master)
        moment = mu.cooccurrence()[np.ix_(J, J)] if factors else np.zeros((0, 0))
        return MatchingSetting(
            n_rows=rows,
            n_columns=columns,
            row_orders=across,
            column_orders=down,
            coordinates=np.array(J, dtype=np.int64),
            is_iterative=is_bandit and not factors,
            tolerance=TOLERANCE,
            limit=LIMIT,
            hopeless=HOPELESS,
            must_project=must_project(self.master),
            explore_chosen=chosen,
            explore_cumulative=cumulative,
            explore_moment=np.ascontiguousarray(moment),
            explore_marginals=np.array(mu.marginals()),
        )

    def run(self, state: MasterState, rng: np.random.Generator, rewards: Matrix) -> Stretches:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        return run_scales(
            self.master, state, rng, rewards, self._drive, keeps_laws=self.keeps_laws, keeps_plays=self.keeps_plays
        )

    def _drive(
        self, rng: np.random.Generator, rewards: Matrix, rule: Rule, memory: Memory, log: Log
    ) -> tuple[int, int, int]:
        return run_matchings(rng, rewards, rule, self._setting, memory, log)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales: a dense Σ, or one that explores uniformly."""
        learner: Any = master.learners[0]
        if not isinstance(learner, LazyComBCP) or not isinstance(learner.actions, MatchingSet):
            return False
        rows, columns = learner.actions.shape
        explores = learner.exploration > 0.0 and isinstance(learner.mu, UniformMatchings)
        return is_dense(master) or (explores and rows == columns >= 2)
