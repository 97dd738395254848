r"""What was seen after each recommendation: a vector for every action recommended, in bounded memory.

:math:`V[a] = \sum P(\text{recommend } a)\,\widetilde R` and :math:`q[a] = \sum P(\text{recommend } a)^2`, its variance in
units of σ². When the table is full, the half with the smallest q, about which least is known, is dropped.

May touch: ``arrays``, ``kernels.ledger``, ``kernels.vector_table``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.vector_table import add_to_rows, find_rows, keep_rows, make_rows
from swapregret.learners.player import Arrays

__all__ = ["ActionVectors"]

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

_FIRST = 64


@dataclass(frozen=True, eq=False)
class ActionVectors:
    """A table from actions to vectors, as a value: ``add`` returns a new one.

    Attributes
    ----------
    keys : packed actions, shape (room, words)
    slots : hash slots, twice the room
    values : Matrix, shape (room, dimension)
    squares : Vector
    n_rows : int
        Rows in use.
    capacity : int
        Most rows ever.
    """

    keys: Words
    slots: Integers
    values: Matrix
    squares: Vector
    n_rows: int
    capacity: int

    @classmethod
    def start(cls, dimension: int, capacity: int) -> "ActionVectors":
        """Return an empty table."""
        room = min(_FIRST, capacity)
        words = (dimension + 63) // 64
        return cls(
            np.zeros((room, words), dtype=np.uint64),
            np.zeros(_slots(room), dtype=np.int64),
            np.zeros((room, dimension)),
            np.zeros(room),
            0,
            capacity,
        )

    def dump(self, prefix: str) -> Arrays:
        """Write the rows in use as named arrays."""
        n = self.n_rows
        return {
            f"{prefix}keys": self.keys[:n],
            f"{prefix}values": self.values[:n],
            f"{prefix}squares": self.squares[:n],
            f"{prefix}room": np.array(len(self.keys)),
        }

    @classmethod
    def load(cls, arrays: Arrays, prefix: str, capacity: int) -> "ActionVectors":
        """Read what ``dump`` wrote: the same rows in the same order, with the same room."""
        values = arrays[f"{prefix}values"]
        n, d = values.shape
        made = cls.start(d, capacity)._with_room(int(arrays[f"{prefix}room"]))
        made.keys[:n] = arrays[f"{prefix}keys"]
        made.values[:n], made.squares[:n] = values, arrays[f"{prefix}squares"]
        make_rows(made.slots, made.keys, 0, made.keys[:n].copy())
        return cls(made.keys, made.slots, made.values, made.squares, n, capacity)

    @property
    def actions(self) -> Actions:
        """Return the actions of the rows in use."""
        return unpack_rows(self.keys[: self.n_rows], self.values.shape[1])

    def rows_of(self, words: Words) -> Integers:
        """Return the row of each packed action, −1 where it has none."""
        return find_rows(self.slots, self.keys, words)

    def add(self, words: Words, weights: Vector, vector: Vector, square: float) -> "ActionVectors":
        """Return a table with p·vector added to each atom's row and p²·square to its variance."""
        return self.copy().enter(words, weights, vector, square)

    def copy(self) -> "ActionVectors":
        """Return a table with arrays of its own."""
        arrays = (self.keys.copy(), self.slots.copy(), self.values.copy(), self.squares.copy())
        return ActionVectors(*arrays, self.n_rows, self.capacity)

    def enter(self, words: Words, weights: Vector, vector: Vector, square: float) -> "ActionVectors":
        """Do the same in the arrays of this table while they have room: for whoever holds it alone."""
        half = self.capacity // 2
        if len(words) > half:  # a full table keeps half of its rows, so more than the other half comes in parts
            table = self
            for first in range(0, len(words), half):
                part = slice(first, first + half)
                table = table.enter(words[part], weights[part], vector, square)
            return table
        table = self._with_room_for(len(words))
        n_rows = add_to_rows(
            table.slots, table.keys, table.values, table.squares, table.n_rows, words, weights, vector, square
        )
        return ActionVectors(table.keys, table.slots, table.values, table.squares, n_rows, self.capacity)

    def emptied(self) -> "ActionVectors":
        """Return an empty table in the arrays of this one, with the room it has grown to."""
        keep_rows(self.slots, self.keys, self.values, self.squares, self.n_rows, np.zeros(0, dtype=np.int64))
        return ActionVectors(self.keys, self.slots, self.values, self.squares, 0, self.capacity)

    def _with_room_for(self, extra: int) -> "ActionVectors":
        needed = self.n_rows + extra
        if needed <= len(self.keys):
            return self
        if needed <= self.capacity:
            return self._with_room(min(self.capacity, max(needed, 2 * len(self.keys))))
        table = self if len(self.keys) == self.capacity else self._with_room(self.capacity)
        kept = np.sort(np.argsort(-self.squares[: self.n_rows], kind="stable")[: self.capacity // 2])
        keep_rows(table.slots, table.keys, table.values, table.squares, self.n_rows, kept)
        return ActionVectors(table.keys, table.slots, table.values, table.squares, len(kept), self.capacity)

    def _with_room(self, room: int) -> "ActionVectors":
        n, (_, words), d = self.n_rows, self.keys.shape, self.values.shape[1]
        keys, values = np.zeros((room, words), dtype=np.uint64), np.zeros((room, d))
        squares, slots = np.zeros(room), np.zeros(_slots(room), dtype=np.int64)
        keys[:n], values[:n], squares[:n] = self.keys[:n], self.values[:n], self.squares[:n]
        make_rows(slots, keys, 0, keys[:n].copy())
        return ActionVectors(keys, slots, values, squares, n, self.capacity)


def _slots(room: int) -> int:
    return int(2 ** np.ceil(np.log2(max(2, 2 * room))))
