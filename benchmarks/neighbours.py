"""Latencies on a small problem beside neighbours, by ``python benchmarks/service.py --neighbours``.

Two clients decide and reward on a small problem: alone, while problems that are too large are tried out, while a large one is
played, while 30 logs are asked for, and while 2,000 streams are opened that nobody reads.
"""

import asyncio
import resource
import socket
import tempfile
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
from service import Connection, Server, _make, children, reward_of

_EDGES = [(i, j, a) for i in range(50) for j in range(50) for a in (0, 1) if i + a < 50 and j + 1 - a < 50]
_GRID = {
    "kind": "paths",
    "edges": [[f"{i},{j}", f"{i + a},{j + 1 - a}"] for i, j, a in _EDGES],
    "source": "0,0",
    "sink": "49,49",
}
_LARGE = {"set": "msets 1000 500", "horizon": 100_000, "preset": "multiscale"}


class _Beside:
    def __init__(self, port: int) -> None:
        self.port, self.phase, self.is_over = port, "alone", False
        self.seconds: dict[str, list[float]] = {}

    async def client(self, problem: str) -> None:
        line = Connection(self.port)
        while not self.is_over:
            (made,) = (await self.timed(line, f"/problems/{problem}/decisions", {"count": 1}))["decisions"]
            await self.timed(line, f"/decisions/{made['id']}/reward", {"reward": reward_of(made)})
        line.close()

    async def timed(self, line: Connection, path: str, body: object) -> dict[str, Any]:
        phase, started = self.phase, time.perf_counter()
        status, answer = await line.post(path, body)
        assert status < 400, answer
        self.seconds.setdefault(phase, []).append(time.perf_counter() - started)
        return dict(answer)

    async def tried(self, spec: object) -> str:
        line = Connection(self.port)
        status, answer = await line.post("/problems", spec)
        line.close()
        return f"{status}: {answer['error']['must']}" if status >= 400 else str(answer["id"])

    async def played(self, problem: str) -> None:
        line = Connection(self.port)
        for _ in range(40):
            made = (await line.post(f"/problems/{problem}/decisions", {"count": 50}))[1]["decisions"]
            items = [{"decision": each["id"], "reward": 0.5} for each in made]
            await line.post(f"/problems/{problem}/rewards", {"rewards": items})
        line.close()

    async def log(self, problem: str) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"GET /problems/{problem}/log HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        status = (await reader.readexactly(12))[9:].decode()
        while await reader.read(1 << 16):
            pass
        writer.close()
        return status


async def _run(server: Server) -> None:
    small = await _make(server.port)
    beside, loop = _Beside(server.port), asyncio.get_running_loop()
    load = asyncio.gather(*(beside.client(small) for _ in range(2)))
    await asyncio.sleep(5.0)
    beside.phase = "two too large are tried out"
    specs = [{"set": "msets 5000 2500", "horizon": 10_000}, {"set": _GRID, "horizon": 10_000}]
    print("refused:", await asyncio.gather(*(beside.tried(each) for each in specs)))
    large = await beside.tried(_LARGE)
    beside.phase = "a large one is played"
    await beside.played(large)
    beside.phase = "30 logs are asked for"
    print("logs by status:", dict(Counter(await asyncio.gather(*(beside.log(small) for _ in range(30))))))
    beside.phase, held = "2,000 streams hang", []
    request = f"GET /problems/{small}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with suppress(OSError):
        for _ in range(2_000):
            held.append(socket.socket())
            held[-1].setblocking(False)
            await loop.sock_connect(held[-1], ("127.0.0.1", server.port))
            await loop.sock_sendall(held[-1], request)
    await asyncio.sleep(5.0)
    beside.is_over = True
    await load
    for each in held:
        each.close()
    print("| while | requests | p50 ms | p99 ms |\n| --- | --- | --- | --- |")
    for phase, found in beside.seconds.items():
        p50, p99 = (1e3 * float(np.quantile(found, part)) for part in (0.5, 0.99))
        print(f"| {phase} | {len(found):,} | {p50:.1f} | {p99:.1f} |")
    print(f"MB of the server and its processes: {_megabytes(server.process.pid):.0f}")


def _megabytes(pid: int) -> float:
    total = 0
    for each in (pid, *children(pid)):
        with suppress(OSError), open(f"/proc/{each}/smaps_rollup", encoding="ascii") as handle:
            total += sum(int(line.split()[1]) for line in handle if line.startswith("Pss:"))
    return total / 1e3


def neighbours() -> None:
    """Start a server, and print the table."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(f"sqlite:///{folder}/service.db")
        try:
            asyncio.run(_run(server))
        finally:
            server.end()
