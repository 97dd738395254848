"""The process that forks those of the problems: it has one thread, no connection, and all code that was loaded before.

A process forked from it shares this code, takes some 10 MB, and is there in milliseconds. It ends with the server: when the
nursery finds the server gone, however that came, it ends all processes it made.
"""

import asyncio
import gc
import logging
import os
import pickle
import signal
import socket
import threading
from contextlib import suppress
from typing import Any

from swapregret.serve.processes.child import warm, work
from swapregret.serve.processes.line import length_of, packed, receive, resident
from swapregret.serve.refusals import Unavailable

_log = logging.getLogger("swapregret.serve")
_FORK, _WARM = b"f", b"w"
_ENDED = 70
_THREAD_SECONDS = 10.0


class Gone(Exception):
    """A process that is not there (any more); what it was asked was not done, and may be asked again.

    Where it came to the end of its memory the argument says how many bytes it had and wanted.
    """


class TooLong(Exception):
    """A process that was ended because it did not answer in time."""


class Nursery:
    """Makes processes; to be made before the server has threads."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self._line.close()
            try:
                _serve(theirs)
            finally:
                os._exit(0)
        theirs.close()

    async def spawn(self, memory: int, niceness: int = 0) -> "Child":
        """Return a new process that may take so many bytes of memory of its own."""
        child = await self._ask(_FORK)
        try:
            child.pid, child.shared = await child.ask(60.0, memory, niceness)
        except (Gone, TooLong):
            must = "the system must allow another process"
            raise Unavailable(must, "none", "Send the request again; if it stays so, see the server's log.") from None
        return child

    async def warm(self, *given: object) -> None:
        """Have later processes find the code of a problem loaded; those asked for meanwhile wait."""
        child = await self._ask(_WARM)
        with suppress(Gone, TooLong):
            await child.ask(60.0, *given)
        child.end()

    async def _ask(self, what: bytes) -> "Child":
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._line, [what], [theirs.fileno()])
            except OSError:
                _end("the process that makes processes is gone")
        return Child(*await asyncio.open_connection(sock=ours))

    def check(self) -> None:
        """End the server if the process is gone: without it no problem can be opened. A supervisor starts it again."""
        with suppress(BlockingIOError):
            if not self._line.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK):
                _end("the process that makes processes is gone")

    def close(self) -> None:
        """End the process and all that it made."""
        self._line.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _end(why: str) -> None:
    _log.critical("%s: the server ends, and nothing that was answered is lost", why)
    os._exit(_ENDED)


class Child:
    """A process as the server sees it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.pid = self.shared = 0

    async def ask(self, seconds: float, *message: object) -> Any:
        """Return what the process answers, or raise what it raised; after so many seconds it is ended."""
        try:
            async with asyncio.timeout(seconds):
                self._writer.write(packed(message))
                await self._writer.drain()
                data = await self._reader.readexactly(length_of(await self._reader.readexactly(8)))
        except TimeoutError:
            self.end()
            raise TooLong from None
        except (OSError, EOFError):
            self.end()
            raise Gone from None
        except asyncio.CancelledError:
            self.end()  # its answer would be taken for that to the next question
            raise
        answer = pickle.loads(data)
        if isinstance(answer, MemoryError):
            self.end()
            raise Gone(*answer.args)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def memory(self) -> int:
        """Return the bytes it has taken since it was forked, where the system tells."""
        return max(0, resident(self.pid) - self.shared)

    def end(self) -> None:
        """End the process, whatever it does."""
        if (
            self.pid and not self._writer.is_closing() and not self._reader.at_eof()
        ):  # else its number may be another's by now
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)
        self._writer.close()


def _serve(line: socket.socket) -> None:
    """Fork, until the server is gone."""
    os.setsid()  # signals of a terminal are for the server; and all that is made here can be ended at once
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    while True:
        what, given, _, _ = socket.recv_fds(line, 1, 1)
        if not what:
            os.killpg(0, signal.SIGKILL)
        theirs = socket.socket(fileno=given[0])
        if what == _WARM:
            _warm(theirs)
        elif _fork() == 0:
            line.close()
            for each in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(each, signal.SIG_DFL)
            work(theirs)
            os._exit(0)
        theirs.close()


def _fork() -> int:
    """Fork; where the system does not allow it, who asked finds the line closed, and all others go on."""
    try:
        return os.fork()
    except OSError as error:
        _log.error("no process for a problem: %s", error.strerror)
        return -1


def _warm(theirs: socket.socket) -> None:
    try:
        warm(*receive(theirs))
        theirs.sendall(packed(True))
    except Exception:  # then it is loaded by each process
        _log.exception("code could not be loaded")
    for each in threading.enumerate():  # what announces compiling; a process with threads is not to be forked
        if each is not threading.main_thread():
            each.join(_THREAD_SECONDS)
    gc.collect()
    gc.freeze()
