"""The problems of a process: opened when they are asked for, kept by a lease; deadlines close their decisions.

A process that serves problems raises the beat of each with every transaction and every few seconds. Who sees the same owner
and the same beat for the time of a lease may take the problem over, without trusting any clock but its own; every transaction
checks that the lease is still held, so an owner that was only slow writes nothing.
"""

import asyncio
import contextlib
import json
import logging
import os
import secrets
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection

from swapregret.arrays import Matrix
from swapregret.errors import NotConverged, SwapRegretError
from swapregret.experiments.runs.status import is_alive
from swapregret.serve import Settings
from swapregret.serve.database import Store
from swapregret.serve.history import regret_curve
from swapregret.serve.live_problem import Live
from swapregret.serve.metrics import Metrics
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.refusals import HeldElsewhere, Unavailable
from swapregret.serve.view import view_json
from swapregret.serve.writer import Gone, Reply, RequestKey, Writer

_log = logging.getLogger("swapregret.serve")
_SWEEP_SECONDS = 0.5
_PROBE_SECONDS = 1.0
_TRIES = 5
T = TypeVar("T")


class Watch:
    """Remembers when each lease was last seen to move; without a sign of life it lasts for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._seen: dict[str, tuple[str, int, float]] = {}

    def is_stale(self, problem: str, owner: str, beat: int) -> bool:
        """Tell whether the owner of a problem is dead: gone from this machine, or silent for the time of a lease."""
        now = time.monotonic()
        before = self._seen.get(problem)
        if before is None or before[:2] != (owner, beat):
            self._seen[problem] = before = (owner, beat, now)
        return now - before[2] >= self._seconds or _is_gone(owner)


def _is_gone(owner: str) -> bool:
    host, pid = [*owner.split(":"), ""][:2]
    return host == socket.gethostname() and pid.isdecimal() and not is_alive(int(pid))


class Service:
    """All problems of this process."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings, self.metrics = store, settings, Metrics()
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(6)}"
        self._start = time.time() - time.monotonic()
        self._watch = Watch(settings.lease_seconds)
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._viewing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._views: dict[str, tuple[float, bytes]] = {}
        self._compiling = asyncio.Semaphore(2)  # the threads that are left read keys and answer for health
        self._probing, self._probed = asyncio.Lock(), 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self.writer = Writer(store, self.owner, self.now, settings.snapshot_every, self.metrics)

    def now(self) -> float:
        """Return the time; it never goes back while the process lives, whatever happens to the machine's clock."""
        return self._start + time.monotonic()

    async def start(self) -> None:
        """Begin to look after leases and deadlines."""
        lease = self.settings.lease_seconds
        self._tasks = [
            asyncio.create_task(self._repeat(_SWEEP_SECONDS, self._sweep)),
            asyncio.create_task(self._repeat(lease / 3.0, self._beat)),
            asyncio.create_task(self._repeat(lease / 3.0, self._adopt)),
            asyncio.create_task(self._repeat(600.0, self._forget)),
        ]

    async def stop(self) -> None:
        """Finish, and let all problems go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.writer.stop)
        with contextlib.suppress(SwapRegretError):
            await asyncio.to_thread(self.store.release, self.owner)
        self.store.close()

    async def write(self, statement: Callable[[Connection], None]) -> None:
        """Have the writer run a statement of its own."""
        await self.writer.submit(lambda: self.writer.also(statement))

    async def probe(self) -> None:
        """Write something through the writer to the disk, at most once a second, or say why that cannot be done."""
        async with self._probing:
            if self.now() - self._probed < _PROBE_SECONDS and self.writer.trouble is None:
                return
            now = self._probed = self.now()
            await self.write(partial(self.store.probe, key=self.owner, now=now))

    # ---- problems in memory --------------------------------------------------------------------------------------

    async def create(self, spec: ProblemSpec, key: RequestKey | None) -> Reply:
        """Make a problem."""
        async with self._compiling:
            problem = await asyncio.to_thread(Problem, spec, self.settings.max_dimension)
            await asyncio.to_thread(problem.new_session)  # compiled before the first request waits for it
        id, values = secrets.token_hex(5), problem.spec.model_dump(mode="json")
        name = spec.name or id

        def add() -> Reply:
            self.writer.also(lambda c: self.store.add_problem(c, id, name, values, self.now()))
            return Reply.of({"id": id, "name": name, "state": "open", "spec": values}, 201)

        return await self.writer.submit(add, key)

    async def call(self, id: str, run: Callable[[], T], key: RequestKey | None = None) -> T:
        """Run a job on a problem, which is opened first if it is not in memory."""
        for _ in range(_TRIES):
            if id not in self.writer.lives:
                async with self._opening.setdefault(id, asyncio.Lock()):
                    if id not in self.writer.lives:
                        async with self._compiling:
                            self.writer.lives[id] = await asyncio.to_thread(self._open, id)
            with contextlib.suppress(Gone):
                return await self.writer.submit(run, key)
        raise Unavailable("a problem must stay in memory for a request", "one that did not", "Send the request again.")

    def _open(self, id: str) -> Live:
        row = self.store.problem(id)
        seen = None if row.owner in (None, self.owner) else (row.owner, row.beat)
        if seen is not None and not self._watch.is_stale(id, *seen):
            raise _held(id, row.address)
        if not self.store.take(id, self.owner, f"{self.settings.host}:{self.settings.port}", seen):
            raise _held(id, "a process that was faster")
        live = Live.restore(self.store, id, self.settings.max_dimension, self.now())
        self.metrics.count("problems_opened")
        return live

    async def view(self, id: str) -> bytes:
        """Return what the dashboard draws, at most a second old, as JSON."""
        async with self._viewing.setdefault(id, asyncio.Lock()):  # many who look at once are shown the same
            kept = self._views.get(id)
            if kept is None or self.now() - kept[0] > 0.9:
                kept = self._views[id] = (self.now(), await self._view(id))
        return kept[1]

    async def _view(self, id: str) -> bytes:
        def look() -> tuple[dict[str, Any], Problem, Matrix]:
            live = self.writer.live(id)
            return view_json(live, self.now()), live.problem, live.history.samples()

        found, problem, samples = await self.call(id, look)
        found["regret"] = await asyncio.to_thread(regret_curve, problem.actions, samples)
        return json.dumps(found).encode()

    def gauges(self) -> dict[str, float]:
        """Return what holds at the moment, for metrics."""
        lives = list(self.writer.lives.values())
        return {"live_problems": len(lives), "open_decisions": sum(len(live.open) for live in lives)}

    # ---- what is done from time to time --------------------------------------------------------------------------

    async def _repeat(self, seconds: float, task: Callable[[], Any]) -> None:
        while True:
            try:
                await task()
            except SwapRegretError as error:
                _log.warning("%s: %s", task.__name__.strip("_"), error.came)
            except Exception:
                _log.exception("%s failed", task.__name__.strip("_"))
            await asyncio.sleep(seconds)

    async def _sweep(self) -> None:
        """Close decisions whose deadline has passed."""
        now = self.now()
        for id, live in list(self.writer.lives.items()):
            if live.problem.spec.deadline is not None and live.open:
                try:
                    await self.writer.submit(partial(self._expire, id, now))
                except (Gone, SwapRegretError) as error:  # the others have deadlines too
                    _log.warning("deadlines of problem %s: %s", id, error)

    def _expire(self, id: str, now: float) -> None:
        live = self.writer.live(id)
        default = live.problem.spec.default_reward
        for day in live.overdue(now):
            try:
                live.close(day, "expire" if default is None else "default", default, now)
            except NotConverged:  # nothing can be learnt from it
                live.close(day, "expire", None, now)
            self.metrics.count("deadlines")

    async def _beat(self) -> None:
        """Give a sign of life, and let go of problems that another process took."""
        held = await asyncio.to_thread(self.store.beat, self.owner)

        def drop() -> None:
            for id in set(self.writer.lives) - held:
                del self.writer.lives[id]

        if set(self.writer.lives) - held:
            await self.writer.submit(drop, None)

    async def _adopt(self) -> None:
        """Watch the leases of others, and open problems with open decisions and a deadline that nobody looks after."""
        for row in await asyncio.to_thread(self.store.problems):
            if row.owner == self.owner and row.id in self.writer.lives:
                continue
            is_free = row.owner is None or self._watch.is_stale(row.id, row.owner, row.beat)
            n_open = row.n_decisions - row.n_rewards - row.n_defaults - row.n_skips
            if is_free and n_open and json.loads(row.spec)["deadline"] is not None:
                with contextlib.suppress(HeldElsewhere):
                    await self.call(row.id, lambda: None)

    async def _forget(self) -> None:
        await asyncio.to_thread(self.store.forget, self.now() - self.settings.answer_seconds)


def _held(id: str, where: str | None) -> HeldElsewhere:
    return HeldElsewhere(
        f"problem {id} must be served by one process at a time",
        f"a request to another one than {where}",
        "Send it there, or again when the lease of that process has ended.",
    )
