"""Parts of the service on their own: history, clocks, leases, tables, the client."""

import asyncio
import json
import math
import os
import socket
import time
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, update

import swapregret as sr
from swapregret.client import AsyncClient, Client, ServiceError
from swapregret.errors import InvalidInput, TooLarge
from swapregret.serve import Settings
from swapregret.serve.data import schema
from swapregret.serve.data.leases import Watch
from swapregret.serve.database import open_store
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.processes import live_problem
from swapregret.serve.processes.child import _Worker
from swapregret.serve.processes.history import History, regret_curve, unbiased
from swapregret.serve.processes.jobs import Asked
from swapregret.serve.processes.live_problem import Live
from swapregret.serve.service import Service
from swapregret.sessions.events import Event
from swapregret.sessions.feedback import RewardReader

pytestmark = pytest.mark.serve
Served = Any

SPEC = ProblemSpec(set="msets 5 2", horizon=1000, preset="multiscale", seed=7)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_estimates_are_unbiased(feedback: Any) -> None:
    """Summed over all actions with their probabilities, the estimate of M·R is M·R for every action, with each feedback."""
    actions = sr.MSets(4, 2)
    policy = actions.uniform_policy()
    worth = np.array([0.1, 0.2, 0.3, 0.35])
    total = np.zeros(4)
    listed = [np.array(row) for row in np.eye(4)[:, None] + np.eye(4)[None, :] for row in row if row.max() == 1]
    for action in listed:
        seen = {"bandit": float(worth @ action), "semi-bandit": worth * action, "full": worth}[feedback]
        total += unbiased(actions, feedback, sr.Decision(0, action, actions, policy), seen) / len(listed)
    for action in listed:
        assert action @ total == pytest.approx(action @ worth, abs=1e-12)


def test_the_curve_is_above_and_its_band_below() -> None:
    """Over all 2⁸ sequences of draws the curve has a mean above the truth, the split estimate one below; errors are exact."""
    actions, rewards = sr.MSets(2, 1), np.array([0.75, 0.5])
    curve = below = 0.0
    for drawn in product(range(2), repeat=8):
        rows = np.array([(day, rewards[i], *(2.0 * rewards * (np.arange(2) == i))) for day, i in enumerate(drawn)])
        (found,) = regret_curve(actions, rows)
        halves = (rows[::2], rows[1::2]), (rows[1::2], rows[::2])
        terms = [each[:, 2:] @ actions.argmax(other[:, 2:].sum(axis=0)) - each[:, 1] for each, other in halves]
        error = math.hypot(*(2.0 * np.std(part, ddof=1) for part in terms))
        assert found["low"] == pytest.approx((sum(part.sum() for part in terms) - 2.0 * error) / 8, abs=1e-12)
        curve += found["value"] / 2**8
        below += sum(part.sum() for part in terms) / 8 / 2**8
    assert below < rewards.max() - rewards.mean() < curve


def test_buckets_hold_what_was_put_in() -> None:
    """Means of buckets that doubled many times are the means of their days, whatever the order of the rewards."""
    actions = sr.MSets(4, 2)
    history, policy, reader = History(actions, "bandit"), actions.uniform_policy(), RewardReader(actions, "bandit")
    rewards = np.random.default_rng(0).random(3000)
    for day in np.random.default_rng(1).permutation(3000).tolist():
        decision = sr.Decision(day, np.array([1, 1, 0, 0]), actions, policy)
        history.decided(decision)
        history.rewarded(decision, float(rewards[day]), float(rewards[day]), reader)
    assert history.width == 32
    assert [each["mean"] for each in history.rewards()] == pytest.approx(
        [rewards[i : i + 32].mean() for i in range(0, 3000, 32)]
    )
    assert history.marginals() == [[0.5] * 4] * 94
    again = History(actions, "bandit")
    again.load(history.dump())
    assert (again.rewards(), again.stride) == (history.rewards(), history.stride)
    assert again.samples().tolist() == history.samples().tolist()
    last = regret_curve(actions, history.samples())[-1]
    assert last["low"] < last["value"] < last["high"]
    truth = float(rewards.mean())  # the action's own reward is known; estimates of others are noise around it
    assert abs(last["value"]) < 10 * truth


