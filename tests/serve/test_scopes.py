"""Every route with every scope, by every name an attacker may give it."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from swapregret.serve import SCOPES
from swapregret.serve.database import Store, open_store
from swapregret.serve.keys import create_key

pytestmark = pytest.mark.serve
Served = Any

NEEDED = {
    ("POST", "/problems"): "admin",
    ("GET", "/problems"): "read",
    ("GET", "/problems/{problem}"): "read",
    ("POST", "/problems/{problem}/archive"): "admin",
    ("POST", "/problems/{problem}/decisions"): "decide",
    ("POST", "/problems/{problem}/rewards"): "decide",
    ("GET", "/problems/{problem}/log"): "read",
    ("GET", "/problems/{problem}/view"): "read",
    ("GET", "/problems/{problem}/stream"): "read",
    ("POST", "/decisions/{decision}/reward"): "decide",
    ("POST", "/decisions/{decision}/skip"): "decide",
    ("GET", "/metrics"): "read",
}
BODIES: dict[str, Any] = {
    "/problems": {"set": "msets 5 2", "preset": "multiscale", "horizon": 1000},
    "/problems/{problem}/rewards": {"rewards": [{"decision": "x.0", "skip": True}]},
    "/decisions/{decision}/reward": {"reward": 0.5},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a database of the server of this file."""
    opened = open_store(f"sqlite:///{tmp_path_factory.mktemp('scopes')}/service.db")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def keys(store: Store) -> dict[str | None, str | None]:
    """Return a key of each scope, and None for none."""
    return {None: None} | {scope: create_key(store, scope, scope) for scope in SCOPES}


@pytest.fixture(scope="module")
def locked(nursery: Any, store: Store, keys: Any, served: Any, tmp_path_factory: Any) -> Iterator[Served]:
    """Return a server that needs keys."""
    running = served(nursery, Path(tmp_path_factory.mktemp("log")) / "log", str(store.engine.url))
    yield running
    running.stop()
    running.http.close()


def names_of(path: str) -> Iterator[str]:
    """Yield a path and the ways to write it that might lead to the same place, or seem to lead elsewhere."""
    head, _, last = path.rpartition("/")
    yield path
    for odd in (
        "%0A",
        "%0D",
        "%0D%0A",
        "%09",
        "%00",
        "%20",
        "%7F",
        "%C2%85",
        "%E2%80%A8",
        "/",
        "//",
        "/.",
        "/..",
        "%2F",
    ):
        yield path + odd
    for odd in ("%0A", "%09", "%2E", "/"):
        yield f"{head}/{odd}{last}"
    yield f"{head}%2F{last}"
    yield f"/{path}"
    yield f"/health/..{path}"
    yield f"/pages/..{path}"
    yield f"/pages%2F..{path}"
    yield path + "?/health"
    yield path + ";/health"
    yield path + "%3F/health"
    yield path.upper()


def status(server: Served, method: str, path: str, key: str | None, body: Any) -> int:
    """Send a request whose path nothing rewrites, and return the status of its answer."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    line.request(method, path, None if body is None else json.dumps(body), headers)
    found = line.getresponse().status
    line.close()
    return found


def test_every_route_by_every_name(locked: Served, keys: dict[str | None, str]) -> None:
    """However a path is written, a key gets nothing that its scope does not give: neither an answer nor an effect."""
    admin = {"Authorization": f"Bearer {keys['admin']}"}
    made = locked.http.post("/problems", json=BODIES["/problems"], headers=admin).json()["id"]
    locked.http.post(f"/problems/{made}/decisions", headers=admin)
    before = locked.http.get("/problems", headers=admin).json()
    described = locked.http.get("/openapi.json").json()["paths"]
    listed = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert listed - {("GET", "/health"), ("GET", "/ready")} == set(NEEDED)
    for (method, template), needed in NEEDED.items():
        path = template.replace("{problem}", made).replace("{decision}", f"{made}.0")
        for scope in (None, *SCOPES[: SCOPES.index(needed)]):
            for name in filter(lambda each: each.startswith("/"), names_of(path)):
                found = status(locked, method, name, keys[scope], BODIES.get(template))
                assert found in (400, 401, 403, 404, 405), (method, name, scope, found)
            assert status(locked, method, path, keys[scope], BODIES.get(template)) == (403 if scope else 401)
    assert locked.http.get("/problems", headers=admin).json() == before


def test_control_characters_in_paths_are_refused(locked: Served, keys: dict[str | None, str]) -> None:
    """No path has a control character: not even for who may do everything."""
    for odd in ("%0A", "%0D", "%09", "%00", "%7F", "%C2%85", "%E2%80%A8"):
        assert status(locked, "GET", f"/problems{odd}", keys["admin"], None) == 404
        assert status(locked, "POST", f"/problems{odd}", keys["admin"], BODIES["/problems"]) == 404
