"""Processes killed at random moments: no acknowledged observation is lost, and play goes on as if nothing had been.

A server process imports the library once and forks a player for every round; the player acknowledges each call on a pipe
after it has returned, and is killed by its number. `make test-crash` does 200 rounds instead of 20.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.sessions import session as session_module
from swapregret.sessions.session import Session

CRASHES = int(os.environ.get("SWAPREGRET_CRASHES", "20"))
PATIENCE = 60.0

SERVER = """
import json, os, sys
import numpy as np
import swapregret as sr
from swapregret.sessions import session as session_module
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule

session_module._SNAPSHOT_EVERY = 40
player = swap_combcp(sr.MSets(5, 2), 1000, preset="multiscale", schedule=Schedule([2, 4, 12]))

def tell(*words):
    os.write(1, (json.dumps(words) + "\\n").encode())

def reward(decision):
    return float(np.random.default_rng([decision.day, *decision.action]).random())

def play(path, days):
    session = sr.Session(player, rng=7, journal=path, max_open=2)
    while session.day < days:
        if len(session.open_decisions) < 2:
            tell("act", session.act().day)
            continue
        decision = session.open_decisions[session.day % 2]
        if decision.day % 6 == 5:
            session.skip(decision)
        else:
            session.observe(reward(decision), decision)
        tell("close", decision.day)

def save(path, days):
    session = sr.Session(player, rng=7)
    while True:
        session.act()
        session.observe(0.5)
        session.save(path)
        tell("save", session.day)

warm = sr.Session(player, rng=1)  # compiled code is loaded before the first fork
for _ in range(30):
    warm.observe(reward(warm.act()))
tell("ready")
for line in sys.stdin:
    job, path, days = json.loads(line)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            {"play": play, "save": save}[job](path, days)
            code = 0
        finally:
            os._exit(code)
    tell("pid", child)
    _, status = os.waitpid(child, 0)
    tell("dead", status)
"""


class Server:
    """The server process and the lines it and its children send."""

    def __init__(self) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(sr.__file__).parents[1])}
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._selector = selectors.DefaultSelector()
        assert self.process.stdout is not None
        self._selector.register(self.process.stdout, selectors.EVENT_READ)
        self._rest = b""

    def lines(self, seconds: float) -> Iterator[list[object]]:
        """Yield messages for that long."""
        end = time.monotonic() + seconds
        assert self.process.stdout is not None
        while True:
            while b"\n" in self._rest:
                line, _, self._rest = self._rest.partition(b"\n")
                yield json.loads(line)
            left = end - time.monotonic()
            if left <= 0 or not self._selector.select(left):
                return
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return
            self._rest += data

    def wait_for(self, word: str) -> tuple[list[list[object]], object]:
        """Return all messages up to one that begins with the word, and what that one says."""
        before: list[list[object]] = []
        for message in self.lines(PATIENCE):
            if message[0] == word:
                return before, message[-1]
            before.append(message)
        raise AssertionError(f"no {word!r} within {PATIENCE} seconds; got {before[-3:]}")

    def round(self, job: str, path: Path, days: int, seconds: float) -> tuple[list[list[object]], int]:
        """Let a child work for that long, kill it, and return its acknowledgements and how it died."""
        assert self.process.stdin is not None
        self.process.stdin.write((json.dumps([job, str(path), days]) + "\n").encode())
        self.process.stdin.flush()
        early, pid = self.wait_for("pid")
        acknowledged = early
        for message in self.lines(seconds):
            if message[0] == "dead":
                return acknowledged, int(message[1])  # type: ignore[call-overload]
            acknowledged.append(message)
        os.kill(int(pid), signal.SIGKILL)  # type: ignore[call-overload]  # not yet reaped: nobody else can have the number
        late, status = self.wait_for("dead")
        return acknowledged + late, int(status)  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Start the server once; end it by closing its input."""
    made = Server()
    try:
        made.wait_for("ready")
        yield made
    finally:
        made.process.stdin.close()  # type: ignore[union-attr]
        try:
            made.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            made.process.kill()
            made.process.wait()
        made.process.stdout.close()  # type: ignore[union-attr]


def uninterrupted(n_events: int) -> Session:
    """Play what the children play, in one go: the state after that many calls."""
    player = swap_combcp(sr.MSets(5, 2), 1000, preset="multiscale", schedule=Schedule([2, 4, 12]))
    session = Session(player, rng=7, max_open=2)
    for _ in range(n_events):
        if len(session.open_decisions) < 2:
            session.act()
            continue
        decision = session.open_decisions[session.day % 2]
        if decision.day % 6 == 5:
            session.skip(decision)
        else:
            session.observe(float(np.random.default_rng([decision.day, *decision.action]).random()), decision)
    return session


def test_no_acknowledged_event_is_lost(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every kill the journal holds each acknowledged call, and is byte for byte an uninterrupted session."""
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", 40)
    rng = np.random.default_rng(CRASHES)
    n_killed, n_journals, n_events, path = 0, 0, 0, tmp_path / "journal-0"
    deadline = time.monotonic() + 10.0 * CRASHES
    while n_killed < CRASHES:
        assert time.monotonic() < deadline, "the rounds take too long"
        seconds = float(rng.choice([0.0, 0.002, 0.05])) + float(rng.exponential(0.02))
        acknowledged, status = server.round("play", path, 600, seconds)
        n_events += len(acknowledged)
        assert all(message[0] in ("act", "close") for message in acknowledged)
        if path.exists() and path.stat().st_size > 0:
            session = Session.load(path)
            found = 2 * session.day + len(session.open_decisions)
            assert found >= n_events, f"{n_events} calls were acknowledged, the journal has {found}"
            assert found <= n_events + 1, "one call at most can be on disk and not acknowledged"
            assert session.snapshot() == uninterrupted(found).snapshot()
            n_events = found
        else:
            assert n_events == 0
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            n_killed += 1
        else:
            assert os.WEXITSTATUS(status) == 0, "a child failed by itself"
            assert Session.load(path).day == 600
            n_journals += 1
            n_events, path = 0, tmp_path / f"journal-{n_journals}"
    last = Session(
        swap_combcp(sr.MSets(5, 2), 1000, preset="multiscale", schedule=Schedule([2, 4, 12])),
        rng=7,
        journal=path,
        max_open=2,
    )
    assert last.snapshot() == uninterrupted(n_events).snapshot()
    last.close()


def test_a_save_that_is_killed_leaves_a_whole_file(server: Server, tmp_path: Path) -> None:
    """However a process dies while it saves again and again, the file is one of those it wrote, no older than acknowledged."""
    path = tmp_path / "file"
    rng = np.random.default_rng(1)
    for _ in range(max(4, CRASHES // 5)):
        path.unlink(missing_ok=True)
        acknowledged, status = server.round("save", path, 0, 0.03 + float(rng.exponential(0.03)))
        assert os.WIFSIGNALED(status)
        if acknowledged:
            assert int(acknowledged[-1][1]) <= Session.load(path).day <= int(acknowledged[-1][1]) + 1  # type: ignore[call-overload]
