"""Servers killed under load, databases that go away, disks that are full: nothing answered is lost, nothing counts twice."""

import asyncio
import contextlib
import os
import resource
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import httpx
import numpy as np
import pytest

from swapregret.client import AsyncClient
from swapregret.serve.database import open_store
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.sessions.events import read_act

pytestmark = pytest.mark.serve
Served = Any

CLIENTS = 16
KILLS = int(os.environ.get("SWAPREGRET_KILLS", "10"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def running(request: pytest.FixtureRequest, serve: Callable[..., Served]) -> Iterator[Served]:
    """Return a server with a database of each kind, which writes snapshots often."""
    url = request.getfixturevalue("postgres").url if request.param == "postgres" else None
    return serve(url, snapshot_every=5, lease_seconds=2)


def reward_of(decision: dict[str, Any]) -> float:
    """Return the reward of a decision: always the same."""
    return float(np.random.default_rng([decision["day"], *decision["elements"]]).random())


def said_before(client: int, number: int) -> dict[str, Any]:
    """Return what a client says before a decision: an id of its own, and now and then a context and what is missing."""
    said: dict[str, Any] = {"id": f"{client}-{number}"}
    said |= {"context": ("phone", "desk", 7)[client % 3]} if number % 3 else {}
    return said | ({"without": [number % 5]} if number % 4 == 1 else {})


class Load:
    """Many clients that decide and reward at once, and what was acknowledged to them."""

    def __init__(self, url: str, problem: str) -> None:
        self.decisions: list[dict[str, Any]] = []
        self.said: dict[int, dict[str, Any]] = {}
        self.rewards: dict[str, float] = {}
        self._is_over = False
        self._url, self._problem = url, problem
        self._task = asyncio.gather(*map(self._one, range(CLIENTS)))

    async def _one(self, place: int) -> None:
        async with AsyncClient(self._url, tries=200) as client:
            for number in count():
                if self._is_over:
                    return
                said = said_before(place, number)
                (decision,) = (await client.decide(self._problem, **said))["decisions"]
                self.decisions.append(decision)
                self.said[decision["day"]] = said
                await client.reward(decision["id"], reward_of(decision))
                self.rewards[decision["id"]] = reward_of(decision)

    async def more(self, count: int) -> None:
        """Wait until so many more rewards were acknowledged."""
        wanted, end = len(self.rewards) + count, time.monotonic() + 30.0
        while len(self.rewards) < wanted:
            assert time.monotonic() < end, "the load came to a halt"
            await asyncio.sleep(0.001)

    async def finish(self) -> tuple[list[dict[str, Any]], dict[str, float], dict[int, dict[str, Any]]]:
        """End the load, and return what was acknowledged, and what was said before each decision."""
        self._is_over = True
        await self._task
        return self.decisions, self.rewards, self.said


def check(
    server: Served,
    problem: str,
    decisions: list[dict[str, Any]],
    rewards: dict[str, float],
    said: dict[int, dict[str, Any]] | None = None,
) -> None:
    """Compare the database with what was acknowledged, and with a session that nobody interrupted."""
    store = open_store(server.database)
    events = list(store.events(problem))
    spec = ProblemSpec.model_validate_json(store.problem(problem).spec)
    store.close()
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    made = [event for event in events if event.kind == "act"]
    closed = {f"{problem}.{event.day}": float(str(event.value)) for event in events if event.kind == "reward"}
    assert len(closed) == sum(event.kind == "reward" for event in events)
    assert sorted(each["day"] for each in decisions) == [event.day for event in made]
    assert closed == rewards
    session = Problem(spec, 100).new_session()
    held, elements = {}, {each["day"]: each["elements"] for each in decisions}
    for event in events:
        if event.kind == "act":
            asked = {} if said is None else said[event.day]
            held[event.day] = decision = session.act(**asked)
            written = read_act(event.value, 5)
            assert (written.missing, written.note) == (tuple(asked.get("without", ())), decision.note)
            assert list(decision.elements) == elements[event.day]
        else:
            session.observe(float(str(event.value)), held.pop(event.day))
    (following,) = server.decide(problem)
    assert following["elements"] == list(session.act().elements)


def test_killed_under_load(running: Served) -> None:
    """However often the server is killed, every acknowledged call is there once, and decisions go on bit for bit."""
    problem = running.make()

    async def play() -> Any:
        load = Load(running.url, problem)
        for round in range(KILLS):
            await load.more(10 + 4 * (round % 10))
            await asyncio.to_thread(running.kill)
            await asyncio.to_thread(running.start)
        await load.more(10)
        return await load.finish()

    check(running, problem, *asyncio.run(play()))


@pytest.mark.postgres
def test_the_database_restarts_under_load(serve: Callable[..., Served], postgres: Any) -> None:
    """PostgreSQL crashes and comes back: requests in between are told so, and play goes on as if nothing had been."""
    running = serve(postgres.url)
    problem = running.make()

    async def play() -> Any:
        load = Load(running.url, problem)
        await load.more(40)
        await asyncio.to_thread(postgres.stop, "immediate")
        refused = await asyncio.to_thread(running.http.get, "/health")
        assert refused.status_code == 503
        assert "database must be there" in refused.json()["error"]["must"]
        await asyncio.to_thread(postgres.start)
        await load.more(40)
        return await load.finish()

    check(running, problem, *asyncio.run(play()))


def test_a_full_disk_is_said_and_survived(serve: Callable[..., Served]) -> None:
    """While nothing can be written, requests get 503 with the reason; afterwards play goes on bit for bit."""
    running = serve()
    problem = running.make()
    decisions = running.decide(problem, 5)
    path = running.database.removeprefix("sqlite:///") + "-wal"
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (os.path.getsize(path), resource.RLIM_INFINITY))
    refused = [running.post(f"/problems/{problem}/decisions", {"count": 200}) for _ in range(5)][-1]
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "1"
    assert "full" in refused.json()["error"]["came"] or "disk" in refused.json()["error"]["came"]
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    decisions += running.decide(problem, 3)
    rewards = {each["id"]: reward_of(each) for each in decisions}
    for id, reward in rewards.items():
        assert running.post(f"/decisions/{id}/reward", {"reward": reward}).status_code == 200
    check(running, problem, decisions, rewards)


def test_one_process_serves_a_problem(serve: Callable[..., Served]) -> None:
    """A second process says who serves a problem, takes over when the first is silent, and the first then writes nothing."""
    first = serve(lease_seconds=1)
    second = serve(first.database, lease_seconds=1)
    problem = first.make()
    decisions = first.decide(problem, 2)
    refused = second.post(f"/problems/{problem}/decisions")
    assert refused.status_code == 409
    assert str(first.port) in refused.json()["error"]["came"]
    assert second.http.get(f"/problems/{problem}").json()["served_by"].endswith(str(first.port))
    _stop_between_writes(first)
    try:
        answer = _until(lambda: second.post(f"/problems/{problem}/decisions"), 201)
        decisions += answer.json()["decisions"]
    finally:
        os.kill(first.pid, signal.SIGCONT)
    refused = first.post(f"/problems/{problem}/decisions")
    assert refused.status_code == 409, refused.text
    rewards = {each["id"]: reward_of(each) for each in decisions}
    for id, reward in rewards.items():
        assert second.post(f"/decisions/{id}/reward", {"reward": reward}).status_code == 200
    second.stop()
    assert _until(lambda: first.http.get(f"/problems/{problem}/view"), 200).json()["totals"]["n_rewards"] == 3
    check(first, problem, decisions, rewards)


def _stop_between_writes(server: Served) -> None:
    """Stop a server while it writes nothing: stopped in the middle of a write it would hold SQLite's lock."""
    path, end = server.database.removeprefix("sqlite:///"), time.monotonic() + 20
    while True:
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(0.05)  # a signal takes its time
        try:
            with contextlib.closing(sqlite3.connect(path, timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError:
            os.kill(server.pid, signal.SIGCONT)
            assert time.monotonic() < end, "the server never stops writing"
            time.sleep(0.01)


def _until(call: Callable[[], httpx.Response], status: int) -> httpx.Response:
    """Call again and again until the answer has that status."""
    end = time.monotonic() + 20
    while (answer := call()).status_code != status and time.monotonic() < end:
        time.sleep(0.1)
    assert answer.status_code == status, answer.text
    return answer
