"""Matchings as compiled code sees them: lists by stripping; Σ⁺ from a dense Σ or, on permutations, by iteration."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, best, draw_explore, list_policy, project, solve, span_part
from swapregret.actions.matchings.kernels.assignment import best_matching
from swapregret.actions.matchings.kernels.matching_draws import draw_matching, matching_span_part
from swapregret.actions.matchings.kernels.matching_solve import gather_lists, prepare_matchings, solve_matchings
from swapregret.actions.matchings.kernels.permutation_decompose import packed_matchings
from swapregret.actions.matchings.kernels.sinkhorn import ACCEPTED_GAP, FEASIBLE, WIDEST, project_matchings
from swapregret.arrays import Floats, Integers, Words
from swapregret.geometry.solve import LIMIT, TOLERANCE


class MatchingFamily(NamedTuple):
    """Matchings of rows to columns; in which ``units`` and orders they are stripped off, and how far outside a point may lie."""

    common: Common
    n_rows: int
    n_columns: int
    units: int
    row_orders: Integers
    column_orders: Integers
    inside: float


@project.of(MatchingFamily)
def project_matching(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project onto the Birkhoff polytope: Sinkhorn's sweeps, then Newton's method."""
    point, log_point, gap, residual, _, spread = project_matchings(tilted.reshape(family.n_rows, family.n_columns))
    is_good = spread <= WIDEST and residual <= FEASIBLE and gap <= ACCEPTED_GAP * max(1.0, spread / 1e3)
    return point, log_point, is_good


@list_policy.of(MatchingFamily)
def list_matchings(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Strip matchings off a point, in each of the orders."""
    words, chances, outside = packed_matchings(
        point, family.n_rows, family.n_columns, family.units, family.row_orders, family.column_orders
    )
    return words, chances, outside <= family.inside


@best.of(MatchingFamily)
def best_matching_of(family: Any, weights: Floats) -> Integers:
    """Return the heaviest matching."""
    return best_matching(weights.reshape(family.n_rows, family.n_columns))


@span_part.of(MatchingFamily)
def matching_part(family: Any, vector: Floats) -> Floats:
    """Take off what sets one row or column apart from the others."""
    if family.common.rank == family.common.dimension:
        return vector
    return matching_span_part(vector, family.n_rows, family.n_columns)


@draw_explore.of(MatchingFamily)
def draw_uniform_matching(family: Any, rng: np.random.Generator) -> Integers:
    """Draw a matching uniformly."""
    return draw_matching(rng, family.n_rows, family.n_columns)


class IteratedMatchingFamily(MatchingFamily):
    """Permutations where Σ is large: lists as ever, Σ⁺ by iteration; μ must be uniform."""

    __slots__ = ()


@solve.of(IteratedMatchingFamily)
def solve_iterated(family: Any, policies: Any, weights: Floats, right: Floats) -> tuple[Floats, float]:
    """Put the lists of the mixture one after the other, and iterate; a residual within the tolerance counts as exact."""
    explore = weights[weights.size - 1]
    if not explore > 0.0:
        return right, np.inf
    words, mass = gather_lists(policies.n_atoms, policies.words, policies.chances, weights)
    mixture = prepare_matchings(words, mass, explore, family.n_rows)
    found, ratio, _ = solve_matchings(mixture, right, TOLERANCE, LIMIT)
    return found, 0.0 if ratio <= TOLERANCE else ratio
