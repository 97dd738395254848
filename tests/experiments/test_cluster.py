"""A real Dask scheduler and two workers on loopback, one of which is killed: nothing is lost, the bytes are the same."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from swapregret.errors import Unsupported
from swapregret.experiments.cluster import run_on_dask
from swapregret.experiments.execute import execute
from swapregret.experiments.plan_runs import plan_runs
from swapregret.experiments.spec import parse_spec
from swapregret.experiments.status import read_statuses
from swapregret.results.store import Store


def _load(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


processes = _load("processes")

SPEC = """
horizons = [60, 10000]
replications = 2
sets = ["msets 5 2"]
environments = ["iid"]
players = ["uniform"]
"""
DASK = [sys.executable, "-W", "ignore", "-m", "dask"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """Start a scheduler and two workers without nannies; stop them in the end."""
    known = tmp_path / "scheduler.json"
    settings = os.environ | {"SWAPREGRET_SNAPSHOT_SECONDS": "0", "OMP_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": settings, "cwd": tmp_path}
    started: list[subprocess.Popen[bytes]] = []
    try:
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(known)]
        started.append(subprocess.Popen([*DASK, "scheduler", *options], **quiet))  # type: ignore[call-overload]
        for _ in range(2):
            options = ["--scheduler-file", str(known), "--no-nanny", "--nthreads", "1", "--no-dashboard"]
            options += ["--host", "127.0.0.1", "--local-directory", str(tmp_path)]
            started.append(subprocess.Popen([*DASK, "worker", *options], **quiet))  # type: ignore[call-overload]
        processes.wait_for(lambda: known.is_file() and known.read_text(), started[0])
        yield json.loads(known.read_text())["address"], started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_killed_worker_loses_nothing(cluster: tuple[str, list["subprocess.Popen[bytes]"]], tmp_path: Path) -> None:
    """The scheduler gives the run of the dead worker to the other one, which takes up its snapshot."""
    address, workers = cluster
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC, encoding="utf-8")
    process = processes.start("run", spec, "--out", out, "--scheduler", address, "--json")
    pids = {str(worker.pid) for worker in workers}

    def victim() -> str | None:
        for report in read_statuses(out):
            pid = report.worker.rsplit("-", 2)[1]
            if (out / "snapshots" / report.run).is_file() and pid in pids:
                return pid
        return None

    processes.wait_for(victim, process)
    os.kill(int(victim() or workers[0].pid), signal.SIGKILL)
    status, said = processes.finish(process)
    assert status == 0, said
    tasks = plan_runs(parse_spec(SPEC), Path()).tasks
    for task in tasks:
        assert execute(task, str(tmp_path / "expected")).error is None
    assert processes.contents(out) == processes.contents(tmp_path / "expected")
    assert sum(worker.poll() is not None for worker in workers) == 1
    assert any((Store(out).timing(task.info.id) or {})["taken_up"] for task in tasks)
    assert [json.loads(line)["event"] for line in said.splitlines() if line.startswith("{")].count("finished") == 4


def test_without_dask_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named with the extra that brings it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unsupported, match=r"swapregret\[cluster\]"):
        next(run_on_dask((), "."))
