"""The one thread that changes problems: many requests, one transaction.

Requests that arrive while a transaction is being written wait and share the next one (group commit). A request is answered when its
transaction is on disk. If it cannot be written, the problems it touched leave memory and are read again from the database, and
every request of that transaction is told so.
"""

import asyncio
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from swapregret.errors import SwapRegretError
from swapregret.serve.database import Store
from swapregret.serve.live_problem import Live
from swapregret.serve.metrics import Metrics
from swapregret.serve.refusals import HeldElsewhere, KeyReused, Unavailable

_log = logging.getLogger("swapregret.serve")
_MOST_JOBS = 256
T = TypeVar("T")


class Reply(NamedTuple):
    """The status and the JSON of an answer."""

    status: int
    body: bytes

    @classmethod
    def of(cls, body: dict[str, Any], status: int = 200) -> "Reply":
        """Write an answer."""
        return cls(status, json.dumps(body).encode())


class RequestKey(NamedTuple):
    """An Idempotency-Key, and the request it came with; both as digests."""

    key: str
    request: str


class Gone(Exception):
    """A problem that is not in memory (any more); it can be read again."""


@dataclass
class _Job:
    run: Callable[[], Any]
    key: RequestKey | None
    future: "asyncio.Future[Any]"
    outcome: Any = None


class Writer:
    """Runs jobs in their order, and commits what they did; ``owner`` is the name of this process in leases."""

    def __init__(
        self, store: Store, owner: str, clock: Callable[[], float], snapshot_every: int, metrics: Metrics
    ) -> None:
        self._store, self._owner, self._clock, self._every, self._metrics = store, owner, clock, snapshot_every, metrics
        self.lives: dict[str, Live] = {}
        self.trouble: SwapRegretError | None = None  # why the last transaction was not written, if it was not
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._touched: dict[str, Live] = {}
        self._also: list[Callable[[Connection], None]] = []
        self._thread = threading.Thread(target=self._run_thread, name="writer", daemon=True)
        self._thread.start()

    async def submit(self, run: Callable[[], T], key: RequestKey | None = None) -> T:
        """Run a job in the writer's thread, and return what it returned once that is committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put(_Job(run, key, future))
        return await future

    def stop(self) -> None:
        """Finish what was submitted, write snapshots, and end the thread."""
        self._queue.put(None)
        self._thread.join()
        for live in self.lives.values():
            if live.seq > live.snapshot_seq and live.wants_snapshot(0):
                self._write_snapshot(live)
        self.lives.clear()

    # ---- for jobs ------------------------------------------------------------------------------------------------

    def live(self, id: str) -> Live:
        """Return a problem that a job is going to read or change."""
        live = self.lives.get(id)
        if live is None or live.is_broken:
            raise Gone(id)
        self._touched[id] = live
        return live

    def also(self, statement: Callable[[Connection], None]) -> None:
        """Have something else written in the same transaction."""
        self._also.append(statement)

    # ---- the thread ----------------------------------------------------------------------------------------------

    def _run_thread(self) -> None:
        try:
            self._loop()
        except BaseException:
            _log.critical(
                "the writer cannot go on: the process ends, and nothing that was answered is lost", exc_info=True
            )
            os._exit(70)  # a supervisor starts it again; a server that cannot write is none

    def _loop(self) -> None:
        while True:
            jobs = [self._queue.get()]
            try:
                while len(jobs) < _MOST_JOBS:
                    jobs.append(self._queue.get_nowait())
            except Empty:
                pass
            self._serve([job for job in jobs if job is not None])
            if None in jobs:
                return

    def _serve(self, jobs: list[_Job]) -> None:
        self._touched, self._also = {}, []
        wanted = [job.key.key for job in jobs if job.key is not None]
        try:
            rows = self._store.answers(wanted) if wanted else []
        except Exception as error:
            for job in jobs:
                _answer(job, error)
            return
        known = {row.key: (RequestKey(row.key, row.request), Reply(row.status, row.body)) for row in rows}
        n_before = len(known)
        for job in jobs:
            job.outcome = self._run(job, known)
        changed = [live for live in self._touched.values() if live.pending or live.state_changed]
        failure: Exception | None = self._commit(changed, list(known.values())[n_before:])
        if failure is not None:
            for live in changed:
                self.lives.pop(live.id, None)
            if isinstance(failure, HeldElsewhere):  # nothing was written: each finds the lease as it is, again
                failure = Gone()
        for job in jobs:
            _answer(job, job.outcome if failure is None else failure)
        for live in self._touched.values():
            if live.is_broken:
                self.lives.pop(live.id, None)
            elif failure is None and live.wants_snapshot(self._every):
                self._write_snapshot(live)

    def _run(self, job: _Job, known: dict[str, tuple[RequestKey, Reply]]) -> Any:
        """Return what a job returns or raises; ``known`` are the answers to requests with a key, this one's is added."""
        try:
            if job.key is None:
                return job.run()
            if job.key.key not in known:
                known[job.key.key] = job.key, job.run()
            before, reply = known[job.key.key]
            if before.request != job.key.request:
                must = "an Idempotency-Key must come with one request only"
                raise KeyReused(must, "the key of another request", "Draw a new key for each new request.")
            return reply
        except (SwapRegretError, Gone) as error:
            return error
        except Exception as error:
            _log.exception("a job failed")
            for live in self._touched.values():
                live.is_broken = True  # what was done before is written; then they are read again
            return error

    def _commit(self, changed: list[Live], fresh: list[tuple[RequestKey, Reply]]) -> SwapRegretError | None:
        if not (changed or fresh or self._also):
            return None
        started = time.perf_counter()
        try:
            with self._store.transaction() as connection:
                for live in changed:
                    totals = {"seq": live.seq, "state": live.state, **live.totals}
                    self._store.append(connection, live.id, self._owner, live.pending, totals)
                for statement in self._also:
                    statement(connection)
                if fresh:
                    rows = [{**key._asdict(), **reply._asdict(), "at": self._clock()} for key, reply in fresh]
                    self._store.remember(connection, rows)
        except Exception as error:  # whatever it is: the requests of this transaction fail, and the thread goes on
            if not isinstance(error, SwapRegretError):
                _log.exception("a transaction failed")
                error = Unavailable("a transaction must be written", type(error).__name__, "Nothing of it was kept.")
            _log.warning("a transaction was not written: %s", error.came)
            self._metrics.count("failed_commits")
            self.trouble = error
            return error
        self.trouble = None
        n_events = sum(len(live.pending) for live in changed)
        for live in changed:
            live.pending.clear()
            live.state_changed = False
        self._metrics.committed(n_events, time.perf_counter() - started)
        return None

    def _write_snapshot(self, live: Live) -> None:
        try:
            with self._store.transaction() as connection:
                self._store.append(connection, live.id, self._owner, [], {})
                self._store.keep_snapshot(connection, live.id, *live.snapshot())
        except SwapRegretError as error:  # the events are there; only a restart takes longer
            _log.warning("a snapshot was not written: %s", error.came)
            return
        live.snapshot_seq = live.seq
        self._metrics.count("snapshots")


def _answer(job: _Job, outcome: Any) -> None:
    """Hand over what came of a job, in the loop that waits for it."""
    try:
        job.future.get_loop().call_soon_threadsafe(_resolve, job.future, outcome)
    except RuntimeError:  # the loop has been closed: nobody waits
        _log.info("nobody waits for an answer")


def _resolve(future: "asyncio.Future[Any]", outcome: Any) -> None:
    if future.done():
        return  # the client has gone
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
