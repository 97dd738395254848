"""The operations of sets known by an oracle alone, which keep the actions that were listed last.

A projection and a list begin with actions that are known, and ask the oracle for what is missing. What comes out depends on which
actions these are, to the last bit, so they are part of the state: arrays beside the lists they come from. Who saves no lists, a
competitor or ``ActionSet.kl_project``, has no pool: nothing may depend on the past, and all begins with the actions known from the
start. Then a projection is exact in relative terms too.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapregret.actions.hull import Hull, basis_of, part_of_basis
from swapregret.actions.own_sets.affine_hull import affine_equations, project_affine
from swapregret.actions.own_sets.python_hull import PythonMethods, best_by_asking, explore_by_asking, gibbs_by_asking
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Handle, set_of
from swapregret.compiled.bits import is_same_row, pack_rows
from swapregret.compiled.kernel import kernel
from swapregret.geometry.caratheodory import list_from, list_once, norms_of
from swapregret.geometry.few_actions import DEPENDENT, Candidates
from swapregret.geometry.kl import ACCEPTED_GAP, INSIDE
from swapregret.geometry.kl_from_actions import GAP, project_from, project_near
from swapregret.geometry.listed_hull import SMALLEST
from swapregret.geometry.oracle import AskedOracle
from swapregret.geometry.rows import elements_of_words, packed_rows, padded_rows
from swapregret.policy import FinitePolicy, Policy

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet
    from swapregret.actions.policy_slots import Policies

_ROWS_PER_ELEMENT = 24
"""Actions that are kept, per element; and how many of them, those used last, are tried before the others."""
_FIRST_PER_ELEMENT = 3
_RECENT = 30
"""Lists and projections after which an action is no longer one of these."""
_FOR_EVER = 2**62
_NO_FURTHER = 1e-11
"""How far a projection onto the affine hull may lie from what lists make of it: rounding, and what scaling their weights adds."""


class PooledSet(NamedTuple):
    """A set known by its oracle, with the actions that were listed last."""

    dimension: int
    methods: PythonMethods  # what draws from μ, and the Gibbs policies, if there are any
    oracle: AskedOracle
    orthonormal: Floats
    norms: Floats  # (variants, d) in which points are decomposed
    # (k, d + 1) of the affine hull, where with x ≤ 1 they make the convex hull (``own_sets.affine_hull``); else none
    equations: Floats
    first: Words  # (n, W) actions known from the start
    known: Words  # (P, W)
    # (P,) when each was listed or found last, counted in lists and projections; 0 where there is none, 2⁶² for those known
    # from the start. Both are views of arrays in the state (:meth:`on`); without rows there is no pool
    used: Integers

    def on(self, policies: "Policies") -> "PooledSet":
        """Return the hull with the pool that a state keeps beside its lists; without a state the pool is empty."""
        return self._replace(known=policies.known.reshape(-1, policies.known.shape[2]), used=policies.used.reshape(-1))

    def pool(self, n_slots: int) -> tuple[Words, Integers]:
        """Return a pool that has the actions known from the start and room for some more, dealt out to slots."""
        n_first, n_words = self.first.shape
        per_slot = -(-(n_first + _ROWS_PER_ELEMENT * self.dimension) // n_slots)
        known = np.zeros((n_slots, per_slot, n_words), dtype=np.uint64)
        used = np.zeros((n_slots, per_slot), dtype=np.int64)
        known.reshape(-1, n_words)[:n_first], used.reshape(-1)[:n_first] = self.first, _FOR_EVER
        return known, used


def pooled_hull(actions: "ActionSet", mu: Policy | None, variants: int) -> Hull:
    """Return the hull of a set that has an oracle and no hull of its own; μ is None where no learner asks."""
    methods, callbacks = PythonMethods.of(actions, mu, variants)
    first, is_learnt, none = pack_rows(actions.known_first), mu is not None, np.zeros((0, 0))
    data = PooledSet(
        actions.dimension,
        methods,
        actions.sparing,
        basis_of(actions) if is_learnt else none,
        norms_of(range(variants), actions.dimension),
        affine_equations(actions) if is_learnt else none,
        first,
        first[:0].copy(),
        np.zeros(0, dtype=np.int64),
    )
    return Hull(
        data,
        best=best_by_asking,
        project=project_by_actions,
        list_policy=list_by_actions,
        span_part=part_of_basis,
        draw_explore=None if mu is None or isinstance(mu, FinitePolicy) else explore_by_asking,
        gibbs=gibbs_by_asking(actions),
        callbacks=(*callbacks, actions.sparing.callback),
        remade=(pooled_hull, (actions, mu, variants)),
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
def _keep(data: PooledSet, rows: Integers, elements: Integers, ends: Integers, weights: Floats) -> None:
    """Keep the actions that have weight; those of the pool come first, in the order of some rows."""
    n = rows.size
    words = packed_rows(elements, ends, n, weights, data.known.shape[1])
    keep_actions(data.known, data.used, rows[weights[:n] > 0.0], words)


@kernel
def project_by_actions(h: Handle[PooledSet], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project by the actions that are known and the oracle's answers, which certify the point; keep these: a list needs them."""
    data, d = set_of(h), tilted.size
    if data.used.size == 0:
        first, ends = elements_of_words(data.first, np.ones(data.first.shape[0], dtype=np.bool_), d)
        x, gap, _, _, _ = project_from(data.oracle, tilted, first, ends, GAP, True)
        point, log_point = _with_logarithms(x)
        return point, log_point, gap if gap <= ACCEPTED_GAP and x[first].min() >= SMALLEST else np.inf
    rows, n_first = _rows_by_age(data.used, _FIRST_PER_ELEMENT * d)
    elements, ends = elements_of_words(data.known[rows], np.ones(rows.size, dtype=np.bool_), d)
    log_point, is_good = project_affine(tilted, data.equations)
    if is_good:
        point = np.exp(log_point)
        asked_for = Candidates(elements, ends, padded_rows(elements, ends, d), point, 1.0, np.ones(d), DEPENDENT, 0.0)
        found, until, held, _, distance = list_once(data.oracle, asked_for, n_first)
        if distance <= _NO_FURTHER:
            weights = np.zeros(until.size - 1)
            weights[held] = 1.0
            _keep(data, rows, found, until, weights)
            return point, log_point, 0.0
    x, gap, _, elements, ends, held = project_near(data.oracle, tilted, np.exp(near), elements, ends, n_first)
    if not gap <= ACCEPTED_GAP:
        return tilted, tilted, np.inf
    weights = np.ones(ends.size - 1)
    weights[: rows.size] = 0.0
    weights[held] = 1.0
    _keep(data, rows, elements, ends, weights)
    point, log_point = _with_logarithms(x)
    return point, log_point, gap


