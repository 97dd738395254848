"""Entering the laws that a compiled run has taped into a table of actions.

Gives what recording every policy of the run would give, up to rounding.

May touch: ``arrays``, ``kernels``, ``regret.table``.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Matrix, Vector
from swapregret.kernels.ledger_tape import record_laws
from swapregret.kernels.pool_arrays import LawTape
from swapregret.regret.table import ActionTable, reading

__all__ = ["Taped", "enter_tape"]


@dataclass(frozen=True, eq=False)
class Taped:
    """What a tape holds beside its rows: rewards earned by its laws, those of all days, and those of the last component.

    The last component of a tape is the exploration law, which has a policy of its own.
    """

    earned: float
    total: Vector
    rest: Vector
    rest_days: float


def enter_tape(table: ActionTable, tape: LawTape, rewards: Matrix) -> Taped:
    """Add p·V to the row of every set of every law on the tape, V the rewards of its days times its shares.

    Parameters
    ----------
    table : ActionTable
    tape : LawTape
    rewards : Matrix, shape (n, dimension)
        Reward vectors of the days the tape covers.
    """
    n_laws, n_windows = tape.filled.tolist()
    n_components = tape.shares.shape[1]
    vectors = reading(np.ascontiguousarray(rewards))
    stops, shares = reading(tape.stops[:n_windows]), reading(tape.shares[:n_windows])
    places, counts = reading(tape.places[:n_laws]), reading(tape.counts[:n_laws])
    words, chances = reading(tape.words[:n_laws]), reading(tape.chances[:n_laws])
    cursor = np.zeros(2, dtype=np.int64)
    held, held_days = np.zeros((n_components, table.dimension)), np.zeros(n_components)
    total, earned = np.zeros(table.dimension), 0.0
    while True:
        table.n_rows, gained = record_laws(
            *table.arrays(),
            table.n_rows,
            table.limit,
            vectors,
            stops,
            shares,
            places,
            words,
            chances,
            counts,
            cursor,
            held,
            held_days,
            total,
        )
        earned += gained
        if cursor[1] == n_laws:
            break
        if not table.grow():
            law, component = int(cursor[1]), int(places[cursor[1], 1])
            n = int(counts[law])
            before = held[component].copy()
            table.add_law(words[law, :n, None].copy(), chances[law, :n].copy(), before, float(held_days[component]))
            earned += _earned(words[law, :n], chances[law, :n], before)
            held[component], held_days[component] = 0.0, 0.0
            cursor[1] += 1
    return Taped(earned, total, held[-1], float(held_days[-1]))


def _earned(words: np.ndarray[tuple[int], np.dtype[np.uint64]], chances: Vector, vector: Vector) -> float:
    bits = (words[:, None] >> np.arange(len(vector), dtype=np.uint64)) & np.uint64(1)
    return float(chances @ (bits @ vector))
