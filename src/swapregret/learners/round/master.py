"""What a master brings along, and how its calls may end.

Its state is a named tuple with ``tally``, ``undo``, ``learners``, ``laws`` and ``mix``. Its module has one compiled entry,
``end_window(h, n_ending)``: it ends the ``n_ending`` shortest windows and returns PLAYED, or changes nothing and says why. After
OUT_OF_ROOM it is called again with −``n_ending``, and goes on. With 0 it makes all that is derived from the state: the policies
of a new one, what solves with Σ of a restored one. Projections and decompositions are linked into that entry alone, which keeps
compiling short.
"""

from typing import Any

from swapregret.arrays import Floats, Integers
from swapregret.compiled.methods import method

__all__ = ["NOT_PROJECTED", "NOT_SOLVED", "OUT_OF_ROOM", "PLAYED", "remember"]


PLAYED, NOT_PROJECTED, NOT_SOLVED, OUT_OF_ROOM = 0, 1, -1, 2
"""How a call ended: well; a projection was not good enough; Σ⁺M was not to be had; there is no room for a list of actions."""


@method
def remember(state: Any, rule: Any, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take note of a day beside its estimate; ``times`` −1 takes it back."""


@remember.default
def forget(state: Any, rule: Any, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take no note: the estimate is all there is to learn."""
