"""Swap-ComBand on spanning trees in compiled blocks.

May touch: ``arrays``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.graphic_bases import GraphicBases
from swapregret.actions.tree_laws import GibbsTrees
from swapregret.arrays import Matrix
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.tree_gibbs_master import TreeSetting, run_gibbs_trees
from swapregret.learners.engines.scales import Stretches, is_dense, must_project, run_scales
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.master import MasterState, SwapMaster

__all__ = ["GibbsTreeEngine"]

_LARGEST = 1000


@dataclass(frozen=True)
class GibbsTreeEngine:
    """Runs blocks for a master whose scales are Lazy-ComBand on trees, with a dense Σ.

    Parameters
    ----------
    master : SwapMaster
    keeps_laws, keeps_plays : bool
        Whether to hand out the laws, and the actions, that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_comband(sr.SpanningTrees([(0, 1), (1, 2), (2, 0)]), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = GibbsTreeEngine(master).run(master.start(rng), rng, np.full((50, 3), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    master: SwapMaster
    keeps_laws: bool = False
    keeps_plays: bool = False

    @cached_property
    def _setting(self) -> TreeSetting:
        learner: Any = self.master.learners[0]
        actions: GraphicBases = learner.actions
        J, d, mu = actions.span.coordinates, actions.dimension, learner.mu
        is_bandit = self.master.feedback == "bandit"
        law = None if isinstance(mu, GibbsTrees) else mu.finite()
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
            explore_atoms=np.zeros((0, d), dtype=np.int64) if law is None else law.atoms.copy(),
            explore_cumulative=np.zeros(0) if law is None else np.cumsum(law.weights),
            explore_moment=np.ascontiguousarray(mu.cooccurrence()[np.ix_(J, J)]) if is_bandit else np.zeros((0, 0)),
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
        return run_gibbs_trees(rng, rewards, rule, self._setting, memory, log)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBand scales."""
        learner: Any = master.learners[0]
        actions = learner.actions
        if not (isinstance(learner, LazyComBand) and isinstance(actions, GraphicBases) and is_dense(master)):
            return False
        return actions.dimension <= _LARGEST and (isinstance(learner.mu, GibbsTrees) or learner.mu.has_atoms)
