"""Sets known by an oracle alone, which keep the actions that were listed last.

A projection and a list begin with actions that are known, and ask the oracle for what is missing. What comes out depends on which
actions these are, to the last bit, so they are part of the state: arrays beside the lists they come from. Competitors make
lists again from their points instead of saving them, so nothing may depend on the past: they have no pool and use the set's own
methods.
"""

from copy import copy
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import MADE, Common, list_law, make_law, project, remake_law
from swapregret.actions.listed_laws import ListedLaws, keeps_lists, list_room, listed_room, put_again
from swapregret.actions.own_sets.python_family import OracleFamily, list_oracle, project_oracle, split_point
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import is_same_row, pack_rows, unpack_rows
from swapregret.compiled.kernel import kernel
from swapregret.policy import Policy

__all__ = ["PooledFamily", "PooledLaws"]


_ROWS_PER_ELEMENT = 4
_FOR_EVER = 2**62


class PooledFamily(OracleFamily):
    """An ``OracleSet``, by its own methods and with the actions that were listed last."""

    def __init__(self, common: Common, actions: Any, mu: Policy, variants: int) -> None:
        super().__init__(common, actions, mu, variants)
        self.oracle = actions.sparing
        self.laws: PooledLaws | None = None

    def on(self, laws: Any) -> OracleFamily:
        """Return the same at work on the policies of a state, and on the pool beside them if there is one."""
        bound = copy(self)
        bound.laws = laws if isinstance(laws, PooledLaws) else None
        return bound


class PooledLaws(NamedTuple):
    """Lists in S slots (``ListedLaws``), and the actions that are known: P per slot, for all slots together.

    Attributes
    ----------
    known : uint64 array, shape (S, P, W)
    used : int64 array, shape (S, P)
        When each was listed or found last, counted in lists and projections; 0 where there is none, 2⁶² for those known from the
        start.
    """

    n_atoms: Integers
    words: Words
    chances: Floats
    cumulative: Floats
    marginals: Floats
    moments: Floats
    known: Words
    used: Integers


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


def table_of(family: Any) -> Floats | None:
    """Return the actions in the pool as a table; None where there is no pool, or nothing but what is known from the start."""
    if family.laws is None:
        return None
    known, used = rows_of(family.laws)
    if not ((used > 0) & (used < _FOR_EVER)).any():
        return None
    return unpack_rows(known[used > 0], family.common.dimension).astype(np.float64)


def rows_of(laws: PooledLaws) -> tuple[Words, Integers]:
    """Return the pool without its slots: views, to be read and written."""
    return laws.known.reshape(-1, laws.known.shape[2]), laws.used.reshape(-1)


@list_room.register
def pooled_room(family: PooledFamily, n_slots: int, n_atoms: int) -> PooledLaws:
    """Return room for lists, and the actions known from the start with room for some more."""
    lists: ListedLaws = listed_room(family, n_slots, n_atoms)
    first = pack_rows(family.actions.known_first.astype(np.int64))
    n_rows = len(first) + _ROWS_PER_ELEMENT * family.common.dimension
    per_slot = -(-n_rows // n_slots)
    known = np.zeros((n_slots, per_slot, first.shape[1]), dtype=np.uint64)
    laws = PooledLaws(*lists, known, np.zeros((n_slots, per_slot), dtype=np.int64))
    rows, used = rows_of(laws)
    rows[: len(first)], used[: len(first)] = first, _FOR_EVER
    return laws


@keeps_lists.register
def keeps_pooled(family: PooledFamily) -> bool:
    """Return True: lists depend on the pool."""
    return True


@remake_law.of(PooledFamily)
def remake_pooled(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Take the list that was read, if there is one."""
    if laws.n_atoms[slot] == 0 or family.laws is None:
        return int(make_law(family, laws, slot, point, log_point))
    put_again(laws, slot, family.common.place)
    return MADE


@project.of(PooledFamily)
def project_pooled(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the actions that are known and the oracle's answers, which certify the point; keep these: a list needs them."""
    table = table_of(family)
    if table is None:
        return project_oracle(family, tilted, near)
    projection, found = family.actions.kl_project_with(tilted, table)
    keep_actions(*rows_of(family.laws), pack_rows(found))
    return split_point(projection)


@list_law.of(PooledFamily)
def list_pooled(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List by the actions that are known and those the oracle adds; keep what is listed."""
    table = table_of(family)
    if table is None:
        words, chances, is_inside = list_oracle(family, point)
    else:
        law = family.actions.decompose_with(point, table, family.variants)
        words, chances, is_inside = pack_rows(law.atoms), np.array(law.weights), True
    if family.laws is not None:
        keep_actions(*rows_of(family.laws), words)
    return words, chances, is_inside
