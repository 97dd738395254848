"""A journal: every event of a session on disk before the call that made it returns.

The file is a magic line and records. A record is a head (the length of the payload, its checksum, the checksum of those
two) and a payload; checksums run on from record to record, so none can be altered, left out or moved unseen. The first
record is a snapshot of the session, the others are events after it. Appending is one write; a process killed in the middle
of it leaves the beginning of a record at the end of the file, which was never acknowledged and is cut off when the
journal is opened again. Damage of any other kind is refused; ``scan_journal`` says where it is and what is whole before it.

A journal appears with its first record in it, locked: a file of 0 bytes is no new journal but one that lost its contents. Only the
process that opened it may write: a child made by fork is refused.
"""

import contextlib
import errno
import json
import os
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any
from weakref import WeakSet

from swapregret.errors import InvalidInput, ProtocolError, SwapRegretError, Unsupported
from swapregret.storage import disk_fault, place_file, put_file, read_file, sweep, sync_folder, write_beside

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

__all__ = ["Journal", "JournalScan", "check_sync", "is_journal", "read_journal", "scan_journal", "write_journal"]

_NAME = b"swapregret journal "
_MAGIC = _NAME + b"1\n"
_HEAD = struct.Struct("<III")

Contents = tuple[bytes, list[dict[str, Any]], int, int]
"""The snapshot, the events after it, the length up to the last whole record, and the checksum there."""
_EVENTS: dict[str, dict[str, tuple[type, ...]]] = {
    "act": {"act": (int,), "action": (str,)},
    "observe": {"observe": (int,), "reward": (int, float, list)},
    "skip": {"skip": (int,)},
}
"""What each kind of event holds, by type; ``act`` may also hold ``rng``, where the generator stood."""


@dataclass(frozen=True)
class JournalScan:
    """What a file that begins as a journal holds, as far as its records are whole.

    Attributes
    ----------
    snapshot : bytes or None
        The first record, or None where not even that is whole.
    events : list of dict
        The records after it, up to the first that is not as it was written.
    length : int
        Bytes up to the end of the last of them.
    checksum : int
        The running checksum there.
    tail : int
        Bytes after that.
    damage : str or None
        What is wrong with the tail; None where it is the beginning of a record that was never finished, or empty.
    """

    snapshot: bytes | None
    events: list[dict[str, Any]]
    length: int
    checksum: int
    tail: int
    damage: str | None


def is_journal(data: bytes) -> bool:
    """Tell whether bytes read from a file begin as a journal does, of whatever version."""
    return data.startswith(_NAME)


def _record(payload: bytes, previous: int) -> tuple[bytes, int]:
    """Return the bytes of a record and its checksum, which goes on from the one before."""
    checksum = zlib.crc32(payload, previous)
    return _head(len(payload), checksum) + payload, checksum


def _head(length: int, checksum: int) -> bytes:
    return _HEAD.pack(length, checksum, zlib.crc32(struct.pack("<II", length, checksum)))


def scan_journal(path: str | os.PathLike[str]) -> JournalScan:
    """Read a journal as far as it is whole; only a file that is no journal of this version is refused."""
    data = read_file(path)
    name = f"journal {os.fspath(path)!r}"
    if not data:
        raise InvalidInput(
            f"{name} must begin with a snapshot",
            "a file of 0 bytes",
            "Restore it from a copy; if nothing was ever written to it, remove it and start anew.",
        )
    if not data.startswith(_MAGIC):
        version = data[len(_NAME) :].partition(b"\n")[0]
        if is_journal(data) and version.isdigit() and len(version) < 10 and int(version) > 1:
            raise InvalidInput(f"{name} must have version 1", f"version {int(version)}", "Upgrade the library.")
        raise InvalidInput(f"{name} must be a journal of this library", "a file of another kind", "Check the path.")
    snapshot: bytes | None = None
    events: list[dict[str, Any]] = []
    position, checksum, damage = len(_MAGIC), 0, None
    while len(data) - position >= _HEAD.size:
        length, claimed, _ = _HEAD.unpack_from(data, position)
        start, end = position + _HEAD.size, position + _HEAD.size + length
        is_sound = data[position:start] == _head(length, claimed)
        if end > len(data) if is_sound else not any(data[position:]):
            break  # the beginning of a record, or the zeros a machine that lost power may leave
        payload = data[start:end]
        if not is_sound or zlib.crc32(payload, checksum) != claimed:
            damage = f"an altered record at byte {position}"
            break
        if snapshot is None:
            snapshot = payload
        else:
            event = _event(payload)
            if event is None:
                damage = f"a record at byte {position} that is no event: {payload[:80]!r}"
                break
            events.append(event)
        position, checksum = end, claimed
    return JournalScan(snapshot, events, position, checksum, len(data) - position, damage)


