"""A journal: every event of a session on disk before the call that made it returns.

The file is a magic line and records. A record is a head (the length of the payload, its checksum, the checksum of those
two) and a payload; checksums run on from record to record, so none can be altered, left out or moved unseen. The first
record is a snapshot of the session, the others are events after it. Appending is one write; a process killed in the middle
of it leaves the beginning of a record at the end of the file, which was never acknowledged and is cut off when the
journal is opened again. Damage of any other kind is refused.

May touch: ``errors``, ``storage``.
"""

import contextlib
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

from swapregret.errors import InvalidInput, Unsupported
from swapregret.storage import put_file, read_file

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

__all__ = ["Journal", "is_journal", "read_journal"]

_NAME = b"swapregret journal "
_MAGIC = _NAME + b"1\n"
_HEAD = struct.Struct("<III")

Contents = tuple[bytes, list[dict[str, Any]], int, int]
"""The snapshot, the events after it, the length up to the last whole record, and the checksum there."""


def is_journal(data: bytes) -> bool:
    """Tell whether bytes read from a file begin as a journal does, of whatever version."""
    return data.startswith(_NAME)


def _record(payload: bytes, previous: int) -> tuple[bytes, int]:
    """Return the bytes of a record and its checksum, which goes on from the one before."""
    checksum = zlib.crc32(payload, previous)
    return _head(len(payload), checksum) + payload, checksum


def _head(length: int, checksum: int) -> bytes:
    return _HEAD.pack(length, checksum, zlib.crc32(struct.pack("<II", length, checksum)))


def read_journal(path: str | os.PathLike[str]) -> Contents:
    """Read a journal to its last whole record, or refuse it with the reason."""
    data = read_file(path)
    name = f"journal {os.fspath(path)!r}"
    if not data.startswith(_MAGIC):
        version = data[len(_NAME) :].partition(b"\n")[0]
        if is_journal(data) and version.isdigit() and int(version) > 1:
            raise InvalidInput(f"{name} must have version 1", f"version {int(version)}", "Upgrade the library.")
        raise InvalidInput(f"{name} must be a journal of this library", "a file of another kind", "Check the path.")
    payloads, position, checksum = [], len(_MAGIC), 0
    while len(data) - position >= _HEAD.size:
        length, claimed, _ = _HEAD.unpack_from(data, position)
        start, end = position + _HEAD.size, position + _HEAD.size + length
        is_sound = data[position:start] == _head(length, claimed)
        if end > len(data) if is_sound else not any(data[position:]):
            break  # the beginning of a record, or the zeros a machine that lost power may leave
        payload = data[start:end]
        if not is_sound or zlib.crc32(payload, checksum) != claimed:
            raise InvalidInput(
                f"{name} must match its checksums", f"an altered record at byte {position}", "Restore it from a copy."
            )
        payloads.append(payload)
        position, checksum = end, claimed
    if not payloads:
        raise InvalidInput(f"{name} must begin with a snapshot", "none that is whole", "Start a new journal.")
    return payloads[0], [json.loads(payload) for payload in payloads[1:]], position, checksum


class Journal:
    """An open journal, locked against a second writer.

    Parameters
    ----------
    path : path
        Made, empty, if it does not exist.
    sync : bool
        Whether to wait for the disk after each event. Without it an acknowledged event survives the death of the
        process, but not of the machine.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self._file = -1
        self.path = Path(path)
        self._sync = sync
        self._checksum = 0
        self._file = self._open()

    def _open(self) -> int:
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                self._lock(handle)
                if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                    return handle
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # its last writer replaced the file while it was being opened: take the new one

    def _lock(self, handle: int) -> None:
        if fcntl is None:
            raise Unsupported("a journal needs file locks", "a system without fcntl", "Use save(path) instead.")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                "a journal must have one writer",
                f"{os.fspath(self.path)!r}, which another session has open",
                "Close that session, or use another path.",
            ) from None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been written yet."""
        return os.fstat(self._file).st_size == 0

    def read(self) -> tuple[bytes, list[dict[str, Any]]]:
        """Return the snapshot and the events after it; a record that was never finished is cut off."""
        snapshot, events, length, self._checksum = read_journal(self.path)
        os.ftruncate(self._file, length)
        return snapshot, events

    def begin(self, snapshot: bytes) -> None:
        """Start the file anew from a snapshot, atomically: earlier events are part of it."""
        record, checksum = _record(snapshot, 0)
        held, self._file = self._file, put_file(self.path, _MAGIC + record, self._lock)
        self._checksum = checksum
        os.close(held)

    def append(self, event: dict[str, Any]) -> None:
        """Put one event on disk: all of it, or none."""
        record, checksum = _record(json.dumps(event, separators=(",", ":")).encode(), self._checksum)
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, record) != len(record):
                raise OSError("the disk took only a part of the record")
            if self._sync:
                os.fsync(self._file)
        except BaseException:
            os.ftruncate(self._file, size)
            raise
        self._checksum = checksum

    def discard(self) -> None:
        """Remove a file that was made here and never begun."""
        if self.is_empty:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()
