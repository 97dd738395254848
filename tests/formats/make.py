"""Write one small file of each kind, and what stands in it, into a folder named by the version: ``python tests/formats/make.py``.

A folder of an earlier version is never written again. What a file holds is told by ``facts``, which reads it as users do:
``test_formats`` asks each later version for the same.
"""

import hashlib
import json
import math
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

import swapregret as sr
from swapregret import games
from swapregret.actions.set_specs import make_set
from swapregret.experiments.runs.runner import read_plan, run_plan
from swapregret.files.csv_file import csv_line
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.learners.round.held_view import Chosen
from swapregret.logs.log_file import read_log
from swapregret.regret.ledgers.policy_file import policy_cell
from swapregret.results import load_experiment
from swapregret.serve.data.schema import keys
from swapregret.serve.data.upkeep import check
from swapregret.serve.database import Store, open_store
from swapregret.serve.keys import KeyRing
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.processes.jobs import Asked, Reply, archive, decide
from swapregret.serve.processes.live_problem import Live
from swapregret.serve.view import LogFile
from swapregret.sessions.journal_check import check_journal
from swapregret.sessions.journal_log import read_journal_log

HERE = Path(__file__).parent
FOLDER = HERE / ".".join(sr.__version__.split(".")[:2])
"""Minor versions may change a format, and have a folder each."""
KINDS = {
    "adaptive": lambda actions: sr.swap_combcp(actions, 1000),
    "ladder": sr.swap_combcp,
    "multiscale": lambda actions: sr.swap_combcp(actions, 1000, preset="multiscale"),
    "anytime": lambda actions: sr.anytime(sr.baselines.exp3, actions, first_epoch=16),
}
SETS: dict[str, Any] = {
    "msets": "msets 4 2 labels=a,b,c,d",
    "permutations": "permutations 3",
    "trees": {"kind": "trees", "edges": [["a", "b"], ["b", "c"], ["a", "c"]]},
    "forests": {"kind": "forests", "edges": [["a", "b"], ["b", "c"], ["a", "c"]], "size": 1},
    "paths": {"kind": "paths", "edges": [["s", "a"], ["a", "t"], ["s", "t"]], "source": "s", "sink": "t"},
    "partitions": "partitions 4 2",
    "explicit": {"kind": "explicit", "actions": [[1, 0, 0], [0, 1, 1]]},
    "product": {"kind": "product", "sets": ["msets 3 1", "msets 3 2"]},
}
SPEC = """horizons = 20
replications = 1
sets = "msets 4 2"
environments = "iid"
players = [{ kind = "swap_combcp", preset = "multiscale" }]
measure = { regrets = "ledger" }
checkpoints = [10, 20]
"""
PROBLEM = ProblemSpec(set="msets 4 2", horizon=200, preset="multiscale", seed=1, deadline=60.0, default_reward=0.5)
KEY = "srk_1f2e3d4c_one-that-everybody-may-know"
KEPT = {"key": "a request", "request": "its digest", "status": 200, "body": b"{}", "at": 3.0}


def reward(day: int) -> float:
    """Return a reward that looks like one."""
    return (37 * day % 11) / 10.0


# ---- writing ---------------------------------------------------------------------------------------------------------


def write_sessions(folder: Path) -> None:
    """Write sessions with open decisions, ids, contexts, missing elements and a hold-out."""
    actions = sr.MSets(3, 1, labels="abc")
    for name, make in KINDS.items():
        is_ours = name != "anytime"  # which knows what missing elements and days of the baseline teach
        kept: dict[str, Any] = {"baseline": ["a"], "holdout": 0.2} if is_ours else {}
        session: Any = sr.Session(make(actions), rng=1, max_open=3, **kept)
        for day in range(20):
            session.act(context=["mobile", ("desktop", 2)][day % 2] if name == "multiscale" else None)
            session.observe(reward(day))
        session.act(id="order-17")
        held = session.act(without=["c"] if is_ours else None)
        session.observe(0.4, held)
        session.act(id=18)
        session.save(folder / f"{name}.session")


def write_journal(folder: Path) -> None:
    """Write a journal with every kind of event."""
    actions, rng = sr.MSets(4, 2, labels="abcd"), np.random.default_rng(1)
    path = folder / "days.journal"
    with sr.Session(sr.swap_combcp(actions, 1000), rng=rng, cost_range=(0, 5), max_open=2, journal=path) as session:
        for day in range(12):
            session.act(context="mobile", id=day, without=["a"] if day % 3 == 0 else None)
            session.observe(5.0 * reward(day))
        rng.random()
        session.act()
        session.skip()
        session.mode = "apprentice"
        session.act(choice=["c", "d"])


