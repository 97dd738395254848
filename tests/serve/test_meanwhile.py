"""What the server does from time to time, and when the system gives it less than it asks for: nobody waits for another."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from swapregret.serve import Settings
from swapregret.serve.database import open_store
from swapregret.serve.keys import create_key
from swapregret.serve.processes.nursery import Gone
from swapregret.serve.processes.reading import Reading
from swapregret.serve.refusals import TooCostly
from swapregret.serve.service import Service

pytestmark = pytest.mark.serve
Served = Any
JSON = {"content-type": "application/json"}


def test_a_lease_does_not_outlive_a_failed_opening(serve: Callable[..., Served]) -> None:
    """A server that cannot open a problem says which limit is too small, and leaves the problem to others at once."""
    first = serve()
    problem = first.make(set="msets 1000 500")
    first.decide(problem)
    first.stop()
    small, other = serve(first.database, problem_memory=2), serve(first.database)
    refused = small.post(f"/problems/{problem}/decisions")
    assert refused.status_code == 413, refused.text
    assert "--limit problem_memory" in refused.json()["error"]["do"]
    assert other.decide(problem)[0]["day"] == 1


def test_a_refusal_for_memory_has_an_estimate(serve: Callable[..., Served]) -> None:
    """What a problem would need is said as far as it is known: how much it had and asked for when it was refused."""
    server = serve(problem_memory=150)
    refused = server.post("/problems", {"set": "msets 5000 2500"})
    assert refused.status_code == 413
    words = refused.json()["error"]["came"].split()
    assert (words[:2], words[-1]) == (["more", "than"], "MB"), refused.text
    assert 150 <= int(words[2].replace(",", "")) < 10_000


def test_a_process_that_is_ended_while_it_reads(tmp_path: Any) -> None:
    """It is made anew, since somebody may have ended it; one that ends each time, or says it has no memory, is refused."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    with store.transaction() as connection:
        store.add_problem(connection, "x", "x", {}, 0.0)
    counts = {"seq": 0, "n_decisions": 0, "n_rewards": 0, "n_defaults": 0, "n_skips": 0}

    def load(*troubles: Gone) -> tuple[int, Any]:
        """Return how many processes there were, and what came of them."""
        left, n_made = [*troubles], 0

        async def ask(seconds: float, name: str, *given: object) -> Any:
            if left:
                raise left.pop(0)
            return {"load": 0, "ready": counts}[name]

        async def spawn(memory: int) -> Any:
            nonlocal n_made
            n_made += 1
            return SimpleNamespace(ask=ask, shared=0, end=lambda: None)

        nursery: Any = SimpleNamespace(spawn=spawn)
        try:
            _, found = asyncio.run(Reading(store, Settings(), nursery).load(store.problem("x"), 0.0))
        except TooCostly as error:
            found = error.came
        return n_made, found

    assert load(Gone(), Gone()) == (3, counts)
    assert load(*[Gone()] * 9) == (5, "one whose process was ended, as happens without memory")
    assert load(Gone(2 * 10**9)) == (1, "more than 2,000 MB")
    store.close()


FORKLESS = """
import asyncio, os
real, n_forks = os.fork, 0
def fork():
    global n_forks
    n_forks += 1
    if n_forks == 2:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return real()
os.fork = fork
from swapregret.serve.processes.nursery import Nursery
from swapregret.serve.refusals import Unavailable
nursery = Nursery()
async def ask():
    try:
        await nursery.spawn(10**8)
    except Unavailable as error:
        print(error)
    child = await nursery.spawn(10**8)
    nursery.check()
    print(child.pid > 0)
    child.end()
asyncio.run(ask())
nursery.close()
"""


def test_a_fork_that_fails() -> None:
    """A process that the system does not allow fails the request that needed it; the next one gets its own."""
    done = subprocess.run([sys.executable, "-c", FORKLESS], check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["True"]), done.stderr
    assert "must allow another process" in done.stdout


