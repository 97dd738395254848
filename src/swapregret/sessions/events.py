"""What happens in a session, as values and as text: decisions, what came of them, and a generator that others drew from.

A journal holds an event as a line, ``KIND DAY VALUE``. The database of the service holds the same in columns, with the number and
the time of each.
"""

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action
from swapregret.errors import InvalidInput
from swapregret.learners.player import NOTHING, Note
from swapregret.randomness import GeneratorState
from swapregret.sessions.notes import read_note, write_note

ACT, REWARD, DEFAULT, SKIP, EXPIRE, GENERATOR = "act", "reward", "default", "skip", "expire", "generator"
CHOSEN = "chosen"
"""The kinds: a decision, drawn or chosen by the application; its reward, or one that stands for it; a reward that never came, or
not in time; and a generator that somebody else drew from."""
_WITHOUT_VALUE = {SKIP, EXPIRE}
_KINDS = {ACT, CHOSEN, REWARD, DEFAULT, GENERATOR} | _WITHOUT_VALUE
_MOST = 2**63


class Event(NamedTuple):
    """What happened on a day."""

    kind: str
    day: int
    value: str | None = (
        None  # the action, with mask and note if there are any; what was told, or the generator, as JSON
    )
    at: float = 0.0  # when, where a clock was asked
    seq: int = 0  # its number, where events have one

    def told(self) -> Any:
        """Return what was told of a day, a number or a list of them; None where nothing will ever be."""
        return None if self.value is None else json.loads(self.value)

    def line(self) -> bytes:
        """Return the event as a line.

        Examples
        --------
        >>> closed(5, 0.25).line(), closed(6, None).line()
        (b'reward 5 0.25', b'skip 6')
        """
        return (f"{self.kind} {self.day}" if self.value is None else f"{self.kind} {self.day} {self.value}").encode()


class Act(NamedTuple):
    """What an event says of a decision."""

    action: Action
    missing: tuple[int, ...]
    note: Note


def packed(action: Action) -> str:
    """Return an action as text: its bits in hexadecimal, that of the first element highest in the first byte.

    Examples
    --------
    >>> packed(np.array([1, 0, 0, 1, 0])), unpacked("90", 5).tolist()
    ('90', [1, 0, 0, 1, 0])
    """
    return np.packbits(action).tobytes().hex()


def unpacked(text: str, dimension: int) -> Action:
    """Read what ``packed`` returned."""
    if len(text) != 2 * -(-dimension // 8):
        raise InvalidInput(f"an action must be written as {dimension} bits", f"{text!r:.80}", "Restore it from a copy.")
    return np.unpackbits(np.frombuffer(bytes.fromhex(text), dtype=np.uint8), count=dimension).astype(np.int64)


def acted(day: int, action: Action, missing: tuple[int, ...] = (), note: Note = NOTHING, kind: str = ACT) -> Event:
    """Return the event that an action was drawn, or chosen: its bits, those of missing elements, and the note as JSON.

    Examples
    --------
    >>> acted(3, np.array([1, 0, 0, 1, 0])).value, acted(3, np.array([1, 0, 0]), (1, 2)).value
    ('90', '80 60')
    """
    value = packed(action)
    if missing or note != NOTHING:
        mask = np.zeros(len(action), dtype=np.int64)
        mask[list(missing)] = 1
        value = f"{value} {packed(mask)} {write_note(note)}".rstrip()
    return Event(kind, day, value)


def closed(day: int, told: npt.ArrayLike | None, kind: str = "") -> Event:
    """Return the event that something was told of a day; None where nothing will ever be."""
    if told is None:
        return Event(kind or SKIP, day)
    value = repr(told) if type(told) is float else json.dumps(np.asarray(told, dtype=np.float64).tolist())
    return Event(kind or REWARD, day, value)


def moved(day: int, state: GeneratorState) -> Event:
    """Return the event that somebody drew from the generator: where it stood before the action of a day was drawn."""
    return Event(GENERATOR, day, json.dumps(state))


def read_act(value: str | None, dimension: int) -> Act:
    """Read what ``acted`` wrote of a decision.

    Examples
    --------
    >>> read_act("80 60", 3)
    Act(action=array([1, 0, 0]), missing=(1, 2), note=Note(id=None, context=None))
    """
    action, mask, note = [*(value or "").split(" ", 2), "", ""][:3]
    missing = np.flatnonzero(unpacked(mask, dimension)).tolist() if mask else []
    return Act(unpacked(action, dimension), tuple(missing), read_note(note))


def read_event(line: bytes) -> Event | None:
    """Read the line of an event, or return None if it is none.

    Examples
    --------
    >>> read_event(b"skip 5")
    Event(kind='skip', day=5, value=None, at=0.0, seq=0)
    >>> read_event(b"a text") is None
    True
    """
    kind, day, value = [*line.decode("utf-8", "replace").split(" ", 2), "", ""][:3]
    is_event = kind in _KINDS and (value == "") is (kind in _WITHOUT_VALUE)
    if not is_event or not day.isdecimal() or not day.isascii() or len(day) > 19 or int(day) >= _MOST:
        return None
    return Event(kind, int(day), value or None)
