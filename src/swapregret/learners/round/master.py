"""What a master brings along: three methods chosen by the class of its state, and how they may end."""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.compiled.methods import method

__all__ = ["NOT_PROJECTED", "NOT_SOLVED", "OUT_OF_ROOM", "PLAYED", "end_windows", "refresh", "remember"]

Integers = npt.NDArray[np.int64]

PLAYED, NOT_PROJECTED, NOT_SOLVED, OUT_OF_ROOM = 0, 1, -1, 2
"""How a call ended: well; a projection was not good enough; Σ⁺M was not to be had; there is no room for a list of actions."""


@method
def end_windows(state: Any, family: Any, rule: Any, n_ending: int) -> int:
    """End the ``n_ending`` shortest windows; return PLAYED, or change nothing and say why."""


@method
def refresh(state: Any, family: Any, rule: Any) -> int:
    """Make all that is derived from the state: the policies of a new state, what solves with Σ of a restored one."""


@method
def remember(state: Any, action: Integers, reward: float) -> None:
    """Take note of a day of bandit feedback beside its estimate."""


@remember.default
def forget(state: Any, action: Integers, reward: float) -> None:
    """Take no note: the estimate is all there is to learn."""
