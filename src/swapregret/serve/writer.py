"""The one thread that writes: what many requests changed, in one transaction.

What arrives while a transaction is being written waits and shares the next one (group commit). A request is answered when its
transaction is on disk. A part that cannot be written fails alone: the others are written without it.
"""

import asyncio
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import NamedTuple

from sqlalchemy import Connection

from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve.database import Store
from swapregret.serve.metrics import Metrics
from swapregret.serve.processes.jobs import Reply
from swapregret.serve.refusals import HeldElsewhere, NotWritten, Unavailable
from swapregret.sessions.events import Event

_log = logging.getLogger("swapregret.serve")
_MOST_PARTS = 256
_ENDED = 70


class RequestKey(NamedTuple):
    """An Idempotency-Key, after the name of the API key, and the request it came with; both as digests."""

    key: str
    request: str


@dataclass
class Part:
    """What is written together, or not at all: events and totals of a problem, answers, and statements of any kind."""

    problem: str = ""
    events: list[Event] = field(default_factory=list)
    totals: Json = field(default_factory=dict)
    answers: list[tuple[RequestKey, Reply]] = field(default_factory=list)
    statements: list[Callable[[Connection], None]] = field(default_factory=list)


_Waiting = tuple[Part, "asyncio.Future[None]"]


class Writer:
    """Writes parts in their order; ``owner`` is the name of this process in leases."""

    def __init__(self, store: Store, owner: str, clock: Callable[[], float], metrics: Metrics) -> None:
        self._store, self._owner, self._clock, self._metrics = store, owner, clock, metrics
        self.trouble: SwapRegretError | None = None  # why the last transaction was not written, if it was not
        self.kept = Counter[str]()  # bytes of answers by API key, since these were last cut
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def write(self, part: Part) -> None:
        """Return when a part is on disk, or say why it is not."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((part, future))
        await future

    def stop(self) -> None:
        """Finish what was handed in, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException:
            _log.critical(
                "the writer cannot go on: the server ends, and nothing that was answered is lost", exc_info=True
            )
            os._exit(_ENDED)  # a supervisor starts it again; a server that cannot write is none

    def _loop(self) -> None:
        while True:
            found = [self._queue.get()]
            try:
                while len(found) < _MOST_PARTS:
                    found.append(self._queue.get_nowait())
            except Empty:
                pass
            waiting = [each for each in found if each is not None]
            if waiting:
                self._serve(waiting)
            if None in found:
                return

    def _serve(self, waiting: list[_Waiting]) -> None:
        failure = self._write([part for part, _ in waiting])
        if failure is not None and type(failure) is not Unavailable and len(waiting) > 1:
            for each in waiting:  # one of them is to blame
                self._serve([each])
            return
        self.trouble = failure if type(failure) is Unavailable else None
        for _, future in waiting:
            _answer(future, failure)

    def _write(self, parts: list[Part]) -> SwapRegretError | None:
        started, now = time.perf_counter(), self._clock()
        try:
            with self._store.transaction() as connection:
                for part in parts:
                    if part.problem:
                        self._store.append(connection, part.problem, self._owner, part.events, part.totals)
                    for statement in part.statements:
                        statement(connection)
                rows = [
                    {**key._asdict(), **reply._asdict(), "at": now} for part in parts for key, reply in part.answers
                ]
                if rows:
                    self._store.remember(connection, rows)
        except Exception as error:  # whatever it is: these parts fail, and the thread goes on
            if not isinstance(error, SwapRegretError):
                _log.exception("a transaction failed")
                error = NotWritten("a transaction must be written", type(error).__name__, "Nothing of it was kept.")
            elif not isinstance(error, HeldElsewhere):
                _log.warning("a transaction was not written: %s", error.came)
            self._metrics.count("failed_commits")
            return error
        for row in rows:
            self.kept[row["key"].partition(":")[0]] += len(row["body"])
        self._metrics.committed([each.kind for part in parts for each in part.events], time.perf_counter() - started)
        return None


def _answer(future: "asyncio.Future[None]", failure: SwapRegretError | None) -> None:
    """Say how it went, in the loop that waits for it."""
    try:
        future.get_loop().call_soon_threadsafe(_resolve, future, failure)
    except RuntimeError:  # the loop has been closed: nobody waits
        _log.info("nobody waits for an answer")


def _resolve(future: "asyncio.Future[None]", failure: SwapRegretError | None) -> None:
    if future.done():
        return  # the client has gone
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(failure)
