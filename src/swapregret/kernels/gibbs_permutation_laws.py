"""Gibbs laws of permutations, kept in slots."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.matchings.kernels.matching_draws import draw_matching
from swapregret.actions.matchings.kernels.permutation_gibbs import (
    gibbs_factors,
    gibbs_marginals,
    gibbs_pairs,
    gibbs_sample,
    gibbs_tables,
)
from swapregret.compiled.kernel import kernel

__all__ = [
    "PermutationLaws",
    "PermutationSetting",
    "draw_permutation_law",
    "empty_permutation_laws",
    "make_permutation_law",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class PermutationSetting(NamedTuple):
    """The set: n, and whether estimates must be projected onto the span."""

    n: int
    must_project: bool


class PermutationLaws(NamedTuple):
    """Factors of the pairs, and sums over all subsets of columns."""

    factors: Floats
    forward: Floats
    backward: Floats
    sizes: Integers
    marginals: Floats
    moments: Floats


@kernel
def empty_permutation_laws(setting: PermutationSetting, n_slots: int, rank: int) -> PermutationLaws:
    """Return room for some laws; ``rank`` is 0 where nobody asks for their second moments."""
    n = setting.n
    return PermutationLaws(
        np.empty((n_slots, n, n)),
        np.empty((n_slots, 1 << n)),
        np.empty((n_slots, 1 << n)),
        np.empty(1 << n, dtype=np.int64),
        np.zeros((n_slots, n * n)),
        np.zeros((n_slots, rank, rank)),
    )


@kernel
def make_permutation_law(
    setting: PermutationSetting, coordinates: Integers, scores: Floats, laws: PermutationLaws, slot: int
) -> None:
    """Make the law of some scores, and its Σ on the coordinates."""
    factors, _ = gibbs_factors(scores.reshape(setting.n, setting.n))
    sizes, forward, backward = gibbs_tables(factors)
    laws.factors[slot] = factors
    laws.forward[slot] = forward
    laws.backward[slot] = backward
    laws.sizes[:] = sizes
    laws.marginals[slot] = gibbs_marginals(factors, sizes, forward, backward)
    if coordinates.size:
        moment = gibbs_pairs(factors, sizes, forward, backward)
        for i in range(coordinates.size):
            for j in range(coordinates.size):
                laws.moments[slot, i, j] = moment[coordinates[i], coordinates[j]]


@kernel
def draw_permutation_law(
    rng: np.random.Generator, setting: PermutationSetting, laws: PermutationLaws, slot: int
) -> Integers:
    """Draw from the law in a slot; −1 is the uniform one."""
    n = setting.n
    if slot < 0:
        return draw_matching(rng, n, n)
    uniforms = np.empty(n)
    for i in range(n):
        uniforms[i] = rng.random()
    chosen = gibbs_sample(laws.factors[slot], laws.forward[slot], uniforms)
    action = np.zeros(n * n, dtype=np.int64)
    for i in range(n):
        action[i * n + chosen[i]] = 1
    return action