def _event(payload: bytes) -> dict[str, Any] | None:
    """Read an event, or None if it is not one."""
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    kind = next((kind for kind in _EVENTS if isinstance(event, dict) and kind in event), None)
    if kind is None:
        return None
    wanted = _EVENTS[kind] | ({"rng": (dict,)} if kind == "act" and "rng" in event else {})
    if set(event) != set(wanted) or not all(type(event[name]) in kinds for name, kinds in wanted.items()):
        return None
    reward = event.get("reward", 0.0)
    is_numbers = all(type(one) in (int, float) for one in reward) if isinstance(reward, list) else True
    return event if is_numbers and 0 <= event[kind] < 2**63 else None


def read_journal(path: str | os.PathLike[str]) -> Contents:
    """Read a journal to its last whole record, or refuse it with the reason."""
    found = scan_journal(path)
    name = f"journal {os.fspath(path)!r}"
    if found.damage is not None:
        raise InvalidInput(
            f"{name} must match its checksums",
            found.damage,
            "Restore it from a copy, or save what comes before: `swapregret journal repair`.",
        )
    if found.snapshot is None:
        raise InvalidInput(f"{name} must begin with a snapshot", "none that is whole", "Start a new journal.")
    return found.snapshot, found.events, found.length, found.checksum


def write_journal(path: str | os.PathLike[str], snapshot: bytes, events: list[dict[str, Any]]) -> None:
    """Write a journal of a snapshot and events, at a path where nothing is."""
    record, checksum = _record(snapshot, 0)
    parts = [_MAGIC, record]
    for event in events:
        record, checksum = _record(_payload(event), checksum)
        parts.append(record)
    try:
        os.close(put_file(path, b"".join(parts), is_new=True))
    except FileExistsError:
        raise InvalidInput(
            "a repaired journal must be a new file", f"{os.fspath(path)!r}, which exists", "Give another path."
        ) from None


def _payload(event: dict[str, Any]) -> bytes:
    return json.dumps(event, separators=(",", ":")).encode()


def check_sync(sync: object) -> None:
    """Refuse what is not True or False."""
    if not isinstance(sync, bool):
        raise InvalidInput(
            "`sync` must be True or False", f"a {type(sync).__name__}", "Say whether to wait for the disk."
        )


_JOURNALS: "WeakSet[Journal]" = WeakSet()


def _let_go() -> None:
    """Close, in a child made by fork, its copies of the files: or they stay locked when the parent is gone."""
    for journal in list(_JOURNALS):
        journal.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class _Renewal:
    """A journal that is being written beside the one in use: its thread, and the events since its snapshot."""

    def __init__(self, path: Path, make: Callable[[], bytes], lock: Callable[[int], None]) -> None:
        self.payloads: list[bytes] = []
        self.handle, self.hidden, self.checksum = -1, Path(), 0
        self._given = (path, make, lock)
        self.thread = Thread(target=self._write, name="swapregret journal", daemon=True)
        self.thread.start()

    def _write(self) -> None:
        path, make, lock = self._given
        record, self.checksum = _record(make(), 0)
        with contextlib.suppress(OSError, SwapRegretError):  # the journal in use holds everything
            self.handle, self.hidden = write_beside(path, _MAGIC + record, lock)

    def drop(self) -> None:
        """Leave nothing of it behind."""
        if self.handle >= 0:
            os.close(self.handle)
            self.hidden.unlink(missing_ok=True)
            self.handle = -1


