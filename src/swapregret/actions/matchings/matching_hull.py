"""The operations of matchings: lists by stripping, Gibbs policies of permutations."""

from typing import NamedTuple

import numpy as np

from swapregret.actions.hull import Hull, Tables, put_moment
from swapregret.actions.matchings.kernels.assignment import best_matching
from swapregret.actions.matchings.kernels.birkhoff import packed_matchings
from swapregret.actions.matchings.kernels.permutation_gibbs import (
    gibbs_factors,
    gibbs_marginals,
    gibbs_pairs,
    gibbs_sample,
    gibbs_second_moment,
    gibbs_tables,
)
from swapregret.actions.matchings.kernels.sinkhorn import FEASIBLE, MATCHING_GAP, WIDEST, project_matchings
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import moment_variance


class Matchings(NamedTuple):
    """Matchings of rows to columns; in which ``units`` and orders they are stripped off, and how far outside a point may lie."""

    n_rows: int
    n_columns: int
    units: int
    row_orders: Integers
    column_orders: Integers
    inside: float


@kernel
def best_of_matchings(h: Handle[Matchings], weights: Floats) -> Integers:
    """Return the heaviest matching."""
    return best_matching(weights.reshape(set_of(h).n_rows, set_of(h).n_columns))


@kernel
def project_on_matchings(h: Handle[Matchings], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project onto the Birkhoff polytope: Sinkhorn's sweeps, then Newton's method.

    Log-weights further apart than a float can tell are refused, and the gap grows with rounding of what is far apart.
    """
    table = tilted.reshape(set_of(h).n_rows, set_of(h).n_columns)
    point, log_point, gap, residual, _, spread = project_matchings(table)
    is_good = spread <= WIDEST and residual <= FEASIBLE and gap <= MATCHING_GAP * max(1.0, spread / 1e3)
    return point, log_point, gap if is_good else np.inf


@kernel
def list_matchings(h: Handle[Matchings], point: Floats) -> tuple[Words, Floats, bool]:
    """Strip matchings off a point, in each of the orders."""
    data = set_of(h)
    words, chances, outside = packed_matchings(
        point, data.n_rows, data.n_columns, data.units, data.row_orders, data.column_orders
    )
    return words, chances, outside <= data.inside


@kernel
def matching_span_part(vector: Floats, n_rows: int, n_columns: int) -> Floats:
    """Return the part of a table in the span of the matchings: tables of equal row sums (and column sums, if square).

    What sets one row or column apart from the others is spread evenly over it and taken off.
    """
    result = vector.copy()
    down = np.zeros(n_columns)
    across = np.empty(n_rows)
    total = 0.0
    for i in range(n_rows):
        row = vector[i * n_columns : (i + 1) * n_columns]
        value = 0.0
        for j in range(n_columns):
            value += row[j]
            down[j] += row[j]
        across[i] = value
        total += value
    for i in range(n_rows):
        row = result[i * n_columns : (i + 1) * n_columns]
        excess = (across[i] - total / n_rows) / n_columns
        for j in range(n_columns):
            row[j] -= excess
            if n_rows == n_columns:
                row[j] -= (down[j] - total / n_columns) / n_rows
    return result


@kernel
def part_of_matchings(h: Handle[Matchings], vector: Floats) -> Floats:
    """Take off what sets one row or column apart from the others; one row sees everything."""
    n_rows, n_columns = set_of(h).n_rows, set_of(h).n_columns
    return vector if n_rows == 1 else matching_span_part(vector, n_rows, n_columns)


@kernel
def draw_matching(rng: np.random.Generator, n_rows: int, n_columns: int) -> Integers:
    """Draw a matching uniformly: the first rows of a shuffle of the columns, one random number per row."""
    left = np.arange(n_columns)
    action = np.zeros(n_rows * n_columns, dtype=np.int64)
    for i in range(n_rows):
        j = i + int(rng.random() * (n_columns - i))
        left[i], left[j] = left[j], left[i]
        action[i * n_columns + left[i]] = 1
    return action


@kernel
def draw_uniform_matching(h: Handle[Matchings], rng: np.random.Generator) -> Integers:
    """Draw a matching uniformly."""
    return draw_matching(rng, set_of(h).n_rows, set_of(h).n_columns)


# ---- Gibbs policies of permutations: a table has the factors (n, n), then F and B of all subsets --------------------------------


@kernel
def project_gibbs_permutations(h: Handle[Matchings], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the policy of some exponents, and these."""
    factors, _ = gibbs_factors(tilted.reshape(set_of(h).n_rows, set_of(h).n_columns))
    sizes, forward, backward = gibbs_tables(factors)
    return gibbs_marginals(factors, sizes, forward, backward), tilted, 0.0


@kernel
def fill_gibbs_permutations(
    h: Handle[Matchings],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Sum over all sets of columns, and make Σ."""
    factors, _ = gibbs_factors(log_point.reshape(set_of(h).n_rows, set_of(h).n_columns))
    sizes, forward, backward = gibbs_tables(factors)
    n = factors.size
    table[:n] = factors.reshape(-1)
    table[n : n + forward.size] = forward
    table[n + forward.size :] = backward
    marginals[:] = gibbs_marginals(factors, sizes, forward, backward)
    if coordinates.size:
        put_moment(gibbs_pairs(factors, sizes, forward, backward), coordinates, moment)
    return True


@kernel
def draw_gibbs_permutation(h: Handle[Matchings], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw the column of each row, last row first."""
    n = set_of(h).n_rows
    forward = table[n * n : n * n + (1 << n)]
    chosen = gibbs_sample(table[: n * n].reshape(n, n), forward, rng.random(n))
    action = np.zeros(n * n, dtype=np.int64)
    for i in range(n):
        action[i * n + chosen[i]] = 1
    return action


@kernel
def gibbs_permutation_variance(h: Handle[Matchings], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    n = set_of(h).n_rows
    factors, n_subsets = table[: n * n].reshape(n, n), 1 << n
    forward, backward = table[n * n : n * n + n_subsets], table[n * n + n_subsets :]
    sizes = np.zeros(n_subsets, dtype=np.int64)
    for subset in range(1, n_subsets):
        sizes[subset] = sizes[subset >> 1] + (subset & 1)
    return moment_variance(marginals, gibbs_second_moment(factors, sizes, forward, backward, vector), vector)


def matching_hull(data: Matchings, *, is_uniform: bool, has_gibbs: bool) -> Hull:
    """Return the operations of matchings; ``is_uniform`` says whether exploration is, which is then drawn from."""
    gibbs = Tables(
        data.n_rows * data.n_columns + 2 ** (data.n_columns + 1),
        fill_gibbs_permutations,
        draw_gibbs_permutation,
        project=project_gibbs_permutations,
        variance=gibbs_permutation_variance,
    )
    return Hull(
        data,
        best=best_of_matchings,
        project=project_on_matchings,
        list_policy=list_matchings,
        span_part=part_of_matchings,
        draw_explore=draw_uniform_matching if is_uniform else None,
        gibbs=gibbs if has_gibbs else None,
    )
