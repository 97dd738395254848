"""Many draws of one law at once: those that as many single draws would give.

May touch: the kernels they are made of.
"""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.kernel import kernel
from swapregret.kernels.matchings import draw_matching
from swapregret.kernels.path_laws import chain_draw
from swapregret.kernels.spanning_tree_gibbs import draw_by_walk

__all__ = ["draw_chains", "draw_matchings", "draw_walks"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def draw_matchings(rng: np.random.Generator, n_rows: int, n_columns: int, count: int) -> Integers:
    """Draw matchings uniformly."""
    rows = np.empty((count, n_rows * n_columns), dtype=np.int64)
    for index in range(count):
        rows[index] = draw_matching(rng, n_rows, n_columns)
    return rows


@kernel
def draw_chains(
    rng: np.random.Generator,
    start: Integers,
    head: Integers,
    edge: Integers,
    transition: Floats,
    longest: int,
    dimension: int,
    count: int,
) -> Integers:
    """Draw walks of a Markov chain, ``longest`` random numbers each."""
    rows = np.empty((count, dimension), dtype=np.int64)
    for index in range(count):
        rows[index] = chain_draw(start, head, edge, transition, rng.random(longest), dimension)
    return rows


@kernel
def draw_walks(
    rng: np.random.Generator,
    steps: Floats,
    up: Integers,
    starts: Integers,
    edges: Integers,
    ends: Integers,
    count: int,
) -> Integers:
    """Draw forests by Wilson's algorithm."""
    rows = np.empty((count, edges.size // 2), dtype=np.int64)
    for index in range(count):
        rows[index] = draw_by_walk(rng, steps, up, starts, edges, ends)
    return rows
