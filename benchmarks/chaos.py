"""The worst day of the decision service, by ``python benchmarks/service.py --chaos``: everything that goes wrong, together.

Two servers share a database. Clients decide and reward on small problems and repeat each request, with its key, until it is
answered. Meanwhile servers, processes of problems and PostgreSQL are killed, servers are frozen, disks are full, clients are
slow or read nothing, and a neighbour plays a large problem. In the end the database is compared with what was acknowledged; the
command fails if anything was lost, doubled or damaged, or comes out otherwise.
"""

import asyncio
import importlib.util
import os
import resource
import shutil
import signal
import socket
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from service import SPEC, Connection, Server, children, reward_of, said_before

from swapregret.serve.data.upkeep import check
from swapregret.serve.database import open_store
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.sessions.events import read_act

_PROBLEMS, _CLIENTS = 4, 8
_LARGE = {"set": "msets 1000 500", "horizon": 100_000, "preset": "multiscale"}
_TOO_LARGE = {"set": "msets 5000 2500", "horizon": 100_000}
_LIMITS = ("--lease", "2", "--snapshot-every", "200", "--limit", "create_seconds=20")


class Day:
    """What was acknowledged, how long it took, and what went wrong meanwhile."""

    def __init__(self, servers: list[Server], postgres: Any) -> None:
        self.servers, self.postgres = servers, postgres
        self.made: dict[str, dict[int, list[Any]]] = {}
        self.rewards: dict[str, float] = {}
        self.seconds: list[float] = []
        self.troubles: Counter[str] = Counter()
        self.is_over = False

    async def surely(self, lines: list[Connection], path: str, body: Any) -> Any:
        """Send a request with one key to one server or the other until it is answered."""
        key, started, turn = os.urandom(12).hex(), time.perf_counter(), int.from_bytes(os.urandom(1), "big")
        while True:
            line = lines[turn % 2]
            try:
                status, answer = await asyncio.wait_for(line.post(path, body, key), 15.0)
                if status < 400:
                    self.seconds.append(time.perf_counter() - started)
                    return answer
                assert status in (408, 409, 429, 500, 503), (path, answer)
                self.troubles[f"answers {status}"] += 1
                turn += status != 429
                line.close()
            except (OSError, EOFError, TimeoutError, IndexError, asyncio.IncompleteReadError):
                line.close()
                turn += 1
            await asyncio.sleep(0.05)

    async def client(self, problem: str, place: int) -> None:
        """Decide and reward on one problem, with masks, contexts and ids of one's own, until the day is over."""
        lines, number = [Connection(each.port) for each in self.servers], 0
        while not self.is_over:
            said, number = said_before(place, number), number + 1
            (decision,) = (await self.surely(lines, f"/problems/{problem}/decisions", said))["decisions"]
            self.made[problem].setdefault(decision["day"], []).append((decision["elements"], said))
            reward = {"reward": reward_of(decision)}
            if "id" in said:
                await self.surely(lines, f"/problems/{problem}/rewards", {"rewards": [{"id": said["id"]} | reward]})
            else:
                await self.surely(lines, f"/decisions/{decision['id']}/reward", reward)
            self.rewards[decision["id"]] = reward_of(decision)
            await asyncio.sleep(0.02)

    async def neighbour(self) -> None:
        """Make problems that are too large, play one that is large, and read logs, over and over."""
        while not self.is_over:
            line = Connection(self.servers[0].port)
            with suppress(OSError, EOFError, IndexError, KeyError, ValueError):
                await line.post("/problems", _TOO_LARGE)
                large = (await line.post("/problems", _LARGE))[1]["id"]
                for _ in range(20):
                    made = (await line.post(f"/problems/{large}/decisions", {"count": 50}))[1]["decisions"]
                    items = [{"decision": each["id"], "reward": 0.5} for each in made]
                    await line.post(f"/problems/{large}/rewards", {"rewards": items})
                self.troubles["large problems played"] += 1
            line.close()
            await asyncio.sleep(0.5)

    async def slow(self, problem: str) -> None:
        """Open connections that say half a head, or follow a problem and read nothing."""
        head = f"GET /problems/{problem}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
        while not self.is_over:
            held = []
            for place in range(100):
                with suppress(OSError):
                    held.append(socket.create_connection(("127.0.0.1", self.servers[place % 2].port), timeout=1.0))
                    held[-1].sendall(head + (b"\r\n" if place % 4 else b""))
            self.troubles["slow clients"] += len(held)
            await asyncio.sleep(3.0)
            for each in held:
                each.close()

    async def fire(self, seconds: float, rng: np.random.Generator) -> None:
        """Kill, freeze and fill, one after another."""
        kinds = [self.kill, self.freeze, self.kill_below, self.fill]
        kinds += [] if self.postgres is None else [self.kill_database]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(float(rng.uniform(0.5, 4.0)))
            kind = kinds[int(rng.integers(len(kinds)))]
            await kind(self.servers[int(rng.integers(2))], float(rng.uniform(0.5, 3.0)))
            self.troubles[kind.__name__.replace("_", " ")] += 1
            for each in self.servers:  # some of this ends a server, as its supervisor would notice
                if each.process.poll() is not None:
                    await asyncio.to_thread(each.start)

    async def kill(self, server: Server, _: float) -> None:
        """End a server as a loss of power would."""
        await asyncio.to_thread(server.end, signal.SIGKILL)

    async def freeze(self, server: Server, seconds: float) -> None:
        """Stop a server for a while, sometimes for longer than its lease."""
        server.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        server.process.send_signal(signal.SIGCONT)

    async def kill_below(self, server: Server, _: float) -> None:
        """Kill a process of a problem, or the one that makes them; by a handle, so that it can be no other's."""
        below = children(server.process.pid) if server.process.poll() is None else []
        if below:
            pid = below[int.from_bytes(os.urandom(2), "big") % len(below)]
            with suppress(ProcessLookupError):
                handle = os.pidfd_open(pid)
                if pid in children(server.process.pid):  # still ours, and the handle its
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                os.close(handle)
        await asyncio.sleep(0.3)

    async def fill(self, server: Server, seconds: float) -> None:
        """Let a server find the disk full, or PostgreSQL with all its processes."""
        writer = server.process.pid if self.postgres is None else self.postgres.pid()
        for most in (4096, resource.RLIM_INFINITY):
            for pid in (writer, *children(writer)) if self.postgres is not None else (writer,):
                with suppress(ProcessLookupError, PermissionError):
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            await asyncio.sleep(seconds)
        if self.postgres is not None and not self.postgres.is_alive():  # without a disk it may end
            await asyncio.to_thread(self.postgres.start)

    async def kill_database(self, _: Server, seconds: float) -> None:
        """Crash the database, and bring it back."""
        await asyncio.to_thread(self.postgres.stop, "immediate")
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.postgres.start)


