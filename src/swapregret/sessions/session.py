"""A session: a player in use, one day after another. The only object of the library that changes."""

import os
from collections.abc import Hashable, Iterable
from functools import partial
from typing import Self, overload

import numpy as np
import numpy.typing as npt

from swapregret.actions.face import read_missing
from swapregret.arguments import Count, checked
from swapregret.arrays import Action, NamedArrays, as_integer
from swapregret.errors import InvalidInput, ProtocolError
from swapregret.files.storage import Json, read_file, to_bytes, write_file
from swapregret.learners.checked import require_player
from swapregret.learners.player import AnyPlayer, Decision, Player
from swapregret.learners.round.held_view import require_learning
from swapregret.learners.warming import warm as warm_player
from swapregret.logs.log import Choice, Log, Source, read_choice
from swapregret.randomness import Seed
from swapregret.sessions.feedback import find_open, named
from swapregret.sessions.guard_rails import LIVE, read_holdout
from swapregret.sessions.journal import is_journal, read_journal
from swapregret.sessions.notes import Id, note_given
from swapregret.sessions.open_journal import Journal
from swapregret.sessions.session_file import parts_of, replay, restore
from swapregret.sessions.standing import Standing
from swapregret.sessions.whole_calls import State, one_at_a_time
from swapregret.units import Range, read_units

Path = str | os.PathLike[str]

_SNAPSHOT_EVERY = 10_000


