"""Swap-ComBCP on paths and partitions in compiled blocks.

May touch: ``arrays``, ``geometry.solve``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.dag_paths import DagPaths
from swapregret.actions.partitions import Partitions
from swapregret.actions.path_laws import MarkovPaths
from swapregret.arrays import Matrix
from swapregret.geometry.solve import HOPELESS, LIMIT, TOLERANCE
from swapregret.kernels.master_arrays import Log, Memory, Rule
from swapregret.kernels.path_master import PathSetting, run_paths
from swapregret.learners.engines.scales import Stretches, is_dense, must_project, run_scales
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import MasterState, SwapMaster

__all__ = ["PathEngine", "paths_of"]


@dataclass(frozen=True)
class PathEngine:
    """Runs blocks for a master whose scales are Lazy-ComBCP on paths.

    Parameters
    ----------
    master : SwapMaster
    keeps_laws, keeps_plays : bool
        Whether to hand out the laws, and the actions, that were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.Partitions(3, 2), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = PathEngine(master).run(master.start(rng), rng, np.full((50, 8), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    master: SwapMaster
    keeps_laws: bool = False
    keeps_plays: bool = False

    @cached_property
    def _setting(self) -> PathSetting:
        learner: Any = self.master.learners[0]
        paths = paths_of(learner.actions)
        assert paths is not None
        graph, mu, d = paths.graph, learner.mu, paths.dimension
        J = paths.span.coordinates
        is_chain = learner.law == "chain"
        factors = self.master.feedback == "bandit" and not is_chain
        moves = isinstance(mu, MarkovPaths)
        law = None if moves else mu.finite()
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
            explore_atoms=np.zeros((0, d), dtype=np.int64) if law is None else law.atoms.copy(),
            explore_cumulative=np.zeros(0) if law is None else np.cumsum(law.weights),
            explore_moment=np.ascontiguousarray(mu.cooccurrence()[np.ix_(J, J)]) if factors else np.zeros((0, 0)),
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
        return run_paths(rng, rewards, rule, self._setting, memory, log)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBCP scales: lists with a dense Σ, chains without."""
        learner: Any = master.learners[0]
        if not isinstance(learner, LazyComBCP) or paths_of(learner.actions) is None:
            return False
        if learner.law == "chain":
            return isinstance(learner.mu, MarkovPaths) and not is_dense(master)
        return is_dense(master)


def paths_of(actions: Any) -> DagPaths | None:
    """Return the paths behind a set with their coordinates, or None."""
    if type(actions) is Partitions and not actions.is_compact:
        return actions.paths
    return actions if type(actions) is DagPaths else None
