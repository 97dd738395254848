"""The course of a session: what changes from call to call, and how a call happens whole or not at all.

An exception can come out of any line: a player's own, the disk's, or one that a signal handler raises (Ctrl-C, an alarm, the soft
time limit of a task queue). Whatever it is, the call then has not happened, or has happened, in memory and on disk alike. Where
that cannot be had the session is *torn*: it takes no more calls and says how to go on.
"""

from collections.abc import Callable
from functools import wraps
from itertools import starmap
from threading import RLock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Vector
from swapregret.errors import ProtocolError
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import Decision, Note, Player, hold_policy
from swapregret.learners.round.held_view import Chosen, require_learning
from swapregret.logs.log import Log, Source
from swapregret.logs.past_days import begin_anew, begin_with
from swapregret.randomness import Seed, as_generator, entropy_of, plain_state, set_state
from swapregret.sessions.events import ACT, CHOSEN, acted, closed, moved
from swapregret.sessions.feedback import RewardReader
from swapregret.sessions.guard_rails import Beside, Holdout
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
    _holdout: Holdout | None
    _n_past: int  # days of its history; minus the days before it was forgotten

    def _equip(self, player: Player[State], units: Units, max_open: int) -> None:
        """Set what does not change from day to day, or does not outlive the process."""
        self.player, self.max_open = player, max_open
        self._reader = RewardReader(player.actions, player.feedback, units)
        self._journal = None
        self._holdout = None
        self._is_closed = self._is_torn = False
        self._lock = RLock()
        self._known = KnownDays(player)

    def _begin(self, rng: Seed, history: Source | Log | None) -> None:
        from swapregret.sessions.journal_log import read_past  # which replays sessions

        past = None if history is None else read_past(history, self.player.actions, self._reader.units)
        source = np.random.SeedSequence() if rng is None else rng
        self._rng = as_generator(source)
        self.entropy = entropy_of(source)
        self._state = self.player.start(self._rng)
        self._beside, self._n_past = Beside(), 0
        if past is not None:
            self._state, promise = begin_with(self._known, self._state, past)
            self._beside, self._n_past = Beside(promise), len(past)
        if self._holdout is not None:
            require_learning(self._state, is_drawn=True)
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
        """Draw an action of the player; or the baseline, if it is possible."""
        made, holdout = self._known.draw(self._state, self._rng, day, missing, note), self._holdout
        if holdout is None or holdout.baseline[list(missing)].any():
            return made
        return holdout.decide(made, self.player.actions, self._rng)

    def _act(self, missing: tuple[int, ...], note: Note, count: int, choice: Action | None = None) -> list[Decision]:
        """Draw actions and write them down; if that is not done whole, none of it has happened."""
        end = None if self._journal is None else self._journal.ready()
        before, after, day = plain_state(self._rng), self._rng_after, self._n_acted
        recommended = self._known.recommended()
        try:
            self._is_torn = True
            if choice is None:
                made = [self._draw(day + index, missing, note) for index in range(count)]
            else:
                made = [Decision(day, choice, self.player.actions, Chosen(), note)]
            if self._journal is not None:
                kind = ACT if choice is None else CHOSEN
                events = [acted(each.day, each.action, missing, note, kind) for each in made]
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
            self._rng_after, self._n_acted = after, day
            for faces, before_it in recommended:
                faces.recommended = before_it
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
        beside = self._beside.after(decision, seen)
        try:
            self._is_torn = True
            if self._journal is not None:
                self._journal.append(closed(decision.day, told).line())
            if beside.is_broken:
                made.extend(self._begun_anew())
            else:
                made.extend(starmap(self._known.observe, [(state, decision, seen)]))
            self._pass(decision, made[0], counts, beside)
        except BaseException:
            self._is_torn = True
            if made or _days_of(state) == n_days + 1:
                self._pass(decision, made[0] if made else state, counts, beside)
            elif _days_of(state) == n_days:
                if end is not None and self._journal is not None:
                    self._journal.go_back(end)
                self._is_torn = False
            raise

    def _begun_anew(self) -> list[State]:
        """Return a state before its first day: the history has turned out to be of another world."""
        begun = begin_anew(self.player, self._n_closed, self._n_past)
        held: Any = hold_policy(self.player, self._state)
        if hasattr(held, "part"):  # open decisions keep the policies that drew them
            held.part()
        return [begun]

    def _pass(self, decision: Decision, state: State, counts: tuple[int, int], beside: Beside) -> None:
        """Note that a day was learnt; to note it twice changes nothing."""
        self._state = state
        self._open.pop(decision.day, None)
        self._n_closed, self._n_skipped = counts
        if beside.is_broken:
            beside, self._n_past, self._known = beside._replace(promise=None), -counts[0], KnownDays(self.player)
        self._beside = beside
        self._is_torn = False


def _days_of(state: object) -> int:
    """Return how many days a state has learnt that changes in place; −2 if it is half-way through one, 0 for all others."""
    n_days = getattr(state, "n_days", 0)
    return -2 if n_days is None else n_days
