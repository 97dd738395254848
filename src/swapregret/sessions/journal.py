"""The file of a journal: what its bytes mean.

The file is a magic line and records. A record is a head (the length of the payload, its checksum, the checksum of those
two) and a payload; checksums run on from record to record, so none can be altered, left out or moved unseen. The first
record is a snapshot of the session, the others are events after it (``sessions.events``). Appending is one write; a process
killed in the middle of it leaves the beginning of a record at the end of the file, which was never acknowledged and is cut off
when the journal is opened again. Damage of any other kind is refused; ``scan_journal`` says where it is and what is whole before.
"""

import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from swapregret.errors import InvalidInput
from swapregret.files.storage import put_file, read_file
from swapregret.sessions.events import Event, read_event

_NAME = b"swapregret journal "
_VERSION = 3
MAGIC = _NAME + b"%d\n" % _VERSION
_FRONT, _CHECK = struct.Struct("<II"), struct.Struct("<I")
_HEAD_SIZE = _FRONT.size + _CHECK.size


@dataclass(frozen=True)
class JournalScan:
    """What a file that begins as a journal holds, as far as its records are whole."""

    snapshot: bytes  # the first record
    events: list[Event]  # the records after it, up to the first that is not as it was written
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
    events: list[Event] = []
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


def write_journal(path: str | os.PathLike[str], snapshot: bytes, events: list[Event]) -> None:
    """Write a journal of a snapshot and events, at a path where nothing is."""
    try:
        os.close(put_file(path, MAGIC + records([snapshot, *map(Event.line, events)])[0], is_new=True))
    except FileExistsError:
        raise InvalidInput(
            "a repaired journal must be a new file", f"{os.fspath(path)!r}, which exists", "Give another path."
        ) from None
