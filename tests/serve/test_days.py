"""Days as they are: elements that are missing, ids of one's own; in answers, figures and logs, and after a kill."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import swapregret as sr
from swapregret.client import Client, ServiceError
from swapregret.logs.log_file import read_log

pytestmark = pytest.mark.serve
Served = Any
SPEC = "msets 5 2 labels=ad,blog,email,event,radio"


def test_missing_elements_and_ids_of_ones_own(serve: Callable[..., Served], tmp_path: Path) -> None:
    """The service decides as a session does, without what is missing, and finds decisions by their ids, through a kill."""
    server = serve(snapshot_every=7)
    problem = server.make(set=SPEC)
    labels = ["ad", "blog", "email", "event", "radio"]
    actions = sr.MSets(5, 2, labels=labels)
    session: Any = sr.Session(sr.swap_combcp(actions, 1000, preset="multiscale"), rng=7, max_open=1000)
    for day in range(30):
        without = [["ad"], [], ["blog", "radio"]][day % 3]
        given = {"available": [each for each in labels if each not in without]} if day % 2 else {"without": without}
        own = f"order-{day}"
        answer = server.post(f"/problems/{problem}/decisions", given | {"id": own}).json()
        (decision,) = answer["decisions"]
        assert decision["elements"] == list(session.act(without=without, id=own).elements)
        assert decision["own_id"] == own
        assert all(answer["marginals"][each] == 0.0 for each in without)
        item = {"id": own, "reward": 0.01 * day}
        told = server.post(f"/problems/{problem}/rewards", {"rewards": [item]}).json()
        assert told["results"][0] == {"decision": f"{problem}.{day}", "state": "reward", "repeated": False}
        session.observe(0.01 * day, id=own)
        if day == 20:
            server.kill()
            server.start()
            again = server.post(f"/problems/{problem}/rewards", {"rewards": [item]}).json()
            assert again["results"][0]["repeated"] is True
            other = {"id": own, "reward": 0.9}
            told = server.post(f"/problems/{problem}/rewards", {"rewards": [other]}).json()
            assert "closed once" in told["results"][0]["error"]["must"]
    view = server.http.get(f"/problems/{problem}/view").json()
    assert view["absent"] == [10.0, 10.0, 0.0, 0.0, 10.0]
    log = server.http.get(f"/problems/{problem}/log").text
    rows = list(csv.DictReader(io.StringIO(log)))
    assert [row["id"] for row in rows] == [f"order-{day}" for day in range(30)]
    assert [row["available"] for row in rows[:3]] == ["blog;email;event;radio", "", "ad;email;event"]
    (tmp_path / "log.csv").write_text(log)
    read = read_log(tmp_path / "log.csv", actions)
    assert read.available is not None
    assert [None if each is None else len(each) for each in read.available[:3]] == [4, None, 3]
    found = sr.audit(actions, read.plays, read.rewards, policies=read.policies, available=read.available)
    assert len(found.parts) == 3


def test_what_cannot_be_asked_of_a_day(server: Served) -> None:
    """Unknown elements, both lists, a day without an action and an id in use are refused, and nothing changes."""
    problem = server.make(set=SPEC)
    path = f"/problems/{problem}/decisions"
    assert server.post(path, {"id": 7}).status_code == 201
    for body, status, words in (
        ({"without": ["tv"]}, 422, "labels or indices"),
        ({"without": ["ad"], "available": ["blog"]}, 422, "one way"),
        ({"available": ["ad"]}, 422, "ad"),
        ({"without": "ad"}, 422, "without"),
        ({"without": [{"a": 1}]}, 422, "without"),
        ({"without": [["ad", [[]]]]}, 422, "labels or indices"),
        ({"id": 7}, 409, "one decision alone"),
        ({"id": "x", "count": 2}, 422, "with one decision"),
        ({"id": True}, 422, "id"),
        ({"id": "x" * 201}, 422, "200 characters"),
        ({"id": "a\u202eb"}, 422, "direction"),
        ({"id": 2**63}, 422, "id"),
        ({"id": 10**2500}, 422, "id"),
    ):
        refused = server.post(path, body)
        assert refused.status_code == status, (body, refused.text)
        assert words in refused.json()["error"]["sentence"], (body, refused.text)
    items = [{"id": "nobody", "reward": 0.5}, {"id": 7, "skip": True}]
    results = server.post(f"/problems/{problem}/rewards", {"rewards": items}).json()["results"]
    assert [each["state"] for each in results] == ["refused", "skip"]
    assert server.post(f"/problems/{problem}/rewards", {"rewards": [{"reward": 0.5}]}).status_code == 422
    assert server.http.get(f"/problems/{problem}").json()["n_decisions"] == 1


def test_the_longest_ids(serve: Callable[..., Served]) -> None:
    """An id of 200 characters is taken whatever they are, and so is the largest number; a kill finds both again."""
    server = serve()
    problem, ids = server.make(), ["\U0001f600" * 200, 2**63 - 1, -(2**63)]
    for own in ids:
        assert server.post(f"/problems/{problem}/decisions", {"id": own}).status_code == 201
    server.kill()
    server.start()
    items = [{"id": own, "reward": 0.5} for own in ids]
    results = server.post(f"/problems/{problem}/rewards", {"rewards": items}).json()["results"]
    assert [each["decision"] for each in results] == [f"{problem}.{day}" for day in range(3)]


def test_elements_by_any_of_their_names(server: Served) -> None:
    """Edges are named as `elements` shows them, or as `marginals` does."""
    edges = [["s", "a"], ["a", "t"], ["s", "b"], ["b", "t"]]
    problem = server.make(set={"kind": "paths", "edges": edges, "source": "s", "sink": "t"})
    for without in ([["s", "a"]], ["s-a"], [0]):
        (decision,) = server.post(f"/problems/{problem}/decisions", {"without": without}).json()["decisions"]
        assert decision["choice"] == ["s", "b", "t"]


def test_the_client_says_what_is_missing(server: Served) -> None:
    """The client passes on what is missing and ids of one's own."""
    problem = server.make(set=SPEC)
    with Client(server.url) as client:
        (decision,) = client.decide(problem, available=["ad", "blog"], id="order-1")["decisions"]
        assert decision["elements"] == ["ad", "blog"]
        assert client.rewards(problem, {"order-1": 0.5}, by="id")["n_refused"] == 0
        with pytest.raises(ServiceError, match="labels or indices"):
            client.decide(problem, without=["tv"])


