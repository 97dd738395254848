"""Sets known by an oracle alone, which keep the actions that were listed last.

A projection and a list begin with actions that are known, and ask the oracle for what is missing. What comes out depends on which
actions these are, to the last bit, so they are part of the state: arrays beside the lists they come from. Competitors make
lists again from their points instead of saving them, so nothing may depend on the past: they have no pool and use the set's own
methods.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, best, draw_explore, hybrid, list_law, project, span_part
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import is_same_row, pack_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.rows import elements_of_words, packed_rows
from swapregret.geometry.caratheodory import INSIDE, list_from, norms_of
from swapregret.geometry.kl import ACCEPTABLE
from swapregret.geometry.kl_from_actions import project_from
from swapregret.geometry.oracle import AskedOracle, ask

_ROWS_PER_ELEMENT = 4
_FOR_EVER = 2**62


class PooledFamily(NamedTuple):
    """A set known by its oracle, with the actions that were listed last.

    Attributes
    ----------
    common : Common
    own : OracleFamily
        The same set by its own methods, for all that needs no pool.
    oracle : AskedOracle
    norms : float64 array, shape (variants, d)
        In which points are decomposed.
    first : uint64 array, shape (n, W)
        Actions known from the start.
    known : uint64 array, shape (P, W)
    used : int64 array, shape (P,)
        When each was listed or found last, counted in lists and projections; 0 where there is none, 2⁶² for those known from the
        start. Both are views of arrays in the state (:meth:`on`); without rows there is no pool.
    """

    common: Common
    own: Any
    oracle: AskedOracle
    norms: Floats
    first: Words
    known: Words
    used: Integers

    def on(self, laws: Any) -> "PooledFamily":
        """Return the same at work on the pool beside the lists of a state; that of no state has no rows."""
        return self._replace(known=laws.known.reshape(-1, laws.known.shape[2]), used=laws.used.reshape(-1))

    def pool(self, n_slots: int) -> tuple[Words, Integers]:
        """Return a pool that has the actions known from the start and room for some more, dealt out to slots."""
        n_first, n_words = self.first.shape
        per_slot = -(-(n_first + _ROWS_PER_ELEMENT * self.common.dimension) // n_slots)
        known = np.zeros((n_slots, per_slot, n_words), dtype=np.uint64)
        used = np.zeros((n_slots, per_slot), dtype=np.int64)
        known.reshape(-1, n_words)[:n_first], used.reshape(-1)[:n_first] = self.first, _FOR_EVER
        return known, used


def pooled_family(own: Any, actions: Any, variants: int) -> PooledFamily:
    """Return the family of a set that has an oracle and no hull of its own."""
    first, nothing = pack_rows(actions.known_first), np.zeros(0, dtype=np.int64)
    norms = norms_of(range(variants), actions.dimension)
    return PooledFamily(own.common, own, actions.sparing, norms, first, first[:0].copy(), nothing)


@kernel
def keep_actions(known: Words, used: Integers, words: Words) -> None:
    """Note that some actions were listed, or found for a point; new ones take the rows of those that were not for longest."""
    now = 1
    for row in range(used.size):
        if used[row] < _FOR_EVER:
            now = max(now, used[row] + 1)
    for a in range(words.shape[0]):
        at, oldest = -1, 0
        for row in range(used.size):
            if used[row] > 0 and is_same_row(known[row], words[a]):
                at = row
                break
            if used[row] < used[oldest]:
                oldest = row
        if at < 0:
            at = oldest
            for w in range(words.shape[1]):
                known[at, w] = words[a, w]
        if used[at] < _FOR_EVER:
            used[at] = now


@project.of(PooledFamily)
def project_pooled(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the actions that are known and the oracle's answers, which certify the point; keep these: a list needs them."""
    if family.used.size == 0:
        return project(family.own, tilted, near)
    elements, ends = elements_of_words(family.known, family.used > 0, tilted.size)
    n_known = ends.size - 1
    x, gap, _, elements, ends = project_from(family.oracle, tilted, elements, ends, ACCEPTABLE)
    point, log_point = np.zeros(x.size), np.zeros(x.size)
    if not gap <= ACCEPTABLE:
        return point, log_point, False
    keep_actions(
        family.known,
        family.used,
        packed_rows(elements, ends, n_known, np.ones(ends.size - 1), family.known.shape[1]),
    )
    for i in range(x.size):
        if x[i] > 0.0:
            log_point[i] = np.log(x[i])
            point[i] = np.exp(log_point[i])  # so that exp(near) is the point again, bit for bit
    return point, log_point, True


@list_law.of(PooledFamily)
def list_pooled(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List by the actions that are known and those the oracle adds; keep what is listed."""
    if family.used.size == 0:
        return list_law(family.own, point)
    elements, ends = elements_of_words(family.known, family.used > 0, point.size)
    elements, ends, weights, distance = list_from(family.oracle, point, elements, ends, family.norms)
    words = packed_rows(elements, ends, 0, weights, family.known.shape[1])
    chances, at = np.empty(words.shape[0]), 0
    for a in range(weights.size):
        if weights[a] > 0.0:
            chances[at] = weights[a] / family.norms.shape[0]
            at += 1
    if not distance <= INSIDE:
        return words, chances, False
    keep_actions(family.known, family.used, words)
    return words, chances, True


@best.of(PooledFamily)
def best_pooled(family: Any, weights: Floats) -> Integers:
    """Ask the oracle."""
    return ask(family.oracle, weights)


@span_part.of(PooledFamily)
def part_pooled(family: Any, vector: Floats) -> Floats:
    """Project onto the span."""
    return span_part(family.own, vector)


@draw_explore.of(PooledFamily)
def draw_pooled(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from μ."""
    return draw_explore(family.own, rng)


@hybrid.of(PooledFamily)
def hybrid_pooled(family: Any, costs: Floats, mix: float, middle: Floats, near: Floats) -> tuple[Floats, float]:
    """Minimise as the set does."""
    return hybrid(family.own, costs, mix, middle, near)
