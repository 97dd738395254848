"""Whole blocks of days of the adaptive master on m-sets in compiled code, the same days as stepping a ``Session``.

May touch: ``arrays``, ``kernels``, ``policy``, ``learners.adaptive.m_set_master``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Actions, Matrix, Vector
from swapregret.kernels.pool_arrays import LawTape, empty_tape
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster, MSetPoolState
from swapregret.policy import Policy

__all__ = ["PoolBlock", "PoolEngine"]

Note = Callable[[int, Policy], None]

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
    plays : Actions
        The action of each day, or no rows if they were not kept.
    tapes : tuple of (int, int, LawTape)
        First and last day (exclusive) of the block each tape covers; none if nothing was to be taped.
    """

    state: MSetPoolState
    received: Vector
    plays: Actions
    tapes: tuple[tuple[int, int, LawTape], ...]


class PoolEngine:
    """Runs blocks for a master; a state it has returned is used up when it runs on from it.

    Parameters
    ----------
    master : MSetAdaptiveMaster
    is_taped, is_noting, keeps_plays : bool
        Whether laws are to be written down or told of, and actions written down.

    Examples
    --------
    >>> import swapregret as sr
    >>> master = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="adaptive")
    >>> rng = np.random.default_rng(0)
    >>> block = PoolEngine(master).run(master.start(rng), rng, np.full((50, 6), 0.25))
    >>> len(block.received), float(block.received.sum())
    (50, 25.0)
    """

    def __init__(
        self,
        master: MSetAdaptiveMaster,
        *,
        is_taped: bool = True,
        is_noting: bool = False,
        keeps_plays: bool = False,
    ) -> None:
        self.master = master
        self.is_noting = is_noting
        self._is_taped = is_taped
        self._keeps_plays = keeps_plays
        self._own: MSetPoolState | None = None

    def run(
        self, state: MSetPoolState, rng: np.random.Generator, rewards: Matrix, note: Note | None = None
    ) -> PoolBlock:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would.

        ``note`` is told of every law before its first day in the block, with the row of that day; windows are then played
        one by one.
        """
        master = self.master
        if state is not self._own:
            state = master.own(state)
        received = np.empty(len(rewards))
        plays = np.empty((len(rewards) if self._keeps_plays else 0, rewards.shape[1]), dtype=np.int64)
        tapes = []
        done = 0
        while done < len(rewards):
            if note is not None:
                note(done, state.law)
                stop = min(len(rewards), done + master.days_left(state))
                state = master.run_window(state, rng, rewards[done:stop], received[done:stop], plays[done:stop])
                done = stop
                continue
            tape = self._tape(len(rewards) - done) if self._is_taped else _NO_TAPE
            n_days = master.run_days(state, rng, rewards[done:], received[done:], plays[done:], tape)
            if self._is_taped:
                tapes.append((done, done + n_days, tape))
            done += n_days
        self._own = state if note is not None else master.remade(state)
        return PoolBlock(self._own, received, plays, tuple(tapes))

    def _tape(self, n_days: int) -> LawTape:
        config = self.master.config
        n_windows = n_days // int(config.windows[0]) + 3
        n_components = len(config.rates) + config.windows.size
        n_laws = min(_LAWS, n_windows * n_components) + 3 * n_components
        return empty_tape(n_laws, n_windows, config.orders.size, n_components)
