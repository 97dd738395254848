"""Sets known by an oracle alone, which keep the actions that were listed last.

A projection and a list begin with actions that are known, and ask the oracle for what is missing. What comes out depends on which
actions these are, to the last bit, so they are part of the state: arrays beside the lists they come from. Competitors make
lists again from their points instead of saving them, so nothing may depend on the past: they have no pool and use the set's own
methods.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, best, draw_explore, list_policy, project
from swapregret.actions.own_sets.affine_hull import equations_of, project_affine
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import is_same_row, pack_rows
from swapregret.compiled.kernel import kernel
from swapregret.compiled.rows import elements_of_words, packed_rows, padded_rows
from swapregret.geometry.caratheodory import INSIDE, list_from, list_once, norms_of
from swapregret.geometry.few_actions import DEPENDENT, Rows
from swapregret.geometry.kl import ACCEPTABLE
from swapregret.geometry.kl_near import project_near
from swapregret.geometry.oracle import AskedOracle, ask

_ROWS_PER_ELEMENT = 24
"""Actions that are kept, per element; and how many of them, those used last, are tried before the others."""
_FIRST_PER_ELEMENT = 3
_RECENT = 30
"""Lists and projections after which an action is no longer one of these."""
_FOR_EVER = 2**62
_NO_FURTHER = 1e-11
"""How far a projection onto the affine hull may lie from what lists make of it: rounding, and what scaling their weights adds."""


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
    equations : float64 array, shape (k, d + 1)
        Of the affine hull, where with x ≤ 1 they make the convex hull (``own_sets.affine_hull``); else none.
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
    equations: Floats
    first: Words
    known: Words
    used: Integers

    def on(self, policies: Any) -> "PooledFamily":
        """Return the same at work on the pool beside the lists of a state; that of no state has no rows."""
        return self._replace(known=policies.known.reshape(-1, policies.known.shape[2]), used=policies.used.reshape(-1))

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
    return PooledFamily(
        own.common, own, actions.sparing, norms, equations_of(actions), first, first[:0].copy(), nothing
    )


@kernel
def _rows_by_age(used: Integers, least: int) -> tuple[Integers, int]:
    """Return the rows of the pool, and how many are first: those from the start, and at least so many that were used last."""
    now = 0
    for stamp in used:
        if stamp < _FOR_EVER:
            now = max(now, stamp)
    before, count = now, 0
    while count < least and before > max(0, now - _RECENT):
        before -= 1
        count = 0
        for stamp in used:
            count += before < stamp < _FOR_EVER
    first, others = np.flatnonzero(used > before), np.flatnonzero((used > 0) & (used <= before))
    return np.append(first, others), first.size


@kernel
def keep_actions(known: Words, used: Integers, rows: Integers, words: Words) -> None:
    """Note that some rows of the pool were used, and other actions; new ones take the rows of those that were not for longest."""
    now = 1
    for stamp in used:
        if stamp < _FOR_EVER:
            now = max(now, stamp + 1)
    for row in rows:
        if used[row] < _FOR_EVER:
            used[row] = now
    for a in range(words.shape[0]):
        at = int(np.argmin(used))
        for row in range(used.size):
            if used[row] > 0 and is_same_row(known[row], words[a]):
                at = row
        for w in range(words.shape[1]):
            known[at, w] = words[a, w]
        if used[at] < _FOR_EVER:
            used[at] = now


@kernel
def _keep(family: Any, rows: Integers, elements: Integers, ends: Integers, weights: Floats) -> None:
    """Keep the actions that have weight; those of the pool come first, in the order of some rows."""
    n = rows.size
    words = packed_rows(elements, ends, n, weights, family.known.shape[1])
    keep_actions(family.known, family.used, rows[weights[:n] > 0.0], words)


@project.of(PooledFamily)
def project_pooled(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the actions that are known and the oracle's answers, which certify the point; keep these: a list needs them."""
    if family.used.size == 0:
        return project(family.own, tilted, near)
    d = tilted.size
    rows, n_first = _rows_by_age(family.used, _FIRST_PER_ELEMENT * d)
    elements, ends = elements_of_words(family.known[rows], np.ones(rows.size, dtype=np.bool_), d)
    log_point, is_good = project_affine(tilted, family.equations)
    if is_good:
        point = np.exp(log_point)
        asked_for = Rows(elements, ends, padded_rows(elements, ends, d), point, 1.0, np.ones(d), DEPENDENT, 0.0)
        found, until, held, _, distance = list_once(family.oracle, asked_for, n_first)
        if distance <= _NO_FURTHER:
            weights = np.zeros(until.size - 1)
            weights[held] = 1.0
            _keep(family, rows, found, until, weights)
            return point, log_point, True
    x, gap, _, elements, ends, held = project_near(family.oracle, tilted, np.exp(near), elements, ends, n_first)
    point, log_point = np.zeros(d), np.zeros(d)
    if not gap <= ACCEPTABLE:
        return point, log_point, False
    weights = np.ones(ends.size - 1)
    weights[: rows.size] = 0.0
    weights[held] = 1.0
    _keep(family, rows, elements, ends, weights)
    for i in range(d):
        if x[i] > 0.0:
            log_point[i] = np.log(x[i])
            point[i] = np.exp(log_point[i])  # so that exp(near) is the point again, bit for bit
    return point, log_point, True


@list_policy.of(PooledFamily)
def list_pooled(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List by the actions that are known and those the oracle adds; keep what is listed."""
    if family.used.size == 0:
        return list_policy(family.own, point)
    rows, n_first = _rows_by_age(family.used, _FIRST_PER_ELEMENT * point.size)
    elements, ends = elements_of_words(family.known[rows], np.ones(rows.size, dtype=np.bool_), point.size)
    elements, ends, weights, distance = list_from(family.oracle, point, elements, ends, n_first, family.norms)
    words = packed_rows(elements, ends, 0, weights, family.known.shape[1])
    chances = weights[weights > 0.0] / family.norms.shape[0]
    if not distance <= INSIDE:
        return words, chances, False
    _keep(family, rows, elements, ends, weights)
    return words, chances, True


@best.of(PooledFamily)
def best_pooled(family: Any, weights: Floats) -> Integers:
    """Ask the oracle."""
    return ask(family.oracle, weights)


@draw_explore.of(PooledFamily)
def draw_pooled(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from μ."""
    return draw_explore(family.own, rng)
