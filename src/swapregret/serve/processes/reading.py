"""What the database knows of a problem, told to a process: to go on with it, or to write its log."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve import Settings
from swapregret.serve.data.schema import Row
from swapregret.serve.database import Store, damaged
from swapregret.serve.processes.nursery import Child, Gone, Nursery
from swapregret.serve.processes.trials import MB, NICENESS, within
from swapregret.serve.refusals import Conflict, Refusal

_log = logging.getLogger("swapregret.serve")
_TRIES = 5
_COUNTED = ("seq", "n_decisions", "n_rewards", "n_defaults", "n_skips")


@dataclass(frozen=True)
class Reading:
    """Reads problems of a database into processes, within the limits."""

    store: Store
    settings: Settings
    nursery: Nursery

    async def load(self, row: Row, now: float) -> tuple[Child, Json]:
        """Return a process with a problem; one that is ended from outside, again and again, is taken for one without memory."""
        limits = self.settings
        for left in reversed(range(_TRIES)):
            child = await self.nursery.spawn(limits.problem_memory * MB)
            with suppress(Gone), within(limits, child, "open", may_end=left > 0):
                return child, await self._load(child, row, now)
        raise Gone

    async def _load(self, child: Child, row: Row, now: float) -> Json:
        """Tell a process a problem: its newest snapshot and the events after it, or all its events if that is damaged."""
        limits = self.settings
        given = (limits.max_dimension, limits.snapshot_every)
        kept = await asyncio.to_thread(self.store.snapshot, row.id)
        for snapshot in [None] if kept is None else [kept, None]:
            try:
                seq = await child.ask(limits.create_seconds, "load", row.id, row.spec, row.state, snapshot, given)
                async for _ in self._told(child, "replay", row.id, seq):
                    pass
                found: Json = await child.ask(limits.create_seconds, "ready", now)
                if all(found[name] == getattr(row, name) for name in _COUNTED):
                    return found
                came = "events that come to something else"
            except (SwapRegretError, RuntimeError) as error:
                if isinstance(error, Refusal):
                    raise
                came = str(error)[:200]
            _log.warning("problem %s: its %s: %s", row.id, "events" if snapshot is None else "snapshot", came)
        raise damaged(f"problem {row.id}", came)

    async def log(self, id: str) -> AsyncGenerator[bytes]:
        """Yield the log of a problem in parts, made by a process that waits for all others."""
        row, limits = await asyncio.to_thread(self.store.problem, id), self.settings
        if row.compacted:
            must, came = f"the log of problem {id} must have all events", f"{row.compacted:,} that are no longer kept"
            raise Conflict(must, came, "Download logs before events are dropped.")
        child = await self.nursery.spawn(limits.problem_memory * MB, NICENESS)
        with within(limits, child, "be played again"):
            yield await child.ask(limits.create_seconds, "start_log", id, row.spec, limits.max_dimension)
            async for lines in self._told(child, "go_on", id, 0):
                yield lines
        child.end()

    async def _told(self, child: Child, name: str, id: str, seq: int) -> AsyncGenerator[Any]:
        """Hand a process the events of a problem after one, as many at a time as it has time for, and yield what it says."""
        while events := await asyncio.to_thread(self.store.some_events, id, seq):
            while events:
                done, told = await child.ask(self.settings.create_seconds, name, events)
                seq, events = events[done - 1].seq, events[done:]
                yield told
