"""The engine of Swap-ComBand on m-sets and on paths.

May touch: ``arrays``, ``actions``, ``kernels``, ``learners``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.actions.m_set_laws import UniformSubsets
from swapregret.actions.m_sets import MSets
from swapregret.actions.path_elimination import plan_elimination
from swapregret.actions.path_laws import MarkovPaths
from swapregret.kernels.gibbs_master import GibbsSetting, run_gibbs_chains
from swapregret.learners.engines.family import FamilyEngine, explore_by
from swapregret.learners.engines.scales import is_dense, must_project
from swapregret.learners.hulls import paths_of
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.master import SwapMaster
from swapregret.policy import Policy

__all__ = ["GibbsChainEngine", "gibbs_setting", "is_chain"]


@dataclass(frozen=True)
class GibbsChainEngine(FamilyEngine):
    """Runs blocks for a master whose scales are Lazy-ComBand on m-sets or paths, with a dense Σ.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_comband(sr.MSets(6, 2), 1000, preset="multiscale")
    >>> rng = np.random.default_rng(0)
    >>> block = GibbsChainEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> len(block.received), float(block.received.sum()), block.state.day
    (50, 25.0, 50)
    """

    driver = staticmethod(run_gibbs_chains)

    @cached_property
    def _setting(self) -> GibbsSetting:
        learner: Any = self.master.learners[0]
        is_bandit = self.master.feedback == "bandit"
        return gibbs_setting(learner.actions, learner.mu, is_bandit=is_bandit, is_projected=must_project(self.master))

    @classmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master of plain Lazy-ComBand scales."""
        learner: Any = master.learners[0]
        if not (isinstance(learner, LazyComBand) and is_dense(master)):
            return False
        return is_chain(learner.actions) and (
            isinstance(learner.mu, UniformSubsets | MarkovPaths) or learner.mu.has_atoms
        )


def is_chain(actions: ActionSet) -> bool:
    """Tell whether the Gibbs laws of a set are chains that the kernels know."""
    return type(actions) is MSets or paths_of(actions) is not None


def gibbs_setting(actions: ActionSet, mu: Policy, *, is_bandit: bool, is_projected: bool) -> GibbsSetting:
    """Return a set and its exploration law as the kernels take them."""
    paths, J = paths_of(actions), actions.span.coordinates
    none = np.zeros(0, dtype=np.int64)
    joined, pivot = paths.span.balance if paths is not None and is_projected else (np.zeros(0), np.zeros(0))
    return GibbsSetting(
        start=none if paths is None else paths.graph.start.copy(),
        head=none if paths is None else paths.graph.head.copy(),
        edge=none if paths is None else paths.graph.edge.copy(),
        size=actions.size if paths is None else int(paths.graph.level[-1]),
        coordinates=np.array(J, dtype=np.int64),
        plan=plan_elimination(none, none, 0) if paths is None else paths.plan,
        joined=joined,
        pivot=pivot,
        explore_transition=mu.transition.copy() if isinstance(mu, MarkovPaths) else np.zeros(0),
        explore=explore_by(mu, J, is_listed=not isinstance(mu, UniformSubsets | MarkovPaths), has_moment=is_bandit),
    )