def test_a_snapshot_is_the_problem() -> None:
    """A problem restored from its snapshot and the events after it decides, counts and shows the same."""
    whole, half = Live("x", Problem(SPEC, 100)), Live("x", Problem(SPEC, 100))
    events: list[Event] = []
    for day in range(60):
        whole.act(float(day))
        if day % 3 != 2:
            whole.close(day, "reward", 0.25, day + 0.5)
        elif day > 5:
            whole.close(day - 3, "skip", None, day + 0.5)
        events += whole.pending
        whole.pending.clear()
    for event in events[:50]:
        half.replay(event)
    restored = Live("x", Problem(SPEC, 100))
    restored.load(*half.snapshot())
    for event in events[50:]:
        restored.replay(event)
    assert restored.act(1.0) == whole.act(1.0)
    assert restored.session.snapshot() == whole.session.snapshot()
    assert (restored.totals, list(restored.latest)) == (whole.totals, list(whole.latest))
    assert {day: each[1:] for day, each in restored.open.items()} == {day: each[1:] for day, each in whole.open.items()}
    assert restored.history.dump() == whole.history.dump()
    with pytest.raises(InvalidInput, match="must replay"):
        Live("x", Problem(SPEC, 100)).replay(Event("act", 0, "ff", 0.0, 1))


def test_half_an_event_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a decision was drawn, or a reward learnt, and no event came of it, the problem has to be read again."""

    def refused(*_: object) -> None:
        raise InvalidInput("an event must be written", "one that is not", "Look.")

    for name, asked in (("acted", ("decide", (1, 10**6, Asked()))), ("closed", ("close", ([("x.0", 0.5)], False)))):
        worker = _Worker()
        worker.live, worker.snapshot_every = Live("x", Problem(SPEC, 100)), 1000
        worker.run([("decide", (1, 10**6, Asked()))], 0.0)
        with monkeypatch.context() as patched:
            patched.setattr(live_problem, name, refused)
            ran = worker.run([asked], 1.0)
        assert (ran.is_broken, ran.events, ran.totals["n_decisions"]) == (True, [], 1), name


def test_the_sets_of_a_product_are_checked_too(tmp_path: Any) -> None:
    """Neither a file of the server nor a set that is too large can hide in a product, or in a product of products."""
    file = tmp_path / "actions.csv"
    file.write_text("a,b\n1,0\n0,1\n")
    inner = {"kind": "product", "sets": ["msets 3 1", {"kind": "explicit", "file": str(file)}]}
    for entry in (f'product "explicit {file}" "msets 3 1"', inner, {"kind": "product", "sets": ["msets 3 1", inner]}):
        with pytest.raises(InvalidInput, match="a file of the server"):
            Problem(ProblemSpec(set=entry), 100)
    with pytest.raises(TooLarge, match="at most 100 elements: got 18000000 or more"):
        Problem(ProblemSpec(set={"kind": "product", "sets": ["msets 9000000 2"] * 2}), 100)


def test_a_clock_that_jumps_back(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process time never goes back; decisions made by a clock that was ahead are not kept open for longer."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    no_processes: Any = None
    service = Service(store, Settings(), no_processes)
    before = service.now()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert before <= service.now() < before + 60
    with store.transaction() as connection:
        store.add_problem(connection, "x", "x", SPEC.model_dump(mode="json") | {"deadline": 5.0}, 0.0)
    assert store.take("x", service.owner, "", None)
    live = Live("x", Problem(SPEC, 100))
    live.act(1_000_000.0)
    with store.transaction() as connection:
        store.append(connection, "x", service.owner, live.pending, {"seq": 1, "n_decisions": 1})
    restored = Live("x", Problem(SPEC.model_copy(update={"deadline": 5.0}), 100))
    for event in store.events("x"):
        restored.replay(event)
    restored.set_clock(100.0)
    assert restored.overdue(104.9) == []
    assert restored.overdue(105.0) == [0]
    service.writer.stop()
    store.close()


def test_when_a_process_is_taken_for_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner is dead if its beat stood still for a lease, or its process is gone from this machine; not before."""
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    watch = Watch(10.0)
    other = "another-machine:1:x"
    assert not watch.is_stale("p", other, 1)
    now = 1009.0
    assert not watch.is_stale("p", other, 1)
    assert not watch.is_stale("p", other, 2)
    now = 1018.0
    assert not watch.is_stale("p", other, 2)
    now = 1019.0
    assert watch.is_stale("p", other, 2)
    host = socket.gethostname()
    assert not watch.is_stale("q", f"{host}:{os.getpid()}:x", 1)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert watch.is_stale("q", f"{host}:{child}:x", 1)


