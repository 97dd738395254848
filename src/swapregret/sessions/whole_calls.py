"""The course of a session: what changes from call to call, and how a call happens whole or not at all.

An exception can come out of any line: a player's own, the disk's, or one that a signal handler raises (Ctrl-C, an alarm, the soft
time limit of a task queue). Whatever it is, the call then has not happened, or has happened, in memory and on disk alike. Where
that cannot be had the session is *torn*: it takes no more calls and says how to go on.
"""

from collections.abc import Callable
from functools import wraps
from itertools import starmap
from threading import RLock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Vector
from swapregret.errors import ProtocolError
from swapregret.learners.face_days import FaceDays
from swapregret.learners.player import Decision, Note, Player, draw_decision
from swapregret.learners.round.drawn_days import Drawn
from swapregret.learners.round.running import Running
from swapregret.randomness import Seed, as_generator, entropy_of, plain_state, set_state
from swapregret.sessions.events import acted, closed, moved
from swapregret.sessions.feedback import RewardReader
from swapregret.sessions.open_journal import Journal
from swapregret.units import Units

State = TypeVar("State")
_Given = ParamSpec("_Given")
_Course = TypeVar("_Course", bound="Course[Any]")
_Result = TypeVar("_Result")


def one_at_a_time(
    method: Callable[Concatenate[_Course, _Given], _Result],
) -> Callable[Concatenate[_Course, _Given], _Result]:
    """Have a method wait until the call of another thread has ended."""

    @wraps(method)
    def call(self: _Course, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        # in one line: not even the exception of a debugger can come between the call and the release
        with self._lock: return method(self, *args, **kwargs)  # noqa: E701  # fmt: skip

    return call


class Course(Generic[State]):
    """What a session holds; :class:`~swapregret.Session` is what its user sees of it."""

    _journal: Journal | None

    def _equip(self, player: Player[State], units: Units, max_open: int) -> None:
        """Set what does not change from day to day, or does not outlive the process."""
        self.player, self.max_open = player, max_open
        self._reader = RewardReader(player.actions, player.feedback, units)
        self._journal = None
        self._is_closed = self._is_torn = False
        self._lock = RLock()
        self._faces = FaceDays(player.actions)

    def _begin(self, rng: Seed) -> None:
        source = np.random.SeedSequence() if rng is None else rng
        self._rng = as_generator(source)
        self.entropy = entropy_of(source)
        self._state = self.player.start(self._rng)
        self._n_acted = self._n_closed = self._n_skipped = 0
        self._open: dict[int, Decision] = {}
        self._rng_after = plain_state(self._rng) if self._rng is source else None  # else nobody else has it

    def _refuse_if_closed(self) -> None:
        self._refuse_if_torn()
        if self._is_closed:
            do = "Open its journal again: Session(journal=…)."
            raise ProtocolError("a session must be open to go on", "a call after close()", do)

    def _refuse_if_torn(self) -> None:
        if self._is_torn:
            raise ProtocolError(
                "a session must be whole to go on",
                "a call after one that an exception cut off half-way, or from within another call",
                "Open its journal again, Session(journal=…), or the last file it was saved to, Session.load(path).",
            )

    def _draw(self, day: int, missing: tuple[int, ...], note: Note) -> Decision:
        """Draw an action of the player; of what is left to it where elements are missing."""
        if not missing:
            return draw_decision(self.player, self._state, self._rng, day, note)
        policy = self._faces.policy(cast(Running, self._state), missing)
        return Decision(day, policy.sample(self._rng), self.player.actions, Drawn(policy), note)

    def _act(self, missing: tuple[int, ...], note: Note, count: int) -> list[Decision]:
        """Draw actions and write them down; if that is not done whole, none of it has happened."""
        end = None if self._journal is None else self._journal.ready()
        before, after, day = plain_state(self._rng), self._rng_after, self._n_acted
        recommended = self._faces.recommended
        try:
            self._is_torn = True
            made = [self._draw(day + index, missing, note) for index in range(count)]
            if self._journal is not None:
                events = [acted(each.day, each.action, missing, note) for each in made]
                if after is not None and after != before:  # somebody else drew from the generator
                    events.insert(0, moved(day, before))
                self._journal.append(*(each.line() for each in events))
                self._rng_after = after and plain_state(self._rng)
            for each in made:
                self._open[each.day] = each
            self._n_acted = day + count
            self._is_torn = False
            return made
        except BaseException:
            self._is_torn = True
            if end is not None and self._journal is not None:
                self._journal.go_back(end)
            set_state(self._rng, before)
            self._rng_after, self._n_acted, self._faces.recommended = after, day, recommended
            for index in range(count):
                self._open.pop(day + index, None)
            self._is_torn = False
            raise

    def _close(self, decision: Decision, seen: float | Vector | None, told: npt.ArrayLike | None) -> None:
        """Write down what was told, then let the player learn it.

        A player whose state is a value leaves it alone until it returns the next; one whose state changes in place says by
        ``n_days`` whether it is before the day, after it, or half-way. What it returns goes into a list by a single call into C,
        which no signal comes into.
        """
        end = None if self._journal is None else self._journal.ready()
        state, n_days, made = self._state, _days_of(self._state), list[State]()
        counts = self._n_closed + 1, self._n_skipped + (seen is None)
        try:
            self._is_torn = True
            if self._journal is not None:
                self._journal.append(closed(decision.day, told).line())
            made.extend(starmap(self.player.observe, [(state, decision, seen)]))
            self._pass(decision, made[0], counts)
        except BaseException:
            self._is_torn = True
            if made or _days_of(state) == n_days + 1:
                self._pass(decision, made[0] if made else state, counts)
            elif _days_of(state) == n_days:
                if end is not None and self._journal is not None:
                    self._journal.go_back(end)
                self._is_torn = False
            raise

    def _pass(self, decision: Decision, state: State, counts: tuple[int, int]) -> None:
        """Note that a day was learnt; to note it twice changes nothing."""
        self._state = state
        self._open.pop(decision.day, None)
        self._n_closed, self._n_skipped = counts
        self._is_torn = False


def _days_of(state: Any) -> int:
    """Return how many days a state has learnt that changes in place; −2 if it is half-way through one, 0 for all others."""
    n_days = getattr(state, "n_days", 0)
    return -2 if n_days is None else n_days