class Journal:
    """An open journal, locked against a second writer.

    Parameters
    ----------
    path : path
        Where the journal is, or will be: the file is made by ``begin``.
    sync : bool
        Whether to wait for the disk after each event. Without it an acknowledged event survives the death of the
        process, but not of the machine.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self._file = -1
        self._renewal: _Renewal | None = None
        check_sync(sync)
        try:
            self.path = Path(path)
            is_there = self.path.parent.is_dir()
            sweep(self.path)
        except (TypeError, ValueError, OSError) as error:
            raise disk_fault(error, path) from None
        if not is_there:
            raise InvalidInput(
                "`journal` must be a path in a folder that exists",
                f"{os.fspath(self.path)!r:.200}",
                "Make the folder first.",
            )
        self._sync = sync
        self._checksum = 0
        self._process = os.getpid()
        self._file = self._open()
        _JOURNALS.add(self)

    def _open(self) -> int:
        """Return the handle of the file, locked, or -1 if there is none yet."""
        while True:
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_APPEND)
            except FileNotFoundError:
                return -1
            except OSError as error:
                raise disk_fault(error, self.path) from None
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
            raise self._held_by_another() from None

    def _held_by_another(self) -> InvalidInput:
        return InvalidInput(
            "a journal must have one writer",
            f"{os.fspath(self.path)!r}, which another session has open",
            "Close that session, or use another path.",
        )

    def _refuse_if_forked(self) -> None:
        if os.getpid() != self._process:
            raise ProtocolError(
                f"journal {os.fspath(self.path)!r} must be written by the process that opened it",
                f"a call in process {os.getpid()}, a copy made by fork of process {self._process}",
                "Go on in the process that opened it, or use a session of its own in each process.",
            )

    @property
    def is_empty(self) -> bool:
        """Whether there is no file yet."""
        return self._file < 0

    def read(self) -> tuple[bytes, list[dict[str, Any]]]:
        """Return the snapshot and the events after it; a record that was never finished is cut off."""
        self._refuse_if_forked()
        snapshot, events, length, self._checksum = read_journal(self.path)
        os.ftruncate(self._file, length)
        return snapshot, events

    def begin(self, snapshot: bytes) -> None:
        """Start the file, or start it anew, from a snapshot, atomically: earlier events are part of it."""
        self._refuse_if_forked()
        record, checksum = _record(snapshot, 0)
        try:
            made = put_file(self.path, _MAGIC + record, self._lock, is_new=self.is_empty)
        except FileExistsError:
            raise self._held_by_another() from None
        self._take(made, checksum)

    def _take(self, handle: int, checksum: int) -> None:
        held, self._file = self._file, handle
        self._checksum = checksum
        if held >= 0:
            os.close(held)

    def renew(self, make: Callable[[], bytes]) -> None:
        """Start the file anew from a snapshot without waiting for the disk.

        Another thread makes the snapshot and writes it beside the journal. Events go to the old file until an append finds the
        new one written; it then puts the events since the snapshot into it and moves it to the path. So the file at the path
        holds every event at any moment. Where the disk fails the old file goes on.
        """
        self._refuse_if_forked()
        if self._renewal is None:
            with contextlib.suppress(RuntimeError):  # no thread to be had: the old file goes on
                self._renewal = _Renewal(self.path, make, self._lock)

    def _switch(self, renewal: "_Renewal") -> None:
        """Put the events since the snapshot into the new file, and move it to the path."""
        if renewal.handle >= 0:
            self._take_over(renewal)
        self._renewal = None  # only now: what a signal leaves half-way is dropped by ``close``

    def _take_over(self, renewal: "_Renewal") -> None:
        checksum, parts = renewal.checksum, []
        for payload in renewal.payloads:
            record, checksum = _record(payload, checksum)
            parts.append(record)
        rest = b"".join(parts)
        try:
            if os.write(renewal.handle, rest) != len(rest):
                raise OSError(errno.ENOSPC, "it took only a part of the records")
            if self._sync:
                os.fsync(renewal.handle)
        except OSError:
            renewal.drop()
            return
        with contextlib.suppress(SwapRegretError):
            handle, renewal.handle = renewal.handle, -1
            place_file(handle, renewal.hidden, self.path)
            self._take(handle, checksum)
            if self._sync:
                sync_folder(self.path)

    def append(self, event: dict[str, Any]) -> None:
        """Put one event on disk: all of it, or none."""
        self._refuse_if_forked()
        payload = _payload(event)
        record, checksum = _record(payload, self._checksum)
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, record) != len(record):
                raise OSError(errno.ENOSPC, "it took only a part of the record")
            if self._sync:
                os.fsync(self._file)
        except BaseException as error:
            os.ftruncate(self._file, size)
            if isinstance(error, OSError):
                raise disk_fault(error, os.fspath(self.path)) from None
            raise
        self._checksum = checksum
        renewal = self._renewal
        if renewal is not None:
            renewal.payloads.append(payload)
            if not renewal.thread.is_alive():
                self._switch(renewal)

    def close(self) -> None:
        """Release the file."""
        renewal, self._renewal = self._renewal, None
        if renewal is not None and os.getpid() == self._process:
            renewal.thread.join()
            renewal.drop()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def let_go(self) -> None:
        """Close this process's copies of the files, and change nothing on disk."""
        renewal, self._renewal = self._renewal, None
        for handle in (self._file, -1 if renewal is None else renewal.handle):
            if handle >= 0:
                with contextlib.suppress(OSError):
                    os.close(handle)
        self._file = -1
        if renewal is not None:
            renewal.handle = -1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()
