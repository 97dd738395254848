"""What the routes call: problems are opened when they are asked for, kept by a lease, and closed decisions by deadlines."""

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

from swapregret.errors import SwapRegretError
from swapregret.serve.leases import Watch
from swapregret.serve.live import Live
from swapregret.serve.metrics import Metrics
from swapregret.serve.problems import Problem, ProblemSpec, Reported
from swapregret.serve.refusals import Conflict, HeldElsewhere, NotFound, Unavailable, as_json
from swapregret.serve.settings import Settings
from swapregret.serve.store import Store
from swapregret.serve.view import decision_json, row_json, status_json, view_json
from swapregret.serve.writer import Gone, Reply, RequestKey, Writer

__all__ = ["Service", "read_decision_id"]

_log = logging.getLogger("swapregret.serve")
_SWEEP_SECONDS = 0.5
_TRIES = 5
T = TypeVar("T")


def read_decision_id(id: str) -> tuple[str, int]:
    """Read the problem and the day of a decision's id.

    Examples
    --------
    >>> read_decision_id("k3v9q2mx.17")
    ('k3v9q2mx', 17)
    """
    problem, dot, day = id.rpartition(".")
    if not dot or not (day.isascii() and day.isdecimal() and len(day) < 16):
        raise NotFound("the decision must exist", repr(id[:40]), "Use the `id` that came with the decision.")
    return problem, int(day)


