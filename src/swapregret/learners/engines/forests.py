"""Swap-ComBCP on spanning trees and forests in compiled blocks.

May touch: ``arrays``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.graphic_bases import INSIDE, GraphicBases
from swapregret.actions.tree_laws import GibbsTrees
from swapregret.kernels.forest_master import ForestSetting, run_forests
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster

__all__ = ["ForestEngine"]


@dataclass(frozen=True)
class ForestEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBCP on trees or forests, with a dense Σ.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.SpanningTrees([(0, 1), (1, 2), (2, 0)]), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = ForestEngine(master).run(master.start(rng), rng, np.full((50, 3), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    driver = staticmethod(run_forests)

    @cached_property
    def _setting(self) -> ForestSetting:
        learner: Any = self.master.learners[0]
        actions: GraphicBases = learner.actions
        J, mu = actions.span.coordinates, learner.mu
        is_bandit = self.master.feedback == "bandit"
        walk, up = np.zeros(0), np.zeros(0, dtype=np.int64)
        if isinstance(mu, GibbsTrees) and mu.walk is not None:
            walk, up = mu.walk
        starts, edges, ends = actions.graph.arcs
        return ForestSetting(
            graph=actions.kernel_graph,
            unit=actions.mass_unit,
            ranks=actions.orders(learner.variants),
            inside=INSIDE,
            coordinates=np.array(J, dtype=np.int64),
            orthonormal=actions.span.orthonormal if must_project(self.master) else np.zeros((0, 0)),
            walk=walk,
            up=up,
            starts=starts,
            edges=edges,
            ends=ends,
            explore=explore_by(mu, J, is_listed=not walk.size, has_moment=is_bandit),
        )

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales."""
        learner: Any = master.learners[0]
        if not (isinstance(learner, LazyComBCP) and isinstance(learner.actions, GraphicBases) and is_dense(master)):
            return False
        mu = learner.mu
        return mu.walk is not None if isinstance(mu, GibbsTrees) else bool(mu.has_atoms)
