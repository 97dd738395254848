"""Both samplers of weighted trees draw from the exact policy, and the scaled matrix gives the partition function."""

from itertools import combinations

import numpy as np
import pytest

from swapregret.actions.graphs.kernels.kruskal import arc_table, heaviest_forest, is_forest, root_forest
from swapregret.actions.graphs.kernels.spanning_tree_gibbs import (
    draw_by_chain,
    draw_by_walk,
    scaled_cuts,
    walk_bound,
    walk_table,
)
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value

TAILS = np.array([0, 0, 0, 1, 1, 2, 0, 5, 5])
HEADS = np.array([1, 2, 3, 2, 3, 3, 1, 6, 6])  # K_4 with a doubled edge, and two parallel edges apart
N = 7
DRAWS = 20_000


def all_trees():
    """List the forests that span both components (vertex 4 has no edges)."""
    rows = []
    for chosen in combinations(range(9), 4):
        row = np.zeros(9, dtype=np.int64)
        row[list(chosen)] = 1
        if is_forest(row, TAILS, HEADS, N):
            rows.append(row)
    return np.array(rows)


def prepared(scores):
    """Return what the samplers need."""
    arcs = arc_table(TAILS, HEADS, N)
    chosen = heaviest_forest(scores, TAILS, HEADS, N, 4)
    up, depths, order = root_forest(chosen, np.arange(N), *arcs)
    matrix = scaled_cuts(scores, chosen, up, depths, TAILS, HEADS)
    return arcs, chosen, up, order, matrix


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("kind", ["walk", "chain"])
def test_samplers_draw_from_the_exact_policy(spread, kind):
    """A chi-square over all trees accuses neither sampler, at a false-alarm rate of 1e-6."""
    scores = np.random.default_rng(11).uniform(-spread, spread, size=9)
    arcs, _, up, _, matrix = prepared(scores)
    trees = all_trees()
    weights = np.exp(trees @ scores)
    rng = np.random.default_rng(5)
    if kind == "walk":
        steps = walk_table(scores, arcs[0], arcs[1])
        drawn = np.array([draw_by_walk(rng, steps, up, *arcs) for _ in range(DRAWS)])
    else:
        factor = np.linalg.cholesky(matrix @ matrix.T)
        columns = np.ascontiguousarray(np.linalg.solve(factor, matrix).T)
        drawn = np.array([draw_by_chain(rng, columns, TAILS, HEADS, N) for _ in range(DRAWS)])
    codes = 1 << np.arange(9)
    counts = np.array([(drawn @ codes == code).sum() for code in trees @ codes])
    assert counts.sum() == DRAWS
    assert chi_square_p_value(counts, weights / weights.sum(), DRAWS) > FALSE_ALARM


@pytest.mark.parametrize("spread", [0.0, 2.0, 30.0, 200.0])
def test_no_entry_exceeds_one_and_the_determinant_counts(spread):
    """The logarithm of Σ exp(s(T)) is s(F) plus the log-determinant, whatever the spread."""
    scores = np.random.default_rng(2).uniform(-spread, spread, size=9)
    _, chosen, _, _, matrix = prepared(scores)
    assert np.abs(matrix).max() <= 1.0
    totals = all_trees() @ scores
    exact = totals.max() + np.log(np.exp(totals - totals.max()).sum())
    sign, logarithm = np.linalg.slogdet(matrix @ matrix.T)
    assert sign == 1.0
    assert scores @ chosen + logarithm == pytest.approx(exact, rel=1e-13, abs=1e-12)


def test_bound_on_the_walk_holds():
    """The mean number of steps, degree times effective resistance, is at most the bound; a far spread makes it huge."""
    scores = np.random.default_rng(2).uniform(-1.0, 1.0, size=9)
    arcs, _, up, order, _ = prepared(scores)
    laplacian = np.zeros((N, N))
    for u, v, w in zip(TAILS, HEADS, np.exp(scores), strict=True):
        laplacian[[u, v], [u, v]] += w
        laplacian[[u, v], [v, u]] -= w
    inner = up >= 0
    green = np.linalg.inv(laplacian[np.ix_(inner, inner)])
    mean_steps = float((np.diag(laplacian)[inner] * np.diag(green)).sum())
    assert mean_steps <= walk_bound(scores, up, order, TAILS, HEADS, arcs[0], arcs[1])
    far = np.where(np.arange(9) == 3, 40.0, 0.0)
    arcs, _, up, order, _ = prepared(far)
    assert walk_bound(far, up, order, TAILS, HEADS, arcs[0], arcs[1]) > 1e15
