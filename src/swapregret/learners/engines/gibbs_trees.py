"""Swap-ComBand on spanning trees in compiled blocks.

May touch: ``arrays``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.graphic_bases import GraphicBases
from swapregret.actions.tree_laws import GibbsTrees
from swapregret.kernels.tree_gibbs_master import TreeSetting, run_gibbs_trees
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.master import SwapMaster

__all__ = ["GibbsTreeEngine"]

_LARGEST = 1000


@dataclass(frozen=True)
class GibbsTreeEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBand on trees, with a dense Σ.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_comband(sr.SpanningTrees([(0, 1), (1, 2), (2, 0)]), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = GibbsTreeEngine(master).run(master.start(rng), rng, np.full((50, 3), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    driver = staticmethod(run_gibbs_trees)

    @cached_property
    def _setting(self) -> TreeSetting:
        learner: Any = self.master.learners[0]
        actions: GraphicBases = learner.actions
        J, mu = actions.span.coordinates, learner.mu
        is_bandit = self.master.feedback == "bandit"
        starts, edges, ends = actions.graph.arcs
        return TreeSetting(
            tails=actions.graph.tails,
            heads=actions.graph.heads,
            starts=starts,
            edges=edges,
            ends=ends,
            size=actions.size,
            coordinates=np.array(J, dtype=np.int64),
            orthonormal=actions.span.orthonormal if must_project(self.master) else np.zeros((0, 0)),
            explore=explore_by(mu, J, is_listed=not isinstance(mu, GibbsTrees), has_moment=is_bandit),
        )

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBand scales."""
        learner: Any = master.learners[0]
        actions = learner.actions
        if not (isinstance(learner, LazyComBand) and isinstance(actions, GraphicBases) and is_dense(master)):
            return False
        return actions.dimension <= _LARGEST and (isinstance(learner.mu, GibbsTrees) or learner.mu.has_atoms)