def test_only_the_owner_writes(tmp_path: Any) -> None:
    """A lease is taken once, and what comes from anybody else is not written."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    with store.transaction() as connection:
        store.add_problem(connection, "x", "x", SPEC.model_dump(mode="json"), 0.0)
    assert store.take("x", "first", "", None)
    assert not store.take("x", "second", "", None)
    assert not store.take("x", "second", "", ("first", 0))
    assert store.take("x", "second", "", ("first", 1))
    with pytest.raises(Exception, match="one process at a time"), store.transaction() as connection:
        store.append(connection, "x", "first", [Event("act", 0, "", 0.0, 1)], {})
    assert list(store.events("x")) == []
    assert store.beat("second") == {"x"}
    assert store.beat("first") == set()
    store.close()


def test_migrations(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database is brought up to date step by step, each step once; one from the future is refused."""
    url = f"sqlite:///{tmp_path}/x.db"
    open_store(url).close()
    ran: list[int] = []
    steps = (*schema.MIGRATIONS, lambda connection: ran.append(2))
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    open_store(url).close()
    open_store(url).close()
    assert ran == [2]
    monkeypatch.setattr(schema, "MIGRATIONS", steps[:1])
    with pytest.raises(InvalidInput, match="version 1 or older"):
        open_store(url)


def test_events_cannot_close_a_day_twice(tmp_path: Any) -> None:
    """The database itself refuses a second reward of one decision."""
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    row = {"problem": "x", "seq": 1, "kind": "reward", "day": 0, "at": 0.0, "value": "1"}
    with store.transaction() as connection:
        connection.execute(insert(schema.events), row)
    with pytest.raises(Exception, match="UNIQUE"), store.transaction() as connection:
        connection.execute(insert(schema.events), row | {"seq": 2, "kind": "skip"})
    with store.transaction() as connection:
        assert connection.execute(update(schema.events).values(at=1.0)).rowcount == 1
    store.close()


def test_the_client(server: Served) -> None:
    """Both clients do everything the service offers, and errors arrive as what must hold, what came, what to do."""
    with Client(server.url) as client:
        problem = client.create("msets 5 2", horizon=1000, preset="multiscale", seed=3)["id"]
        first, second, third = (each["id"] for each in client.decide(problem, 3)["decisions"])
        assert client.reward(first, 0.5)["repeated"] is False
        assert client.skip(second)["state"] == "skip"
        assert client.rewards(problem, {third: 0.25, first: None})["n_refused"] == 1
        assert client.problem(problem)["n_rewards"] == 2
        assert client.archive(problem)["state"] == "archived"
        with pytest.raises(ServiceError, match="must be open for decisions") as caught:
            client.decide(problem)
        assert caught.value.status == 409
        assert problem in [each["id"] for each in client.problems()]

    async def play() -> Any:
        async with AsyncClient(server.url) as client:
            made = (await client.create("msets 5 2", horizon=1000, preset="multiscale"))["id"]
            (decision,) = (await client.decide(made))["decisions"]
            await client.reward(decision["id"], 1.0)
            return await client.problem(made)

    assert asyncio.run(play())["mean_reward"] == 1.0


def test_the_client_survives_a_restart(serve: Callable[..., Served]) -> None:
    """A call that meets a dead server is sent again, with its key, until the server is back."""
    server = serve()
    problem = server.make()
    with Client(server.url, tries=50) as client:
        client.decide(problem)
        server.kill()
        with pytest.raises(Exception, match="refused"):
            Client(server.url, tries=1).problems()
        server.start()
        assert client.decide(problem)["decisions"][0]["day"] == 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"preset": "adaptive", "set": "msets 4 2"},
        {"preset": None, "horizon": None, "set": "msets 4 2"},
        {"horizon": None},
        {"reward_range": [-1e100, 1e100], "feedback": "semi-bandit", "baseline": [0, 1], "holdout": 0.5},
    ],
    ids=str,
)
def test_answers_are_json(server: Served, given: dict[str, Any]) -> None:
    """No answer holds what strict JSON readers refuse: before the first day, after some, at the ends of any range."""
    problem = server.make(**given)
    worth = given.get("reward_range", [0.0, 1.0])
    for day in range(24):
        for path in (f"/problems/{problem}", f"/problems/{problem}/view") if day in (0, 1, 2, 23) else ():
            answer = server.http.get(path)
            assert answer.status_code == 200, answer.text
            json.loads(answer.text, parse_constant=pytest.fail)
        (decision,) = server.decide(problem)
        reward = worth[day % 2]
        told = [reward / 2.0] * 2 if "feedback" in given else reward
        assert server.post(f"/decisions/{decision['id']}/reward", {"reward": told}).status_code == 200
    json.loads(server.http.get("/problems").text, parse_constant=pytest.fail)
