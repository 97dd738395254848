"""The problems of a server: each in a process of its own while it is used, kept by a lease; deadlines close their decisions.

A server raises the beat of each of its problems with every transaction and every few seconds. Who sees the same owner and the
same beat for the time of a lease may take the problem over, without trusting any clock but its own; every transaction checks
that the lease is still held, so an owner that was only slow writes nothing.
"""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection

from swapregret.errors import SwapRegretError
from swapregret.serve import Settings
from swapregret.serve.data.leases import Watch
from swapregret.serve.data.schema import Row
from swapregret.serve.data.upkeep import retire
from swapregret.serve.database import Store, damaged
from swapregret.serve.metrics import Metrics
from swapregret.serve.problems import ProblemSpec, as_shown
from swapregret.serve.processes.jobs import Reply
from swapregret.serve.processes.lane import Around, Lane, known_reply
from swapregret.serve.processes.nursery import Gone, Nursery
from swapregret.serve.processes.reading import Reading
from swapregret.serve.processes.trials import MB, Trials
from swapregret.serve.refusals import HeldElsewhere, TooCostly, TooMany, Unavailable
from swapregret.serve.writer import Part, RequestKey, Writer

_log = logging.getLogger("swapregret.serve")
_SWEEP_SECONDS = 0.5
_PROBE_SECONDS = 1.0
_STOP_SECONDS = 5.0
_TRIES = 5
_OPENING, _OPENING_SECONDS, _ADOPTING = 2, 1.0, 4


