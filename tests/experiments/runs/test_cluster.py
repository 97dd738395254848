"""Dask on loopback: a killed worker loses nothing, strangers are refused, and nothing listens that was not asked for."""

import contextlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
from distributed.security import Security

from swapregret.errors import InvalidInput, Unsupported
from swapregret.experiments.experiment_spec import parse_spec
from swapregret.experiments.runs.cluster import Credentials, check_address, outcomes, run_on_dask
from swapregret.experiments.runs.execute import execute
from swapregret.experiments.runs.plan_runs import plan_runs
from swapregret.experiments.runs.status import read_statuses
from swapregret.results.folder import ResultFolder


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


class Cluster(NamedTuple):
    """A scheduler's address, and its workers."""

    address: str
    workers: list["subprocess.Popen[bytes]"]


@contextmanager
def started_cluster(folder: Path, n_workers: int, host: str = "127.0.0.1", *tls: str) -> Iterator[Cluster]:
    """Start a scheduler and workers without nannies; stop them in the end."""
    known = folder / "scheduler.json"
    settings = os.environ | {"SWAPREGRET_SNAPSHOT_SECONDS": "0", "OMP_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": settings, "cwd": folder}
    started: list[subprocess.Popen[bytes]] = []
    try:
        options = ["--host", host, "--port", "0", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(known)]
        started.append(subprocess.Popen([*DASK, "scheduler", *options, *tls], **quiet))  # type: ignore[call-overload]
        for _ in range(n_workers):
            options = ["--scheduler-file", str(known), "--no-nanny", "--nthreads", "1", "--no-dashboard"]
            options += ["--host", host, "--local-directory", str(folder), *tls]
            started.append(subprocess.Popen([*DASK, "worker", *options], **quiet))  # type: ignore[call-overload]
        processes.wait_for(lambda: known.is_file() and known.read_text(), started[0])
        yield Cluster(json.loads(known.read_text())["address"], started[1:])
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    """The scheduler gives the run of the dead worker to the other one, which takes up its snapshot."""
    with started_cluster(tmp_path, 2) as (address, workers):
        _kill_a_worker(address, workers, tmp_path)


def _kill_a_worker(address: str, workers: list["subprocess.Popen[bytes]"], tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC, encoding="utf-8")
    process = processes.start("run", spec, "--out", out, "--cluster", address, "--json")
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
    assert any((ResultFolder(out).timing(task.info.id) or {})["taken_up"] for task in tasks)
    assert [json.loads(line)["event"] for line in said.splitlines() if line.startswith("{")].count("finished") == 4


def test_a_lost_scheduler_is_said(tmp_path: Path) -> None:
    """When the connection to the scheduler is gone, the run ends in a sentence that says how to go on."""

    class Lost:
        """What Dask makes of its futures then."""

        status = "cancelled"

        def done(self) -> bool:
            """Tell that there is nothing to wait for."""
            return True

    client = SimpleNamespace(submit=lambda *_, **__: Lost())
    tasks = plan_runs(parse_spec(SPEC), Path()).tasks[:1]
    with pytest.raises(InvalidInput, match="a connection to it that was lost"):
        next(outcomes(client, tasks, str(tmp_path)))


def test_without_dask_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named with the extra that brings it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unsupported, match=r"swapregret\[cluster\]"):
        next(run_on_dask((), "."))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return two files, each with a certificate that is its own authority, and its key: ours, and a stranger's."""
    found = []
    for name in ("ours", "stranger"):
        made = Security.temporary()
        found.append(tmp_path_factory.mktemp(name) / "both.pem")
        found[-1].write_text(made.tls_client_cert + made.tls_client_key, encoding="utf-8")
    return found


