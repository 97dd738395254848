"""Writing down which laws the adaptive master on m-sets played, for whoever measures it.

May touch: ``kernels.compile``, ``kernels.pool_arrays``.
"""

from swapregret.compiled.kernel import kernel
from swapregret.kernels.pool_arrays import LawTape, PoolArrays

__all__ = ["close_tape", "tape_law", "tape_window"]


@kernel
def tape_law(pool: PoolArrays, tape: LawTape, component: int) -> None:
    """Write the law of a component to the tape: it ends with the last window on it."""
    n = pool.points.shape[0]
    g = component if component < n else component - n
    words = pool.played[g] if component < n else pool.recommended[g]
    e = tape.filled[0]
    tape.filled[0] = e + 1
    tape.places[e, 0] = tape.filled[1] - 1
    tape.places[e, 1] = component
    count = pool.n_atoms[g]
    tape.counts[e] = count
    tape.words[e, :count] = words[:count]
    tape.chances[e, :count] = pool.chances[g, :count]


@kernel
def tape_window(pool: PoolArrays, tape: LawTape, stop: int) -> None:
    """Write to the tape that a window ends before day ``stop`` of the block, and what it was played with."""
    t = tape.filled[1]
    tape.filled[1] = t + 1
    tape.stops[t] = stop
    tape.shares[t] = pool.shares


@kernel
def close_tape(pool: PoolArrays, tape: LawTape, stop: int) -> None:
    """Let all laws end before day ``stop`` of the block."""
    n = pool.points.shape[0]
    tape_window(pool, tape, stop)
    for component in range(pool.shares.size - 1):
        if pool.n_atoms[component if component < n else component - n]:
            tape_law(pool, tape, component)
