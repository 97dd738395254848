"""Swap-ComBand in compiled blocks: on m-sets, paths, partitions, trees and permutations.

May touch: ``actions``, ``policy``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.graphic_bases import GraphicBases
from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.actions.m_sets import MSets
from swapregret.actions.path_elimination import plan_elimination
from swapregret.actions.path_laws import MarkovPaths
from swapregret.actions.permutation_laws import UniformMatchings
from swapregret.actions.permutations import Permutations
from swapregret.actions.tree_laws import GibbsTrees
from swapregret.arrays import Matrix
from swapregret.kernels.gibbs_chain_laws import ChainSetting
from swapregret.kernels.gibbs_master import run_gibbs
from swapregret.kernels.gibbs_permutation_laws import PermutationSetting
from swapregret.kernels.gibbs_tree_laws import TreeSetting
from swapregret.kernels.master_arrays import Explore, Log, Memory, Rule
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.hulls import paths_of
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.master import SwapMaster
from swapregret.policy import Policy

__all__ = ["GibbsEngine", "GibbsSettings", "gibbs_settings", "has_gibbs_kernels"]

GibbsSettings = tuple[
    ChainSetting | None, TreeSetting | None, PermutationSetting | None, npt.NDArray[np.int64], Explore
]
"""One set, in its place among the families, independent coordinates, and the exploration law."""
_LARGEST = 1000
_NOT_LISTED = UniformSubsets | MarkovPaths | GibbsTrees | UniformMatchings


@dataclass(frozen=True)
class GibbsEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBand on a set whose Gibbs laws have kernels, with a dense Σ.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_comband(sr.MSets(6, 2), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = GibbsEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    @cached_property
    def _setting(self) -> GibbsSettings:
        learner: Any = self.master.learners[0]
        is_bandit = self.master.feedback == "bandit"
        return gibbs_settings(learner.actions, learner.mu, is_bandit=is_bandit, is_projected=must_project(self.master))

    def _drive(
        self, rng: np.random.Generator, rewards: Matrix, rule: Rule, memory: Memory, log: Log
    ) -> tuple[int, int, int]:
        return run_gibbs(rng, rewards, rule, *self._setting, memory, log)

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBand scales."""
        learner: Any = master.learners[0]
        return isinstance(learner, LazyComBand) and is_dense(master) and has_gibbs_kernels(learner.actions, learner.mu)


def has_gibbs_kernels(actions: ActionSet, mu: Policy) -> bool:
    """Tell whether the Gibbs laws of a set, and an exploration law on it, are of a kind that the kernels know.

    Examples
    --------
    >>> has_gibbs_kernels(MSets(4, 2), MSets(4, 2).uniform_policy())
    True
    """
    if isinstance(actions, GraphicBases):
        is_known = actions.dimension <= _LARGEST
    else:
        is_known = type(actions) in (MSets, Permutations) or paths_of(actions) is not None
    return is_known and (isinstance(mu, _NOT_LISTED) or mu.has_atoms)


def gibbs_settings(actions: ActionSet, mu: Policy, *, is_bandit: bool, is_projected: bool) -> GibbsSettings:
    """Return a set and its exploration law as the kernels take them."""
    J = np.array(actions.span.coordinates, dtype=np.int64)
    explore = explore_by(mu, J, is_listed=not isinstance(mu, _NOT_LISTED), has_moment=is_bandit)
    if isinstance(actions, GraphicBases):
        orthonormal = actions.span.orthonormal if is_projected else np.zeros((0, 0))
        graph = actions.graph
        return None, TreeSetting(graph.tails, graph.heads, *graph.arcs, actions.size, orthonormal), None, J, explore
    if isinstance(actions, Permutations):
        return None, None, PermutationSetting(actions.n, is_projected), J, explore
    return _chains(actions, mu, is_projected), None, None, J, explore


def _chains(actions: ActionSet, mu: Policy, is_projected: bool) -> ChainSetting:
    paths, none = paths_of(actions), np.zeros(0, dtype=np.int64)
    joined, pivot = paths.span.balance if paths is not None and is_projected else (np.zeros(0), np.zeros(0))
    return ChainSetting(
        start=none if paths is None else paths.graph.start.copy(),
        head=none if paths is None else paths.graph.head.copy(),
        edge=none if paths is None else paths.graph.edge.copy(),
        size=actions.size if paths is None else int(paths.graph.level[-1]),
        plan=plan_elimination(none, none, 0) if paths is None else paths.plan,
        joined=joined,
        pivot=pivot,
        explore_transition=mu.transition.copy() if isinstance(mu, MarkovPaths) else np.zeros(0),
    )
