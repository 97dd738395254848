"""A process of its own for one problem, one trial or one log: it answers one message after another until the server is gone."""

import os
import resource
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from swapregret.compiled.announcing import announcer
from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.processes import jobs
from swapregret.serve.processes.line import packed, receive, resident
from swapregret.serve.processes.live_problem import Live
from swapregret.serve.view import LogFile
from swapregret.sessions.events import Event

_LOG_SECONDS, _SLICE_SECONDS = 1.0, 0.1
_TRIAL_DAYS = 12
_LONG_SECONDS, _NICENESS = 0.25, 10


class Trial(NamedTuple):
    """A problem that was made and played: its description, whole; seconds for a decision and its reward, and for making it."""

    spec: Json
    day_seconds: float
    make_seconds: float


class Ran(NamedTuple):
    """What jobs came to, as far as there was time for them, and what they changed."""

    outcomes: list[object]
    events: list[Event]
    totals: Json
    is_changed: bool
    n_open: int
    due: float | None
    wants_snapshot: bool
    is_broken: bool  # nothing of the last job is kept; the problem has to be read again


class _Worker:
    """What a process knows: nothing, then a problem or a log."""

    def __init__(self) -> None:
        self.live: Live | None = None
        self.log: LogFile | None = None
        self.snapshot_every = 0

    def try_out(self, spec: str, max_dimension: int, most_seconds: float) -> Trial:
        """Make a problem, have its code compiled, and play some days, fewer if they take long."""
        started = time.perf_counter()
        problem = Problem(ProblemSpec.model_validate_json(spec), max_dimension)
        make_seconds, live = time.perf_counter() - started, Live("trial", problem)
        times: list[float] = []
        end = time.perf_counter() + 3.0 * most_seconds
        while len(times) < _TRIAL_DAYS and (len(times) < 3 or time.perf_counter() < end):
            started = time.perf_counter()
            live.act(0.0)
            try:
                live.close(len(times), "reward", problem.middle(live.open[len(times)].decision.action), 0.0)
            except SwapRegretError:  # a reward that this set or range does not allow
                live.close(len(times), "skip", None, 0.0)
            times.append(time.perf_counter() - started)
        days = times[1:]  # the first may still have loaded something
        return Trial(problem.spec.model_dump(mode="json"), sum(days) / len(days), make_seconds)

    def load(
        self, id: str, spec: str, state: str, snapshot: tuple[int, bytes, bytes] | None, limits: tuple[int, int]
    ) -> int:
        """Make a problem as its snapshot has it, and return after which event that is."""
        max_dimension, self.snapshot_every = limits
        self.live = Live(id, Problem(ProblemSpec.model_validate_json(spec), max_dimension), state)
        if snapshot is not None:
            self.live.load(*snapshot)
        return self.live.seq

    def replay(self, events: Sequence[Event]) -> tuple[int, None]:
        """Let events happen again, as many as there is time for, and return how many those were."""
        return _for_a_while(events, _LOG_SECONDS, self._live().replay), None

    def ready(self, now: float) -> Json:
        """Say what the problem has counted, when all its events are there."""
        live = self._live()
        live.set_clock(now)
        return {"seq": live.seq, "n_open": len(live.open), "due": live.due(), **live.totals}

    def run(self, asked: Sequence[tuple[str, tuple[object, ...]]], now: float) -> Ran:
        """Run jobs of one problem in their order, each whole or not at all."""
        live, outcomes, is_broken = self._live(), [], False
        end, state = time.perf_counter() + _SLICE_SECONDS, live.state
        for name, given in asked:
            before = (len(live.pending), dict(live.totals), live.seq, live.state)
            try:
                outcomes.append(getattr(jobs, name)(live, now, *given))
            except Exception as error:
                outcomes.append(error if isinstance(error, SwapRegretError) else _described(error))
                if not isinstance(error, SwapRegretError) or len(live.pending) > before[0] or live.is_torn:
                    del live.pending[before[0] :]
                    live.totals, live.seq, live.state, is_broken = *before[1:], True
                    break
            if time.perf_counter() > end:
                break
        events, live.pending = live.pending, []
        wants = not is_broken and live.wants_snapshot(self.snapshot_every)
        totals = {"seq": live.seq, "state": live.state, "due": live.due(), **live.totals}
        if live.state == "archived" != state:
            totals["archived"] = now
        is_changed = bool(events) or live.state != state
        return Ran(outcomes, events, totals, is_changed, len(live.open), live.due(), wants, is_broken)

    def snapshot(self) -> tuple[int, bytes, bytes] | None:
        """Return a snapshot, unless nothing has happened since the last one."""
        live = self._live()
        if live.seq == live.snapshot_seq or not live.wants_snapshot(0):
            return None
        made = live.snapshot()
        live.snapshot_seq = live.seq
        return made

    def start_log(self, id: str, spec: str, max_dimension: int) -> bytes:
        """Begin the log of a problem, and return its first line."""
        self.log = LogFile(id, Problem(ProblemSpec.model_validate_json(spec), max_dimension))
        return self.log.head()

    def go_on(self, events: Sequence[Event]) -> tuple[int, bytes]:
        """Return how many of these events there was time for, and their lines of the log."""
        assert self.log is not None
        done = _for_a_while(events, _LOG_SECONDS, self.log.add)
        return done, self.log.take()

    def _live(self) -> Live:
        assert self.live is not None, "a problem is loaded before anything is asked of it"
        return self.live


def _for_a_while(events: Sequence[Event], seconds: float, do: Callable[[Event], None]) -> int:
    end = time.perf_counter() + seconds
    for count, each in enumerate(events, start=1):
        do(each)
        if time.perf_counter() > end:
            return count
    return len(events)


def _described(error: Exception) -> Exception:
    """Return an error that can be sent: what was raised may hold anything."""
    return RuntimeError(f"{type(error).__name__}: {error}")


def warm(spec: str, max_dimension: int) -> None:
    """Load the code of a problem."""
    live = Live("warm", Problem(ProblemSpec.model_validate_json(spec), max_dimension))
    for day in range(2):
        live.act(0.0)
        live.close(day, "skip", None, 0.0)
    live.snapshot()


def work(line: socket.socket) -> None:
    """Answer until the server is gone."""
    with suppress(EOFError, OSError):
        memory, niceness = receive(line)
        _limit(memory)
        os.nice(niceness)
        is_nice = bool(niceness)
        line.sendall(packed((os.getpid(), resident(os.getpid()))))
        worker = _Worker()
        while True:
            name, *given = receive(line)
            started = time.process_time()
            try:
                answer = getattr(worker, name)(*given)
            except MemoryError as error:
                line.sendall(packed(MemoryError(_wanted(error))))
                os._exit(1)
            except SwapRegretError as error:
                answer = error
            except Exception as error:
                answer = _described(error)
            announcer.finish()  # a trial is ended as soon as it has answered
            line.sendall(packed(answer))
            if not is_nice and time.process_time() - started > _LONG_SECONDS:
                is_nice = bool(os.nice(_NICENESS))  # who takes long waits for those who do not


def _wanted(error: MemoryError) -> int:
    """Return how many bytes this process had taken when they were not enough, with those it then asked for if NumPy says."""
    status = Path("/proc/self/status")
    peak = 1024 * int(status.read_text("ascii").split("VmHWM:")[1].split()[0]) if status.exists() else 0
    size = getattr(error, "_total_size", 0)
    return peak + int(size)


def _limit(memory: int) -> None:
    """Let this process take so many bytes more than it has."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:  # a system that does not tell
        return
    has = int(status.split("VmData:")[1].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (has + memory, has + memory))
