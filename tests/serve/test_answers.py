"""What is to be sent and what is remembered for retries takes a stated room, in memory and on the disk."""

import json
import socket
import time
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import func, select

from swapregret.serve.data.schema import answers
from swapregret.serve.data.upkeep import check
from swapregret.serve.database import Store, open_store

pytestmark = pytest.mark.serve
Served = Any

LABELS = [f"{place:0200}" for place in range(100)]
LARGE = {"set": {"kind": "msets", "dimension": 100, "size": 50, "labels": LABELS}, "max_open": 10_000}


def largest(server: Served, problem: str, key: str) -> int:
    """Get an answer about as large as there may be, under a key, and return how many decisions it has."""
    for count in (200, 100, 50, 20, 10):
        if server.post(f"/problems/{problem}/decisions", {"count": count}, idempotency_key=key).status_code == 201:
            return count
    raise AssertionError("not even ten decisions")


def ask_again(server: Served, problem: str, count: int) -> socket.socket:
    """Ask for what was answered under the key "k", by a client that does not read."""
    body = json.dumps({"count": count}, separators=(",", ":")).encode()
    head = f"POST /problems/{problem}/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", server.port))
    line.sendall(f"{head}Idempotency-Key: k\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return line


def test_answers_that_nobody_reads(serve: Callable[..., Served]) -> None:
    """A hundred clients that ask for a large answer and do not read it take little memory."""
    server = serve()
    problem = server.make(**LARGE)
    count, before = largest(server, problem, "k"), server.peak()
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(ask_again(server, problem, count))
        time.sleep(4.0)
        assert len(server.decide(server.make())) == 1
        assert server.peak() - before < 200e6


def test_a_request_lasts_until_it_was_read(serve: Callable[..., Served]) -> None:
    """Answers that wait for their client count against its requests; they come whole when it reads."""
    server = serve(max_answer=10**8, key_requests=10)
    problem = server.make(**LARGE)
    body = server.post(f"/problems/{problem}/decisions", {"count": 600}, idempotency_key="k").content
    assert len(body) > 15e6
    with ExitStack() as stack:
        lines = [stack.enter_context(ask_again(server, problem, 600)) for _ in range(12)]
        end = time.monotonic() + 20
        while server.http.get("/problems").status_code != 429:
            assert time.monotonic() < end, "all answers count as read"
            lines.append(stack.enter_context(ask_again(server, problem, 600)))  # one more: this one took a place
        assert server.http.get("/problems").json()["error"]["must"].startswith("there must be at most 10 requests")
        found = b""
        while not found.endswith(body):
            found += lines[0].recv(1 << 20)
        assert found.index(b"\r\n\r\n") + 4 + len(body) == len(found)
        while server.http.get("/problems").status_code == 429:
            assert time.monotonic() < end, "who has read makes no room"


def test_remembered_answers_have_a_limit(serve: Callable[..., Served]) -> None:
    """The oldest answers of a client go when all take more than they may; the newest is given again."""
    server = serve(key_answers=3_000_000, max_answer=10**6)
    problem = server.make(**LARGE)
    count = max(largest(server, problem, f"key {number}") for number in range(20))
    path = f"/problems/{problem}/decisions"
    newest = server.post(path, {"count": count}, idempotency_key="newest").json()
    store, end = open_store(server.database), time.monotonic() + 20
    while kept_bytes(store) > 4e6:
        assert time.monotonic() < end
        time.sleep(0.1)
    store.close()
    assert server.post(path, {"count": count}, idempotency_key="newest").json() == newest
    assert server.post(path, {"count": count}, idempotency_key="key 0").json()["decisions"][0]["day"] == 21 * count


def kept_bytes(store: Store) -> int:
    """Return how many bytes of answers a database keeps."""
    return int(store.read(select(func.sum(func.length(answers.c.body))))[0][0])


@pytest.mark.parametrize("where", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_the_oldest_answers_of_one_client_go(where: str, tmp_path: Any, request: pytest.FixtureRequest) -> None:
    """Those of others stay, also of clients whose name begins alike, and of those without a key."""
    is_file = where == "sqlite"
    store = open_store(f"sqlite:///{tmp_path}/x.db" if is_file else request.getfixturevalue("postgres").url)
    row = {"request": "", "status": 200, "body": b"x" * 100}
    names = [f"{client}:{place}" for client in ("ab", "abc", "") for place in range(10)]
    with store.transaction() as connection:
        store.remember(connection, [row | {"key": name, "at": float(name[-1])} for name in names])
    store.cut_answers("ab", 350)
    left = {each for each in names if each[:3] != "ab:" or each[-1] > "6"}
    assert {each.key for each in store.answers(names)} == left
    store.cut_answers("", 1_000)
    store.cut_answers("none", 0)
    assert len(store.answers(names)) == 23
    store.forget(100.0)
    store.close()


def test_the_check_reads_a_little_at_once(tmp_path: Any) -> None:
    """Checking hundreds of megabytes of answers takes some of memory."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    row = {"request": "", "status": 200, "body": b"x" * 500_000, "at": 0.0}
    for number in range(200):
        with store.transaction() as connection:
            store.remember(connection, [row | {"key": str(number)}])
    tracemalloc.start()
    assert check(store) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    store.close()
    assert peak < 25e6
