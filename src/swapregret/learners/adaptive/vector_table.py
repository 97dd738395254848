"""A table of vectors by action: rows found by hashing, as arrays that a state can hold."""

from typing import NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.bits import hash_row, is_same_row
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements


class VectorTable(NamedTuple):
    """At most R actions of W words, each with a vector and a number."""

    places: Integers  # row + 1, or 0 where it is empty; open addressing, a power of two of at least 2R places
    keys: Words  # (R, W)
    values: Floats  # (R, n)
    squares: Floats  # (R,)
    n_rows: Integers  # (1,)


def empty_vectors(n_rows: int, n_words: int, length: int) -> VectorTable:
    """Return a table without rows, with room for so many."""
    n_places = 16
    while n_places < 2 * n_rows:
        n_places *= 2
    return VectorTable(
        np.zeros(n_places, dtype=np.int64),
        np.zeros((n_rows, n_words), dtype=np.uint64),
        np.zeros((n_rows, length)),
        np.zeros(n_rows),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def _place_of(places: Integers, keys: Words, row: Words) -> int:
    """Return the place of an action, or the empty one where it would go."""
    mask = places.size - 1
    at = hash_row(row) & mask
    while places[at] != 0 and not is_same_row(keys[places[at] - 1], row):
        at = (at + 1) & mask
    return at


@kernel
def find_row(table: VectorTable, row: Words) -> int:
    """Return the row of an action, −1 if it has none."""
    return int(table.places[_place_of(table.places, table.keys, row)] - 1)


@kernel
def make_row(table: VectorTable, row: Words) -> int:
    """Return the row of an action, a new one if it has none; −1 if there is no room."""
    at = _place_of(table.places, table.keys, row)
    if table.places[at] == 0:
        n = table.n_rows[0]
        if n >= table.squares.size:
            return -1
        key = table.keys[n]
        for w in range(row.size):
            key[w] = row[w]
        table.n_rows[0] = n + 1
        table.places[at] = n + 1
    return int(table.places[at] - 1)


@kernel
def clear_table(table: VectorTable) -> None:
    """Forget all rows."""
    n = table.n_rows[0]
    for row in range(n):
        table.squares[row] = 0.0
        values = table.values[row]
        for i in range(values.size):
            values[i] = 0.0
    for at in range(table.places.size):
        table.places[at] = 0
    table.n_rows[0] = 0


@kernel
def thin_table(table: VectorTable) -> None:
    """Keep the half of the rows with the largest squares, in their order: the actions about which most is known."""
    n = table.n_rows[0]
    is_kept = top_elements(table.squares[:n], n // 2)
    width, length = table.keys.shape[1], table.values.shape[1]
    kept = 0
    for row in range(n):
        if is_kept[row]:
            if kept != row:
                for w in range(width):
                    table.keys[kept, w] = table.keys[row, w]
                for i in range(length):
                    table.values[kept, i] = table.values[row, i]
                table.squares[kept] = table.squares[row]
            kept += 1
    for row in range(kept, n):
        table.squares[row] = 0.0
        for i in range(length):
            table.values[row, i] = 0.0
    for at in range(table.places.size):
        table.places[at] = 0
    table.n_rows[0] = kept
    for row in range(kept):
        table.places[_place_of(table.places, table.keys, table.keys[row])] = row + 1
