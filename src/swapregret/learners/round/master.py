"""What a player brings along beside its state, and how its calls may end.

A player is a rule, a named tuple whose class decides which code runs, and a state, a named tuple with ``tally``, ``undo``,
``learners``, ``laws`` and ``mix``. It brings :func:`end_windows`, and :func:`learn_day` or :func:`remember` where the estimate of
``round.day`` is not all it learns from. Projections and decompositions are linked into the end of a window alone, which keeps
compiling short.
"""

# the bodies of stubs are never run
# mypy: disable-error-code="empty-body"

from typing import Any

from swapregret.arrays import Floats, Integers
from swapregret.compiled.methods import method
from swapregret.errors import NotConverged
from swapregret.learners.round.day import estimate

__all__ = ["NOT_PROJECTED", "NOT_SOLVED", "OUT_OF_ROOM", "PLAYED", "end_windows", "learn_day", "refuse", "remember"]


PLAYED, NOT_PROJECTED, NOT_SOLVED, OUT_OF_ROOM = 0, 1, -1, 2
"""How a call ended: well; a projection was not good enough; Σ⁺M was not to be had; there is no room for a list of actions."""


@method
def learn_day(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Take in what a day paid and tell whether that could be done; nothing has changed if not."""


@learn_day.default
def learn_estimate(rule: Any, family: Any, state: Any, action: Integers, seen: Floats, reward: float) -> bool:
    """Estimate the reward vector, and take note of the day."""
    if not estimate(family, rule, state, action, seen, reward):
        return False
    remember(state, rule, action, seen, reward, 1.0)
    return True


@method
def end_windows(rule: Any, family: Any, state: Any, n_ending: int) -> int:
    """Move on at the end of the ``n_ending`` shortest windows; return PLAYED, or change nothing and say why.

    After OUT_OF_ROOM it is called again with −``n_ending``, and goes on. With 0 it makes all that is derived from the state: the
    policies of a new one, what solves with Σ of a restored one.
    """


@method
def remember(state: Any, rule: Any, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take note of a day beside its estimate; ``times`` −1 takes it back."""


@remember.default
def forget(state: Any, rule: Any, action: Integers, seen: Floats, reward: float, times: float) -> None:
    """Take no note: the estimate is all there is to learn."""


def refuse(code: int) -> None:
    """Raise what a call that did not end well has to say."""
    if code == PLAYED:
        return
    if code == NOT_PROJECTED:
        raise NotConverged(
            "a projection onto the convex hull of the actions must be exact to working precision",
            "weights too far apart for it",
            "Use a smaller step, rate=AdaptiveRate(1.0), or a smaller learning rate or scale; the state is as it was.",
        )
    raise NotConverged(
        "Σ of the played policy must be invertible on the span of the actions",
        "an iteration that left more than a hundredth of the right side",
        "Use more exploration: exploration=0.05; the state is as it was.",
    )