def test_history_and_a_hold_out(serve: Callable[..., Served]) -> None:
    """A problem begins with past days and keeps a share of days for a baseline, as a session does, through a kill."""
    server = serve(snapshot_every=9)
    labels = ["ad", "blog", "email", "event", "radio"]
    past = [(["ad", "blog"], 0.5), (["ad", "blog"], 0.9), (["email", "radio"], 0.1), (["event", "radio"], 0.5)] * 15
    given = {"horizon": 1000, "preset": "adaptive", "seed": 7, "baseline": ["event", "radio"], "holdout": 0.25}
    problem = server.make(set=SPEC, history=past, **given)
    actions = sr.MSets(5, 2, labels=labels)
    session: Any = sr.Session(
        sr.swap_combcp(actions, 1000), rng=7, max_open=1000, history=past, baseline=("event", "radio"), holdout=0.25
    )
    n_baseline = 0
    for day in range(60):
        without = ["event"] if day % 7 == 6 else []
        (decision,) = server.post(f"/problems/{problem}/decisions", {"without": without}).json()["decisions"]
        made = session.act(without=without)
        assert decision["elements"] == list(made.elements)
        n_baseline += made.elements == ("event", "radio")
        reward = 0.3 + 0.4 * ("ad" in made.elements)
        server.post(f"/decisions/{decision['id']}/reward", {"reward": reward})
        session.observe(reward, made)
        if day == 40:
            server.kill()
            server.start()
    told = server.http.get(f"/problems/{problem}").json()
    assert told["n_past"] == session.summary().n_past
    assert told["n_past"] == 60
    assert told["spec"]["history"] is None
    assert told["uplift"] == pytest.approx(session.summary().uplift._asdict())
    assert n_baseline > 3
    rows = list(csv.DictReader(io.StringIO(server.http.get(f"/problems/{problem}/log").text)))
    assert [row["indices"] for row in rows].count("3;4") == n_baseline
    assert server.http.get(f"/problems/{problem}/view").json()["uplift"]["n_days"] == 52


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"baseline": ["ad", "blog"]}, "baseline", "share"),
        ({"holdout": 0.1}, "baseline", "share"),
        ({"baseline": ["ad"], "holdout": 0.1}, "baseline", "action"),
        ({"baseline": ["ad", "blog"], "holdout": 1.5}, "holdout", "below 1"),
        ({"baseline": ["ad", "blog"], "holdout": True}, "holdout", "a number"),
        ({"history": [[["ad", "tv"], 0.5]]}, "history", "row 1"),
        ({"history": [[["ad", "blog"], 7.0]]}, "history", "0"),
        ({"history": []}, "history", "one day"),
        ({"history": [[["ad", "blog"]]]}, "history.0.1", "given"),
        ({"history": [[["ad", "blog"], 0.5]], "history_policies": "best"}, "history_policies", "uniform"),
    ],
)
def test_histories_and_hold_outs_that_cannot_be(server: Served, given: Any, field: str, words: str) -> None:
    """A baseline that is no action, a share that is none, days of another set or range: refused, with the field."""
    refused = server.post("/problems", {"set": SPEC, "horizon": 1000, **given})
    assert refused.status_code == 422, refused.text
    told = refused.json()["error"]
    assert told["field"] == field, told
    assert words in told["sentence"], told


