"""The decision service under load and under fire: pairs per second, latencies, kills, memory. Loopback only, bounded in time.

    python benchmarks/service.py                     throughput on SQLite, and on PostgreSQL with --postgres URL
    python benchmarks/service.py --kills 100         kill -9 under load from 16 clients, and compare with a session nobody killed
    python benchmarks/service.py --memory 1000000    resident memory over so many decisions
    python benchmarks/service.py --neighbours        latencies beside large problems, logs and streams (neighbours.py)
    python benchmarks/service.py --chaos             ten minutes of everything that goes wrong (chaos.py); fewer with --minutes

A pair is a decision and its reward, each a request that was committed before it was answered.
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from swapregret.serve.database import open_store
from swapregret.serve.problems import Problem, ProblemSpec

SPEC = {"set": "msets 10 3", "horizon": 1_000_000, "seed": 7}


class Server:
    """A server as people start it."""

    def __init__(self, database: str, *options: str) -> None:
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            self.port = int(held.getsockname()[1])
        self.database, self._options = database, options
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        command = [sys.executable, "-m", "swapregret", "serve", "--port", str(self.port), "--database", self.database]
        self.process = subprocess.Popen(
            [*command, *self._options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("the server did not start")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it."""
        self.process.send_signal(how)
        self.process.wait()

    def processor(self) -> float:
        """Return the seconds of processor that it and its processes have used."""
        total = 0
        for pid in (self.process.pid, *children(self.process.pid)):
            with suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as handle:
                user, system = handle.read().rsplit(")", 1)[1].split()[11:13]
                total += int(user) + int(system)
        return total / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Return its resident memory in megabytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as handle:
            return int(handle.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


class Connection:
    """One connection that stays open: as little client as possible, since it shares the machine with the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any, key: str = "") -> tuple[int, Any]:
        """Send a request, and return the status and the JSON of the answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = json.dumps(body).encode()
        keyed = f"Idempotency-Key: {key}\r\n" if key else ""
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{keyed}"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        headers = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(headers.split("content-length:")[1].split("\r\n")[0])
        return int(headers.split(" ", 2)[1]), json.loads(await reader.readexactly(length))

    async def surely(self, path: str, body: Any) -> Any:
        """Send a request until it is answered, with one key."""
        key = os.urandom(12).hex()
        while True:
            try:
                status, answer = await self.post(path, body, key)
                if status < 400:
                    return answer
                assert status == 503, answer
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self.close()
            await asyncio.sleep(0.02)

    def close(self) -> None:
        """Forget the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def children(pid: int) -> list[int]:
    """Return all processes below one, as they are at this moment."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return []
    return [each for child in map(int, listed) for each in (child, *children(child))]


def reward_of(decision: dict[str, Any]) -> float:
    """Return the reward of a decision: always the same, between 0 and 1."""
    return (decision["day"] * 7919 % 101 + sum(decision["elements"]) * 31 % 97) / 200.0


def said_before(client: int, number: int) -> dict[str, Any]:
    """Return what a client says before a decision: an id of its own, and now and then a context and what is missing."""
    said: dict[str, Any] = {"id": f"{client}-{number}"}
    said |= {"context": ("phone", "desk", 7)[client % 3]} if number % 3 else {}
    return said | ({"without": [number % 10]} if number % 4 == 1 else {})


async def _measure(port: int, problem: str, clients: int, batch: int, seconds: float) -> dict[str, Any]:
    times: list[float] = []
    n_pairs, end = 0, time.perf_counter() + seconds

    async def one() -> None:
        nonlocal n_pairs
        connection = Connection(port)
        while time.perf_counter() < end:
            started = time.perf_counter()
            status, answer = await connection.post(f"/problems/{problem}/decisions", {"count": batch})
            assert status == 201, answer
            made = answer["decisions"]
            times.append(time.perf_counter() - started)
            started = time.perf_counter()
            if batch == 1:
                status, answer = await connection.post(
                    f"/decisions/{made[0]['id']}/reward", {"reward": reward_of(made[0])}
                )
            else:
                items = [{"decision": each["id"], "reward": reward_of(each)} for each in made]
                status, answer = await connection.post(f"/problems/{problem}/rewards", {"rewards": items})
            assert status == 200, answer
            times.append(time.perf_counter() - started)
            n_pairs += batch
        connection.close()

    started = time.perf_counter()
    await asyncio.gather(*map(one, range(clients)))
    spent = time.perf_counter() - started
    p50, p99 = (1e3 * float(np.quantile(times, q)) for q in (0.5, 0.99))
    return {"pairs": n_pairs, "pairs_per_second": n_pairs / spent, "p50_ms": p50, "p99_ms": p99}


async def _make(port: int, **changes: Any) -> str:
    connection = Connection(port)
    status, answer = await connection.post("/problems", SPEC | changes)
    assert status == 201, answer
    for _ in range(50):  # compiled code is loaded, and the first days are over
        made = (await connection.post(f"/problems/{answer['id']}/decisions", {"count": 20}))[1]["decisions"]
        items = [{"decision": each["id"], "reward": reward_of(each)} for each in made]
        await connection.post(f"/problems/{answer['id']}/rewards", {"rewards": items})
    connection.close()
    return str(answer["id"])


def throughput(name: str, database: str, seconds: float) -> None:
    """Print pairs per second and latencies for 1, 8 and 32 clients, single and in batches of 200."""
    server = Server(database)
    try:
        for batch in (1, 200):
            for clients in (1, 8, 32):
                problem = asyncio.run(_make(server.port, max_open=10_000))
                before = server.processor()
                found = asyncio.run(_measure(server.port, problem, clients, batch, seconds))
                used = 1e3 * (server.processor() - before) / found["pairs"]
                speed, p50, p99 = found["pairs_per_second"], found["p50_ms"], found["p99_ms"]
                print(
                    f"| {name} | {clients} | {batch} | {speed:,.0f} | {p50:.1f} | {p99:.1f} | {used:.3f} |", flush=True
                )
    finally:
        server.end()


def kills(database: str, count: int, clients: int = 16) -> None:
    """Kill the server again and again under load; then compare the database with what was acknowledged and with a session."""
    server = Server(database, "--snapshot-every", "100", "--lease", "2")
    made: list[dict[str, Any]] = []
    rewards: dict[str, float] = {}

    async def play() -> str:
        problem = str((await Connection(server.port).surely("/problems", SPEC | {"preset": "multiscale"}))["id"])
        is_over = False

        async def one(place: int) -> None:
            connection, number = Connection(server.port), 0
            while not is_over:
                body, number = said_before(place, number), number + 1
                (decision,) = (await connection.surely(f"/problems/{problem}/decisions", body))["decisions"]
                made.append(decision | {"said": body})
                await connection.surely(f"/decisions/{decision['id']}/reward", {"reward": reward_of(decision)})
                rewards[decision["id"]] = reward_of(decision)
            connection.close()

        load = asyncio.gather(*map(one, range(clients)))
        rng = np.random.default_rng(0)
        for round in range(count):
            wanted = len(rewards) + int(rng.integers(1, 200))
            while len(rewards) < wanted:
                await asyncio.sleep(0.002)
            await asyncio.to_thread(server.end, signal.SIGKILL)
            await asyncio.to_thread(server.start)
            if (round + 1) % 10 == 0:
                print(f"{round + 1} kills, {len(rewards):,} pairs", flush=True)
        is_over = True
        await load
        return problem

    problem = asyncio.run(play())
    server.end()
    _compare(database, problem, made, rewards)
    print(
        f"{count} kills, {len(made):,} decisions: nothing lost, nothing twice, all actions as in a session nobody killed"
    )


def _compare(database: str, problem: str, made: list[dict[str, Any]], rewards: dict[str, float]) -> None:
    store = open_store(database)
    events = list(store.events(problem))
    session = Problem(ProblemSpec.model_validate_json(store.problem(problem).spec), 1000).new_session()
    store.close()
    assert sorted(each["day"] for each in made) == [event.day for event in events if event.kind == "act"]
    assert {f"{problem}.{e.day}": float(str(e.value)) for e in events if e.kind == "reward"} == rewards
    known, held = {each["day"]: each for each in made}, {}
    for event in events:
        if event.kind == "act":
            held[event.day] = session.act(**known[event.day]["said"])
            assert list(held[event.day].elements) == known[event.day]["elements"]
        else:
            session.observe(float(str(event.value)), held.pop(event.day))


def memory(database: str, total: int) -> None:
    """Print the resident memory of the server over many decisions, in batches of 500, and the size of the database on disk."""
    server = Server(database)

    async def play(report: Callable[[int], None]) -> None:
        problem = await _make(server.port)
        connection = Connection(server.port)
        for done in range(0, total, 500):
            made = (await connection.post(f"/problems/{problem}/decisions", {"count": 500}))[1]["decisions"]
            items = [{"decision": each["id"], "reward": reward_of(each)} for each in made]
            await connection.post(f"/problems/{problem}/rewards", {"rewards": items})
            if done % (total // 10) < 500:
                report(done)
        connection.close()

    try:
        asyncio.run(play(lambda done: print(f"{done:>10,} decisions: {server.resident():.0f} MB", flush=True)))
    finally:
        server.end()
    if database.startswith("sqlite"):
        size = Path(database.removeprefix("sqlite:///")).stat().st_size
        print(f"database: {size / 1e6:.1f} MB, {size / total:.0f} bytes per decision and its reward, with the snapshot")


def main() -> None:
    """Read the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", help="URL of a PostgreSQL database to measure as well")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--chaos", action="store_true", help="on PostgreSQL with --on-postgres")
    parser.add_argument("--minutes", type=float, default=10.0, help="of chaos")
    parser.add_argument("--on-postgres", action="store_true", help="a server of its own, which is killed too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--neighbours", action="store_true")
    given = parser.parse_args()
    if given.neighbours:
        from neighbours import neighbours

        neighbours()
        return
    if given.chaos:
        from chaos import chaos

        chaos(given.minutes, given.on_postgres, given.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        databases = {"SQLite": f"sqlite:///{folder}/service.db"} | (
            {"PostgreSQL": given.postgres} if given.postgres else {}
        )
        for name, database in databases.items():
            if given.kills:
                kills(database, given.kills)
            elif given.memory:
                memory(database, given.memory)
            else:
                print(
                    "| database | clients | batch | pairs per second | p50 ms | p99 ms | server's ms of processor per pair |"
                )
                print("| --- | --- | --- | --- | --- | --- | --- |")
                throughput(name, database, given.seconds)


if __name__ == "__main__":
    main()
