"""A journal in use: every event of a session on disk before the call that made it returns.

A journal appears with its first record in it, locked: a file of 0 bytes is no new journal but one that lost its contents. Only the
process that opened it may write: a child made by fork is refused.
"""

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from weakref import WeakSet

from swapregret.errors import (
    InvalidInput,
    ProtocolError,
    StorageError,
    SwapRegretError,
    Unsupported,
    disk_fault,
    lenient,
)
from swapregret.files.storage import is_at, put_file, sweep, sync_folder, write_beside
from swapregret.sessions.journal import MAGIC, JournalScan, read_journal, records

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]


_JOURNALS: "WeakSet[Journal]" = WeakSet()


def _let_go() -> None:
    """Close, in a child made by fork, its copies of the files: or they stay locked when the parent is gone."""
    for journal in list(_JOURNALS):
        journal.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class Place(NamedTuple):
    """Where a journal ends: its bytes, the running checksum, the events since the snapshot, those that a renewal still needs."""

    length: int
    checksum: int
    n_events: int
    n_kept: int


def _mark(found: os.stat_result) -> tuple[int, int, int]:
    """Return which file it is, and when it was last written."""
    return found.st_dev, found.st_ino, found.st_mtime_ns


class _Renewal:
    """A journal that is being written beside the one in use: its thread, and the events since its snapshot."""

    def __init__(self, path: Path, make: Callable[[], bytes], lock: Callable[[int], None]) -> None:
        self.payloads: list[bytes] = []
        self.handle, self.hidden, self.checksum = -1, Path(), 0
        self.thread = Thread(target=self._write, args=(path, make, lock), name="swapregret journal", daemon=True)

    def _write(self, path: Path, make: Callable[[], bytes], lock: Callable[[int], None]) -> None:
        record, self.checksum = records([make()])
        with contextlib.suppress(OSError, SwapRegretError):  # the journal in use holds everything
            self.handle, self.hidden = write_beside(path, MAGIC + record, lock)

    def drop(self) -> None:
        """Leave nothing of it behind."""
        if self.handle >= 0:
            os.close(self.handle)
            self.hidden.unlink(missing_ok=True)
            self.handle = -1


