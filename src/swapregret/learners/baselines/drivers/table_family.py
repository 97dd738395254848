"""A list of all actions as a family: a policy is a weight for each of them."""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import Common, Explore, draw, law_of, prepare, room, show_law
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import unpack, unpack_rows
from swapregret.policy import FinitePolicy, Policy


class TableFamily(NamedTuple):
    """All N actions in canonical order: element by element in ``columns`` (d, N), packed in ``words``."""

    common: Common
    columns: Floats
    words: Words


class TableLaws(NamedTuple):
    """The policy that is played, ``chances`` (1, N), and its ``marginals`` (2, d).

    The second slot, exploration, is never played.
    """

    chances: Floats
    marginals: Floats


@room.of(TableFamily)
def table_room(family: Any, n_slots: int, n_atoms: int) -> TableLaws:
    """Return room for the policy."""
    d, n = family.columns.shape
    return TableLaws(np.zeros((1, n)), np.zeros((2, d)))


@draw.of(TableFamily)
def draw_from_table(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw by inversion; sums of chances are exact and end in 1."""
    chances, needle = laws.chances[0], rng.random()
    a, total = 0, chances[0]
    while total <= needle:
        a += 1
        total += chances[a]
    return unpack(family.words[a], family.common.dimension)


@prepare.of(TableFamily)
def prepare_nothing(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Make nothing: no estimate needs Σ."""
    return 0


@show_law.of(TableFamily)
def show_table(family: Any, laws: Any, slot: int) -> tuple[Words, Floats]:
    """Return the policy as a list."""
    return family.words, laws.chances[0]


@law_of.register(TableFamily)
def law_of_table(family: TableFamily, laws: Any, slot: int, actions: Any) -> Policy:
    """Return the policy as a value."""
    return FinitePolicy(unpack_rows(family.words, family.common.dimension), laws.chances[0])


def table_family(actions: Any, columns: Floats, words: Words) -> TableFamily:
    """Return the family of a list of all actions of a set."""
    d, none = len(columns), np.zeros(0, dtype=np.int64)
    explore = Explore(np.zeros((0, words.shape[1]), dtype=np.uint64), np.zeros(0), np.zeros(d), np.zeros((0, 0)))
    common = Common(d, actions.size, actions.rank, bool(actions.is_uniform), none, none, explore)
    return TableFamily(common, columns, words)