def write_database(folder: Path) -> None:
    """Write a database with an open and an archived problem, a snapshot with events after it, an answer and a key."""
    store = opened(folder)
    for id in ("first", "second"):
        live = Live(id, Problem(PROBLEM, 100))
        with store.transaction() as connection:
            store.add_problem(connection, id, f"the {id}", live.problem.spec.model_dump(mode="json"), 1.0)
        store.take(id, "me", "", None)
        for day in range(9):
            decide(live, 2.0 + day, 1, 10**6, Asked(without=[3] if day % 2 else None, id=f"order-{day}"))
            if day < 6:
                live.close(day, "reward", reward(day), 2.5 + day)
            if day == 4 and id == "first":
                snapshot = live.snapshot()
        live.close(6, "skip", None, 20.0)
        live.expire(1_000.0)
        decide(live, 1_001.0, 1, 10**6, Asked())
        if id == "second":
            archive(live, 1_002.0)
        with store.transaction() as connection:
            store.append(connection, id, "me", live.pending, live.totals | {"seq": live.seq, "state": live.state})
            if id == "first":
                store.keep_snapshot(connection, id, *snapshot)
    with store.transaction() as connection:
        store.remember(connection, [KEPT])
        _, id, secret = KEY.split("_")
        digest = hashlib.sha256(secret.encode()).hexdigest()
        row = {"id": id, "name": "shop", "scope": "decide", "digest": digest, "created": 4.0}
        connection.execute(sa.insert(keys), row)
    store.release("me")
    with store.engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA journal_mode=DELETE")  # one file, no second one beside it
    store.close()


def write_logs(folder: Path) -> None:
    """Write logs with policies of every family, one of the service, and one as a table of another program."""
    lines = [csv_line(["set", "indices", "reward", "policy"])]
    for name, actions in made_sets().items():
        scores = np.linspace(0.0, 1.0, actions.dimension)
        policy = actions.gibbs(scores) if actions.has_gibbs else actions.exploration_policy()
        chosen = np.flatnonzero(policy.sample(np.random.default_rng(1)))
        lines.append(csv_line([name, ";".join(map(str, chosen)), "0.25", policy_cell(policy)]))
    (folder / "policies.csv").write_text("".join(lines), "utf-8")
    file, store = LogFile("first", Problem(PROBLEM, 100)), opened(folder)
    text = file.head()
    for event in store.events("first"):
        file.add(event)
    store.close()
    (folder / "service.csv").write_bytes(text + file.take())
    import polars as pl

    rewards = {f"reward:{element}": [0.25 * element, 0.5] for element in range(4)}
    pl.DataFrame({"indices": ["0;1", "1;3"], "available": ["", "0;1;3"], **rewards}).write_parquet(
        folder / "days.parquet"
    )


def write_play(folder: Path) -> None:
    """Write a correlated play."""
    game = games.make_game({"kind": "blotto", "troops": [3, 2], "fields": 3})
    players = [sr.swap_combcp(actions, 60, preset="multiscale") for actions in game.action_sets]
    games.self_play(game, players, 60, rng=0, windows=3).play.save(folder / "blotto.play")


def write_results(folder: Path) -> None:
    """Write a spec, and a folder of its results: a description, a table, and a run with its ledgers."""
    (folder / "spec.toml").write_text(SPEC, "utf-8")
    plan, data = read_plan(folder / "spec.toml")
    run_plan(plan, data, folder / "results", jobs=1)
    for each in (folder / "results").rglob("*.timing.json"):
        each.unlink()
    where = folder / "results" / "environment.json"  # of the machine it says nothing here
    told = {
        name: value
        for name, value in json.loads(where.read_text("utf-8")).items()
        if name in ("library", "seed_entropy")
    }
    where.write_text(json.dumps(told), "utf-8")


# ---- reading ---------------------------------------------------------------------------------------------------------


def made_sets() -> dict[str, Any]:
    """Return the sets of the policies."""
    return {name: make_set(entry) for name, entry in SETS.items()}


def opened(folder: Path) -> Store:
    """Return the database of a folder."""
    return open_store(f"sqlite:///{folder}/service.db")