async def _play(day: Day, seconds: float, rng: np.random.Generator) -> None:
    lines = [Connection(each.port) for each in day.servers]
    spec = SPEC | {"preset": "multiscale"}
    problems = [str((await day.surely(lines, "/problems", spec))["id"]) for _ in range(_PROBLEMS)]
    day.seconds.clear()
    day.made = {each: {} for each in problems}
    load = [asyncio.create_task(day.client(problems[place % _PROBLEMS], place)) for place in range(_CLIENTS)]
    bad = [asyncio.create_task(each) for each in (day.neighbour(), day.slow(problems[0]))]
    await day.fire(seconds, rng)
    day.is_over = True
    await asyncio.wait_for(asyncio.gather(*load), 120.0)
    for each in bad:
        each.cancel()
    await asyncio.gather(*bad, return_exceptions=True)


def _compare(day: Day, database: str) -> Counter[str]:
    """Count what was acknowledged and is not there, what is there and nobody was told, and what comes out otherwise."""
    store = open_store(database)
    found: Counter[str] = Counter(damaged=len(check(store)))
    for problem, made in day.made.items():
        events = list(store.events(problem))
        session: Any = Problem(ProblemSpec.model_validate_json(store.problem(problem).spec), 1000).new_session()
        acts = {event.day for event in events if event.kind == "act"}
        rewards = {f"{problem}.{event.day}": float(str(event.value)) for event in events if event.kind == "reward"}
        told = {id: value for id, value in day.rewards.items() if id.startswith(problem + ".")}
        found["decisions"] += len(made)
        found["rewards"] += len(told)
        found["lost"] += len(set(made) - acts) + sum(rewards.get(id) != value for id, value in told.items())
        found["doubled"] += len(acts - set(made)) + sum(len(each) - 1 for each in made.values())
        found["doubled"] += len(set(rewards) - set(told))
        held = {}
        for event in events:
            if event.kind == "act":
                told = read_act(event.value, session.player.actions.dimension)
                said = {"without": told.missing, "context": told.note.context, "id": told.note.id}
                held[event.day] = session.act(**said)
                said = {name: [*value] if name == "without" else value for name, value in said.items() if value}
                found["otherwise"] += [(list(held[event.day].elements), said)] != made.get(event.day)
            else:
                session.observe(float(str(event.value)), held.pop(event.day))
    store.close()
    return found


def chaos(minutes: float, on_postgres: bool, rng_seed: int) -> None:
    """Play the worst day, and print what came of it."""
    folder = Path(tempfile.mkdtemp(prefix="swapregret-chaos-"))
    postgres: Any = None
    try:
        if on_postgres:
            here = Path(__file__).parents[1] / "tests" / "serve" / "conftest.py"
            found: Any = importlib.util.spec_from_file_location("serve_conftest", here)
            module: Any = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
            programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))[-1].parent
            (folder / "db").mkdir()
            folder.chmod(0o755)
            if os.geteuid() == 0:
                shutil.chown(folder / "db", "postgres", "postgres")
            postgres = module.Postgres(folder / "db", programs)
            postgres.start()
        database = postgres.url if on_postgres else f"sqlite:///{folder}/service.db"
        servers = [Server(database, *_LIMITS) for _ in range(2)]
        day = Day(servers, postgres)
        try:
            asyncio.run(_play(day, 60.0 * minutes, np.random.default_rng(rng_seed)))
        finally:
            for each in servers:
                each.process.kill()
                each.process.wait()
        p50, p99 = (1e3 * float(np.quantile(day.seconds, part)) for part in (0.5, 0.99))
        print("what went wrong:", ", ".join(f"{count:,} × {name}" for name, count in sorted(day.troubles.items())))
        came = _compare(day, database)
        print("what came of it:", ", ".join(f"{name} {count:,}" for name, count in came.items()))
        print(f"from the first try to the answer: p50 {p50:.1f} ms, p99 {p99:.0f} ms, longest {max(day.seconds):.1f} s")
    finally:
        if postgres is not None:
            postgres.stop("immediate")
        shutil.rmtree(folder)
    if wrong := [name for name in ("lost", "doubled", "damaged", "otherwise") if came[name]]:
        raise SystemExit(f"nothing must be {' or '.join(wrong)}")
