"""A journal: every event of a session on disk before the call that made it returns.

The file is a magic line and records, each a length, a CRC-32 and a payload. The first record is a snapshot of the session,
the others are events after it. Appending is one write; a process killed in the middle of it leaves a torn record at
the end, which was never acknowledged and is cut off when the journal is opened again. Damage anywhere else is refused.

May touch: ``errors``, ``storage``.
"""

import fcntl
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

from swapregret.errors import InvalidInput
from swapregret.storage import read_file, write_file

__all__ = ["JOURNAL_MAGIC", "Journal", "read_journal"]

JOURNAL_MAGIC = b"swapregret journal 1\n"
_HEAD = struct.Struct("<II")


def _record(payload: bytes) -> bytes:
    return _HEAD.pack(len(payload), zlib.crc32(payload)) + payload


def read_journal(path: str | os.PathLike[str]) -> tuple[bytes, list[dict[str, Any]], int]:
    """Return the snapshot, the events after it, and the length of the file up to the last whole record."""
    data = read_file(path)
    name = f"journal {os.fspath(path)!r}"
    if not data.startswith(JOURNAL_MAGIC):
        raise InvalidInput(f"{name} must be a journal of this library", "a file of another kind", "Check the path.")
    payloads, position = [], len(JOURNAL_MAGIC)
    while position < len(data):
        if position + _HEAD.size > len(data):
            break
        length, checksum = _HEAD.unpack_from(data, position)
        end = position + _HEAD.size + length
        if end > len(data):
            break
        payload = data[position + _HEAD.size : end]
        if zlib.crc32(payload) != checksum:
            if end == len(data):
                break
            raise InvalidInput(
                f"{name} must match its checksums",
                f"an altered record at byte {position}",
                "Restore it from a copy.",
            )
        payloads.append(payload)
        position = end
    if not payloads:
        raise InvalidInput(f"{name} must begin with a snapshot", "none that is whole", "Start a new journal.")
    return payloads[0], [json.loads(payload) for payload in payloads[1:]], position


class Journal:
    """An open journal, locked against a second writer.

    Parameters
    ----------
    path : path
    sync : bool
        Whether to wait for the disk after each event. Without it an acknowledged event survives the death of the
        process, but not of the machine.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self.path = Path(path)
        self._sync = sync
        self._file = -1

    def begin(self, snapshot: bytes) -> None:
        """Start the file anew from a snapshot, atomically: earlier events are part of it."""
        held = self._file
        write_file(self.path, JOURNAL_MAGIC + _record(snapshot))
        self._file = self._locked()
        if held >= 0:
            os.close(held)

    def reopen(self, length: int) -> None:
        """Go on with an existing file, cutting off a torn record after ``length`` bytes."""
        self._file = self._locked()
        os.ftruncate(self._file, length)

    def _locked(self) -> int:
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise InvalidInput(
                "a journal must have one writer",
                f"{os.fspath(self.path)!r}, which another session has open",
                "Close that session, or use another path.",
            ) from None
        return handle

    def append(self, event: dict[str, Any]) -> None:
        """Put one event on disk: all of it, or none."""
        data = _record(json.dumps(event, separators=(",", ":")).encode())
        size = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, data)
            if written != len(data):
                raise OSError("short write")
            if self._sync:
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise

    def close(self) -> None:
        """Release the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