def test_tls_lets_in_who_has_a_certificate(certificates: list[Path], tmp_path: Path) -> None:
    """With certificates of its authority the runs are made; with a stranger's, or none, the command is refused."""
    ours, stranger = certificates
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC.replace("[60, 10000]", "[60]"), encoding="utf-8")
    tls = [each for name in ("--tls-ca-file", "--tls-cert", "--tls-key") for each in (name, str(ours))]
    with started_cluster(tmp_path, 1, "tls://127.0.0.1", *tls) as (address, _):
        assert address.startswith("tls://127.0.0.1:")

        def run(*options: str | Path) -> tuple[int, str]:
            status, said = processes.finish(processes.start("run", spec, "--out", out, "--cluster", *options))
            return status, " ".join(said.split())

        status, said = run(address, "--tls-ca", stranger, "--tls-cert", stranger, "--tls-key", stranger)
        assert (status, "must be the address of a running Dask scheduler" in said) == (2, True), said
        status, said = run(address)
        assert (status, "must be met with certificates" in said) == (2, True), said
        status, said = run(address.replace("tls", "tcp"))
        assert (status, "must be the address of a running Dask scheduler" in said) == (2, True), said
        assert not list((out / "runs").glob("*.parquet"))
        status, said = run(address, "--tls-ca", ours, "--tls-cert", ours, "--tls-key", ours)
        assert (status, "2 made" in said) == (0, True), said


@pytest.mark.parametrize(
    ("address", "credentials", "words"),
    [
        ("moon", Credentials(), "must be local, tls://HOST:PORT or tcp://HOST:PORT"),
        ("tcp://\x1b[31m:1", Credentials(), "must be local"),
        ("http://localhost:8786", Credentials(), "must be local"),
        ("tcp://localhost:8786", Credentials(Path(__file__)), "must come with --cluster tls://"),
        (None, Credentials(key=Path(__file__)), "must come with --cluster tls://"),
        ("tls://localhost:8786", Credentials(Path("nowhere.pem")), "must be a file"),
    ],
)
def test_an_address_is_checked_before_anything_runs(address: str | None, credentials: Credentials, words: str) -> None:
    """What is no address, and certificates that would not be used, are refused."""
    with pytest.raises(InvalidInput, match=re.escape(words)):
        check_address(address, credentials)


def listening(pid: int) -> list[str]:
    """Return where a process listens, as the kernel writes it: 0100007F is loopback."""
    sockets = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(str(descriptor.readlink()).removeprefix("socket:[").rstrip("]"))
    tables = [Path(f"/proc/{pid}/net/{kind}").read_text(encoding="ascii") for kind in ("tcp", "tcp6")]
    lines = [line.split() for table in tables for line in table.splitlines()]
    return [cells[1] for cells in lines if cells[3] == "0A" and cells[9] in sockets]


def test_nothing_listens_that_was_not_asked_for() -> None:
    """A local cluster has one encrypted port on loopback for the scheduler, each worker and its nanny; no web server."""
    code = (
        "import os, sys, psutil, importlib.util as u; from swapregret.experiments.runs.local_cluster import local_cluster\n"
        f"found = u.spec_from_file_location('these', {__file__!r}); these = u.module_from_spec(found)\n"
        "if __name__ == '__main__':\n"
        "    found.loader.exec_module(these)\n"
        "    with local_cluster(1) as cluster:\n"
        "        me = psutil.Process(); alive = [me, *me.children(recursive=True)]\n"
        "        ports = [each for process in alive for each in these.listening(process.pid)]\n"
        "        print(cluster.scheduler_address.split(':')[0], len(ports), {each.split(':')[0] for each in ports})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=300)
    assert done.stdout.split(maxsplit=2) == ["tls", "3", "{'0100007F'}\n"], done.stdout + done.stderr


def test_the_local_cluster_makes_the_same_runs(tmp_path: Path) -> None:
    """Runs of a local cluster have the bytes of runs made here."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC.replace("[60, 10000]", "[60]"), encoding="utf-8")
    status, said = processes.finish(processes.start("run", spec, "--out", out, "--cluster", "local", "--jobs", "2"))
    assert status == 0, said
    for task in plan_runs(parse_spec(spec.read_text(encoding="utf-8")), Path()).tasks:
        assert execute(task, str(tmp_path / "expected")).error is None
    assert processes.contents(out) == processes.contents(tmp_path / "expected")
