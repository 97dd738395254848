"""A service as a process of its own on loopback, with SQLite or PostgreSQL behind it, and clients for it."""

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

PATIENCE = 60.0


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Served:
    """A server process; killed or ended by its number, started again on the same database."""

    def __init__(self, database: str, *options: str) -> None:
        self.database, self.options, self.port = database, options, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(sr.__file__).parents[1])}
        command = [sys.executable, "-m", "swapregret", "serve", "--port", str(self.port), "--database", self.database]
        self.process = subprocess.Popen(
            [*command, *self.options], env=environment, stdout=self.log, stderr=self.log, text=True
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if httpx.get(self.url + "/health").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.stop()
        raise AssertionError(f"the server did not start: {self.text()}")

    def text(self) -> str:
        """Return what the server logged."""
        self.log.seek(0)
        return self.log.read()

    def kill(self) -> None:
        """End the server as a loss of power would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End the server politely, and insist if it does not listen."""
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Return a function that starts servers; all are ended after the test."""
    started: list[Served] = []

    def start(*options: str, database: str | None = None) -> Served:
        started.append(Served(database or f"sqlite:///{tmp_path}/service.db", *options))
        return started[-1]

    yield start
    for each in started:
        each.stop()
        each.log.close()


@pytest.fixture
def server(serve: Callable[..., Served]) -> Served:
    """Return a server on a new SQLite database."""
    return serve()


@pytest.fixture
def http(server: Served) -> Iterator[httpx.Client]:
    """Return a plain HTTP client of the server."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield client


def make(client: httpx.Client, **spec: Any) -> str:
    """Make a problem, and return its id."""
    answer = client.post("/problems", json={"set": "msets 5 2", "horizon": 1000, "preset": "multiscale", "seed": 7} | spec)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def decide(client: httpx.Client, problem: str, count: int = 1) -> list[dict[str, Any]]:
    """Make decisions."""
    answer = client.post(f"/problems/{problem}/decisions", json={"count": count})
    assert answer.status_code == 201, answer.text
    found: list[dict[str, Any]] = answer.json()["decisions"]
    return found


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
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=PATIENCE)
        assert done.returncode == 0, done.stderr + done.stdout

    def start(self) -> None:
        """Start the database, and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._run("pg_ctl", "-D", str(self.folder), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

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
