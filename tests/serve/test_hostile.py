"""What an attacker tries: heads and bodies that never end, JSON that no reader likes, wrong names, keys that are gone."""

import inspect
import json
import re
import socket
import threading
import time
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import OperationalError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from swapregret.client import Client
from swapregret.errors import InvalidInput
from swapregret.serve.database import _away, open_store
from swapregret.serve.keys import create_key, list_keys, revoke_key
from swapregret.serve.metrics import Metrics
from swapregret.serve.shield import Connection

pytestmark = pytest.mark.serve
Served = Any
JSON = {"content-type": "application/json"}


def talk(server: Served, *parts: bytes, pause: float = 0.0) -> bytes:
    """Send bytes as they are, and return what comes back until the server hangs up or says nothing for long."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        found = b""
        try:
            for part in parts:
                line.sendall(part)
                time.sleep(pause)
            while piece := line.recv(65_536):
                found += piece
        except (ConnectionResetError, BrokenPipeError):
            pass
        return found


def test_a_head_that_never_ends(server: Served) -> None:
    """A head above 64 KB is refused and the line cut, be it one header or many; so is a line that says nothing."""
    start = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    whole = b"X: " + b"y" * 80_000 + b"\r\n\r\n"
    for endless in (b"X: " + b"y" * 200_000, b"".join(b"X%d: y\r\n" % i for i in range(20_000)), whole):
        assert b" 400 " in talk(server, start + endless).split(b"\r\n")[0]
    assert server.http.get("/health").status_code == 200


def test_a_head_that_comes_too_slowly(serve: Callable[..., Served]) -> None:
    """Who says nothing, half a head, or empty lines after a request is cut off in the end, and holds nobody up."""
    server = serve()
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    found: dict[str, bytes] = {}
    told = {"nothing": (b"",), "half": (b"GET /health HTTP/1.1\r\nHost: ",), "lines": (whole, b"\r\n")}
    threads = [
        threading.Thread(target=lambda n=n, p=p: found.__setitem__(n, talk(server, *p))) for n, p in told.items()
    ]
    for each in threads:
        each.start()
    assert len(server.decide(server.make(), 5)) == 5
    for each in threads:
        each.join(50)
    assert {name: answer.count(b"200 OK") for name, answer in found.items()} == {"nothing": 0, "half": 0, "lines": 1}


@pytest.mark.parametrize("name", ["Authorization", "Host", "Origin", "Content-Type", "Idempotency-Key"])
def test_a_header_that_comes_twice(server: Served, name: str) -> None:
    """What a request is judged by comes once: two readers of two headers might each believe another one."""
    twice = f"{name}: localhost\r\n".encode() * 2
    host = b"" if name == "Host" else b"Host: localhost\r\n"
    answer = talk(server, b"GET /problems HTTP/1.1\r\nConnection: close\r\n" + host + twice + b"\r\n")
    assert b" 400 " in answer.split(b"\r\n")[0], answer
    assert b"a header must come once" in answer


def test_chunked_bodies_are_counted(server: Served) -> None:
    """A body without a length is cut at the limit, whatever it says of itself."""
    head = b"POST /problems HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = talk(server, head, *[b"%x\r\n" % 100_000 + b" " * 100_000 + b"\r\n"] * 12)
    assert b" 413 " in answer.split(b"\r\n")[0]
    both = b"POST /problems HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert b" 400 " in talk(server, both + b"0\r\n\r\n").split(b"\r\n")[0]


def test_who_is_refused_is_not_waited_for(server: Served) -> None:
    """After a refusal the line is cut: what was announced and not sent holds no connection."""
    answer = talk(server, b"POST /problems HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 900000\r\n\r\n")
    assert b" 403 " in answer.split(b"\r\n")[0]
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "text",
    [
        '{"set": ' + "[" * 900 + "]" * 900 + "}",
        '{"set": {"kind": "msets", "dimension": 4, "size": 2, "labels": ' + "[" * 700 + "]" * 700 + "}}",
        '{"set": {"kind": "msets", "dimension": 4, "size": 2, "labels": [NaN, 1, 2, 3]}}',
        '{"set": {"kind": "msets", "dimension": NaN, "size": 2}}',
        '{"set": {"kind": "msets", "dimension": 1e400, "size": 2}}',
        '{"set": {"kind": "permutations", "n": ' + "9" * 4000 + "}}",
        '{"set": {"kind": "permutations", "n": ' + "9" * 5000 + "}}",
        '{"set": "permutations ' + "9" * 5000 + '"}',
        '{"set": "msets 4 2", "seed": ' + "9" * 400 + "}",
        '{"set": "msets 4 2", "horizon": 1e300}',
        '{"set": "msets 4 2", "reward_range": [-1e400, 1]}',
        '{"set": "msets 4 2", "reward_range": [0, NaN]}',
        '{"set": "msets 4 2", "deadline": NaN}',
        '{"set": "msets 4 2", "deadline": 5, "default_reward": [1e999]}',
        '{"set": "msets 4 2", "name": "x\\u0000"}',
        '{"set": "msets 4 2 labels=a,b,c,\\ud800"}',
        '{"set": 7}',
        '{"set": "msets 4 2", "set": ["x"]}',
        "\ufeff{}",
        "null",
        '"x"',
        "",
    ],
)
def test_json_nobody_likes(server: Served, text: str) -> None:
    """Depth, NaN, infinity and numbers of thousands of digits are refused in the form of the library, in strict JSON."""
    answer = server.http.post("/problems", content=text.encode("utf-8", "surrogatepass"), headers=JSON)
    assert answer.status_code in (400, 422), answer.text
    told = json.loads(answer.text, parse_constant=pytest.fail)["error"]
    assert told["sentence"].startswith(told["must"])
    assert len(answer.text) < 2_000


def test_numbers_that_are_no_rewards(server: Served) -> None:
    """Rewards of thousands of digits, nested, infinite or of another type leave the decision open."""
    problem = server.make()
    (decision,) = server.decide(problem)
    for value in ("1e999", "-1e999", "9" * 400, "9" * 5000, "[[0.5]]", '"0.5"', "true", "NaN", "{}", "[" * 5000):
        for path, body in (
            (f"/decisions/{decision['id']}/reward", f'{{"reward": {value}}}'),
            (f"/problems/{problem}/rewards", f'{{"rewards": [{{"decision": "{decision["id"]}", "reward": {value}}}]}}'),
        ):
            answer = server.http.post(path, content=body, headers=JSON)
            assert answer.status_code in (400, 422), (value, answer.text)
    for count in ("-1", "0", "1e9", "9" * 400, "1.5", '"1"', "NaN", "null"):
        answer = server.http.post(f"/problems/{problem}/decisions", content=f'{{"count": {count}}}', headers=JSON)
        assert answer.status_code in (400, 413, 422), count
    assert server.http.get(f"/problems/{problem}").json()["n_open"] == 1


def test_paths_that_are_none(server: Served) -> None:
    """Dots, slashes, quotes, line breaks and SQL in a path find nothing, change nothing, and write no header."""
    for path in (
        "/pages/..%2f..%2fstore.py",
        "/pages/%2e%2e/store.py",
        "/pages/%2fetc%2fpasswd",
        "/problems/x'%20OR%201=1--",
        "/problems/x%0d%0aSet-Cookie:%20a=b/log",
        "/problems/x%22;filename=y/log",
        "/problems/%F0%9F%92%A3",
        "/problems/" + "x" * 5000,
    ):
        answer = server.http.get(path)
        assert answer.status_code in (403, 404), (path, answer.status_code)
        assert "set-cookie" not in answer.headers
    for decision in ("x.1'--", "x.-1", "x.٣", "x." + "9" * 100, "x.1e3", ".", "x.", ".1"):
        assert server.post(f"/decisions/{decision}/reward", {"reward": 0.5}).status_code == 404
    assert server.http.get("/problems/").status_code == 404


@pytest.mark.parametrize(
    "host",
    [
        "[",
        "]",
        "[::1",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost/",
        "localhost#x",
        "",
        "%",
        "[x]:1",
        "a b",
    ],
)
def test_hosts_that_are_none(server: Served, host: str) -> None:
    """A Host that is no name is refused, not a failure; nor does it let anybody pass."""
    answer = talk(server, f"GET /problems HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert answer.split(b" ")[1] in (b"400", b"403"), answer


@pytest.mark.parametrize("origin", ["http://[", "//", "http://", "http://localhost:99999999999", "\x80", "javascript:"])
def test_origins_that_are_none(server: Served, origin: str) -> None:
    """A malformed Origin is refused, not a failure."""
    answer = server.http.get("/problems", headers={b"Origin": origin.encode("latin-1")})
    assert answer.status_code == 403


def test_the_same_key_at_the_same_time(server: Served) -> None:
    """Of many requests with one Idempotency-Key that arrive together one is done, and all get its answer."""
    problem = server.make()
    answers: list[httpx.Response] = []

    def send() -> None:
        with httpx.Client(base_url=server.url, timeout=60) as line:
            headers = {"Idempotency-Key": "together"}
            answers.append(line.post(f"/problems/{problem}/decisions", json={"count": 2}, headers=headers))

    threads = [threading.Thread(target=send) for _ in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {(each.status_code, each.content) for each in answers} == {(201, answers[0].content)}
    assert server.http.get(f"/problems/{problem}").json()["n_decisions"] == 2


def test_a_stream_ends_with_its_key(serve: Callable[..., Served], tmp_path: Any) -> None:
    """Who follows a problem is told within seconds that the key was revoked, and then hears no more."""
    store = open_store(f"sqlite:///{tmp_path}/service.db")
    admin, reader = create_key(store, "admin", "maker"), create_key(store, "read", "watcher")
    server = serve()
    made = server.http.post(
        "/problems",
        json={"set": "msets 5 2", "horizon": 1000, "preset": "multiscale"},
        headers={"Authorization": f"Bearer {admin}"},
    )
    path = f"/problems/{made.json()['id']}/stream"
    with server.http.stream("GET", path, headers={"Authorization": f"Bearer {reader}"}) as stream:
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("event")) == "event: view"
        revoke_key(store, next(row.id for row in list_keys(store) if row.name == "watcher"))
        told = [line for line in lines if line]  # ends only if the server ends it
    store.close()
    assert told[-2] == "event: fault"
    assert "valid key" in told[-1]


def test_methods_nobody_knows_are_counted_as_one() -> None:
    """Names of methods that anybody may invent take no memory, and stay out of the metrics."""
    metrics = Metrics()
    for number in range(100):
        metrics.answered(f'X{number}"}}', 405, 0.001)
    assert metrics.text({}).count("swapregret_requests_total{") == 1


def test_what_postgres_says_is_not_repeated() -> None:
    """Users and addresses in the words of a database server do not reach clients."""
    hidden = OperationalError("SELECT 1", {}, Exception('connection to "10.1.2.3" failed for user "hunter2"'))
    assert "hunter2" not in str(_away(hidden))
    assert "10.1.2.3" not in str(_away(hidden))


def test_a_client_that_never_tries() -> None:
    """A client that would send nothing is refused."""
    with pytest.raises(InvalidInput, match="tries"):
        Client(tries=0)


def test_what_is_used_of_uvicorn() -> None:
    """The version of Uvicorn is within its bound, and has the methods of its protocol that the service changes or calls."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = [each for each in project["optional-dependencies"]["serve"] if each.startswith("uvicorn")]
    least, below = re.findall(r"0\.(\d+)", needed)
    assert sorted((least, below)) == [least, below]
    assert int(least) <= int(version("uvicorn").split(".")[1]) < int(below)
    changed = {name for name, each in vars(Connection).items() if callable(each) and not name.startswith("_")}
    assert {name for name in changed if not callable(getattr(HttpToolsProtocol, name, None))} == set()
    signatures = {name: list(inspect.signature(getattr(HttpToolsProtocol, name)).parameters)[1:] for name in changed}
    assert signatures == {
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "data_received": ["data"],
        "on_header": ["name", "value"],
        "on_headers_complete": [],
        "on_message_complete": [],
        "on_response_complete": [],
        "on_url": ["url"],
        "pause_writing": [],
        "resume_writing": [],
    }
    assert list(inspect.signature(HttpToolsProtocol.send_400_response).parameters) == ["self", "msg"]
