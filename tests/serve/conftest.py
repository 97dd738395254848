"""A service as a process of its own on loopback, with SQLite or PostgreSQL behind it, and clients for it."""

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import swapregret as sr

PATIENCE = 240.0

_found = importlib.util.spec_from_file_location("browsers", Path(__file__).parents[1] / "browser" / "conftest.py")
assert _found is not None
assert _found.loader is not None
_browsers = importlib.util.module_from_spec(_found)
_found.loader.exec_module(_browsers)
chromium, browser = _browsers.chromium, _browsers.browser


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


NURSERY = """
import json, os, resource, signal, sys, threading
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are gone at once
import swapregret as sr
from swapregret.serve.app import run_server
from swapregret.sessions.feedback import RewardReader
from swapregret.serve.processes.history import History, regret_curve
from swapregret.serve import Settings

actions = sr.MSets(5, 2)
player = sr.swap_combcp(actions, 1000, preset="multiscale")
warm, history, reader = sr.Session(player, rng=1), History(actions, "bandit"), RewardReader(actions, "bandit")
for _ in range(60):
    decision = warm.act()
    history.decided(decision)
    warm.observe(0.5)
    history.rewarded(decision, 0.5, 0.5, reader)
warm.summary(), regret_curve(actions, history.samples()), sr.Session.from_bytes(warm.snapshot())
for each in threading.enumerate():  # what announces compiling ends when there is nothing more to compile
    if each is not threading.main_thread():
        each.join(60)
assert threading.active_count() == 1
print("ready", flush=True)
for line in sys.stdin:
    options, log = json.loads(line)
    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            for stream in (1, 2):
                os.dup2(handle, stream)
            if handles := options.pop("handles", None):
                resource.setrlimit(resource.RLIMIT_NOFILE, handles)
            run_server(Settings(**options))
        finally:
            os._exit(0)
    print(pid, flush=True)
"""


class Nursery:
    """A process that has loaded everything and forks servers, so that tests may start many."""

    def __init__(self) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(sr.__file__).parents[1])}
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def fork(self, options: dict[str, Any], log: Path) -> int:
        """Start a server, and return its number."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([options, str(log)]) + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def close(self) -> None:
        """End the process; servers are ended by who started them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Return the process that starts servers."""
    made = Nursery()
    yield made
    made.close()


class Served:
    """A server process; killed or ended by its number, started again on the same database."""

    def __init__(self, nursery: Nursery, log: Path, database: str, **settings: Any) -> None:
        self.database, self.port, self.log = database, free_port(), log
        self.url = f"http://127.0.0.1:{self.port}"
        self.pid = 0
        self._nursery, self._settings = nursery, settings
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE)
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self.pid = self._nursery.fork({"database": self.database, "port": self.port} | self._settings, self.log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.is_alive():
            try:
                if httpx.get(self.url + "/health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        self.kill()
        raise AssertionError(f"the server did not start: {self.text()}")

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Send a request, with headers such as ``idempotency_key``."""
        return self.http.post(path, json=body, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def make(self, **spec: Any) -> str:
        """Make a problem, and return its id."""
        answer = self.post("/problems", {"set": "msets 5 2", "horizon": 1000, "preset": "multiscale", "seed": 7} | spec)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def decide(self, problem: str, count: int = 1) -> list[dict[str, Any]]:
        """Make decisions."""
        answer = self.post(f"/problems/{problem}/decisions", {"count": count})
        assert answer.status_code == 201, answer.text
        found: list[dict[str, Any]] = answer.json()["decisions"]
        return found

    def text(self) -> str:
        """Return what the server logged."""
        return self.log.read_text(encoding="utf-8")

    def is_alive(self) -> bool:
        """Tell whether the process is there."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def peak(self) -> float:
        """Return the most bytes of memory the server has had."""
        return 1024.0 * int(Path(f"/proc/{self.pid}/status").read_text("ascii").split("VmHWM:")[1].split()[0])

    def kill(self) -> None:
        """End the server as a loss of power would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the server politely."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if not self.is_alive():
            return
        os.kill(self.pid, how)
        end = time.monotonic() + PATIENCE
        while self.is_alive():
            assert time.monotonic() < end, "the server does not end"
            time.sleep(0.005)


@pytest.fixture(scope="session")
def served() -> type[Served]:
    """Return the class of server processes."""
    return Served


@pytest.fixture
def serve(tmp_path: Path, nursery: Nursery) -> Iterator[Callable[..., Served]]:
    """Return a function that starts servers; all are ended after the test."""
    started: list[Served] = []

    def start(database: str | None = None, **settings: Any) -> Served:
        where = database or f"sqlite:///{tmp_path}/service.db"
        started.append(Served(nursery, tmp_path / f"{len(started)}.log", where, **settings))
        return started[-1]

    yield start
    for each in started:
        each.stop()
        each.http.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery) -> Iterator[Served]:
    """Return a server on a new SQLite database that the tests of a file share."""
    folder = tmp_path_factory.mktemp("shared")
    running = Served(nursery, folder / "log", f"sqlite:///{folder}/service.db")
    yield running
    running.stop()
    running.http.close()


# ---- PostgreSQL --------------------------------------------------------------------------------------------------


class Postgres:
    """Debian's PostgreSQL in a temporary folder on loopback, run as a user that is not root."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self.programs, self.port = folder, programs, free_port()
        self.url = f"postgresql://service@127.0.0.1:{self.port}/postgres"
        self._run("initdb", "-D", str(folder), "-U", "service", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/", timeout=PATIENCE)
        assert done.returncode == 0, done.stderr + done.stdout

    def start(self) -> None:
        """Start the database, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._run("pg_ctl", "-D", str(self.folder), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def pid(self) -> int:
        """Return the number of the process that all others come from."""
        return int((self.folder / "postmaster.pid").read_text("ascii").split()[0])

    def is_alive(self) -> bool:
        """Tell whether the database runs."""
        return (self.folder / "postmaster.pid").exists() and Path(f"/proc/{self.pid()}").exists()

    def stop(self, how: str = "fast") -> None:
        """End the database: ``fast``, or ``immediate`` as a crash would."""
        self._run("pg_ctl", "-D", str(self.folder), "-w", "-m", how, "stop")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Return a running PostgreSQL; a machine without one fails with what to do, because these tests must not pass unseen."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    program = shutil.which("initdb")
    if not found and program is None:
        pytest.fail("PostgreSQL is missing: `make test-serve` installs it, or says why it cannot.")
    programs = found[-1].parent if found else Path(str(program)).parent
    folder = Path(tempfile.mkdtemp(prefix="swapregret-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    try:
        database = Postgres(folder, programs)
        database.start()
        try:
            yield database
        finally:
            database.stop("immediate")
    finally:
        shutil.rmtree(folder)
