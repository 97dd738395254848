"""Limits of labels, names and answers; and a writer that goes on after whatever one request makes of it."""

import asyncio
import resource
import time
from collections.abc import Callable
from typing import Any

import pytest

from swapregret.errors import SwapRegretError
from swapregret.serve.database import open_store
from swapregret.serve.metrics import Metrics
from swapregret.serve.writer import Part, Writer

pytestmark = pytest.mark.serve
Served = Any


def test_answers_that_no_database_holds(server: Served) -> None:
    """Labels as long as books are refused when the problem is made, and batches whose answer were too large when asked for."""
    labels = ["abcd"[place] * 120_000 for place in range(4)]
    spec = {"set": {"kind": "msets", "dimension": 4, "size": 2, "labels": labels}, "preset": "multiscale"}
    refused = server.post("/problems", spec)
    assert refused.status_code == 422, refused.text
    assert "at most 200 characters" in refused.json()["error"]["must"]
    long = [f"{place:0200}" for place in range(200)]
    problem = server.make(set={"kind": "msets", "dimension": 200, "size": 100, "labels": long})
    refused = server.post(f"/problems/{problem}/decisions", {"count": 520}, idempotency_key="large")
    assert refused.status_code == 413, refused.text
    assert len(server.decide(problem, 10)) == 10


@pytest.mark.parametrize(
    "odd", ["\u202egnp.exe", "a\u2066b", "\x9b1m", "\u2028", "\ufeffx", "a\u200bb", "a\U000e0041", "\u3164", "a\u2800b"]
)
def test_names_that_read_otherwise_than_they_are(server: Served, odd: str) -> None:
    """Names and labels hold no controls and nothing that turns the direction of what stands beside them."""
    assert server.post("/problems", {"set": "msets 4 2", "name": odd}).status_code == 422
    table = {"kind": "msets", "dimension": 3, "size": 1, "labels": ["a", "b", odd]}
    refused = server.post("/problems", {"set": table})
    assert refused.status_code == 422
    assert odd not in refused.text


def test_truth_is_no_number(server: Served) -> None:
    """`true` is not 1, and a text is no number, in any field."""
    for field in ("horizon", "seed", "max_open", "deadline"):
        for odd in (True, "7"):
            answer = server.post("/problems", {"set": "msets 4 2", field: odd})
            assert answer.status_code == 422, (field, odd)
            must = answer.json()["error"]["must"]
            assert must in (f"`{field}` must be a whole number", f"`{field}` must be a number")
    assert server.post("/problems", {"set": "msets 4 2", "reward_range": [False, True]}).status_code == 422
    assert server.post("/problems", {"set": "msets 4 2", "deadline": 5, "default_reward": True}).status_code == 422


def test_the_writer_outlives_every_exception(tmp_path: Any) -> None:
    """A transaction that fails for a reason nobody thought of fails its own request, and the next is written."""

    async def play() -> None:
        store = open_store(f"sqlite:///{tmp_path}/x.db")
        writer, written = Writer(store, "me", time.time, Metrics()), list[str]()

        def odd(_: Any) -> None:
            raise OverflowError("BLOB longer than INT_MAX bytes")

        def good(_: Any) -> None:
            written.append("good")

        found = asyncio.gather(
            *(writer.write(Part(statements=[each])) for each in (good, odd, good)), return_exceptions=True
        )
        first, second, third = await asyncio.wait_for(found, 20)
        assert (first, third) == (None, None)
        assert isinstance(second, SwapRegretError)
        assert "OverflowError" in str(second)
        assert writer.trouble is None
        await asyncio.wait_for(writer.write(Part(statements=[good])), 20)
        assert len(written) >= 3
        writer.stop()
        store.close()

    asyncio.run(play())


def test_health_and_readiness_on_a_full_disk(serve: Callable[..., Served]) -> None:
    """With a full disk both say no, with the reason; with room again both say yes."""
    server = serve()
    assert [server.http.get(path).json()["status"] for path in ("/health", "/ready")] == ["ok", "ok"]
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    time.sleep(1.1)
    for path in ("/ready", "/health"):
        refused = server.http.get(path)
        assert refused.status_code == 503, path
        assert "disk" in refused.json()["error"]["came"] or "full" in refused.json()["error"]["came"]
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    time.sleep(1.1)
    for path in ("/health", "/ready"):
        assert server.http.get(path).status_code == 200, path