class Service:
    """All problems of this process.

    Parameters
    ----------
    store : Store
    settings : Settings
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings, self.metrics = store, settings, Metrics()
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(6)}"
        self._start = time.time() - time.monotonic()
        self._watch = Watch(settings.lease_seconds)
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._views: dict[str, tuple[float, bytes]] = {}
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

    # ---- requests ------------------------------------------------------------------------------------------------

    async def create(self, spec: ProblemSpec, key: RequestKey | None) -> Reply:
        """Make a problem."""
        problem = await asyncio.to_thread(Problem, spec, self.settings.max_dimension)
        await asyncio.to_thread(problem.rehearse)  # whatever the learner refuses, it refuses now
        id = secrets.token_hex(5)

        def add() -> Reply:
            values = problem.spec.model_dump(mode="json")
            self.writer.also(lambda c: self.store.add_problem(c, id, spec.name or id, values, self.now()))
            return _reply(201, {"id": id, "name": spec.name or id, "state": "open", "spec": values})

        return await self.writer.submit(add, key)

    async def decide(self, id: str, count: int, key: RequestKey | None) -> Reply:
        """Make decisions."""

        def act() -> Reply:
            live = self.writer.live(id)
            live.refuse_if_full(count)
            now = self.now()
            made = [live.act(now) for _ in range(count)]
            self.metrics.count("decisions", count)
            names = live.label_texts
            marginals = dict(zip(names, made[0].policy.marginals().tolist(), strict=True))
            body = {"problem": id, "decisions": [decision_json(live, each) for each in made], "marginals": marginals}
            return _reply(201, body)

        return await self.call(id, act, key)

    async def close(self, id: str, reported: Reported | None, key: RequestKey | None) -> Reply:
        """Close one decision by its reward, or skip it."""
        problem, day = read_decision_id(id)
        return await self.call(problem, lambda: _reply(200, self._close(problem, day, reported)), key)

    async def close_many(self, id: str, items: list[tuple[str, Reported | None]], key: RequestKey | None) -> Reply:
        """Close decisions of one problem; each item is answered for itself."""

        def close() -> Reply:
            found = []
            for decision, reported in items:
                try:
                    problem, day = read_decision_id(decision)
                    if problem != id:
                        raise NotFound(
                            f"the decision must belong to problem {id}", repr(decision[:40]), "Send it there."
                        )
                    found.append(self._close(id, day, reported))
                except SwapRegretError as error:
                    found.append({"decision": decision[:60], "state": "refused", **as_json(error)})
            refused = sum(each["state"] == "refused" for each in found)
            return _reply(200, {"n_refused": refused, "results": found})

        return await self.call(id, close, key)

    def _close(self, id: str, day: int, reported: Reported | None) -> dict[str, Any]:
        live, kind = self.writer.live(id), "skip" if reported is None else "reward"
        answer = {"decision": f"{id}.{day}", "state": kind}
        if day in live.open:
            live.close(day, kind, reported, self.now())
            self.metrics.count(kind + "s")
            return {**answer, "repeated": False}
        if day >= live.totals["n_decisions"]:
            raise NotFound("the decision must exist", repr(f"{id}.{day}"), "Use the `id` that came with the decision.")
        before = next((each for each in live.pending if each.day == day and each.kind != "act"), None)
        before = before or self.store.closing(id, day)
        assert before is not None, "a decision that is not open was closed"
        value = None if before.value is None else json.loads(before.value)
        if (before.kind, value) == (kind, reported):
            return {**answer, "repeated": True}
        raise Conflict(
            f"decision {id}.{day} must be closed once",
            f"a {kind} after it was closed by {'its deadline' if before.kind in ('default', 'expire') else 'a ' + before.kind}",
            "Leave it; what came first counts.",
        )

    async def archive(self, id: str, key: RequestKey | None) -> Reply:
        """Take no more decisions; rewards of open ones may still come."""

        def change() -> Reply:
            live = self.writer.live(id)
            live.state_changed, live.state = live.state != "archived", "archived"
            return _reply(200, {"id": id, "state": "archived", "n_open": len(live.open)})

        return await self.call(id, change, key)

    async def problems(self) -> list[dict[str, Any]]:
        """Return all problems, newest first."""
        rows = await asyncio.to_thread(self.store.problems)
        return [row_json(row, self.owner) for row in rows]

    async def problem(self, id: str) -> dict[str, Any]:
        """Return a problem: what the database knows and, if this process serves it, what its learner knows."""
        try:
            status = await self.call(id, lambda: status_json(self.writer.live(id), self.now()))
        except HeldElsewhere:
            status = {}
        row = await asyncio.to_thread(self.store.problem, id)
        return {**row_json(row, self.owner), **status}

    async def view(self, id: str) -> bytes:
        """Return what the dashboard draws, at most a second old, as JSON."""
        kept = self._views.get(id)
        if kept is None or self.now() - kept[0] > 0.9:
            found = await self.call(id, lambda: view_json(self.writer.live(id), self.now()))
            self._views[id] = kept = (self.now(), json.dumps(found).encode())
        return kept[1]

    def gauges(self) -> dict[str, float]:
        """Return what holds at the moment, for metrics."""
        lives = list(self.writer.lives.values())
        return {"live_problems": len(lives), "open_decisions": sum(len(live.open) for live in lives)}

    # ---- problems in memory --------------------------------------------------------------------------------------

    async def call(self, id: str, run: Callable[[], T], key: RequestKey | None = None) -> T:
        """Run a job on a problem, which is opened first if it is not in memory."""
        for _ in range(_TRIES):
            if id not in self.writer.lives:
                async with self._opening.setdefault(id, asyncio.Lock()):
                    if id not in self.writer.lives:
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
        Problem(ProblemSpec.model_validate_json(row.spec), self.settings.max_dimension).rehearse()
        live = Live.restore(self.store, id, self.settings.max_dimension, self.now())
        self.metrics.count("problems_opened")
        return live

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
            if live.problem.spec.deadline is not None and live.made:
                with contextlib.suppress(Gone):
                    await self.writer.submit(partial(self._expire, id, now))

    def _expire(self, id: str, now: float) -> None:
        live = self.writer.live(id)
        default = live.problem.spec.default_reward
        for day in live.overdue(now):
            live.close(day, "expire" if default is None else "default", default, now)
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


def _reply(status: int, body: dict[str, Any]) -> Reply:
    return Reply(status, json.dumps(body).encode())