def test_large_bodies_of_one_key_wait_for_each_other(serve: Callable[..., Served], tmp_path: Any) -> None:
    """Large bodies of one client are read one after another; that of another client does not wait for them."""
    store = open_store(f"sqlite:///{tmp_path}/service.db")
    keys = [{"Authorization": f"Bearer {create_key(store, 'admin', name)}"} for name in ("many", "one")]
    store.close()
    server, n_read = serve(), 0

    def send(size: int, key: dict[str, str]) -> None:
        nonlocal n_read
        with httpx.Client(base_url=server.url, timeout=60) as line:
            line.post("/problems", content=b" " * size, headers=JSON | key)
        n_read += 1

    senders = [threading.Thread(target=send, args=(900_000, keys[0])) for _ in range(40)]
    for each in senders:
        each.start()
    while n_read < 2:
        time.sleep(0.01)
    send(70_000, keys[1])
    assert n_read < 30
    for each in senders:
        each.join()


class Row(SimpleNamespace):
    """A problem that is due."""


@contextmanager
def service_of(tmp_path: Any) -> Iterator[Any]:
    """Return a service without processes."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    nursery: Any = SimpleNamespace(check=lambda: None)
    service: Any = Service(store, Settings(memory=10), nursery)
    yield service
    service.writer.stop()
    store.close()


class Lane:
    """A problem in memory, as the service looks at it."""

    def __init__(self, id: str, calls: list[str], *, due: float | None = None, used: float = 0.0) -> None:
        self.id, self.due, self.used, self._calls = id, due, used, calls
        self.is_gone = self.is_slow = self.is_busy = False
        self.child = SimpleNamespace(memory=lambda: 50_000_000)

    async def close(self) -> None:
        """Take long."""
        self._calls.append(f"close {self.id}")
        await asyncio.sleep(60)

    def leave(self, reason: Exception) -> None:
        """End at once."""
        self._calls.append(f"leave {self.id}")


def test_deadlines_do_not_wait_for_snapshots(tmp_path: Any) -> None:
    """While idle problems are written down before they leave, and others are opened, deadlines of others are kept."""

    async def play(service: Any) -> list[str]:
        calls: list[str] = []
        service.lanes = {"idle": Lane("idle", calls), "due": Lane("due", calls, due=0.0, used=service.now())}
        service.store.due = lambda now: [Row(id=name, owner=None, beat=0) for name in ("slow", "quick", "quick")]

        async def expire(id: str) -> None:
            calls.append(f"expire {id}")
            await asyncio.sleep(60 if id == "slow" else 0)

        service._expire = expire
        service.settings = Settings(idle_seconds=-1e9)
        service.lanes["due"].used = 1e18
        async with asyncio.timeout(20):
            await service._sweep()
            await service._adopt()
            await service._adopt()
            await asyncio.sleep(0.1)
        for each in service._meanwhile:
            each.cancel()
        return calls

    with service_of(tmp_path) as service:
        calls = asyncio.run(play(service))
    assert set(calls) == {"close idle", "expire due", "expire quick", "expire slow"}
    assert calls.count("expire slow") == 1


def test_a_problem_that_leaves_while_memory_is_short(tmp_path: Any) -> None:
    """A problem that is gone by itself, while room is made by letting another go, is no failure."""

    async def play(service: Any) -> list[str]:
        calls: list[str] = []
        service.lanes = {name: Lane(name, calls) for name in ("first", "second")}

        async def let_go(lane: Any) -> None:
            calls.append(lane.id)
            service.lanes.clear()

        service._let_go = let_go
        await service._keep_memory()
        return calls

    with service_of(tmp_path) as service:
        assert asyncio.run(play(service)) == ["first", "second"]


@pytest.mark.postgres
def test_a_network_that_is_gone_is_noticed(postgres: Any) -> None:
    """Connections to PostgreSQL ask for a sign of life, and wait half a minute for one at most."""
    store = open_store(postgres.url)
    with store.engine.connect() as connection:
        given = connection.connection.dbapi_connection.info.get_parameters()  # type: ignore[union-attr]
    store.close()
    assert int(given["tcp_user_timeout"]) < 30_000
    assert int(given["keepalives_idle"]) + int(given["keepalives_interval"]) * int(given["keepalives_count"]) < 30