@kernel
def _with_logarithms(x: Floats) -> tuple[Floats, Floats]:
    """Return a point that is exp of its logarithm, bit for bit, and this: 0 where the point is."""
    point, log_point = np.zeros(x.size), np.zeros(x.size)
    for i in range(x.size):
        if x[i] > 0.0:
            log_point[i] = np.log(x[i])
            point[i] = np.exp(log_point[i])
    return point, log_point


@kernel
def list_by_actions(h: Handle[PooledSet], point: Floats) -> tuple[Words, Floats, bool]:
    """List by the actions that are known and those the oracle adds; keep what is listed."""
    data = set_of(h)
    has_pool, rows, n_first = data.used.size > 0, np.empty(0, dtype=np.int64), data.first.shape[0]
    known = data.first
    if has_pool:
        rows, n_first = _rows_by_age(data.used, _FIRST_PER_ELEMENT * point.size)
        known = data.known[rows]
    elements, ends = elements_of_words(known, np.ones(known.shape[0], dtype=np.bool_), point.size)
    elements, ends, weights, distance = list_from(data.oracle, point, elements, ends, n_first, data.norms)
    words = packed_rows(elements, ends, 0, weights, data.known.shape[1])
    chances = weights[weights > 0.0] / data.norms.shape[0]
    if not distance <= INSIDE:
        return words, chances, False
    if has_pool:
        _keep(data, rows, elements, ends, weights)
    return words, chances, True
