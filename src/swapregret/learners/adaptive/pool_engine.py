"""Whole blocks of days of the adaptive master on m-sets in compiled code, the same days as stepping a ``Session``.

May touch: ``arrays``, ``kernels``, ``learners.adaptive.m_set_master``.
"""

from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Matrix, Vector
from swapregret.kernels.pool_arrays import LawTape, empty_tape
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster, MSetPoolState

__all__ = ["PoolBlock", "PoolEngine"]

_LAWS = 1024
_NO_TAPE = empty_tape(0, 0, 1, 1)


@dataclass(frozen=True, eq=False)
class PoolBlock:
    """A block of days, played.

    Attributes
    ----------
    state : MSetPoolState
        After the last day.
    received : Vector
        The reward of each day.
    tapes : tuple of (int, int, LawTape)
        First and last day (exclusive) of the block each tape covers; none if nothing was to be taped.
    """

    state: MSetPoolState
    received: Vector
    tapes: tuple[tuple[int, int, LawTape], ...]


class PoolEngine:
    """Runs blocks for a master; a state it has returned is used up when it runs on from it.

    Parameters
    ----------
    master : MSetAdaptiveMaster
    is_taped : bool
        Whether to write down which laws were played.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="adaptive")
    >>> rng = np.random.default_rng(0)
    >>> block = PoolEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> len(block.received), float(block.received.sum())
    (50, 25.0)
    """

    def __init__(self, master: MSetAdaptiveMaster, *, is_taped: bool = True) -> None:
        self.master = master
        self._is_taped = is_taped
        self._own: MSetPoolState | None = None

    def run(self, state: MSetPoolState, rng: np.random.Generator, rewards: Matrix) -> PoolBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        master = self.master
        if state is not self._own:
            state = master.own(state)
        received = np.empty(len(rewards))
        tapes = []
        done = 0
        while done < len(rewards):
            tape = self._tape(len(rewards) - done) if self._is_taped else _NO_TAPE
            n_days = master.run_days(state, rng, rewards[done:], received[done:], tape)
            if self._is_taped:
                tapes.append((done, done + n_days, tape))
            done += n_days
        self._own = master.remade(state)
        return PoolBlock(self._own, received, tuple(tapes))

    def _tape(self, n_days: int) -> LawTape:
        config = self.master.config
        n_windows = n_days // int(config.windows[0]) + 3
        n_components = len(config.rates) + config.windows.size
        n_laws = min(_LAWS, n_windows * n_components) + 3 * n_components
        return empty_tape(n_laws, n_windows, config.orders.size, n_components)
