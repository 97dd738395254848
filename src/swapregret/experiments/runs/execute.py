"""Making one run: play, measure at checkpoints, keep snapshots, write the result.

The run is cut into stretches on days fixed in advance. At each cut the state goes through the form it has in a file, whether or
not a file is written, so that a run that was interrupted any number of times ends in the same bytes as one that was not.
"""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from socket import gethostname
from traceback import format_exc

import numpy as np

from swapregret.arrays import NamedArrays, below, under
from swapregret.errors import InvalidInput
from swapregret.experiments.catalogue import make_environment, make_player
from swapregret.experiments.runs.plan_runs import RunTask, cuts_of
from swapregret.experiments.runs.status import Status
from swapregret.files.storage import Json, from_bytes, to_bytes
from swapregret.files.values import read_value
from swapregret.learners.checked import check_arrays
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.round.running_player import Master
from swapregret.playing.course import Course, replication
from swapregret.playing.recorder import Options
from swapregret.results.detail import LEDGERS_SHARE, pack_mark, write_detail
from swapregret.results.experiment import RunInfo
from swapregret.results.folder import ResultFolder
from swapregret.results.run_rows import measure_mark, table_bytes

_SNAPSHOT = "run snapshot"
_SNAPSHOT_SHARE = 20.0
"""Snapshots may take a twentieth of the time."""


def snapshot_seconds() -> float:
    """Return how long to wait between two snapshots: 2 s, or what SWAPREGRET_SNAPSHOT_SECONDS says."""
    try:
        return max(0.0, float(os.environ.get("SWAPREGRET_SNAPSHOT_SECONDS", "2")))
    except ValueError:
        return 2.0


@dataclass(frozen=True)
class Outcome:
    """What became of a run: which, seconds of this attempt, and, if it failed, the error and its traceback."""

    info: RunInfo
    seconds: float
    error: str | None = None
    traceback: str = ""


def fail(store: ResultFolder, info: RunInfo, seconds: float, error: str, traceback: str = "") -> Outcome:
    """Write down why a run failed, and return what became of it."""
    store.put_failure(info.id, {"error": error, "traceback": traceback})
    return Outcome(info, seconds, error, traceback)


def execute(task: RunTask, folder: str) -> Outcome:
    """Make one run and write it to the folder of results; an exception is written there too, and reported, not raised."""
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    store, began = ResultFolder(folder), time.perf_counter()
    status = Status(folder, task.info)
    try:
        if not store.is_finished(task.info.id):
            _make(task, store, status)
        return Outcome(task.info, time.perf_counter() - began)
    except Exception as error:
        sentence = f"{type(error).__name__}: {error}"
        return fail(store, task.info, time.perf_counter() - began, sentence, format_exc())
    finally:
        status.close()


def begin_course(task: RunTask) -> Course:
    """Return the course of a run at its first day: the one ``play`` takes with the same seed and replication."""
    info = task.info
    actions = None if task.set_config is None else read_value(task.set_config)
    world = make_environment(*task.environment, actions, info.horizon, task.seed, Path(task.folder))
    player = make_player(*task.player, world.actions, info.horizon)
    world, seed = replication(world, task.seed, info.replication)
    told = task.measure
    options = Options(
        measure=told["measure"],
        realised=told["realised"],
        windows=tuple(told["windows"]),
        certificate=told["certificate"] and isinstance(player, SwapMaster),
        capacity=told["capacity"],
    )
    return Course(player, world, seed, options)


@dataclass
class _Progress:
    """Where a run stands: the course, the rows and packed checkpoints so far, and the seconds they took."""

    course: Course
    rows: list[Json] = field(default_factory=list)
    marks: list[NamedArrays] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    before: float = 0.0
    taken_up: list[int] = field(default_factory=list)


def _make(task: RunTask, store: ResultFolder, status: "Status") -> None:
    run, horizon = task.info.id, task.info.horizon
    at = _Progress(begin_course(task))
    _take_up(at, store, run)
    began, written, cost = time.perf_counter(), time.perf_counter(), 0.0
    cuts, pause = set(cuts_of(horizon)), snapshot_seconds()
    status.begin(at.course.day)
    for stop in sorted(cuts | set(task.marks)):
        if stop <= at.course.day:
            continue
        at.course.advance(stop, status.advance)
        if stop in task.marks:
            _mark(at, task, stop == horizon)
            at.seconds.append(at.before + time.perf_counter() - began)
            status.measured(at.rows[-1])
        if stop in cuts and stop < horizon:
            arrays = {name: np.array(array) for name, array in at.course.dump().items()}
            now = time.perf_counter()
            if now - written >= max(pause, _SNAPSHOT_SHARE * cost if pause else 0.0):
                _keep(at, arrays, store, run, at.before + now - began)
                written = time.perf_counter()
                cost = written - now
            at.course.restore(arrays)
    windows, offset = _calendar(at.course)
    store.put_run(
        run,
        table=table_bytes(task.info, task.seed, at.rows),
        detail=write_detail(run, at.marks, windows, offset, at.course.environment.kinds),
        timing={
            "days": list(task.marks),
            "seconds": at.seconds,
            "host": gethostname(),
            "pid": os.getpid(),
            "taken_up": at.taken_up,
        },
    )


def _mark(at: _Progress, task: RunTask, is_last: bool) -> None:
    course, share = at.course, LEDGERS_SHARE / len(task.marks)
    day, run, units = course.day, course.close(), course.environment.units
    kinds = course.environment.kinds
    at.rows.append(measure_mark(day, run, course.player.actions, task.measure["measure"], units, kinds))
    at.marks.append(pack_mark(day, run, course.marginals(), share=share, is_last=is_last))


def _keep(at: _Progress, arrays: NamedArrays, store: ResultFolder, run: str, seconds: float) -> None:
    about = {"run": run, "rows": at.rows, "seconds": at.seconds, "elapsed": seconds, "n_marks": len(at.marks)}
    about["taken_up"] = at.taken_up
    whole = under("course", arrays)
    for index, mark in enumerate(at.marks):
        whole |= under(f"mark{index}", mark)
    store.put_snapshot(run, to_bytes(_SNAPSHOT, about, whole))


def _take_up(at: _Progress, store: ResultFolder, run: str) -> None:
    """Go on from the snapshot of a run, if there is one that is whole; otherwise from the first day."""
    data = store.snapshot(run)
    if data is None:
        return
    fresh = at.course.dump()
    try:
        about, arrays = from_bytes(_SNAPSHOT, data, "a snapshot")
        course = below(arrays, "course")
        check_arrays(at.course.player, below(course, "state"), None)
        rows, seconds, before = about["rows"], about["seconds"], about["elapsed"]
        marks = [below(arrays, f"mark{index}") for index in range(about["n_marks"])]
        at.course.restore(course)
        taken_up = [*about["taken_up"], at.course.day]
    except (InvalidInput, LookupError, TypeError, ValueError):  # whole, but of another version
        store.drop_snapshot(run)
        at.course.restore(fresh)
        return
    at.rows, at.seconds, at.before, at.marks, at.taken_up = rows, seconds, before, marks, taken_up


def _calendar(course: Course) -> tuple[tuple[int, ...] | None, int | None]:
    """Return the windows and the offset of a player with scales."""
    player, state = course.player, course.state
    if isinstance(player, Master):
        return player.schedule.windows, int(state.state.tally.offset[0])
    return None, None
