"""Swap-ComBCP on spanning trees and forests in compiled blocks.

May touch: ``arrays``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.graphic_bases import INSIDE, GraphicBases
from swapregret.actions.tree_laws import GibbsTrees
from swapregret.arrays import Matrix
from swapregret.kernels.forest_master import ForestSetting, run_forests
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.learners.engines.scales import Stretches, is_dense, must_project, run_scales
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import MasterState, SwapMaster

__all__ = ["ForestEngine"]


@dataclass(frozen=True)
class ForestEngine:
    """Runs blocks for a master whose scales are Lazy-ComBCP on trees or forests, with a dense Σ.

    Parameters
    ----------
    master : SwapMaster
    keeps_laws, keeps_plays : bool
        Whether to hand out the laws, and the actions, that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.SpanningTrees([(0, 1), (1, 2), (2, 0)]), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = ForestEngine(master).run(master.start(rng), rng, np.full((50, 3), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    master: SwapMaster
    keeps_laws: bool = False
    keeps_plays: bool = False

    @cached_property
    def _setting(self) -> ForestSetting:
        learner: Any = self.master.learners[0]
        actions: GraphicBases = learner.actions
        J, d, mu = actions.span.coordinates, actions.dimension, learner.mu
        is_bandit = self.master.feedback == "bandit"
        walk, up = np.zeros(0), np.zeros(0, dtype=np.int64)
        law = None
        if isinstance(mu, GibbsTrees) and mu.walk is not None:
            walk, up = mu.walk
        else:
            law = mu.finite()
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
        return run_forests(rng, rewards, rule, self._setting, memory, log)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales."""
        learner: Any = master.learners[0]
        if not (isinstance(learner, LazyComBCP) and isinstance(learner.actions, GraphicBases) and is_dense(master)):
            return False
        mu = learner.mu
        return mu.walk is not None if isinstance(mu, GibbsTrees) else bool(mu.has_atoms)
