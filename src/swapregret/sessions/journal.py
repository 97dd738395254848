"""The file of a journal: what its bytes mean.

The file is a magic line and records. A record is a head (the length of the payload, its checksum, the checksum of those
two) and a payload; checksums run on from record to record, so none can be altered, left out or moved unseen. The first
record is a snapshot of the session, the others are events after it. Appending is one write; a process killed in the middle
of it leaves the beginning of a record at the end of the file, which was never acknowledged and is cut off when the
journal is opened again. Damage of any other kind is refused; ``scan_journal`` says where it is and what is whole before it.
An event is a kind, a day, and what belongs to it.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Vector
from swapregret.errors import InvalidInput
from swapregret.learners.player import NOTHING, Note
from swapregret.sessions.notes import read_note, write_note
from swapregret.storage import put_file, read_file

_NAME = b"swapregret journal "
_VERSION = 2
MAGIC = _NAME + b"%d\n" % _VERSION
_FRONT, _CHECK = struct.Struct("<II"), struct.Struct("<I")
_HEAD_SIZE = _FRONT.size + _CHECK.size
ACT, OBSERVE, SKIP, GENERATOR = b"a", b"o", b"s", b"g"
"""The kinds: a decision, its reward, a reward that never came, and somebody else who drew from the generator."""
_EVENT, _NUMBER = struct.Struct("<cQ"), struct.Struct("<d")


class JournalEvent(NamedTuple):
    """What happened."""

    kind: bytes
    day: int
    content: bytes  # the packed action, with mask and note if there are any; the numbers told; nothing; the generator, as JSON

    def told(self) -> Vector:
        """Return the numbers told."""
        return np.frombuffer(self.content, "<f8")

    def payload(self) -> bytes:
        """Return the event as bytes."""
        return _EVENT.pack(self.kind, self.day) + self.content


def act_event(day: int, action: Action, missing: tuple[int, ...] = (), note: Note = NOTHING) -> bytes:
    """Write that an action was drawn, and what was said of the day."""
    return _EVENT.pack(ACT, day) + act_content(action, missing, note)


def act_content(action: Action, missing: tuple[int, ...], note: Note = NOTHING) -> bytes:
    """Write an action, which elements were missing as as many bits again, and the note as JSON; what says nothing is left out."""
    if not missing and note == NOTHING:
        return packed(action)
    mask = np.zeros(len(action), dtype=np.int64)
    mask[list(missing)] = 1
    return packed(action) + packed(mask) + write_note(note)


def missing_of(content: bytes, dimension: int) -> tuple[int, ...]:
    """Return which elements were missing when an action was drawn.

    Examples
    --------
    >>> missing_of(act_content(np.array([1, 0, 0]), (1, 2)), 3), missing_of(act_content(np.array([1, 0, 0]), ()), 3)
    ((1, 2), ())
    """
    width = (dimension + 7) // 8
    bits = np.unpackbits(np.frombuffer(content[width : 2 * width], dtype=np.uint8))[:dimension]
    return tuple(np.flatnonzero(bits).tolist())


def note_of(content: bytes, dimension: int) -> Note:
    """Return what was said of a day when its action was drawn.

    Examples
    --------
    >>> note_of(act_content(np.array([1, 0, 0]), (), Note("order-17", ("mobile", 3))), 3)
    Note(id='order-17', context=('mobile', 3))
    """
    return read_note(content[2 * ((dimension + 7) // 8) :])


def close_event(day: int, told: npt.ArrayLike | None) -> bytes:
    """Write what was told of a day; None where nothing will ever be."""
    if told is None:
        return _EVENT.pack(SKIP, day)
    return _EVENT.pack(OBSERVE, day) + (
        _NUMBER.pack(told) if type(told) is float else np.asarray(told, "<f8").tobytes()
    )


def rng_event(day: int, state: dict[str, Any]) -> bytes:
    """Write where the generator stood before the action of a day was drawn."""
    return _EVENT.pack(GENERATOR, day) + json.dumps(state).encode()


def read_event(payload: bytes) -> JournalEvent | None:
    """Read an event, or None if it is not one.

    Examples
    --------
    >>> read_event(close_event(5, None))
    JournalEvent(kind=b's', day=5, content=b'')
    >>> read_event(b"a text") is None
    True
    """
    if len(payload) < _EVENT.size:
        return None
    kind, day = _EVENT.unpack_from(payload)
    content = payload[_EVENT.size :]
    if kind == OBSERVE:
        is_event = len(content) > 0 and len(content) % _NUMBER.size == 0
    else:
        is_event = kind in (ACT, GENERATOR) if content else kind == SKIP
    return JournalEvent(kind, day, content) if is_event and day < 2**63 else None


def packed(action: Action) -> bytes:
    """Write an action as its bits, that of the first element highest in the first byte.

    Examples
    --------
    >>> packed(np.array([1, 0, 0, 1, 0])).hex()
    '90'
    """
    return np.packbits(action).tobytes()


@dataclass(frozen=True)
class JournalScan:
    """What a file that begins as a journal holds, as far as its records are whole."""

    snapshot: bytes  # the first record
    events: list[JournalEvent]  # the records after it, up to the first that is not as it was written
    length: int  # bytes up to the end of the last of them
    checksum: int  # the running checksum there
    tail: int  # bytes after that
    damage: str | None  # what is wrong with them; None: nothing, or a record that was never finished


def is_journal(data: bytes) -> bool:
    """Tell whether bytes read from a file begin as a journal does, of whatever version."""
    return data.startswith(_NAME)


def records(payloads: Iterable[bytes], checksum: int = 0) -> tuple[bytes, int]:
    """Return the bytes of records and the last of their checksums, which go on from the one given."""
    parts = []
    for payload in payloads:
        checksum = zlib.crc32(payload, checksum)
        parts += [_head(len(payload), checksum), payload]
    return b"".join(parts), checksum


def _head(length: int, checksum: int) -> bytes:
    front = _FRONT.pack(length, checksum)
    return front + _CHECK.pack(zlib.crc32(front))


def scan_journal(path: str | os.PathLike[str]) -> JournalScan:
    """Read a journal as far as it is whole; a file of another version, or without a whole snapshot, is refused."""
    data = read_file(path)
    name = f"journal {os.fspath(path)!r}"
    if not data:
        raise InvalidInput(
            f"{name} must begin with a snapshot",
            "a file of 0 bytes",
            "Restore it from a copy; if nothing was ever written to it, remove it and start anew.",
        )
    if not data.startswith(MAGIC):
        version = data[len(_NAME) :].partition(b"\n")[0]
        if is_journal(data) and version.isdigit() and len(version) < 10:
            do = "Upgrade the library." if int(version) > _VERSION else "Go on with the library that wrote it."
            raise InvalidInput(f"{name} must have version {_VERSION}", f"version {int(version)}", do)
        raise InvalidInput(f"{name} must be a journal of this library", "a file of another kind", "Check the path.")
    snapshot = b""
    events: list[JournalEvent] = []
    position, checksum, damage = len(MAGIC), 0, None
    while len(data) - position >= _HEAD_SIZE:
        length, claimed = _FRONT.unpack_from(data, position)
        start, end = position + _HEAD_SIZE, position + _HEAD_SIZE + length
        is_sound = data[position:start] == _head(length, claimed)
        if end > len(data) if is_sound else not any(data[position:]):
            break  # the beginning of a record, or the zeros a machine that lost power may leave
        payload = data[start:end]
        if not is_sound or zlib.crc32(payload, checksum) != claimed:
            damage = f"an altered record at byte {position}"
            break
        if position == len(MAGIC):
            snapshot = payload
        else:
            event = read_event(payload)
            if event is None:
                damage = f"a record at byte {position} that is no event: {payload[:80]!r}"
                break
            events.append(event)
        position, checksum = end, claimed
    if not snapshot:
        do = "Nothing of it can be saved; restore it from a copy, or start a new journal."
        raise InvalidInput(f"{name} must begin with a snapshot", damage or "none that is whole", do)
    return JournalScan(snapshot, events, position, checksum, len(data) - position, damage)


def read_journal(path: str | os.PathLike[str]) -> JournalScan:
    """Read a journal to its last whole record, or refuse it with the reason."""
    found = scan_journal(path)
    if found.damage is not None:
        raise InvalidInput(
            f"journal {os.fspath(path)!r} must match its checksums",
            found.damage,
            "Restore it from a copy, or save what comes before: `swapregret journal repair`.",
        )
    return found


def write_journal(path: str | os.PathLike[str], snapshot: bytes, events: list[JournalEvent]) -> None:
    """Write a journal of a snapshot and events, at a path where nothing is."""
    try:
        os.close(put_file(path, MAGIC + records([snapshot, *map(JournalEvent.payload, events)])[0], is_new=True))
    except FileExistsError:
        raise InvalidInput(
            "a repaired journal must be a new file", f"{os.fspath(path)!r}, which exists", "Give another path."
        ) from None