def of_session(path: Path) -> dict[str, Any]:
    """Tell where a session stands; it then goes on for a few days."""
    session: Any = sr.Session.load(path)
    drawn = [each for each in session.open_decisions if not isinstance(each.held, Chosen)]
    told = {
        "day": session.day,
        "open": [[each.day, list(each.elements), each.id, each.context] for each in session.open_decisions],
        "policies": [each.policy.marginals().tolist() for each in drawn],
        "range": session.cost_range or session.reward_range,
        "marginals": session.policy().marginals().tolist(),
    }
    session.mode = "live"
    for each in session.open_decisions:
        session.skip(each)
    for _ in range(5):
        session.act()
        session.observe(0.5)
    return told


def of_journal(path: Path) -> dict[str, Any]:
    """Tell what a journal holds, and where its replay leads."""
    held, log = check_journal(path), read_journal_log(path)
    return {
        "replay": held.replay,
        "open": held.open_days,
        "rewards": log.rewards.tolist(),
        "plays": log.plays.tolist(),
        "available": log.available,
        "contexts": log.contexts,
        "policies": [each.marginals().tolist() for each in log.policies],
        "range": log.units.declared if log.units.is_cost else None,
        **of_session(path),
    }


def of_database(folder: Path) -> dict[str, Any]:
    """Tell what a database holds: problems as their snapshots and events make them, answers, keys."""
    store, told = opened(folder), dict[str, Any]()
    assert check(store) == []
    for id in ("first", "second"):
        row, kept = store.problem(id), store.snapshot(id)
        live = Live(id, Problem(ProblemSpec.model_validate_json(row.spec), 100), row.state)
        if kept is not None:
            live.load(*kept)
        for event in store.events(id):
            if event.seq > live.seq:
                live.replay(event)
        open_ = [[day, list(each.decision.elements), each.decision.note.id] for day, each in live.open.items()]
        told[id] = [row.name, row.state, row.created, live.totals, live.seq, open_, list(live.named.items())]
        told[id].append(live.history.rewards())
    (answer,) = store.answers([str(KEPT["key"])])
    told["answer"] = Reply(answer.status, answer.body).body.decode()
    told["key"] = KeyRing(store).check(f"Bearer {KEY}", "decide")
    store.close()
    return told


def of_policies(path: Path) -> dict[str, Any]:
    """Tell the marginals of the policies of a log."""
    rows, told, sets = path.read_text("utf-8").splitlines(), dict[str, Any](), made_sets()
    for row in rows[1:]:
        name, rest = row.split(",", 1)
        own = path.with_name(f"{name}.csv")
        own.write_text(f"{rows[0].partition(',')[2]}\n{rest}\n", "utf-8")
        log = read_log(own, sets[name])
        told[name] = [
            log.plays.tolist(),
            log.rewards.tolist(),
            [each.marginals().tolist() for each in log.policies or ()],
        ]
        own.unlink()
    return told


def of_log(path: Path) -> dict[str, Any]:
    """Tell the days of a log."""
    log = read_log(path, sr.MSets(4, 2))
    return {"plays": log.plays.tolist(), "rewards": log.rewards.tolist(), "n_policies": len(log.policies or ())}


def of_play(path: Path) -> float:
    """Tell how far a play is from a correlated equilibrium."""
    return float(games.certify(CorrelatedPlay.load(path)).epsilon)


def of_results(folder: Path) -> list[Any]:
    """Tell the regrets of the runs of a folder of results."""
    experiment, told = load_experiment(folder), list[Any]()
    for run in experiment.finished:
        detail = experiment.detail(run)
        for index, day in enumerate(detail.days):
            told.append([run.id, int(day), detail.ledger(index).values.tolist()])
    return told


FILES: dict[str, Callable[[Path], Any]] = {
    **{f"{name}.session": of_session for name in KINDS},
    "days.journal": of_journal,
    "service.db": lambda path: of_database(path.parent),
    "policies.csv": of_policies,
    "service.csv": of_log,
    "days.parquet": of_log,
    "blotto.play": of_play,
    "results": of_results,
}
"""The files of a folder, and what they are asked."""


def plain(value: Any) -> Any:
    """Return facts as JSON holds them."""
    return json.loads(json.dumps(value))


def is_alike(one: Any, other: Any) -> bool:
    """Tell whether facts are the same, numbers to nine digits."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_alike(one[name], other[name]) for name in one)
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def main() -> None:
    """Write all files of this version, and what they hold."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for write in (write_sessions, write_journal, write_database, write_logs, write_play, write_results):
        write(FOLDER)
    facts = {name: plain(read(FOLDER / name)) for name, read in FILES.items()}
    (FOLDER / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{FOLDER}: {sum(each.stat().st_size for each in FOLDER.rglob('*') if each.is_file()):,} bytes\n")


if __name__ == "__main__":
    main()
