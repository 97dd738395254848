"""The API as a client written from its page sees it."""

import csv
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app

pytestmark = pytest.mark.serve
Served = Any


def sentence(answer: Any, status: int) -> str:
    """Return the sentence of an error, which has the library's form."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert error["sentence"] == f"{error['must']}: got {error['came']}. {error['do']}"
    return str(error["sentence"])


def test_decisions_are_those_of_a_session(server: Served) -> None:
    """The service decides bit for bit as a session with the same player and seed, rewards out of order included."""
    problem = server.make(set="msets 5 2 labels=a,b,c,d,e")
    session: Any = sr.Session(
        sr.swap_combcp(sr.MSets(5, 2, labels="abcde"), 1000, preset="multiscale"), rng=7, max_open=1000
    )
    for _ in range(6):
        mine = [session.act() for _ in range(3)]
        answer = server.post(f"/problems/{problem}/decisions", {"count": 3}).json()
        assert [each["elements"] for each in answer["decisions"]] == [list(each.elements) for each in mine]
        likely = dict(zip("abcde", mine[0].policy.marginals().tolist(), strict=True))
        assert answer["marginals"] == pytest.approx(likely, abs=1e-12)
        for place, reward in ((2, 0.25), (0, 1.0)):
            session.observe(reward, mine[place])
            assert (
                server.post(f"/decisions/{answer['decisions'][place]['id']}/reward", {"reward": reward}).status_code
                == 200
            )
        session.skip(mine[1])
        assert server.post(f"/decisions/{answer['decisions'][1]['id']}/skip").json()["state"] == "skip"
    shown = server.http.get(f"/problems/{problem}").json()
    assert (shown["n_decisions"], shown["n_rewards"], shown["n_skips"], shown["n_open"]) == (18, 12, 6, 0)
    assert shown["mean_reward"] == pytest.approx(0.625)
    assert shown["marginals"] == pytest.approx(list(session.marginals().values()), abs=1e-6)
    assert problem in [each["id"] for each in server.http.get("/problems").json()]


def test_a_reward_counts_once(server: Served) -> None:
    """The same reward twice changes nothing, another one is refused, and so is one for a decision nobody made."""
    problem = server.make()
    (decision,) = server.decide(problem)
    path = f"/decisions/{decision['id']}/reward"
    assert server.post(path, {"reward": 0.5}).json() == {
        "decision": decision["id"],
        "state": "reward",
        "repeated": False,
    }
    assert server.post(path, {"reward": 0.5}).json()["repeated"] is True
    assert "closed once" in sentence(server.post(path, {"reward": 0.6}), 409)
    assert "closed once" in sentence(server.post(f"/decisions/{decision['id']}/skip"), 409)
    assert "must exist" in sentence(server.post(f"/decisions/{problem}.1/reward", {"reward": 0.5}), 404)
    assert "must exist" in sentence(server.post("/decisions/nobody.1/reward", {"reward": 0.5}), 404)
    assert "must exist" in sentence(server.post("/decisions/nobody/reward", {"reward": 0.5}), 404)
    assert server.http.get(f"/problems/{problem}").json()["n_rewards"] == 1


def test_rewards_that_cannot_be_are_refused(server: Served) -> None:
    """A number outside the range, a text, NaN or a missing field leave the decision open."""
    problem = server.make()
    (decision,) = server.decide(problem)
    path = f"/decisions/{decision['id']}/reward"
    assert "[0, 1]" in sentence(server.post(path, {"reward": 1.5}), 422)
    for body in ({"reward": "0.5"}, {"reward": True}, {"reward": None}, {}, {"reward": 0.5, "x": 1}, [1]):
        sentence(server.post(path, body), 422)
    nan = server.http.post(path, content=b'{"reward": NaN}', headers={"content-type": "application/json"})
    sentence(nan, 422)
    sentence(server.http.post(path, content=b'{"reward": 0.5', headers={"content-type": "application/json"}), 422)
    sentence(server.http.post(path, content=b'{"reward": 0.5}', headers={"content-type": "text/plain"}), 422)
    assert server.http.get(f"/problems/{problem}").json()["n_open"] == 1


def test_a_key_makes_retries_safe(server: Served) -> None:
    """A request with the same Idempotency-Key is answered with the same bytes, and not done again."""
    problem = server.make()
    path = f"/problems/{problem}/decisions"
    first = server.post(path, {"count": 4}, idempotency_key="k1")
    again = server.post(path, {"count": 4}, idempotency_key="k1")
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert server.http.get(f"/problems/{problem}").json()["n_decisions"] == 4
    assert "one request only" in sentence(server.post(path, {"count": 5}, idempotency_key="k1"), 422)
    made = [server.post("/problems", {"set": "msets 4 2"}, idempotency_key="new").json()["id"] for _ in range(2)]
    assert made[0] == made[1]


def test_a_batch_of_rewards_is_answered_item_by_item(server: Served) -> None:
    """Items that cannot be taken are refused with their sentence; the others count, also when one comes twice."""
    problem, other = server.make(), server.make()
    ids = [each["id"] for each in server.decide(problem, 4)]
    (strange,) = server.decide(other)
    items = [
        {"decision": ids[3], "reward": 0.1},
        {"decision": ids[0], "skip": True},
        {"decision": ids[1], "reward": 7.0},
        {"decision": strange["id"], "reward": 0.5},
        {"decision": ids[3], "reward": 0.1},
    ]
    answer = server.post(f"/problems/{problem}/rewards", {"rewards": items}).json()
    assert [each["state"] for each in answer["results"]] == ["reward", "skip", "refused", "refused", "reward"]
    assert answer["n_refused"] == 2
    assert answer["results"][4]["repeated"] is True
    assert "belong" in answer["results"][3]["error"]["sentence"]
    shown = server.http.get(f"/problems/{problem}").json()
    assert (shown["n_rewards"], shown["n_skips"], shown["n_open"]) == (1, 1, 2)
    sentence(server.post(f"/problems/{problem}/rewards", {"rewards": [{"decision": ids[1]}]}), 422)


def test_limits_are_said(server: Served) -> None:
    """Too many open decisions, too large batches and archived problems are refused with the right status."""
    problem = server.make(max_open=3)
    server.decide(problem, 2)
    assert "may wait" in sentence(server.post(f"/problems/{problem}/decisions", {"count": 2}), 409)
    sentence(server.post(f"/problems/{problem}/decisions", {"count": 0}), 422)
    assert "at most 1000" in sentence(server.post(f"/problems/{problem}/decisions", {"count": 1001}), 413)
    (decision,) = server.decide(problem)
    assert server.post(f"/problems/{problem}/archive").json()["state"] == "archived"
    assert "archived" in sentence(server.post(f"/problems/{problem}/decisions"), 409)
    assert server.post(f"/decisions/{decision['id']}/reward", {"reward": 1}).status_code == 200
    assert server.http.get(f"/problems/{problem}").json()["state"] == "archived"
    assert "GET /problems" in sentence(server.post("/problems/nobody/decisions"), 404)
    sentence(server.http.get("/nowhere"), 404)
    sentence(server.http.put("/problems"), 405)


def test_problems_that_cannot_be_are_refused(server: Served) -> None:
    """What the library refuses, the service refuses with the same sentence; files of the server are out of reach."""
    for spec in (
        {"set": "msets 3 5"},
        {"set": "mset 4 2"},
        {"set": "msets 4 2", "horizon": 0},
        {"set": "msets 4 2", "colour": "red"},
        {"set": "msets 4 2", "reward_range": [1, 0]},
        {"set": "msets 4 2", "reward_range": [0, 1], "cost_range": [0, 1]},
        {"set": "msets 4 2", "default_reward": 0.5},
        {"set": "msets 4 2", "default_reward": 2.0, "deadline": 5},
        {"set": "permutations 100000"},
        {"set": "partitions 4000 4000"},
        {"set": {"kind": "msets", "dimension": 10**9, "size": 2}},
        {"set": {"kind": "paths", "edges": [["s", "a"], ["a", "s"]], "source": "s", "sink": "a", "length": 10**9}},
        {"set": {"kind": "trees", "edges": [["a", "b", "c"]]}},
        {"set": {"kind": "msets", "dimension": 4, "size": 2, "shape": 1}},
        {"set": {"dimension": 4}},
        {"horizon": 5},
    ):
        sentence(server.post("/problems", spec), 422)
    for hostile in (
        "trees /etc/passwd",
        "explicit /etc/passwd",
        {"kind": "paths", "file": "/etc/passwd", "source": "s", "sink": "t"},
    ):
        assert "root" not in sentence(server.post("/problems", {"set": hostile}), 422)


def test_costs_paths_and_elements(server: Served) -> None:
    """A route with costs seen edge by edge: labels come back as lists, and cheap routes get likely."""
    edges = [["s", "a"], ["a", "t"], ["s", "b"], ["b", "t"]]
    problem = server.make(
        set={"kind": "paths", "edges": edges, "source": "s", "sink": "t"},
        cost_range=[0, 10],
        feedback="semi-bandit",
        horizon=200,
    )
    for _ in range(60):
        (decision,) = server.decide(problem)
        cost = [1.0, 1.0] if ["s", "a"] in decision["elements"] else [4.5, 4.5]
        assert server.post(f"/decisions/{decision['id']}/reward", {"reward": cost}).status_code == 200
    assert decision["choice"] in (["s", "a", "t"], ["s", "b", "t"])
    assert decision["text"] == ", ".join(decision["choice"])
    shown = server.http.get(f"/problems/{problem}").json()
    likely = dict(zip(shown["labels"], shown["marginals"], strict=True))
    assert likely["s-a"] > likely["s-b"]
    assert 2.0 <= shown["mean_reward"] <= 9.0
    view = server.http.get(f"/problems/{problem}/view").json()
    assert view["unit"] == "cost"
    assert len(view["regret"]) > 0


def test_deadlines_close_decisions(server: Served) -> None:
    """After the deadline a decision gets the default reward, or is skipped; a reward that comes later is told so."""
    with_default, without = server.make(deadline=0.4, default_reward=0.0), server.make(deadline=0.4)
    decisions = [server.decide(each)[0] for each in (with_default, without)]
    end = time.monotonic() + 20
    while time.monotonic() < end and any(
        server.http.get(f"/problems/{p}").json()["n_open"] for p in (with_default, without)
    ):
        time.sleep(0.1)
    assert server.http.get(f"/problems/{with_default}").json()["n_defaults"] == 1
    assert server.http.get(f"/problems/{without}").json()["n_skips"] == 1
    for decision in decisions:
        assert "deadline" in sentence(server.post(f"/decisions/{decision['id']}/reward", {"reward": 0.5}), 409)


def test_the_log_can_be_audited(server: Served, tmp_path: Path) -> None:
    """The log is a file that the audit reads: it has totals and policies, and the truth is between the ends of external regret."""
    problem = server.make(set="msets 4 2 labels=a,b,c,d")
    worth = dict(zip("abcd", (0.4, 0.3, 0.2, 0.1), strict=True))
    rewards = {}
    for decision in server.decide(problem, 300):
        rewards[decision["id"]] = sum(worth[label] for label in decision["elements"])
    items = [{"decision": id, "reward": reward} for id, reward in rewards.items()]
    assert server.post(f"/problems/{problem}/rewards", {"rewards": items}).json()["n_refused"] == 0
    answer = server.http.get(f"/problems/{problem}/log")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["decision"] for row in rows] == list(rewards)
    assert [float(row["reported"]) for row in rows] == list(rewards.values())
    assert [float(row["reward"]) for row in rows] == list(rewards.values())
    log = tmp_path / "log.csv"
    log.write_text(answer.text, encoding="utf-8")
    done = CliRunner().invoke(app, ["audit", str(log), "--set", "msets 4 2 labels=a,b,c,d", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    truth = 300 * 0.7 - sum(rewards.values())
    assert told["days"] == 300
    assert told["external_regret"]["lower"] <= truth <= told["external_regret"]["upper"]
    assert told["swap_regret"]["lower"] <= told["swap_regret"]["upper"] + 1e-9


def test_the_log_of_full_feedback_has_every_reward(server: Served, tmp_path: Path) -> None:
    """With full feedback the rewards of all elements are in the log, and its audit is exact."""
    problem = server.make(set="msets 3 1", feedback="full")
    for _ in range(5):
        (decision,) = server.decide(problem)
        assert server.post(f"/decisions/{decision['id']}/reward", {"reward": [0.5, 0.25, 0.0]}).status_code == 200
    log = tmp_path / "log.csv"
    log.write_text(server.http.get(f"/problems/{problem}/log").text, encoding="utf-8")
    done = CliRunner().invoke(app, ["audit", str(log), "--set", "msets 3 1", "--json"])
    told = json.loads(done.output)["swap_regret"]
    assert told["lower"] == told["upper"]
    assert "from policies" in told["definition"]


def test_health_metrics_and_openapi(server: Served) -> None:
    """Health says ok, metrics count in Prometheus' format, and the OpenAPI page describes every route."""
    assert server.http.get("/health").json()["status"] == "ok"
    server.decide(server.make(), 3)
    text = server.http.get("/metrics").text
    assert "swapregret_decisions_total" in text
    assert 'swapregret_commit_seconds_bucket{le="+Inf"}' in text
    for line in text.splitlines():
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
    described = server.http.get("/openapi.json").json()
    assert {
        "/problems",
        "/problems/{problem}/decisions",
        "/decisions/{decision}/reward",
        "/problems/{problem}/log",
    } <= set(described["paths"])
    posted = described["paths"]["/problems/{problem}/decisions"]["post"]
    assert any(each["name"] == "idempotency-key" for each in posted["parameters"])
    assert "http" not in described["paths"]
    schemas = described["components"]["schemas"]
    named = [(name, field, about) for name, each in schemas.items() for field, about in each["properties"].items()]
    for path, methods in described["paths"].items():
        named += [(path, each["name"], each) for asked in methods.values() for each in asked.get("parameters", [])]
    assert len(named) > 90
    assert [(name, field) for name, field, about in named if not about.get("description")] == []


def test_events_are_streamed(server: Served) -> None:
    """The stream sends a view at once and another one after a change."""
    problem = server.make()
    with server.http.stream("GET", f"/problems/{problem}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in stream.iter_lines() if line.startswith("data: "))
        assert '"n_decisions": 0' in next(lines)
        server.decide(problem)
        assert any('"n_decisions": 1' in next(lines) for _ in range(3))


def test_the_view_names_members_and_guard(server: Served) -> None:
    """With the default preset the dashboard is told each member's weight by name, and that the guard is quiet."""
    problem = server.make(set="msets 4 2", preset="adaptive")
    (decision,) = server.decide(problem)
    server.post(f"/decisions/{decision['id']}/reward", {"reward": 0.5})
    player = server.http.get(f"/problems/{problem}/view").json()["player"]
    names = [each["name"] for each in player["members"]]
    assert names[0] == "scale 1"
    assert {"steady", "uniform", "exploration"} <= set(names)
    assert sum(each["weight"] for each in player["members"]) == pytest.approx(1.0)
    assert player["guard_has_tripped"] is False
