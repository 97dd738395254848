"""Who may do what from where: keys, scopes, hosts, origins, sizes; and that secrets stay secret."""

import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.errors import InvalidInput
from swapregret.serve.database import Store, open_store
from swapregret.serve.keys import KeyRing, create_key, list_keys, revoke_key
from swapregret.serve.shield import is_loopback

pytestmark = pytest.mark.serve
Served = Any


@pytest.fixture
def locked(serve: Callable[..., Served], tmp_path: Any) -> Iterator[tuple[Served, Store, dict[str, str]]]:
    """Return a server that needs keys, its database, and a key of each scope."""
    store = open_store(f"sqlite:///{tmp_path}/service.db")
    keys = {scope: create_key(store, scope, f"for {scope}") for scope in ("read", "decide", "admin")}
    yield serve(), store, keys
    store.close()


def call(server: Served, method: str, path: str, key: str | None, body: Any = None) -> int:
    """Send a request with a key, and return the status."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return int(server.http.request(method, path, json=body, headers=headers).status_code)


def test_scopes(locked: tuple[Served, Store, dict[str, str]]) -> None:
    """Each scope may do its part and what the smaller ones may; without a key only pages and health are there."""
    server, _, keys = locked
    spec = {"set": "msets 5 2", "horizon": 1000, "preset": "multiscale"}
    assert [call(server, "POST", "/problems", keys[s], spec) for s in ("read", "decide", "admin")] == [403, 403, 201]
    problem = server.http.get("/problems", headers={"Authorization": f"Bearer {keys['read']}"}).json()[0]["id"]
    path = f"/problems/{problem}/decisions"
    assert [call(server, "POST", path, keys[s], {}) for s in ("read", "decide", "admin")] == [403, 201, 201]
    assert [call(server, "POST", f"/problems/{problem}/archive", keys[s]) for s in ("decide", "admin")] == [403, 200]
    for hidden in (
        "/problems",
        f"/problems/{problem}",
        f"/problems/{problem}/log",
        f"/problems/{problem}/stream",
        "/metrics",
    ):
        assert call(server, "GET", hidden, None) == 401
    for open_page in ("/", "/docs", "/health", "/openapi.json", "/pages/style.css"):
        assert call(server, "GET", open_page, None) == 200
    refused = server.http.get("/problems")
    assert refused.headers["www-authenticate"] == "Bearer"
    assert "must have the header" in refused.json()["error"]["must"]


def test_wrong_keys_are_refused(locked: tuple[Served, Store, dict[str, str]]) -> None:
    """A key with one character changed, another id, another scheme or nothing is no key."""
    server, _, keys = locked
    key = keys["admin"]
    wrong = key[:-1] + ("A" if key[-1] != "A" else "B")
    for bad in (
        wrong,
        key.replace(key.split("_")[1], "00000000"),
        "x",
        "srk",
        "srk__",
        key[:20],
        keys["read"].split("_", 2)[2],  # the secret may begin with "_" itself
    ):
        assert call(server, "GET", "/problems", bad) == 401, bad
    assert server.http.get("/problems", headers={"Authorization": f"Basic {key}"}).status_code == 401
    assert server.http.get(f"/problems?key={key}").status_code == 401


def test_revoked_keys_are_refused_and_open_nothing(locked: tuple[Served, Store, dict[str, str]]) -> None:
    """A revoked key stops working within a second or so; when all are revoked the service is closed, not open."""
    server, store, keys = locked
    assert call(server, "GET", "/problems", keys["read"]) == 200
    for row in list_keys(store):
        revoke_key(store, row.id)
    end = time.monotonic() + 10
    while call(server, "GET", "/problems", keys["read"]) != 401 and time.monotonic() < end:
        time.sleep(0.1)
    assert [call(server, "GET", "/problems", key) for key in (*keys.values(), None)] == [401] * 4
    with pytest.raises(InvalidInput, match="not revoked"):
        revoke_key(store, list_keys(store)[0].id)


def test_secrets_are_not_kept_or_logged(locked: tuple[Served, Store, dict[str, str]]) -> None:
    """Neither the database nor the log holds a key, and no error repeats one."""
    server, _, keys = locked
    for key in keys.values():
        answer = server.http.get("/problems/nobody", headers={"Authorization": f"Bearer {key}x"})
        assert key not in answer.text
    with sqlite3.connect(server.database.removeprefix("sqlite:///")) as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    for key in keys.values():
        assert key.split("_")[1] in dump
        assert key.split("_", 2)[2] not in dump
        assert key.split("_", 2)[2] not in server.text()


def test_the_database_is_for_its_owner(locked: tuple[Served, Store, dict[str, str]]) -> None:
    """The file of a new database, and those beside it, can be read by their owner alone; with keys any name may be used."""
    server, _, keys = locked
    path = server.database.removeprefix("sqlite:///")
    for name in (path, path + "-wal"):
        assert os.stat(name).st_mode & 0o077 == 0
    headers = {"Host": "decide.example", "Authorization": f"Bearer {keys['read']}"}
    assert server.http.get("/problems", headers=headers).status_code == 200


def test_texts_no_database_can_hold(server: Served) -> None:
    """Zero bytes and halves of characters are refused, not passed on to a database."""
    assert server.http.get("/problems/a%00b").status_code == 404
    assert server.post("/problems", {"set": "msets 4 2", "name": "a\0b"}).status_code == 422
    table = '{"set": {"kind": "msets", "dimension": 3, "size": 1, "labels": ["a", "b", "\\ud800"]}}'
    answer = server.http.post("/problems", content=table, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    deep = server.http.post("/problems", content="[" * 100_000, headers={"content-type": "application/json"})
    assert deep.status_code in (400, 422)
    assert server.http.get("/problems").status_code == 200


def test_a_database_url_is_never_repeated() -> None:
    """A password in the URL of a database stays out of the sentence that refuses it."""
    for url in ("mysql://root:hunter2@localhost/x", "postgresql://u:hunter2@127.0.0.1:1/x", "hunter2"):
        with pytest.raises(Exception) as caught:
            open_store(url)
        assert "hunter2" not in str(caught.value)
        assert caught.value.__suppress_context__


def test_other_addresses_need_a_key(tmp_path: Any) -> None:
    """The command refuses to listen beyond this machine without a key, and says how to make one."""
    done = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--database", f"sqlite:///{tmp_path}/x.db"])
    assert done.exit_code == 2
    assert "must have a key" in " ".join(done.output.split())
    assert [
        is_loopback(host) for host in ("127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "::", "10.0.0.1", "x.y")
    ] == [
        *[True] * 4,
        *[False] * 4,
    ]


def test_hosts_and_origins(server: Served) -> None:
    """A page that points its own name at this server, or posts from elsewhere, is refused."""
    get = server.http.get
    assert get("/problems", headers={"Host": "evil.example"}).status_code == 403
    assert get("/problems", headers={"Host": f"localhost:{server.port}"}).status_code == 200
    for origin in (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{server.port + 1}",
        f"http://127.0.0.1.evil:{server.port}",
    ):
        answer = server.http.post("/problems", json={"set": "msets 4 2"}, headers={"Origin": origin})
        assert answer.status_code == 403, origin
        assert "access-control-allow-origin" not in answer.headers
    same = server.http.get("/problems", headers={"Origin": f"http://127.0.0.1:{server.port}"})
    assert same.status_code == 200
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in server.http.options("/problems", headers=preflight).headers


def test_an_origin_that_was_asked_for(serve: Callable[..., Served]) -> None:
    """An origin that the operator allows may call, and only that one."""
    server = serve(origins=["https://shop.example"], hosts=["decide.example"])
    headers = {"Origin": "https://shop.example", "Host": "decide.example"}
    answer = server.http.get("/problems", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    asked = headers | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    assert server.http.options("/problems", headers=asked).status_code == 200
    assert server.http.get("/problems", headers={"Origin": "https://other.example"}).status_code == 403


def test_sizes(server: Served) -> None:
    """Bodies above the limit are refused, whether they say their length or not."""
    big = b'{"set": "' + b"x" * 1_100_000 + b'"}'
    json_type = {"content-type": "application/json"}
    assert server.http.post("/problems", content=big, headers=json_type).status_code == 413
    with httpx.Client(base_url=server.url) as other:
        parts = (big[start : start + 100_000] for start in range(0, len(big), 100_000))
        assert other.post("/problems", content=parts, headers=json_type).status_code == 413
    assert (
        server.post(f"/problems/{server.make()}/decisions", {"count": 1}, idempotency_key="x" * 201).status_code == 422
    )


def test_a_slow_client_holds_nobody_up(server: Served) -> None:
    """While a client sends its request byte by byte, others are answered."""
    problem = server.make()
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(
            f"POST /problems/{problem}/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{{".encode()
        )
        assert len(server.decide(problem, 5)) == 5


def test_headers_of_every_answer(server: Served) -> None:
    """Pages and errors forbid framing, sniffing and foreign code."""
    for path in ("/", "/docs", "/problems", "/nowhere", "/pages/dashboard.js"):
        headers = server.http.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "server" not in headers
    assert server.http.get("/pages/..%2Fapp.py").status_code == 404


def test_every_route_names_its_scope(server: Served) -> None:
    """Whatever the OpenAPI page lists needs a key of a scope, but for health."""
    described = server.http.get("/openapi.json").json()["paths"]
    scopes = {
        (method, path): [scope for each in operation.get("security", []) for scope in each["key"]]
        for path, methods in described.items()
        for method, operation in methods.items()
    }
    assert [each for each, found in scopes.items() if len(found) != 1] == [("get", "/health"), ("get", "/ready")]
    assert scopes["post", "/problems"] == scopes["post", "/problems/{problem}/archive"] == ["admin"]


def test_keys_on_the_command_line(tmp_path: Any) -> None:
    """Keys are made, listed without their secret, and revoked; a wrong scope is refused."""
    database = ["--database", f"sqlite:///{tmp_path}/x.db"]
    runner = CliRunner()
    made = runner.invoke(app, ["serve", "key", "create", "--scope", "decide", "--name", "shop", *database])
    assert made.exit_code == 0, made.output
    key = next(line for line in made.output.splitlines() if line.startswith("srk_"))
    store = open_store(database[1])
    assert KeyRing(store).check(f"Bearer {key}", "decide") == key.split("_")[1]
    listed = runner.invoke(app, ["serve", "key", "list", *database]).output
    assert "shop" in listed
    assert key.split("_", 2)[2] not in listed
    assert runner.invoke(app, ["serve", "key", "revoke", key.split("_")[1], *database]).exit_code == 0
    assert not KeyRing(store).has_live_key()
    store.close()
    assert runner.invoke(app, ["serve", "key", "create", "--scope", "all", *database]).exit_code == 2