class Service:
    """All problems of this server; ``nursery`` makes their processes, and those that are ``damaged`` are not served."""

    def __init__(self, store: Store, settings: Settings, nursery: Nursery, damaged: Mapping[str, str] = {}) -> None:
        self.store, self.settings, self.metrics, self._nursery = store, settings, Metrics(), nursery
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(6)}"
        self._start = time.time() - time.monotonic()
        self._watch = Watch(settings.lease_seconds)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._views: dict[str, tuple[float, bytes]] = {}
        self._trials, self.reading = Trials(nursery, settings), Reading(store, settings, nursery)
        self._opening, self._n_opening = asyncio.Semaphore(_OPENING), 0
        self._slow: set[str] = set()
        self._probed = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._meanwhile: set[asyncio.Task[None]] = set()
        self._adopted, self._adopting = set[str](), asyncio.Semaphore(_ADOPTING)
        self.lanes: dict[str, Lane] = {}
        self.damaged = damaged
        self.writer = Writer(store, self.owner, self.now, self.metrics)
        self._around = Around(store, self.writer, settings, self.owner, self.now)

    def now(self) -> float:
        """Return the time; it never goes back while the process lives, whatever happens to the machine's clock."""
        return self._start + time.monotonic()

    async def start(self) -> None:
        """Begin to look after leases, deadlines and memory."""
        lease = self.settings.lease_seconds
        often = dict.fromkeys((self._sweep, self._keep_memory, self._cut_answers), _SWEEP_SECONDS)
        rounds = often | {self._beat: lease / 3.0, self._adopt: lease / 3.0, self._forget: 600.0}
        self._tasks = [asyncio.create_task(self._repeat(seconds, task)) for task, seconds in rounds.items()]

    async def stop(self) -> None:
        """Finish, and let all problems go."""
        tasks = [*self._tasks, *self._meanwhile]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await asyncio.gather(*(lane.close() for lane in self.lanes.values()), return_exceptions=True)
        await asyncio.to_thread(self.writer.stop)
        with contextlib.suppress(SwapRegretError):
            await asyncio.to_thread(self.store.release, self.owner)
        self.store.close()
        self._nursery.close()

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())

    async def probe(self) -> None:
        """Write something through the writer to the disk, at most once a second, or say why that cannot be done."""
        async with self._lock("probe"):
            now = self.now()
            if now - self._probed < _PROBE_SECONDS and self.writer.trouble is None:
                return
            self._probed = now
            await self.write(partial(self.store.probe, key=self.owner, now=now))

    async def write(self, statement: Callable[[Connection], None]) -> None:
        """Have the writer run a statement of its own."""
        await self.writer.write(Part(statements=[statement]))

    # ---- problems ------------------------------------------------------------------------------------------------

    async def create(self, spec: ProblemSpec, key: RequestKey | None) -> Reply:
        """Make a problem, after a trial: what it costs must be within the limits."""
        async with self._lock(f"create {key.key if key else secrets.token_hex(8)}"):
            known = {} if key is None else await self._around.known([key.key])
            if key is not None and key.key in known:
                reply = known_reply(key, *known[key.key])
                if isinstance(reply, SwapRegretError):
                    raise reply
                return reply
            made = await self._trials.of(spec)
            id = secrets.token_hex(5)
            name = spec.name or id
            reply = Reply.of({"id": id, "name": name, "state": "open", "spec": as_shown(made.spec)}, 201)
            add = partial(self.store.add_problem, problem=id, name=name, spec=made.spec, now=self.now())
            answers = [] if key is None else [(key, reply)]
            await self.writer.write(Part(answers=answers, statements=[add]))
            return reply

    async def call(self, id: str, name: str, *given: object, key: RequestKey | None = None) -> Any:
        """Run a function of ``jobs`` on a problem, which is opened first if it is not in memory."""
        if id in self.damaged:
            raise damaged(f"problem {id}", self.damaged[id])
        for _ in range(_TRIES):
            lane = self.lanes.get(id)
            try:
                if lane is None or lane.is_gone:
                    lane = await self._opened(id)
                return await lane.submit(name, *given, key=key)
            except Gone:
                continue
        raise Unavailable("a problem must stay in memory for a request", "one that did not", "Send the request again.")

    async def _opened(self, id: str) -> Lane:
        async with self._lock(f"open {id}"):
            lane = self.lanes.get(id)
            if lane is not None and not lane.is_gone:
                return lane
            if lane is not None and lane.is_slow:
                self._slow.add(id)
            self.lanes.pop(id, None)
            row = await asyncio.to_thread(self._take, id)
            try:
                async with self._opening:  # who has many opened does not take all processors
                    self._n_opening += 1
                    task = asyncio.create_task(self._open(row))
                    task.add_done_callback(self._count_opened)
                    await asyncio.wait([task], timeout=_OPENING_SECONDS)
                return await task
            except BaseException:  # another server may have the memory, the time or the version that it takes
                with contextlib.suppress(SwapRegretError):
                    await asyncio.to_thread(self.store.release, self.owner, id)
                raise

    def _count_opened(self, _: object) -> None:
        self._n_opening -= 1

    async def _open(self, row: Row) -> Lane:
        await self._make_room()
        child, facts = await self.reading.load(row, self.now())
        self.metrics.count("problems_opened")
        made = self.lanes[row.id] = Lane(row.id, child, self._around, facts, is_slow=row.id in self._slow)
        return made

    def _take(self, id: str) -> Row:
        """Take the lease of a problem, and return its row."""
        row = self.store.problem(id)
        seen = None if row.owner in (None, self.owner) else (row.owner, row.beat)
        if seen is not None and not self._watch.is_stale(id, *seen):
            raise _held(id, row.address)
        if not self.store.take(id, self.owner, f"{self.settings.host}:{self.settings.port}", seen):
            raise _held(id, "a process that was faster")
        return self.store.problem(id)

    async def _make_room(self) -> None:
        """Let the problem go that was not used for longest, if there are as many as may be."""
        lanes = [each for each in self.lanes.values() if not each.is_gone]
        if len(lanes) + self._n_opening <= self.settings.max_live:
            return
        idle = [each for each in lanes if not each.is_busy]
        if not idle:
            most = self.settings.max_live
            raise TooMany(f"at most {most} problems may be at work at once", "another one", "Send the request again.")
        await self._let_go(min(idle, key=lambda each: each.used))

    async def _let_go(self, lane: Lane) -> None:
        await lane.close()
        if self.lanes.get(lane.id) is lane:
            del self.lanes[lane.id]
        self._views.pop(lane.id, None)

    async def view(self, id: str) -> bytes:
        """Return what the dashboard draws, at most a second old, as JSON."""
        async with self._lock(f"view {id}"):  # many who look at once are shown the same
            kept = self._views.get(id)
            if kept is None or self.now() - kept[0] > 0.9:
                kept = self._views[id] = (self.now(), await self.call(id, "view"))
        return kept[1]

    def gauges(self) -> dict[str, float]:
        """Return what holds at the moment, for metrics."""
        lanes = list(self.lanes.values())
        memory = sum(each.child.memory() for each in lanes)
        return {
            "live_problems": len(lanes),
            "open_decisions": sum(each.n_open for each in lanes),
            "problem_bytes": memory,
        }

    # ---- what is done from time to time --------------------------------------------------------------------------

    async def _repeat(self, seconds: float, task: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await task()
            except SwapRegretError as error:
                _log.warning("%s: %s", task.__name__.strip("_"), error.came)
            except Exception:
                _log.exception("%s failed", task.__name__.strip("_"))
            await asyncio.sleep(seconds)

    async def _sweep(self) -> None:
        """Close decisions whose deadline has passed, and let idle problems go; none waits for another."""
        self._nursery.check()
        now = self.now()
        self._views = {id: each for id, each in self._views.items() if now - each[0] < 10.0}
        for lane in list(self.lanes.values()):
            if lane.is_gone:
                if self.lanes.get(lane.id) is lane:
                    self._slow.update([lane.id] if lane.is_slow else [])
                    del self.lanes[lane.id]
            elif lane.due is not None and lane.due <= now and not lane.is_busy:
                self._soon(self._expire(lane.id))
            elif now - lane.used > self.settings.idle_seconds and not lane.is_busy:
                self._soon(self._let_go(lane))

    def _soon(self, task: Coroutine[Any, Any, None]) -> None:
        """Have something done meanwhile."""
        made = asyncio.create_task(task)
        self._meanwhile.add(made)
        made.add_done_callback(self._meanwhile.discard)

    async def _expire(self, id: str) -> None:
        try:
            await self.call(id, "expire")
        except SwapRegretError as error:  # the others have deadlines too
            _log.warning("deadlines of problem %s: %s", id, error)

    async def _keep_memory(self) -> None:
        """Let problems go while all together take too much: idle ones first, then the largest."""
        sizes = {lane: lane.child.memory() for lane in self.lanes.values() if not lane.is_gone}
        total = sum(sizes.values())
        for lane in sorted(sizes, key=lambda each: (each.is_busy, -sizes[each])):
            if total <= self.settings.memory * MB:
                return
            total -= sizes[lane]
            _log.warning("problem %s leaves memory: all together take more than %d MB", lane.id, self.settings.memory)
            if lane.is_busy:
                most = f"all problems must need at most {self.settings.memory} MB of memory together"
                lane.leave(TooCostly(most, "more", "Start the server with a larger --limit memory."))
            else:
                await self._let_go(lane)

    async def _beat(self) -> None:
        """Give a sign of life, and let go of problems that another server took."""
        ours = {id for id, lane in self.lanes.items() if not lane.is_gone}
        held = await asyncio.to_thread(self.store.beat, self.owner)
        for id in ours - held:
            if id in self.lanes and not self.lanes[id].is_busy:
                self.lanes.pop(id).leave()

    async def _adopt(self) -> None:
        """Open problems with a decision whose deadline has passed, and that nobody looks after; some at a time."""
        for row in await asyncio.to_thread(self.store.due, self.now()):
            is_free = row.owner in (None, self.owner) or self._watch.is_stale(row.id, row.owner, row.beat)
            if is_free and not {row.id} & (self.lanes.keys() | self._adopted):
                self._adopted.add(row.id)
                self._soon(self._adopt_one(row.id))

    async def _adopt_one(self, id: str) -> None:
        async with self._adopting:
            await self._expire(id)
        self._adopted.discard(id)

    async def _cut_answers(self) -> None:
        """Keep the remembered answers of each API key within their limit, whenever a tenth of it was written."""
        most, kept = self.settings.key_answers, self.writer.kept
        for key in [key for key, size in list(kept.items()) if size > most / 10]:
            kept.pop(key)
            await asyncio.to_thread(self.store.cut_answers, key, most)

    async def _forget(self) -> None:
        limits = self.settings
        await asyncio.to_thread(self.store.forget, self.now() - limits.answer_seconds)
        await asyncio.to_thread(retire, self.store, self.now(), limits.event_seconds, limits.archived_seconds)


def _held(id: str, where: str | None) -> HeldElsewhere:
    return HeldElsewhere(
        f"problem {id} must be served by one process at a time",
        f"a request to another one than {where}",
        "Send it there, or again when the lease of that process has ended.",
    )
