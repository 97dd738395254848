"""Few actions that make a point: rows that depend on those held stay out."""

import numpy as np

import swapregret as sr
from swapregret.geometry.caratheodory import norm_of_variant
from swapregret.geometry.few_actions import DEPENDENT, Candidates, RowBasis, factor_on
from swapregret.geometry.rows import elements_of_rows, padded_rows


def test_no_more_rows_are_held_than_are_independent() -> None:
    """In any order and norm as many spanning trees of K₆ are held as the rank; the pivots of others are rounding, up to 1e-12."""
    actions = sr.SpanningTrees([(a, b) for a in range(6) for b in range(a)])
    table, d = actions.enumerate().astype(np.float64), actions.dimension
    for seed in range(200):
        some = np.random.default_rng(seed).permutation(table)[:150]
        elements, ends = elements_of_rows(some)
        padded, norm = padded_rows(elements, ends, d), norm_of_variant(seed % 4, d)
        rows = Candidates(elements, ends, padded, some.mean(axis=0), 1.0, norm, DEPENDENT, 0.0)
        basis, count = RowBasis(np.empty(d + 2, dtype=np.int64), np.zeros(d + 2), np.zeros((d + 2, d + 2))), 0
        for row in range(len(some)):
            if factor_on(rows, basis, count, row):
                count += 1
        assert count == actions.rank
