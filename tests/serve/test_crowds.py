"""Many connections, requests that end in the middle, large bodies, many problems asked for at once: others are answered."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from swapregret.serve import Settings
from swapregret.serve.gate import Gate
from swapregret.serve.refusals import TooMany

pytestmark = pytest.mark.serve
Served = Any


def head(method: str, path: str, length: int, *more: str) -> bytes:
    """Return the head of a request that announces a body."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *more]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode()


def test_half_a_request_is_none(server: Served) -> None:
    """A request whose client goes away in the middle of its body changes nothing, and may be sent again with its key."""
    problem = server.make()
    path = f"/problems/{problem}/decisions"
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(head("POST", path, 12, "Idempotency-Key: half") + b'{"cou')
    again = server.post(path, {"count": 1}, idempotency_key="half")
    assert again.status_code == 201, again.text
    assert [each["day"] for each in again.json()["decisions"]] == [0]
    assert server.http.get(f"/problems/{problem}").json()["n_decisions"] == 1


@contextmanager
def crowd(server: Served, first: bytes, count: int) -> Iterator[None]:
    """Hold connections that have sent the same beginning of a request."""
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port))).sendall(first)
        yield


@pytest.mark.parametrize("method", ["GET", "POST", "nothing"])
def test_connections_that_send_no_more_make_room(serve: Callable[..., Served], method: str) -> None:
    """However many connections owe the rest of a request, new ones are answered, and what is being answered goes on."""
    server = serve(connections=40)
    problem = server.make()
    begun = b"" if method == "nothing" else head(method, "/health", 10**6) + b"x"
    with (
        httpx.Client(base_url=server.url, timeout=60) as other,
        other.stream("GET", f"/problems/{problem}/stream") as stream,
    ):
        lines = stream.iter_lines()
        next(lines)
        with crowd(server, begun, 400):
            for _ in range(5):
                assert httpx.get(server.url + "/health", timeout=60).status_code == 200
            server.http.close()
            server.http = httpx.Client(base_url=server.url, timeout=60)
            assert server.decide(problem)
            assert any(line == ": still here" or line.startswith("event") for line in lines)


@pytest.mark.parametrize("handles", [(300, 700), (300, 4096)])
def test_few_files_may_be_open(serve: Callable[..., Served], handles: tuple[int, int]) -> None:
    """Where the system allows few open files, the server takes all it may, has fewer connections, says so, and answers."""
    server = serve(handles=handles)
    assert ("connections, not 2000" in server.text()) == (handles[1] < 2000)
    with crowd(server, b"", 600 if handles[1] < 2000 else 900):
        for _ in range(3):
            assert httpx.get(server.url + "/health", timeout=60).status_code == 200
        server.http = httpx.Client(base_url=server.url, timeout=60)
        assert server.decide(server.make())


def test_large_bodies_let_others_through(server: Served) -> None:
    """While bodies of the largest size are read one after another, others decide in between."""
    problem = server.make()
    large = {"rewards": [{"decision": f"{problem}.0", "reward": 0.5}] * 18_000}
    body, statuses = json.dumps(large).encode(), list[int]()

    def send() -> None:
        with httpx.Client(base_url=server.url, timeout=60) as line:
            sent = line.post(f"/problems/{problem}/rewards", content=body, headers={"Content-Type": "application/json"})
            statuses.append(sent.status_code)

    senders = [threading.Thread(target=send) for _ in range(10)]
    for each in senders:
        each.start()
    n_decisions = 0
    while any(each.is_alive() for each in senders):
        n_decisions += len(server.decide(problem))
    assert statuses == [413] * 10
    assert n_decisions > 20


def test_many_problems_asked_for_at_once(serve: Callable[..., Served]) -> None:
    """However many problems are opened together, no more are in memory than may be, and each is answered in the end."""
    server = serve(max_live=3)
    problems = [server.make() for _ in range(12)]
    most, is_over = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        nursery = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text("ascii").strip()
        while not is_over.wait(0.002):
            most = max(most, len(Path(f"/proc/{nursery}/task/{nursery}/children").read_text("ascii").split()))

    def ask(problem: str) -> None:
        with httpx.Client(base_url=server.url, timeout=60) as line:
            while line.get(f"/problems/{problem}").status_code == 429:
                time.sleep(0.05)
            found.append(problem)

    found: list[str] = []
    watcher = threading.Thread(target=watch)
    watcher.start()
    askers = [threading.Thread(target=ask, args=(each,)) for each in problems]
    for each in askers:
        each.start()
    for each in askers:
        each.join()
    is_over.set()
    watcher.join()
    assert sorted(found) == sorted(problems)
    assert most <= 4, "one may be going while the next one comes"


def test_a_key_has_one_log_at_once() -> None:
    """Nobody takes the logs of all: a second one of the same key is refused, that of another key is not."""
    gate = Gate(Settings())
    first, again, other = {"key": "a"}, {"key": "a"}, {"key": "b"}
    gate.enter(first, "logs")
    with pytest.raises(TooMany, match="at most 1 log"):
        gate.enter(again, "logs")
    gate.enter(other, "logs")
    gate.leave(first)
    gate.enter(again, "logs")
