"""Swap-ComBCP on paths and partitions in compiled blocks.

May touch: ``arrays``, ``geometry.solve``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.path_laws import MarkovPaths
from swapregret.geometry.solve import HOPELESS, LIMIT, TOLERANCE
from swapregret.kernels.path_master import PathSetting, run_paths
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.hulls import paths_of
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster

__all__ = ["PathEngine"]


@dataclass(frozen=True)
class PathEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBCP on paths.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.Partitions(3, 2), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = PathEngine(master).run(master.start(rng), rng, np.full((50, 8), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    driver = staticmethod(run_paths)

    @cached_property
    def _setting(self) -> PathSetting:
        learner: Any = self.master.learners[0]
        paths = paths_of(learner.actions)
        assert paths is not None
        graph, mu = paths.graph, learner.mu
        J = paths.span.coordinates
        is_chain = learner.law == "chain"
        factors = self.master.feedback == "bandit" and not is_chain
        moves = isinstance(mu, MarkovPaths)
        joined, pivot = paths.span.balance if must_project(self.master) else (np.zeros(0), np.zeros(0))
        return PathSetting(
            start=graph.start,
            head=graph.head,
            edge=graph.edge,
            plan=paths.plan,
            longest=int(graph.level[-1]),
            is_chain=is_chain,
            orders=np.stack([paths.order(variant) for variant in range(learner.variants)]),
            coordinates=np.array(J, dtype=np.int64),
            joined=joined,
            pivot=pivot,
            tolerance=TOLERANCE,
            limit=LIMIT,
            hopeless=HOPELESS,
            explore_transition=mu.transition.copy() if moves else np.zeros(0),
            explore_flow=mu.flow.copy() if moves else np.zeros(0),
            explore_mass=mu.mass.copy() if moves else np.zeros(0),
            explore=explore_by(mu, J, is_listed=not moves, has_moment=factors),
        )

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales: lists with a dense Σ, chains without."""
        learner: Any = master.learners[0]
        if not isinstance(learner, LazyComBCP) or paths_of(learner.actions) is None:
            return False
        if learner.law == "chain":
            return isinstance(learner.mu, MarkovPaths) and not is_dense(master)
        return is_dense(master)
