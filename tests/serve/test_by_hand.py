"""The service by hand: errors that say where, answers a person can read, HEAD, lists, a busy port."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import swapregret as sr

pytestmark = pytest.mark.serve
Served = Any
_DECIDE = "/problems/{problem}/decisions"

CROSSED = [["s", "a-b"], ["a-b", "c"], ["s", "a"], ["a", "b-c"], ["b-c", "c"]]
"""Two of these edges read alike where a dash is put between their ends."""


def test_errors_speak_http(server: Served) -> None:
    """An error names the field and the endpoint, writes values as JSON and requests for calls, and guesses what was meant."""
    problem = server.make()
    (decision,) = server.decide(problem)
    wrong = [{"decision": "x.0", "skipp": True}]
    for method, path, body, field, endpoint, words in (
        ("POST", "/problems", {"set": "msets 4 2", "horison": 5}, "horison", "/problems", 'Did you mean "horizon"?'),
        (
            "POST",
            "/problems",
            {"set": "msets 4 2", "horizon": "many"},
            "horizon",
            "/problems",
            "must be a whole number: ",
        ),
        (
            "POST",
            "/problems",
            {"set": "msets 4 2", "seed": 1.5},
            "seed",
            "/problems",
            "must be a whole number: got 1.5.",
        ),
        ("POST", "/problems", {"set": "msets 4 2", "deadline": "x"}, "deadline", "/problems", "must be a number: got"),
        (
            "POST",
            "/problems",
            {"set": "msets 4 2", "cost_range": [1]},
            "cost_range",
            "/problems",
            "two numbers, the lower",
        ),
        ("POST", "/problems", {"set": "msets 4 2", "preset": "adaptiv"}, "preset", "/problems", 'mean "adaptive"?'),
        (
            "POST",
            "/problems",
            {"set": {"kind": "trees", "edges": [["a", "b"]], "x": 1}},
            "set",
            "/problems",
            "must have no parameters but edges, largest_component: got",
        ),
        ("POST", f"/problems/{problem}/decisions", {"without": ["x"]}, "without", _DECIDE, "Labels are e.g. ["),
        ("GET", "/problems?limit=x", None, "limit", "/problems", "`limit` must be a whole number: got"),
        (
            "POST",
            "/problems",
            {"set": "msets 4 2", "horizon": 0},
            "horizon",
            "/problems",
            "`horizon` must be at least 1: got 0.",
        ),
        (
            "POST",
            "/problems",
            {"set": "msets 4 2", "reward_range": [1, 0]},
            "reward_range",
            "/problems",
            "got [1.0, 0.0].",
        ),
        ("POST", "/problems", {"set": "msets 4 5"}, "set.size", "/problems", "whole number, 1..4"),
        ("POST", "/problems", {"set": "permutations 999"}, "set", "/problems", "at most 5000"),
        ("POST", "/problems", {}, "set", "/problems", "must be given: got nothing"),
        (
            "POST",
            "/problems",
            {"set": {"kind": "msets", "dimension": None, "size": 1}},
            "set.dimension",
            "/problems",
            "got null",
        ),
        (
            "POST",
            f"/decisions/{decision['id']}/reward",
            {"reward": 7},
            "reward",
            "/decisions/{decision}/reward",
            "/skip",
        ),
        (
            "POST",
            f"/decisions/{decision['id']}/reward",
            {"reward": "x"},
            "reward",
            "/decisions/{decision}/reward",
            'got "x"',
        ),
        (
            "POST",
            f"/problems/{problem}/rewards",
            {"rewards": wrong},
            "skipp",
            "/problems/{problem}/rewards",
            'Did you mean "skip"?',
        ),
        (
            "POST",
            f"/problems/{problem}/decisions",
            {"id": True},
            "id",
            _DECIDE,
            "`id` must be a text or a whole number: got true",
        ),
        (
            "POST",
            f"/problems/{problem}/decisions",
            {"id": "x" * 201},
            "id",
            _DECIDE,
            "a name or label must have at most",
        ),
        (
            "POST",
            f"/problems/{problem}/decisions",
            {"id": "x", "count": 2},
            "the body",
            _DECIDE,
            "`id` must come with one",
        ),
        ("POST", f"/problems/{problem}/decisions", [1], "the body", _DECIDE, "the body must be an object: got [1]"),
        ("POST", "/problems", {"set": "msets 4 2", "holdout": 0.1}, "baseline", "/problems", "got no baseline"),
        ("GET", "/problems/nobody", None, None, "/problems/{problem}", "must exist"),
    ):
        told = server.http.request(method, path, json=body).json()["error"]
        assert (told["field"], told["endpoint"]) == (field, f"{method} {endpoint}"), told
        assert words in told["sentence"], told
        assert not re.search(r"session\.|Session\(|sr\.|None|True|MSets|'", told["sentence"]), told
    batch = server.post(f"/problems/{problem}/rewards", {"rewards": [{"decision": decision["id"], "reward": 7}]}).json()
    told = batch["results"][0]["error"]
    assert (told["field"], told["endpoint"]) == ("reward", "POST /problems/{problem}/rewards")
    for headers in ({}, {"Content-Type": "text/plain"}):  # as curl sends it, unless it is told
        told = server.http.post("/problems", content=b"{}", headers=headers).json()["error"]
        assert (told["must"], told["do"]) == (
            "the body must be JSON, and say so",
            "Send `Content-Type: application/json`.",
        )
        assert told["came"] in ("no Content-Type", '"text/plain"')
    told = server.http.post("/problems", content=b"{bad", headers={"Content-Type": "application/json"}).json()["error"]
    assert (told["field"], told["must"]) == ("the body", "the body must be JSON"), told


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({"kind": "msets", "dimension": 3, "size": 1, "labels": [1, "1", "b"]}, ["1", '"1"', '"b"']),
        (
            {
                "kind": "paths",
                "edges": [["s", "a-b"], ["a-b", "c"], ["s", "a"], ["a", "b-c"], ["b-c", "c"]],
                "source": "s",
                "sink": "c",
            },
            ['["s", "a-b"]', '["a-b", "c"]', '["s", "a"]', '["a", "b-c"]', '["b-c", "c"]'],
        ),
    ],
)
def test_labels_that_read_alike(server: Served, spec: Any, names: list[str]) -> None:
    """Labels that look alike keep their own entries in marginals, figures and logs."""
    problem = server.make(set=spec)
    answer = server.post(f"/problems/{problem}/decisions").json()
    assert list(answer["marginals"]) == names
    assert server.http.get(f"/problems/{problem}").json()["labels"] == names
    assert server.http.get(f"/problems/{problem}/view").json()["labels"] == names


def test_a_problem_without_a_horizon(server: Served) -> None:
    """Without a horizon the learner is the one that needs none; a preset that needs one is restarted, as it was before."""
    actions = sr.MSets(5, 2)
    restarted = sr.anytime(sr.swap_combcp, actions, preset="multiscale")
    for preset, player in ((None, sr.swap_combcp(actions)), ("multiscale", restarted)):
        problem = server.make(horizon=None, preset=preset)
        assert server.http.get(f"/problems/{problem}").json()["spec"]["preset"] == (preset or "ladder")
        session: Any = sr.Session(player, rng=7, max_open=1000)
        for _ in range(12):
            (decision,) = server.decide(problem)
            assert decision["elements"] == list(session.act().elements)
            server.post(f"/decisions/{decision['id']}/reward", {"reward": 0.25})
            session.observe(0.25)


def test_the_list_is_bounded(server: Served) -> None:
    """The list of problems is filtered by state and age and has a limit; long descriptions are left out of it."""
    edges = [["s", f"{place:0150}"] for place in range(20)] + [[f"{place:0150}", "t"] for place in range(20)]
    long = server.make(set={"kind": "paths", "edges": edges, "source": "s", "sink": "t"})
    short = server.make()
    server.post(f"/problems/{short}/archive")
    listed = {each["id"]: each for each in server.http.get("/problems", params={"limit": 2}).json()}
    assert set(listed) == {long, short}
    assert listed[long]["spec"] is None
    assert server.http.get(f"/problems/{long}").json()["spec"]["set"]["edges"] == edges
    assert [each["id"] for each in server.http.get("/problems?state=archived&limit=1").json()] == [short]
    assert server.http.get("/problems?within=1e-9").json() == []
    for odd in ("limit=0", "limit=1001", "state=x", "within=0"):
        assert server.http.get(f"/problems?{odd}").status_code == 422


def test_head_is_get_without_a_body(server: Served) -> None:
    """HEAD answers as GET does, with the same status and no body, on streams and logs too; the connection goes on."""
    problem = server.make()
    those = f"/problems/{problem}"
    for path in ("/", "/health", "/problems", those, f"{those}/log", f"{those}/stream", "/nowhere"):
        answer = server.http.head(path)
        assert answer.content == b""
        assert answer.status_code == (404 if path == "/nowhere" else 200), path
    assert "swapregret_live_problems" in server.http.get("/metrics").text


def test_a_busy_port_is_said_first(server: Served, tmp_path: Path) -> None:
    """A port that somebody listens on is refused in a sentence, before any address of a dashboard is shown."""
    command = ["serve", "--port", str(server.port), "--database", f"sqlite:///{tmp_path}/x.db"]
    done = subprocess.run(
        [sys.executable, "-m", "swapregret", *command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert "choose another" in done.stderr
    assert "Dashboard" not in done.stdout + done.stderr


_TRIAL = """
import os, signal, socket, sys
import numpy as np
from swapregret.actions.m_sets.kernels import subsets
from swapregret.compiled import announcing
from swapregret.serve.processes import child
from swapregret.serve.processes.line import packed, receive

announcing._PATIENCE, announcing._EVERY = 0.01, 0.02
child._Worker.try_out = lambda _: subsets.round_to_units(np.array([0.5, 0.5]), 1).tolist()
ours, theirs = socket.socketpair()
pid = os.fork()
if pid == 0:
    child.work(theirs)
ours.sendall(packed((10**9, 0)) + packed(("try_out",)))
receive(ours), print(receive(ours))
os.kill(pid, signal.SIGKILL)
"""


def test_a_trial_says_that_compiling_has_ended(tmp_path: Path) -> None:
    """The process of a trial is ended once it has answered: what it compiled was told before."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    run = [sys.executable, "-c", _TRIAL]
    told = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, timeout=120).stderr
    began, ended = told.splitlines()
    assert began == "compiling, once on this machine: this can take a minute"
    assert re.fullmatch(r"[1-9]\d* functions compiled in \d+ s", ended)
