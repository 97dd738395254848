"""Permutations as compiled code sees them where Σ is large: lists as ever, Σ⁺M by iteration beside uniform exploration."""

from typing import Any

import numpy as np

from swapregret.actions.covariance import put_mean
from swapregret.actions.family import prepare, solve
from swapregret.actions.matchings.kernels.matching_solve import gather_lists, prepare_matchings, solve_matchings
from swapregret.actions.matchings.matching_family import MatchingFamily
from swapregret.arrays import Integers
from swapregret.geometry.solve import LIMIT, TOLERANCE

__all__ = ["IteratedMatchingFamily"]


class IteratedMatchingFamily(MatchingFamily):
    """Permutations; μ must be uniform."""

    __slots__ = ()


@prepare.of(IteratedMatchingFamily)
def prepare_iterated(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Add up E[M]; the rest waits for an action."""
    put_mean(mix.weights, laws.marginals, mix.mean)
    return 0


@solve.of(IteratedMatchingFamily)
def solve_iterated(family: Any, laws: Any, mix: Any, action: Integers) -> float:
    """Put the lists of the mixture one after the other, and iterate; a residual within the tolerance counts as exact."""
    explore = mix.weights[mix.weights.size - 1]
    if not explore > 0.0:
        return np.inf
    elements, mass = gather_lists(laws.n_atoms, laws.words, laws.chances, mix.weights, family.n_rows)
    found, ratio, _ = solve_matchings(prepare_matchings(elements, mass, explore), action, TOLERANCE, LIMIT)
    for i in range(found.size):
        mix.aid[i] = found[i]
    return 0.0 if ratio <= TOLERANCE else ratio