class Journal:
    """An open journal, locked against a second writer; where there is no file yet, ``begin`` makes it.

    With ``sync`` it waits for the disk after each event. Without it an acknowledged event survives the death of the process,
    but not of the machine. ``n_events`` counts those since the last snapshot.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self._file = -1
        self._renewal: _Renewal | None = None
        try:
            self.path = Path(path).absolute()  # it stays where it is if the process goes to another folder
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
        self._end, self._left = Place(0, 0, 0, 0), (-1, -1, -1)
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

    def read(self) -> JournalScan:
        """Return the snapshot and the events after it; a record that was never finished is cut off."""
        self._refuse_if_forked()
        found = read_journal(self.path)
        self._end = Place(found.length, found.checksum, len(found.events), 0)
        os.ftruncate(self._file, found.length)
        self._left = _mark(os.fstat(self._file))
        return found

    def begin(self, snapshot: bytes) -> None:
        """Start the file, or start it anew, from a snapshot, atomically: earlier events are part of it."""
        self._refuse_if_forked()
        record, checksum = records([snapshot])
        try:
            made = put_file(self.path, MAGIC + record, self._lock, is_new=self.is_empty)
        except FileExistsError:
            raise self._held_by_another() from None
        self._take(made, Place(os.fstat(made).st_size, checksum, 0, 0))

    def _take(self, handle: int, end: Place) -> None:
        held = self._file
        self._file, self._end, self._left = handle, end, _mark(os.fstat(handle))
        if held >= 0:
            os.close(held)

    def renew(self, make: Callable[[], bytes]) -> None:
        """Start the file anew from a snapshot without waiting for the disk.

        Another thread makes the snapshot and writes it beside the journal. Events go to the old file until an append finds the
        new one written; it then puts the events since the snapshot into it, moves it to the path, and goes on there. So the file
        at the path holds every event at any moment. Where the disk fails the old file goes on.
        """
        self._refuse_if_forked()
        self._end = self._end._replace(n_events=0, n_kept=0)
        if self._renewal is None:
            self._renewal = _Renewal(self.path, make, self._lock)
            with contextlib.suppress(RuntimeError):  # no thread to be had: the old file goes on
                self._renewal.thread.start()

    def _take_over(self, renewal: "_Renewal") -> None:
        """Put the events since the snapshot into the new file, and move it to the path."""
        rest, checksum = records(renewal.payloads, renewal.checksum)
        target = Path(os.path.realpath(self.path))
        end = Place(os.fstat(renewal.handle).st_size + len(rest), checksum, self._end.n_events, 0)
        try:
            with lenient():
                self._write(renewal.handle, rest)
                os.replace(renewal.hidden, target)
        finally:
            if is_at(renewal.handle, target):
                handle, renewal.handle = renewal.handle, -1
                self._take(handle, end)
        if self._sync:
            sync_folder(self.path)

    def ready(self) -> Place:
        """Return where the journal ends, after whatever must be done before the next event; or refuse.

        A file that was renamed, replaced, cut or overwritten behind the session's back would take events that are never read again.
        """
        self._refuse_if_forked()
        renewal = self._renewal
        if renewal is not None and not renewal.thread.is_alive():
            try:
                if renewal.handle >= 0:
                    self._take_over(renewal)
            finally:
                self._renewal = None
                renewal.drop()
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            raise self._moved("a file that was moved or removed") from None
        except OSError as error:
            raise disk_fault(error, self.path) from None
        mark, end = _mark(found), self._end
        if mark[:2] != self._left[:2]:
            raise self._moved("another file in its place")
        if found.st_size != end.length:
            raise self._moved(f"{found.st_size:,} bytes, where it wrote {end.length:,}")
        if mark != self._left:  # somebody wrote to it: is it what it was?
            self._refuse_if_other(end)
            self._left = mark
        return end

    def _refuse_if_other(self, end: Place) -> None:
        with contextlib.suppress(SwapRegretError):
            read = read_journal(self.path)
            if (read.length, read.checksum) == (end.length, end.checksum):
                return
        raise self._moved("other contents")

    def _moved(self, came: str) -> StorageError:
        return StorageError(
            f"journal {os.fspath(self.path)!r} must stay as its session left it",
            came,
            "Nothing was changed; put it back, or keep the session with save(path) and open a new journal.",
        )

    def append(self, *payloads: bytes) -> None:
        """Put events on disk. Whoever is not told that this was done goes back to what ``ready`` returned."""
        end = self._end
        record, checksum = records(payloads, end.checksum)
        try:
            self._write(self._file, record)
        except OSError as error:
            raise disk_fault(error, os.fspath(self.path)) from None
        if self._renewal is not None:
            self._renewal.payloads += payloads
        n = len(payloads)
        self._end = Place(end.length + len(record), checksum, end.n_events + n, end.n_kept + n)
        self._left = _mark(os.fstat(self._file))

    @property
    def n_events(self) -> int:
        """How many events there are since the last snapshot."""
        return self._end.n_events

    def go_back(self, end: Place) -> None:
        """Take off the disk what came after an end: it did not happen."""
        try:
            os.ftruncate(self._file, end.length)
            self._left = _mark(os.fstat(self._file))
        except OSError as error:
            raise disk_fault(error, os.fspath(self.path)) from None
        if self._renewal is not None:
            del self._renewal.payloads[end.n_kept :]
        self._end = end

    def _write(self, handle: int, data: bytes) -> None:
        if os.write(handle, data) != len(data):
            raise OSError(errno.ENOSPC, "it took only a part of the record")
        if self._sync:
            os.fsync(handle)

    def settle(self) -> None:
        """Wait until a file that is being written beside it is there."""
        if self._renewal is not None and self._renewal.thread.ident is not None:
            self._renewal.thread.join()

    def close(self) -> None:
        """Release the file."""
        if self._renewal is not None and os.getpid() == self._process:
            self.settle()
            self._renewal.drop()
        self._renewal = None
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
