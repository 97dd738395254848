"""A master at work: its family, rule and state, and the compiled functions on them.

The state is arrays that compiled code changes in place. A policy that was played can still be asked for later: a
:class:`View` of it copies what it needs when the policy is about to change.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.compiled.kernel import PythonFamily
from swapregret.compiled.nested import copied, dump, restore
from swapregret.errors import NotConverged
from swapregret.learners.round.master import NOT_PROJECTED, NOT_SOLVED, OUT_OF_ROOM, PLAYED

__all__ = ["Running", "View"]

Arrays = dict[str, npt.NDArray[Any]]

_DERIVED = frozenset({"laws", "mix", "undo"})


@cache
def _entries(is_plain: bool) -> Any:
    """Return the functions on a handle, compiled or, for sets that exist only in Python, as they stand."""
    from swapregret.learners.round import entries

    phases = {name: getattr(entries, name) for name in entries.__all__}
    return SimpleNamespace(**{name: each.py_func if is_plain else each.dispatcher for name, each in phases.items()})


class PlainHandle(PythonFamily):
    """A handle on a set that exists only in Python."""

    def __init__(self, family: Any, rule: Any, state: Any, rng: np.random.Generator) -> None:
        self.family, self.rule, self.state, self.rng = family, rule, state, rng


class View:
    """The policy of some days: the one that is played while it is, and a copy of it afterwards.

    Parameters
    ----------
    running : Running
    """

    def __init__(self, running: "Running") -> None:
        self.running = running
        self.laws, self.mix = running.state.laws, running.state.mix
        self.is_present = True

    def part(self) -> None:
        """Copy what the policy is made of: the state is about to move on."""
        self.laws, self.mix = copied(self.laws), copied(self.mix)
        self.is_present = False


class Running:
    """A master at work.

    Parameters
    ----------
    family, rule, state
        Of the master; the state belongs to this object alone.
    """

    def __init__(self, family: Any, rule: Any, state: Any) -> None:
        self.family, self.rule, self.state = family, rule, state
        self._view: Any = lambda: None
        self._handle: Any = None
        self._rng: np.random.Generator | None = None
        self._nothing = np.zeros(family.common.dimension)
        self._is_plain = isinstance(family, PythonFamily)
        self._do = _entries(self._is_plain)

    # ---- the entries, on this state --------------------------------------------------------------------------------

    def _open(self, rng: np.random.Generator, state: Any = None) -> Any:
        given = self.state if state is None else state
        if self._is_plain:
            return PlainHandle(self.family, self.rule, given, rng)
        return self._do.open_handle(self.family, self.rule, given, rng)

    def handle(self, rng: np.random.Generator) -> Any:
        """Return the handle on this state that draws from a generator."""
        if self._rng is not rng:
            self._handle, self._rng = self._open(rng), rng
        return self._handle

    def make(self) -> None:
        """Make all that is derived from the state."""
        rng = np.random.default_rng(0)
        while True:
            code = self._do.end_window(self._open(rng), 0)
            if code != OUT_OF_ROOM:
                break
            self._widen()
        _refuse(code)

    def act(self, rng: np.random.Generator) -> Action:
        """Draw an action."""
        action: Action = self._do.act_day(self.handle(rng))
        return action

    def view(self) -> View:
        """Return the policy that is played now, as something that stays."""
        held: View | None = self._view()
        if held is None:
            held = View(self)
            self._view = ref(held)
        return held

    def observe(self, action: Action, seen: Vector | None, reward: float | None, view: View | None = None) -> None:
        """Learn what a day paid, and end the windows that end with it; ``reward`` None lets the day pass.

        ``view`` is the policy that drew the action, where that is an earlier one.
        """
        rng = self._rng if self._rng is not None else np.random.default_rng(0)
        h = self.handle(rng)
        if reward is None:
            n_ending = self._do.pass_day(h)
        else:
            if view is not None and not view.is_present:
                h = self._open(rng, self.state._replace(laws=view.laws, mix=view.mix))
            n_ending = self._do.observe_day(h, action, self._nothing if seen is None else seen, reward)
        if n_ending == NOT_SOLVED:
            _refuse(NOT_SOLVED)
        if n_ending == 0:
            return
        try:
            self.end_window(n_ending)
        except BaseException:
            restore(self.state.tally, dump(self.state.undo), "the state")
            raise

    def end_window(self, n_ending: int) -> None:
        """End windows; on an error nothing has changed."""
        held: View | None = self._view()
        if held is not None:
            held.part()
            self._view = lambda: None
        rng = self._rng if self._rng is not None else np.random.default_rng(0)
        while True:
            code = self._do.end_window(self.handle(rng), n_ending)
            if code != OUT_OF_ROOM:
                break
            self._widen()
        _refuse(code)

    def play(self, rng: np.random.Generator, rewards: Matrix, received: Vector, plays: Actions) -> None:
        """Play one day per row of ``rewards``."""
        h, row, n = self.handle(rng), 0, len(rewards)
        while row < n:
            row, n_ending = self._do.play_days(h, rewards, received, plays, row)
            if n_ending > 0:
                self.end_window(n_ending)
                h = self.handle(rng)
            elif n_ending == NOT_SOLVED:
                _refuse(NOT_SOLVED)

    def _widen(self) -> None:
        """Make twice the room for lists of actions."""
        from swapregret.actions.family import room

        laws = self.state.laws
        n_slots, n_atoms = laws.chances.shape
        wider = room(self.family, n_slots, 2 * n_atoms)
        for name, old in dump(laws).items():
            new = getattr(wider, name)
            new[tuple(slice(0, length) for length in old.shape)] = old
        self.state = self.state._replace(laws=wider)
        self._handle, self._rng = (self._open(self._rng), self._rng) if self._rng is not None else (None, None)

    # ---- files -----------------------------------------------------------------------------------------------------

    def copy(self) -> "Running":
        """Return the same master with a state of its own."""
        return Running(self.family, self.rule, copied(self.state))

    def dump(self) -> Arrays:
        """Write the state as named arrays, without what is made again from them."""
        return {name: array.copy() for name, array in dump(self.state, leave_out=_DERIVED).items()}

    def load(self, arrays: Arrays) -> None:
        """Read what ``dump`` of an equally configured master wrote."""
        restore(self.state, arrays, "the state", _DERIVED)
        self.make()


def _refuse(code: int) -> None:
    if code == PLAYED:
        return
    if code == NOT_PROJECTED:
        raise NotConverged(
            "a projection onto the convex hull of the actions must be exact to working precision",
            "weights too far apart for it",
            "Use a smaller step: rate=AdaptiveRate(1.0); the state is as it was.",
        )
    raise NotConverged(
        "Σ of the played policy must be invertible on the span of the actions",
        "an iteration that left more than a hundredth of the right side",
        "Use more exploration: exploration=0.05; the state is as it was.",
    )
