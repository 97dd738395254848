"""Swap-ComBCP on m-sets in compiled blocks.

May touch: ``arrays``, ``geometry.solve``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.actions.m_sets import MSets
from swapregret.geometry.solve import HOPELESS, LIMIT, TOLERANCE
from swapregret.kernels.m_set_master import SubsetSetting, run_subsets
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster

__all__ = ["MSetEngine"]


@dataclass(frozen=True)
class MSetEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBCP on m-sets.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = MSetEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    driver = staticmethod(run_subsets)

    @cached_property
    def _setting(self) -> SubsetSetting:
        learner: Any = self.master.learners[0]
        actions: MSets = learner.actions
        d, mu = actions.dimension, learner.mu
        uniform = actions.uniform_policy()
        assert isinstance(uniform, UniformSubsets)
        factors = is_dense(self.master)
        has_matrix = factors and self.master.feedback == "bandit"
        return SubsetSetting(
            size=actions.size,
            orders=actions.orders(learner.variants).copy(),
            coordinates=np.arange(d),
            is_dense=factors,
            is_chain=learner.law == "chain",
            single=uniform.single,
            pair=uniform.pair,
            tolerance=TOLERANCE,
            limit=LIMIT,
            hopeless=HOPELESS,
            explore=explore_by(mu, np.arange(d), is_listed=mu is not uniform, has_moment=has_matrix),
        )

    @property
    def is_tapeable(self) -> bool:
        """Whether all laws are lists of one learner that explores uniformly, which a ledger can read from their points."""
        learner: Any = self.master.learners[0]
        is_one = all(other is learner for other in self.master.learners)
        return is_one and learner.law == "list" and isinstance(learner.mu, UniformSubsets)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master."""
        learner: Any = master.learners[0]
        if not isinstance(learner, LazyComBCP) or type(learner.actions) is not MSets:
            return False
        if learner.actions.size == learner.actions.dimension:
            return False
        explores = learner.exploration > 0.0 and learner.mu is learner.actions.uniform_policy()
        return master.feedback != "bandit" or is_dense(master) or explores
