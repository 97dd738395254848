"""Entering a compiled run of the master on m-sets into a ledger, turn by turn of the calendar.

Gives the ledger that recording every policy of the run would give, up to rounding. Takes plain arrays, no learner.

May touch: ``arrays``, ``kernels.ledger_tape``, ``kernels.subsets``, ``regret.table``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix, NamedArrays, Vector
from swapregret.kernels.ledger_systematic import systematic_words
from swapregret.kernels.ledger_tape import add_days, arc_starts, record_turns
from swapregret.kernels.subsets import UNIT
from swapregret.regret.table import ActionTable, reading

__all__ = ["Tape", "Turned"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Turned:
    """What a tape has gathered beside the rows: rewards earned, days and rewards of the fresh law, and of all days."""

    earned: float
    fresh_value: Vector
    fresh_days: float
    total: Vector
    n_days: int


class Tape:
    """The laws of K scales through the blocks of a run.

    Parameters
    ----------
    table : ActionTable
    orders : int64 array, shape (n, dimension)
        In which the arcs of the systematic laws are laid.
    weight : float
        Of the law of one scale in the policy that is played.
    n_scales : int
        All scales begin with the fresh law.
    """

    def __init__(self, table: ActionTable, orders: Integers, weight: float, n_scales: int) -> None:
        d = table.dimension
        self._table = table
        self._orders = np.array(orders)
        self._weight = weight
        self._units = np.zeros((n_scales, d), dtype=np.int64)
        self._fresh = np.ones(n_scales, dtype=np.bool_)
        self._held = np.zeros((n_scales, d))
        self._held_days = np.zeros(n_scales)
        self._fresh_held = np.zeros(d)
        self._numbers = np.zeros(2)
        self._total = np.zeros(d)
        self._n_days = 0

    def record(self, rewards: Matrix, first_day: int, events: Integers, event_units: Integers) -> None:
        """Enter a block of days.

        Parameters
        ----------
        rewards : Matrix, shape (n, dimension)
            Reward vectors of the days of the block.
        first_day : int
            The first of them.
        events : int64 array, shape (k, 2)
            Turns: the day just ended, and how many windows ended with it. With c windows, scales 1..c−1 restart and
            scale c takes a new law.
        event_units : int64 array, shape (k, dimension)
            The marginals of that law, in units of 2⁻⁴⁴.
        """
        vectors = np.ascontiguousarray(rewards)
        clock = np.zeros(1, dtype=np.int64)
        done = 0
        while done < len(events):
            done = self._turns(vectors, first_day, events, event_units, done, clock)
            if done < len(events) and not self._table.grow():
                self._credit(vectors, clock, int(events[done, 0]) + 1 - first_day)
                self._turn(int(events[done, 1]), event_units[done])
                done += 1
        self._credit(vectors, clock, len(vectors))
        self._n_days += len(vectors)

    def close(self) -> Turned:
        """Let every scale's law end here, and return what is not in the rows; recording may go on."""
        for k in range(len(self._units)):
            self._leave(k)
        earned, fresh_days = self._numbers.tolist()
        gathered = Turned(earned, self._fresh_held.copy(), fresh_days, self._total.copy(), self._n_days)
        self._numbers[:], self._fresh_held[:], self._total[:], self._n_days = 0.0, 0.0, 0.0, 0
        return gathered

    def dump(self) -> NamedArrays:
        """Write which laws the scales hold, as named arrays; to be called right after ``close``."""
        return {"units": self._units, "fresh": self._fresh}

    def restore(self, arrays: NamedArrays) -> None:
        """Let the scales of a new tape hold the laws ``dump`` wrote."""
        self._units, self._fresh = np.array(arrays["units"]), np.array(arrays["fresh"])

    def _turns(
        self, rewards: Matrix, first_day: int, events: Integers, event_units: Integers, done: int, clock: Integers
    ) -> int:
        table = self._table
        table.n_rows, done = record_turns(
            *table.arrays(),
            table.n_rows,
            table.limit,
            reading(rewards),
            first_day,
            reading(events),
            reading(event_units),
            done,
            self._orders,
            UNIT,
            self._weight,
            self._units,
            self._fresh,
            clock,
            self._held,
            self._held_days,
            self._fresh_held,
            self._total,
            self._numbers,
        )
        return done

    def _credit(self, rewards: Matrix, clock: Integers, now: int) -> None:
        add_days(reading(rewards), clock, now, self._held, self._held_days, self._total)

    def _turn(self, n_ending: int, new: Integers) -> None:
        """Enter the laws one turn ends into a table that may have to pool."""
        for k in range(min(n_ending, len(self._units))):
            self._leave(k)
            self._fresh[k] = k != n_ending - 1
            if not self._fresh[k]:
                self._units[k] = new

    def _leave(self, k: int) -> None:
        if self._held_days[k] == 0.0:
            return
        vector, n_days = self._weight * self._held[k], self._weight * float(self._held_days[k])
        self._held[k], self._held_days[k] = 0.0, 0.0
        if self._fresh[k]:
            self._fresh_held += vector
            self._numbers[1] += n_days
            return
        units = self._units[k]
        words, lengths = systematic_words(units, arc_starts(units, self._orders, UNIT), self._orders, UNIT)
        self._table.add_law(words, lengths / (UNIT * len(self._orders)), vector, n_days)
        self._numbers[0] += float(vector @ (units / UNIT))
