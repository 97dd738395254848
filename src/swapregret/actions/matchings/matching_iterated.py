"""Permutations as compiled code sees them where Σ is large: lists as ever, Σ⁺M by iteration beside uniform exploration."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import prepare, room, solve
from swapregret.actions.listed_laws import listed_room
from swapregret.actions.matchings.kernels.matching_solve import (
    MixtureRoom,
    fill_mixture,
    mixture_in,
    mixture_room,
    solve_matchings,
)
from swapregret.actions.matchings.matching_family import MatchingFamily
from swapregret.arrays import Floats, Integers, Words
from swapregret.geometry.solve import LIMIT, TOLERANCE

__all__ = ["IteratedLaws", "IteratedMatchingFamily"]


class IteratedMatchingFamily(MatchingFamily):
    """Permutations; μ must be uniform."""

    __slots__ = ()


class IteratedLaws(NamedTuple):
    """The fields of ``ListedLaws``, and the mixture as the iteration takes it."""

    n_atoms: Integers
    words: Words
    chances: Floats
    cumulative: Floats
    marginals: Floats
    moments: Floats
    scratch: MixtureRoom


@room.of(IteratedMatchingFamily)
def iterated_room(family: Any, n_slots: int, n_atoms: int) -> IteratedLaws:
    """Return room for lists, and for all of them together."""
    laws = listed_room(family, n_slots, n_atoms)
    scratch = mixture_room(n_slots * n_atoms, family.n_rows)
    return IteratedLaws(laws.n_atoms, laws.words, laws.chances, laws.cumulative, laws.marginals, laws.moments, scratch)


@prepare.of(IteratedMatchingFamily)
def prepare_iterated(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Put the lists of the mixture one after the other, and add up E[M]."""
    mean, last = mix.mean, mix.weights.size - 1
    for i in range(mean.size):
        mean[i] = 0.0
    for slot in range(last + 1):
        weight = mix.weights[slot]
        if weight > 0.0:
            part = laws.marginals[slot]
            for i in range(mean.size):
                mean[i] += weight * part[i]
    if mix.weights[last] > 0.0:
        fill_mixture(laws.scratch, laws.n_atoms, laws.words, laws.chances, mix.weights)
    return 0


@solve.of(IteratedMatchingFamily)
def solve_iterated(family: Any, laws: Any, mix: Any, action: Integers) -> float:
    """Iterate; a residual within the tolerance counts as exact."""
    if not mix.weights[mix.weights.size - 1] > 0.0:
        return np.inf
    found, ratio, _ = solve_matchings(mixture_in(laws.scratch), action, TOLERANCE, LIMIT)
    for i in range(found.size):
        mix.aid[i] = found[i]
    return 0.0 if ratio <= TOLERANCE else ratio
