"""A set with Gibbs policies as the kernels of ComBand take it."""

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.graphs.graphic_bases import GraphicBases
from swapregret.actions.graphs.tree_laws import GibbsTrees
from swapregret.actions.m_sets.m_set_laws import UniformSubsets
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutation_laws import UniformMatchings
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.paths.path_elimination import plan_elimination
from swapregret.actions.paths.path_laws import MarkovPaths
from swapregret.kernels.exploration import Explore
from swapregret.kernels.gibbs_chain_laws import ChainSetting
from swapregret.kernels.gibbs_permutation_laws import PermutationSetting
from swapregret.kernels.gibbs_tree_laws import TreeSetting
from swapregret.learners.hulls import paths_of
from swapregret.policy import Policy

__all__ = ["GibbsSettings", "explore_by", "gibbs_settings", "has_gibbs_kernels"]

GibbsSettings = tuple[
    ChainSetting | None, TreeSetting | None, PermutationSetting | None, npt.NDArray[np.int64], Explore
]
"""One set, in its place among the families, independent coordinates, and the exploration law."""
_LARGEST = 1000
_NOT_LISTED = UniformSubsets | MarkovPaths | GibbsTrees | UniformMatchings


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


def explore_by(mu: Policy, coordinates: npt.NDArray[np.int64], *, is_listed: bool, has_moment: bool) -> Explore:
    """Return an exploration law as arrays: its list where it is one, its Σ on the coordinates where that is wanted.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> law = MSets(2, 1).exploration_policy("spanner")
    >>> explore_by(law, np.arange(2), is_listed=True, has_moment=True).moment
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    atoms, cumulative, moment = np.zeros((0, mu.dimension), dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    if is_listed:
        law = mu.finite()
        atoms, cumulative = law.atoms.copy(), np.cumsum(law.weights)
    if has_moment:
        moment = np.ascontiguousarray(mu.cooccurrence()[np.ix_(coordinates, coordinates)])
    return Explore(atoms, cumulative, moment, np.array(mu.marginals()))