class Session(Standing[State]):
    """Act, observe, repeat. Several threads may call it; whatever exception comes, a call has happened whole or not at all.

    Parameters
    ----------
    player : Player
        Who plays, e.g. ``sr.swap_combcp(actions, horizon=…)``.
    rng : int, SeedSequence, Generator or None
        Where all randomness comes from. None draws entropy, recorded in ``entropy``; a Generator is used, not copied.
    reward_range : (float, float), optional
        The least and the largest total reward an action can get, mapped to [0, 1] (D15); [0, 1] if neither range is given.
    cost_range : (float, float), optional
        The least and the largest total cost, instead of ``reward_range``: ``observe`` is then told costs, the less the better.
    max_open : int
        How many decisions may wait for their reward at once. They may be observed in any order, each with the policy that
        drew it, so estimates stay unbiased; the player meanwhile acts on what it has seen (deviation D25).
    journal : path, optional
        Append every event to this file before the call returns. If the file exists the session goes on where it
        ended, with its own generator; the player, the range and ``max_open`` must then be as they were.
    sync : bool
        Whether the journal waits for the disk: needed to survive the death of the machine, not of the process.
    history : path, data frame, sequence of days, or Log
        What happened before, whoever decided: actions, totals, and the policies that drew the actions if they are known. Days whose
        policy is known count as days; others for least squares. A journal that exists already holds its history.
    baseline, holdout : a choice, float
        A share of days is kept for a fixed choice, as labels or as a 0/1 vector; ``summary().uplift`` says what all others earn
        beyond it.
    mode : {"live", "apprentice"}
        As an apprentice the session is told what the application chooses, ``act(choice=…)``, and learns from it;
        ``summary().advantage`` says when it would have done better. ``session.mode = "live"`` lets it choose.
    warm : bool
        Whether to compile all that the days need now, so that no later call waits for it; ``swapregret warm`` does so when
        a program is installed.

    Raises
    ------
    ProtocolError, InvalidReward
        On a call out of order or a reward that cannot be; the session is then as it was before the call.

    Examples
    --------
    >>> from swapregret import MSets, swap_combcp
    >>> session = Session(swap_combcp(MSets(4, 2, labels="abcd"), horizon=1000), rng=7)
    >>> decision = session.act()
    >>> len(decision.elements), decision.day
    (2, 0)
    >>> session.observe(0.5)
    >>> session.day
    1
    """

    @checked
    def __init__(
        self,
        player: Player[State],
        *,
        rng: Seed = None,
        reward_range: Range | None = None,
        cost_range: Range | None = None,
        max_open: Count = 1,
        journal: str | os.PathLike[str] | None = None,
        sync: bool = False,
        warm: bool = True,
        history: "Source | Log | None" = None,
        baseline: "Choice | None" = None,
        holdout: float | None = None,
        mode: str = LIVE,
    ) -> None:
        require_player(player, is_saved=True)
        if warm:
            warm_player(player, has_late=max_open != 1)
            if player.feedback == "full":  # the oracle checks the range of what is told
                player.actions.argmax(np.zeros(player.actions.dimension))
        self._equip(player, read_units(reward_range, cost_range), max_open)
        self._holdout = read_holdout(player.actions, baseline, holdout)
        self.mode = mode
        if journal is None:
            self._begin(rng, history)
            return
        held = Journal(journal, sync=sync)
        try:
            if held.is_empty:
                self._begin(rng, history)
                held.begin(self.snapshot())
            else:
                self._continue(held)
        except BaseException:
            held.close()
            raise
        self._journal = held

    # ---- the loop ------------------------------------------------------------------------------------------------

    @overload
    @one_at_a_time
    def act(
        self,
        *,
        without: Iterable[Hashable] | None = None,
        available: Iterable[Hashable] | None = None,
        context: Hashable = None,
        id: Id | None = None,
        choice: Choice | None = None,
    ) -> Decision: ...

    @overload
    @one_at_a_time
    def act(
        self,
        *,
        count: int,
        without: Iterable[Hashable] | None = None,
        available: Iterable[Hashable] | None = None,
        context: Hashable = None,
    ) -> tuple[Decision, ...]: ...

    @one_at_a_time
    def act(
        self,
        *,
        count: int | None = None,
        without: Iterable[Hashable] | None = None,
        available: Iterable[Hashable] | None = None,
        context: Hashable = None,
        id: Id | None = None,
        choice: Choice | None = None,
    ) -> Decision | tuple[Decision, ...]:
        """Draw an action (Algorithm 1, line 5), or several at once.

        Parameters
        ----------
        count : int, optional
            How many decisions are wanted, each of a day of its own: a tuple, all or none. ``max_open`` must allow them.
        without, available : collection of labels or indices, optional
            The elements that are missing today, or those that are not: one of the two. The action has none of the missing ones, and
            what it pays teaches about all days. A day on which no action is possible is refused, and nothing has changed.
        context : hashable, optional
            What is known about today: ``"mobile"``, ``("Monday", "rain")``: a text, a number, or a tuple of such.
            A new one may come any day (``learners.known_days``).
        id : str or int, optional
            A name for the decision, by which ``observe`` and ``skip`` find it; no open decision may have it.
        choice : collection of labels or 0/1 vector, optional
            What the application plays today, whatever the session would; an apprentice must be told every day.
        """
        self._refuse_if_closed()
        missing = read_missing(self.player.actions, without, available)
        note = note_given(id, context)
        n = 1 if count is None else as_integer(count, "count", 1)
        if len(self._open) + n > self.max_open:
            oldest = next(iter(self._open), None)
            raise ProtocolError(
                f"at most {self.max_open} decision(s) may be open at once",
                f"act({'' if count is None else f'count={n}'}) with "
                + (f"{len(self._open)} open" if oldest is None or n > 1 else f"day {oldest} not yet observed"),
                "Call observe(reward) or skip() first, or allow more with Session(..., max_open=…).",
            )
        if id is not None and (count is not None or named(self._open, id) is not None):
            came = f"id={id!r} with `count`" if count is not None else f"{id!r}, which an open decision has"
            raise ProtocolError("an id must be of one decision alone", came, "Give each decision an id of its own.")
        made = self._act(missing, note, n, self._read_choice(choice, is_alone=count is None and not missing))
        return made[0] if count is None else tuple(made)

    def _read_choice(self, choice: Choice | None, *, is_alone: bool) -> Action | None:
        """Read what the application chose, if it is asked."""
        if choice is None and self.mode == LIVE:
            return None
        if choice is None or not is_alone:
            came = "no `choice`" if choice is None else "`choice` with `count`, `without` or `available`"
            do = 'Tell what was chosen: act(choice=…), or let the session choose: session.mode = "live".'
            raise ProtocolError("the choice of an application must come alone, one per day of an apprentice", came, do)
        require_learning(self._state, is_drawn=False)
        return read_choice(self.player.actions, choice, "choice")

    @one_at_a_time
    def observe(
        self,
        reward: npt.ArrayLike,
        decision: Decision | None = None,
        *,
        day: int | None = None,
        id: Id | None = None,
    ) -> None:
        """Learn the reward of a decision: of the open one, of the one given, or of the one made on a day or with an id.

        ``reward`` is the total with bandit feedback; the rewards of the chosen elements (in order, or as a vector over
        all) with semi-bandit feedback; the whole reward vector with full feedback. With ``cost_range`` these are costs.
        """
        self._refuse_if_closed()
        held = find_open(self._open, decision, day, id, "observe")
        self._close(held, self._reader.read(reward, held.action), reward)
        self._renew_if_long()

    @one_at_a_time
    def skip(self, decision: Decision | None = None, *, day: int | None = None, id: Id | None = None) -> None:
        """Close a decision whose reward will never be known: the day counts, and nothing is learnt from it."""
        self._refuse_if_closed()
        held = find_open(self._open, decision, day, id, "skip")
        self._close(held, None, None)
        self._renew_if_long()

    def _renew_if_long(self) -> None:
        """Have a long journal begin anew, with a snapshot: it holds everything, and only grows longer where that fails."""
        if self._journal is not None and self._journal.n_events >= _SNAPSHOT_EVERY:
            metadata, arrays = self._parts()
            own = {name: np.array(array) for name, array in arrays.items()}  # the state moves on meanwhile
            self._journal.renew(partial(to_bytes, "session", metadata, own))

    def __enter__(self) -> Self:
        """Return the session; leaving the block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @one_at_a_time
    def close(self) -> None:
        """Release the journal, if there is one; the session then takes no more calls."""
        if self._journal is not None:
            self._journal.close()
            self._journal, self._is_closed = None, True

    @checked
    def save(self, path: Path) -> None:
        """Write the session to one file, atomically: a crash while saving leaves the file that was there."""
        write_file(path, self.snapshot())

    @classmethod
    @checked
    def load(cls, path: Path, player: AnyPlayer | None = None) -> Self:
        """Read a session from a file written by ``save``, or from a journal; it goes on bit for bit.

        Parameters
        ----------
        path : path
        player : Player, optional
            Needed only if the player holds functions of one's own; otherwise it is made again from the file, or, if
            given, checked against it.
        """
        if player is not None:
            require_player(player, is_saved=True)
        data, name = read_file(path), os.fspath(path)
        if not is_journal(data):
            return restore(cls, data, player, name)
        found = read_journal(path)
        session = restore(cls, found.snapshot, player, name)
        replay(session, found.events, name)
        return session

    @classmethod
    def from_bytes(cls, data: bytes, player: AnyPlayer | None = None) -> Self:
        """Make a session from the bytes of ``snapshot``; it goes on bit for bit. ``player`` is that of ``load``."""
        return restore(cls, data, player, "bytes")

    @one_at_a_time
    def snapshot(self) -> bytes:
        """Return the whole session as bytes: a versioned header and arrays."""
        return to_bytes("session", *self._parts())

    def _parts(self) -> tuple[Json, NamedArrays]:
        """Return header and arrays."""
        self._refuse_if_torn()
        return parts_of(self)

    def _continue(self, journal: Journal) -> None:
        """Take over what a journal holds."""
        found, name = journal.read(), os.fspath(journal.path)
        restored = restore(type(self), found.snapshot, self.player, name)
        kept = (restored.cost_range or restored.reward_range, restored.max_open, restored._holdout)
        given = (self.cost_range or self.reward_range, self.max_open, self._holdout)
        before, now = restored._reader.units.word, self._reader.units.word
        if (*kept, before) != (*given, now):
            raise InvalidInput(
                f"`{before}_range`, `max_open`, `baseline` and `holdout` must be those of journal {name!r}, {kept}",
                f"{given}, of {now}s",
                "Go on as it began, or use another path.",
            )
        replay(restored, found.events, name)
        restored.mode = self.mode
        self.__dict__.update(restored.__dict__)
