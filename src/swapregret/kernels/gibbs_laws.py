"""Gibbs laws of all families of sets; settings as in ``kernels.hulls``, all but one of them None."""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.graphs.kernels.tree_gibbs_law import tree_variance
from swapregret.actions.matchings.kernels.matching_draws import matching_span_part
from swapregret.actions.matchings.kernels.permutation_gibbs import gibbs_second_moment
from swapregret.actions.paths.kernels.flow_span import path_span_part
from swapregret.compiled.kernel import choice
from swapregret.compiled.vectors import moment_variance, span_part
from swapregret.kernels.exploration import Explore, draw_listed
from swapregret.kernels.gibbs_chain_laws import (
    ChainSetting,
    chain_variance,
    draw_chain_law,
    empty_chain_laws,
    make_chain_law,
)
from swapregret.kernels.gibbs_permutation_laws import (
    PermutationSetting,
    draw_permutation_law,
    empty_permutation_laws,
    make_permutation_law,
)
from swapregret.kernels.gibbs_tree_laws import TreeSetting, draw_tree_law, empty_tree_laws, make_tree_law

__all__ = ["draw_gibbs", "empty_gibbs", "gibbs_span_part", "gibbs_variance", "make_gibbs"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@choice
def empty_gibbs(
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    n_slots: int,
    dimension: int,
    rank: int,
) -> Any:
    """Return room for some laws; ``rank`` is 0 where nobody asks for their second moments."""
    if chains is not None:
        return empty_chain_laws(chains, n_slots, dimension, rank)
    if trees is not None:
        return empty_tree_laws(trees, n_slots, rank)
    if permutations is not None:
        return empty_permutation_laws(permutations, n_slots, rank)
    raise ValueError("one setting must be given")


@choice
def make_gibbs(
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    coordinates: Integers,
    scores: Floats,
    laws: Any,
    slot: int,
) -> None:
    """Make the Gibbs law of some scores, and its Σ on the coordinates, if there are any."""
    if chains is not None:
        make_chain_law(chains, coordinates, scores, laws, slot)
    if trees is not None:
        make_tree_law(trees, coordinates, scores, laws, slot)
    if permutations is not None:
        make_permutation_law(permutations, coordinates, scores, laws, slot)


@choice
def draw_gibbs(
    rng: np.random.Generator,
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    explore: Explore,
    laws: Any,
    slot: int,
) -> Integers:
    """Draw from the law in a slot; −1 is the exploration law."""
    if slot < 0 and explore.cumulative.size:
        return draw_listed(rng, explore)
    if chains is not None:
        return draw_chain_law(rng, chains, laws, slot, explore.marginals.size)
    if trees is not None:
        return draw_tree_law(rng, trees, laws, slot)
    if permutations is not None:
        return draw_permutation_law(rng, permutations, laws, slot)
    raise ValueError("one setting must be given")


@choice
def gibbs_variance(
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    laws: Any,
    slot: int,
    vector: Floats,
) -> float:
    """Return Var(M·v) under the law in a slot."""
    if chains is not None:
        return chain_variance(chains, laws, slot, vector)
    if trees is not None:
        return tree_variance(laws.marginals[slot], laws.squared[slot], vector)
    if permutations is not None:
        law = laws.factors[slot], laws.forward[slot], laws.backward[slot]
        moment = gibbs_second_moment(law[0], laws.sizes, law[1], law[2], vector)
        return moment_variance(laws.marginals[slot], moment, vector)
    raise ValueError("one setting must be given")


@choice
def gibbs_span_part(
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    vector: Floats,
) -> Floats:
    """Return the part of a vector in the span of the actions, where it must be taken."""
    if chains is not None and chains.pivot.size:
        return path_span_part(chains.start, chains.head, chains.edge, chains.plan, chains.joined, chains.pivot, vector)
    if trees is not None and trees.orthonormal.size:
        return span_part(trees.orthonormal, vector)
    if permutations is not None and permutations.must_project:
        return matching_span_part(vector, permutations.n, permutations.n)
    return vector
