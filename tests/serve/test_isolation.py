"""Problems in processes of their own: none is in another's way, and what takes too much is refused or let go."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.serve import LIMITS, Settings

pytestmark = pytest.mark.serve
Served = Any

CELLS = [(i, j, a) for i in range(50) for j in range(50) for a in (0, 1) if i + a < 50 and j + 1 - a < 50]
GRID = {
    "kind": "paths",
    "edges": [[f"{i},{j}", f"{i + a},{j + 1 - a}"] for i, j, a in CELLS],
    "source": "0,0",
    "sink": "49,49",
}
"""Takes long, whatever the machine."""


def children(pid: int) -> list[int]:
    """Return the processes below a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [each for child in map(int, listed) for each in (child, *children(child))]


def until(holds: Callable[[], Any], seconds: float = 30.0) -> bool:
    """Wait until something holds, and tell whether it came to that."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_a_large_problem_is_in_nobodys_way(serve: Callable[..., Served]) -> None:
    """While a problem is tried out, others decide; one that takes too long is refused with the limit and its setting."""
    server = serve(create_seconds=8.0)
    small = server.make()
    server.decide(small)
    answers: list[httpx.Response] = []
    maker = threading.Thread(target=lambda: answers.append(server.post("/problems", {"set": GRID, "horizon": 1000})))
    maker.start()
    n_before = 0
    with httpx.Client(base_url=server.url, timeout=60) as other:
        while not answers:
            assert other.post(f"/problems/{small}/decisions").status_code == 201
            n_before += 1
            time.sleep(0.02)
    maker.join()
    assert n_before > 20
    assert answers[0].status_code == 413
    told = answers[0].json()["error"]
    assert "8 seconds" in told["must"]
    assert "--limit create_seconds" in told["do"]


def test_memory_has_a_limit(serve: Callable[..., Served]) -> None:
    """A problem that needs more memory than one may have is refused, with the setting that raises the limit."""
    server = serve(problem_memory=150)
    refused = server.post("/problems", {"set": "msets 5000 2500"})
    assert refused.status_code == 413, refused.text
    assert "--limit problem_memory" in refused.json()["error"]["do"]
    server.decide(server.make())


def test_a_decision_has_a_limit_of_time(serve: Callable[..., Served]) -> None:
    """A problem whose days take longer than one may is refused with what they take."""
    server = serve(decision_seconds=1e-6)
    refused = server.post("/problems", {"set": "msets 5 2", "preset": "multiscale", "horizon": 1000})
    assert refused.status_code == 413
    assert "about" in refused.json()["error"]["came"]
    assert "--limit decision_seconds" in refused.json()["error"]["do"]


def test_a_call_has_a_limit_of_time(serve: Callable[..., Served]) -> None:
    """A request that takes too long is refused, changes nothing, and the problem goes on without it."""
    server = serve(call_seconds=0.25, max_answer=10**8)
    problem = server.make(set="msets 2000 1000")
    refused = server.post(f"/problems/{problem}/decisions", {"count": 1000})
    assert refused.status_code == 413
    assert "--limit call_seconds" in refused.json()["error"]["do"]
    assert server.decide(problem)[0]["day"] == 0


def test_processes_that_are_killed(serve: Callable[..., Served]) -> None:
    """A problem whose process is killed goes on from what was committed; with the server all its processes end."""
    server = serve()
    problem = server.make()
    server.decide(problem, 3)
    (nursery,) = direct(server.pid)
    (worker,) = direct(nursery)
    os.kill(worker, signal.SIGKILL)
    assert server.decide(problem)[0]["day"] == 3
    below = children(server.pid)
    assert len(below) == 2
    server.kill()
    assert until(lambda: not any(Path(f"/proc/{each}").exists() for each in below))
    server.start()
    nursery = direct(server.pid)[0]
    os.kill(nursery, signal.SIGKILL)
    assert until(lambda: not server.is_alive()), "a server that can open no problem must end"


def direct(pid: int) -> list[int]:
    """Return the children of a process."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]


def test_idle_problems_leave_memory(serve: Callable[..., Served]) -> None:
    """A problem that nobody asks for leaves memory, with its deadlines kept; so does the oldest of too many."""
    server = serve(idle_seconds=0.5, max_live=2, lease_seconds=1.0)
    waits = server.make(deadline=3.0, default_reward=0.5)
    server.decide(waits)
    assert until(lambda: "swapregret_live_problems 0" in server.http.get("/metrics").text)
    assert until(lambda: server.http.get("/problems").json()[0]["n_defaults"] == 1)
    many = [server.make() for _ in range(4)]
    for each in many * 2:
        server.decide(each)
        assert float(server.http.get("/metrics").text.split("\nswapregret_live_problems ")[1].split("\n")[0]) <= 2
    assert [each["n_decisions"] for each in server.http.get("/problems").json()[:4]] == [2] * 4


def test_streams_and_logs_are_counted(serve: Callable[..., Served]) -> None:
    """More streams than there may be are refused, the others go on, and each that ends makes room."""
    server = serve(key_streams=2, logs=1)
    problem = server.make()
    path = f"/problems/{problem}/stream"
    with server.http.stream("GET", path) as first, server.http.stream("GET", path):
        assert first.status_code == 200
        refused = server.http.get(path)
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert refused.headers["connection"] == "close"
        assert len(server.decide(problem)) == 1

    def follows() -> bool:
        with server.http.stream("GET", path) as again:
            return bool(again.status_code == 200)

    assert until(follows)


def test_a_key_has_a_rate(serve: Callable[..., Served]) -> None:
    """Who asks more often than is allowed is told to wait."""
    server = serve(key_rate=1.0)
    found = [server.http.get("/problems").status_code for _ in range(15)]
    assert found[:8] == [200] * 8
    assert 429 in found


def test_a_default_that_does_not_fit_every_action(serve: Callable[..., Served]) -> None:
    """Where routes differ in length, a default reward closes those it fits, the others without one; none stays open."""
    server = serve()
    edges = [["s", "t"], ["s", "a"], ["a", "t"], ["a", "b"], ["b", "t"]]
    table = {"kind": "paths", "edges": edges, "source": "s", "sink": "t"}
    spec = {"set": table, "feedback": "semi-bandit", "deadline": 0.3, "preset": "multiscale"}
    refused = server.post("/problems", spec | {"horizon": 1000, "default_reward": [0.1] * 4})
    assert refused.status_code == 422
    problem = server.make(**spec, default_reward=[0.1, 0.1])
    lengths = [len(each["elements"]) for each in server.decide(problem, 40)]
    assert len(set(lengths)) > 1
    assert until(lambda: server.http.get(f"/problems/{problem}").json()["n_open"] == 0)
    shown = server.http.get(f"/problems/{problem}").json()
    assert (shown["n_defaults"], shown["n_skips"]) == (lengths.count(2), 40 - lengths.count(2))


def test_limits_on_the_command_line() -> None:
    """A limit is named and is a number above 0; all of them are on the page of the service."""
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text("utf-8")
    for name in LIMITS:
        default = getattr(Settings, name)
        shown = f"{int(default) if default == int(default) else default:,}"
        assert f"| `{name}` | {shown} |" in page, name
    for wrong in (
        "streams",
        "streams=",
        "streams=0",
        "streams=x",
        "streams=1.5",
        "key_rate=-1",
        "call_seconds=nan",
        "no=1",
    ):
        done = CliRunner().invoke(app, ["serve", "--limit", wrong, "--database", "sqlite:////nowhere/x.db"])
        assert done.exit_code == 2, wrong
        assert "must" in done.output
