"""A problem as the server sees it: its process, and the requests that wait for it.

Requests that arrive while the process works wait, and are handed to it together. What they changed is written, then they are
answered, then the next ones are handed over: what a process has done and nobody has written can be forgotten by ending it.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve import Settings
from swapregret.serve.database import Store
from swapregret.serve.processes.child import Ran
from swapregret.serve.processes.jobs import Before, Closed, Reply
from swapregret.serve.processes.nursery import Child, Gone, TooLong
from swapregret.serve.processes.trials import too_costly, too_large
from swapregret.serve.refusals import Conflict, HeldElsewhere, KeyReused
from swapregret.serve.writer import Part, RequestKey, Writer

_log = logging.getLogger("swapregret.serve")
_MOST_JOBS = 256
_CLOSING = 4
"""Problems that leave at once: their snapshots, which may have many megabytes, pass through the server."""


@dataclass
class _Job:
    name: str
    given: tuple[object, ...]
    key: RequestKey | None
    future: "asyncio.Future[Any]"

    def answer(self, outcome: object) -> None:
        if self.future.done():
            return  # the client has gone
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


@dataclass
class Around:
    """What all lanes share; ``now`` tells the time."""

    store: Store
    writer: Writer
    settings: Settings
    owner: str
    now: Callable[[], float]
    closing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_CLOSING))

    async def known(self, wanted: list[str]) -> dict[str, tuple[str, Reply]]:
        """Return the remembered answers among these keys, and the requests they were given to."""
        rows = await asyncio.to_thread(self.store.answers, wanted)
        return {row.key: (row.request, Reply(row.status, row.body)) for row in rows}


class Lane:
    """One problem in memory."""

    def __init__(self, id: str, child: Child, around: Around, facts: Json, *, is_slow: bool) -> None:
        self.id, self.child, self._around = id, child, around
        self.n_open, self.due = facts["n_open"], facts["due"]
        self.is_gone, self.is_slow, self.used = False, is_slow, around.now()
        self._jobs: list[_Job] = []
        self._task: asyncio.Task[None] | None = None

    async def submit(self, name: str, *given: object, key: RequestKey | None = None) -> Any:
        """Return what a function of ``jobs`` returns for the problem, once what it changed is committed."""
        if self.is_gone:
            raise Gone
        self.used = self._around.now()
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Job(name, given, key, future))
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        return await future

    @property
    def is_busy(self) -> bool:
        """Tell whether something waits for the problem."""
        return self._task is not None

    def leave(self, reason: Exception | None = None) -> None:
        """End the process, and tell who waits: to ask again, or what stands in the way."""
        self.is_gone = True
        self.child.end()
        jobs, self._jobs = self._jobs, []
        for each in jobs:
            each.answer(reason or Gone())

    async def close(self) -> None:
        """Write a snapshot, if it is worth it, and let the problem go."""
        if self._task is None:
            self._task = asyncio.create_task(self._close())
        await self._task

    async def _close(self) -> None:
        try:
            async with self._around.closing:
                await self._keep_snapshot()
            await asyncio.to_thread(self._around.store.release, self._around.owner, self.id)
        except (SwapRegretError, Gone, TooLong) as error:
            _log.info("problem %s was let go without a snapshot: %s", self.id, type(error).__name__)
        finally:
            self.leave()
            self._task = None

    # ---- requests ------------------------------------------------------------------------------------------------

    async def _drain(self) -> None:
        try:
            while self._jobs and not self.is_gone:
                jobs = self._take()
                try:
                    await self._serve(jobs)
                except Exception as error:
                    self._fail(jobs, error)
        finally:
            self._task = None

    def _take(self) -> list[_Job]:
        """Return the jobs that go together: the first ones, none with the key of another."""
        taken, keys = list[_Job](), set[str]()
        most = 1 if self.is_slow else _MOST_JOBS
        while self._jobs and len(taken) < most and (self._jobs[0].key is None or self._jobs[0].key.key not in keys):
            taken.append(self._jobs.pop(0))
            keys.update([taken[-1].key.key] if taken[-1].key is not None else [])
        return taken

    def _fail(self, jobs: list[_Job], error: Exception) -> None:
        if isinstance(error, HeldElsewhere):  # nothing was written: each finds the lease as it is, again
            error = Gone()
        limits = self._around.settings
        if isinstance(error, TooLong) or (isinstance(error, Gone) and error.args):
            self.is_slow = True
            must, do = f"a request must take at most {limits.call_seconds:g} seconds", "Ask for less at once"
            late = too_costly(must, "one that takes longer", "call_seconds", do)
            reason = too_large(limits, error, self.child) if isinstance(error, Gone) else late
            error = reason if len(jobs) == 1 else Gone()
        elif not isinstance(error, SwapRegretError | Gone):
            _log.exception("a request of problem %s failed", self.id, exc_info=error)
        for each in jobs:
            each.answer(error)
        self.leave()

    async def _serve(self, jobs: list[_Job]) -> None:
        jobs = await self._answer_known(jobs)
        if not jobs:
            return
        around = self._around
        asked = [(each.name, each.given) for each in jobs]
        ran: Ran = await self.child.ask(around.settings.call_seconds, "run", asked, around.now())
        done, late = jobs[: len(ran.outcomes)], jobs[len(ran.outcomes) :]
        self._jobs[:0] = late
        try:
            outcomes = [await self._settled(each) for each in ran.outcomes]
            replies = zip(done, outcomes, strict=True)
            answers = [(job.key, reply) for job, reply in replies if job.key is not None and isinstance(reply, Reply)]
            if ran.is_changed:
                await around.writer.write(Part(self.id, ran.events, ran.totals, answers))
            elif answers:
                await around.writer.write(Part(answers=answers))
        except Exception as error:
            self._fail(done, error)
            return
        self.n_open, self.due = ran.n_open, ran.due
        for job, outcome in zip(done, outcomes, strict=True):
            job.answer(outcome)
        if ran.is_broken:
            self.leave()
        elif ran.wants_snapshot:
            await self._keep_snapshot()

    async def _answer_known(self, jobs: list[_Job]) -> list[_Job]:
        """Answer requests that were answered before as then, and return the others."""
        wanted = [each.key.key for each in jobs if each.key is not None]
        if not wanted:
            return jobs
        known = await self._around.known(wanted)
        for each in jobs:
            if each.key is not None and each.key.key in known:
                each.answer(known_reply(each.key, *known[each.key.key]))
        return [each for each in jobs if each.key is None or each.key.key not in known]

    async def _settled(self, outcome: object) -> object:
        """Return an outcome with what only the database knows: how decisions were closed long ago."""
        if not isinstance(outcome, Closed):
            return outcome
        try:
            for place, each in enumerate(outcome.entries):
                if isinstance(each, Before):
                    outcome.entries[place] = await self._closing(each)
            return outcome.reply()
        except SwapRegretError as error:
            return error

    async def _closing(self, before: Before) -> Json | SwapRegretError:
        event = await asyncio.to_thread(self._around.store.closing, self.id, before.day)
        if event is None:
            return Conflict(
                f"decision {before.id} must be closed once",
                "another try, so late that the first is no longer kept",
                "Leave it.",
            )
        try:
            return before.answer(event.kind, event.value)
        except SwapRegretError as error:
            return error

    async def _keep_snapshot(self) -> None:
        made = await self.child.ask(self._around.settings.create_seconds, "snapshot")
        if made is None:
            return
        try:
            keep = partial(
                self._around.store.keep_snapshot, problem=self.id, seq=made[0], session=made[1], history=made[2]
            )
            await self._around.writer.write(Part(self.id, statements=[keep]))
        except HeldElsewhere:
            raise
        except SwapRegretError as error:  # the events are there; only a restart takes longer
            _log.warning("a snapshot was not written: %s", error.came)


def known_reply(key: RequestKey, request: str, reply: Reply) -> Reply | KeyReused:
    """Return the answer that was given to a key before, unless that was to another request."""
    if request == key.request:
        return reply
    must = "an Idempotency-Key must come with one request only"
    return KeyReused(must, "the key of another request", "Draw a new key for each new request.")
