"""Swap-ComBCP on permutations and truncated permutations in compiled blocks.

May touch: ``arrays``, ``policy``, ``geometry.solve``, ``actions``, ``kernels.matching_master``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.matching_set import MatchingSet
from swapregret.actions.permutation_laws import UniformMatchings
from swapregret.geometry.solve import HOPELESS, LIMIT, TOLERANCE
from swapregret.kernels.matching_master import MatchingSetting, run_matchings
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster

__all__ = ["MatchingEngine"]


@dataclass(frozen=True)
class MatchingEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBCP on matchings, with a dense Σ or, on permutations, without one.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.Permutations(3), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = MatchingEngine(master).run(master.start(rng), rng, np.full((50, 9), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 37.5, 50)
    """

    driver = staticmethod(run_matchings)

    @cached_property
    def _setting(self) -> MatchingSetting:
        learner: Any = self.master.learners[0]
        actions: MatchingSet = learner.actions
        rows, columns = actions.shape
        across, down = actions.orders(learner.variants)
        J = actions.span.coordinates
        mu = learner.mu
        is_bandit = self.master.feedback == "bandit"
        factors = is_bandit and is_dense(self.master)
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
            explore=explore_by(mu, J, is_listed=not isinstance(mu, UniformMatchings), has_moment=factors),
        )

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales: a dense Σ, or one that explores uniformly."""
        learner: Any = master.learners[0]
        if not isinstance(learner, LazyComBCP) or not isinstance(learner.actions, MatchingSet):
            return False
        rows, columns = learner.actions.shape
        explores = learner.exploration > 0.0 and isinstance(learner.mu, UniformMatchings)
        return is_dense(master) or (explores and rows == columns >= 2)