def test_contexts_through_a_kill(serve: Callable[..., Served], tmp_path: Path) -> None:
    """The service decides as a session does on days with contexts and a hold-out, shows and logs them, and a kill loses nothing."""
    server = serve(snapshot_every=7)
    problem = server.make(set=SPEC, baseline=["ad", "blog"], holdout=0.25)
    labels = ["ad", "blog", "email", "event", "radio"]
    actions = sr.MSets(5, 2, labels=labels)
    player = sr.swap_combcp(actions, 1000, preset="multiscale")
    session: Any = sr.Session(player, rng=7, max_open=1000, baseline=("ad", "blog"), holdout=0.25)
    contexts = ["mobile", "desktop", 7, None]
    with Client(server.url) as client:
        for day in range(48):
            context, without = contexts[day % 4], [["email"], []][day % 2]
            answer = client.decide(problem, context=context, without=without)
            (decision,) = answer["decisions"]
            want = session.act(context=context, without=without)
            assert decision["elements"] == list(want.elements)
            client.reward(decision["id"], 0.01 * day)
            session.observe(0.01 * day)
            if day == 30:
                server.kill()
                server.start()
    view = server.http.get(f"/problems/{problem}/view").json()
    assert [each["context"] for each in view["contexts"]] == ["mobile", "desktop", 7]
    for index, each in enumerate(view["contexts"]):
        assert each["n_days"] == 12
        assert each["mean"] == pytest.approx(sum(0.01 * day for day in range(index, 48, 4)) / 12)
        assert each["lower"] <= each["uplift"] <= each["upper"]
    (tmp_path / "log.csv").write_text(server.http.get(f"/problems/{problem}/log").text)
    read = read_log(tmp_path / "log.csv", actions)
    assert read.contexts == ("mobile", "desktop", "7", None) * 12
    told = {"policies": read.policies, "contexts": read.contexts, "available": read.available}
    assert len(sr.audit(actions, read.plays, read.rewards, **told).parts) == 4


def test_contexts_that_cannot_be(server: Served) -> None:
    """Lists, truth values and long texts are refused; so is one context too many, while those there are stay."""
    problem = server.make(set=SPEC)
    path = f"/problems/{problem}/decisions"
    for context in (["a"], True, "x" * 201, "", {"a": 1}):
        assert server.post(path, {"context": context}).status_code == 422
    for context in range(100):
        (made,) = server.post(path, {"context": context}).json()["decisions"]
        server.post(f"/decisions/{made['id']}/reward", {"reward": 0.5})
    refused = server.post(path, {"context": "one more"})
    assert refused.status_code == 409
    assert "at most 100 contexts" in refused.json()["error"]["sentence"]
    assert server.post(path, {"context": 5}).status_code == 201
