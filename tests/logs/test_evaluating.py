"""The value of another policy: exact expectations by enumeration, intervals that hold, and refusals."""

import dataclasses
import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.cli import app
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.player import Decision
from swapregret.learners.round.held_view import Drawn
from swapregret.logs.evaluating import _of_player, evaluate
from swapregret.units import UNIT_REWARDS


def expected(
    actions: ActionSet, policies: list[sr.FinitePolicy], rewards: np.ndarray, target: np.ndarray
) -> np.ndarray:
    """Return the expectation of both estimates over all draws of all days."""
    table, mean = actions.enumerate(), np.zeros(2)
    for rows in product(range(len(table)), repeat=len(policies)):
        chance = float(np.prod([policy.probability(table[i]) for i, policy in zip(rows, policies, strict=True)]))
        if chance:
            days = [(table[i], float(table[i] @ r), p) for i, r, p in zip(rows, rewards, policies, strict=True)]
            found = evaluate(days, target, actions=actions)
            mean += chance * np.array([found.pseudo_inverse.value, found.doubly_robust.value])
    return mean


SETS = {
    "msets": lambda: sr.MSets(4, 2),
    "permutations": lambda: sr.Permutations(3),
    "paths": lambda: sr.DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t"),
    "trees": lambda: sr.SpanningTrees([(0, 1), (1, 2), (0, 2)]),
}


@pytest.mark.parametrize("name", SETS)
def test_both_estimates_are_unbiased(name: str) -> None:
    """Summed over all draws of three days, both are the mean reward of the choice, to 1e-12; the sets have low rank too."""
    actions = SETS[name]()
    rng, table = np.random.default_rng(5), actions.enumerate()
    policies = [sr.FinitePolicy(table, rng.dirichlet(np.ones(len(table)))) for _ in range(3)]
    rewards = rng.random((3, actions.dimension)) / actions.size
    target = table[1]
    assert expected(actions, policies, rewards, target) == pytest.approx(
        np.full(2, (rewards @ target).mean()), abs=1e-12
    )


def simulated(rng: np.random.Generator, n: int) -> tuple[ActionSet, list, float, np.ndarray]:
    """Return a log of 3 of 6 by a policy that prefers some, 0/1 totals; the value of a choice, and the choice."""
    actions = sr.MSets(6, 3)
    policy = sr.mix([actions.gibbs([2.0, 1.0, 1.0, 0.0, 0.0, 0.0]), actions.uniform_policy()], [0.7, 0.3])
    means = np.array([0.1, 0.3, 0.05, 0.2, 0.25, 0.1])
    rows = policy.sample_many(rng, n)
    totals = (rng.random(n) < rows @ means).astype(float)
    choice = np.array([0, 1, 0, 1, 1, 0])
    return (
        actions,
        [(row, total, policy) for row, total in zip(rows, totals.tolist(), strict=True)],
        float(means @ choice),
        choice,
    )


def test_intervals_hold_as_often_as_they_say() -> None:
    """Of 1,000 logs of 300 days at least 93 % of the 95 % intervals have the truth (fewer: chance below 1e-2 if 95 % do)."""
    rng, held = np.random.default_rng(8), np.zeros(2)
    for _ in range(1000):
        actions, log, truth, choice = simulated(rng, 300)
        found = evaluate(log, choice, actions=actions)
        held += [each.lower <= truth <= each.upper for each in (found.doubly_robust, found.pseudo_inverse)]
    assert held.min() >= 930


def test_the_prediction_saves_days() -> None:
    """Where totals hardly vary, the doubly robust estimate has a quarter of the other's error, and both say the same."""
    rng, actions = np.random.default_rng(3), sr.MSets(5, 2)
    rows = actions.uniform_policy().sample_many(rng, 400)
    log = [(row, 0.5 + 0.1 * float(row[0])) for row in rows]
    found = evaluate(log, [1, 1, 0, 0, 0], actions=actions, policies="uniform")
    assert found.value == pytest.approx(0.6, abs=0.01)
    assert found.doubly_robust.standard_error < 0.25 * found.pseudo_inverse.standard_error
    assert found.told == "uniform"
    assert "declared uniform by the user" in found.definition
    assert "doubly robust" in repr(found)
    assert "<table" in found._repr_html_()


def test_a_policy_a_set_of_labels_and_costs() -> None:
    """A policy is worth what its actions are on average; costs come out as costs."""
    coin = sr.MSets(2, 1, labels="ab")
    log = [(("a",), 8.0), (("b",), 2.0)] * 50
    half = evaluate(log, coin.uniform_policy(), actions=coin, policies=coin.uniform_policy(), cost_range=(0, 10))
    assert half.pseudo_inverse.value == pytest.approx(5.0)
    assert evaluate(log, {"b"}, actions=coin, policies="uniform", cost_range=(0, 10)).value == pytest.approx(
        2.0, abs=0.2
    )


def test_days_without_support_are_counted_and_left_out() -> None:
    """A constant log knows its own choice alone; half a log that shows all is half without support."""
    coin = sr.MSets(3, 1)
    a, b = [1, 0, 0], [0, 1, 0]
    same = evaluate([(a, 0.5)] * 4, a, actions=coin, policies="constant")
    assert (same.pseudo_inverse.value, same.without_support) == (0.5, 0.0)
    with pytest.raises(InvalidInput, match="could have been seen"):
        evaluate([(a, 0.5)] * 4, b, actions=coin, policies="constant")
    point, spread = sr.FinitePolicy([a], [1.0]), coin.uniform_policy()
    mixed = evaluate([(a, 0.5, point), (b, 1.0, spread)] * 10, b, actions=coin)
    assert mixed.without_support == 0.5
    assert mixed.effective_days == pytest.approx(10.0)


def test_a_player_learns_from_the_log() -> None:
    """A player that would have learnt earns more than the log's uniform policy, and its value needs no actions."""
    rng, actions = np.random.default_rng(2), sr.MSets(5, 2)
    means = np.array([0.45, 0.45, 0.05, 0.05, 0.05])
    rows = actions.uniform_policy().sample_many(rng, 1500)
    log = sr.Log.read([(row, float(row @ means)) for row in rows], actions, policies="uniform")
    found = evaluate(log, sr.swap_combcp(actions, 1500))
    assert found.logged + 0.15 < found.doubly_robust.lower < found.value < 0.9
    with pytest.raises(Unsupported, match="estimate rewards by"):
        evaluate(log, sr.baselines.exp3(actions, 1500))


def test_frames_and_files_are_the_same_log(tmp_path) -> None:
    """A list, a CSV file, a Polars and a pandas frame give the same value."""
    coin = sr.MSets(3, 2, labels="abc")
    rows = [("a;b", 0.5), ("b;c", 0.25), ("a;c", 1.0)] * 5
    frame = pl.DataFrame({"action": [action for action, _ in rows], "reward": [reward for _, reward in rows]})
    frame.write_csv(tmp_path / "log.csv")
    frame.write_parquet(tmp_path / "log.parquet")
    plain = [(tuple(action.split(";")), reward) for action, reward in rows]
    logs = [plain, tmp_path / "log.csv", str(tmp_path / "log.parquet"), frame, frame.to_pandas()]
    assert len({evaluate(log, ("a", "b"), actions=coin, policies="uniform").value for log in logs}) == 1
    short = frame.with_columns(available=pl.Series(["", "b;c", ""] * 5))
    with pytest.raises(InvalidInput, match="all elements were available"):
        evaluate(short, ("a", "b"), actions=coin, policies="uniform")
    assert evaluate(short, ("a", "b"), actions=coin, policies="constant").n_days == 15
    with pytest.raises(InvalidInput, match="`policy` must be a 0/1 row or the labels of one action: got 'uniform'"):
        evaluate(frame, "uniform", actions=coin, policies="uniform")


@pytest.mark.parametrize(
    ("log", "options", "words"),
    [
        ([([1, 1, 0], 0.5)], {}, "which policy drew each action"),
        ([], {"policies": "uniform"}, "at least one day"),
        ([([1, 1, 0], 0.5), 7], {"policies": "uniform"}, "row 2: 7"),
        ([([1, 1, 0], "x")], {"policies": "uniform"}, "row 1 of the log must have a finite total"),
        ([([1, 1, 1], 0.5)], {"policies": "uniform"}, "row 1 of `plays`"),
        ([([1, 1, 0], 2.0)], {"policies": "uniform", "reward_range": (0, 1)}, r"declared range \[0, 1\]"),
        ([([1, 1, 0], 0.5)], {"policies": "unifrom"}, "uniform"),
        (3, {"policies": "uniform"}, "a log must be a file"),
        ([([1, 1, 0], 0.5)], {"policies": "uniform", "confidence": 1.0}, "confidence"),
    ],
)
def test_what_is_no_log_is_refused(log, options, words: str) -> None:
    """Each refusal names the row or the argument."""
    with pytest.raises(InvalidInput, match=words):
        evaluate(log, [1, 1, 0], actions=sr.MSets(3, 2), **options)


def test_the_set_must_be_known() -> None:
    """A list of rows and a policy do not name a set."""
    with pytest.raises(InvalidInput, match="`actions` must be given"):
        evaluate([([1, 0], 1.0)], [1, 0])


def test_a_player_is_valued_knowing_what_was_known() -> None:
    """A player is asked what it would have played in the context of the day, without what was missing, as a session would."""
    actions, rng = sr.MSets(4, 1, labels="abcd"), np.random.default_rng(5)
    few = sr.FinitePolicy(np.eye(4, dtype=np.int64)[:3], [1 / 3] * 3)
    policies = [few if day % 2 else actions.uniform_policy() for day in range(400)]
    plays = np.array([policy.sample(rng) for policy in policies])
    contexts = tuple("mn"[day % 3 == 0] for day in range(400))
    available = tuple(("a", "b", "c") if day % 2 else None for day in range(400))
    best = np.array([0 if context == "m" else 1 for context in contexts])
    totals = plays[np.arange(400), best].astype(float)
    log = sr.Log(actions, plays, totals, tuple(policies), "logged", UNIT_REWARDS, contexts, available)
    player = sr.swap_combcp(actions, 400)
    found = evaluate(log, player)
    blind = evaluate(dataclasses.replace(log, contexts=None), player)
    assert found.without_support == 0.0
    assert found.value > blind.value + 0.05
    session, wanted = sr.Session(player, rng=0), []
    state = _of_player(player, log)
    for day in range(60):
        decision = session.act(context=contexts[day], available=available[day])
        wanted.append(decision.policy.marginals())
        held = Drawn(policies[day])
        session._state = session._known.observe(
            session._state, Decision(day, plays[day], actions, held, decision.note), float(totals[day])
        )
        session._open.clear()
        assert next(state) == pytest.approx(wanted[-1], abs=1e-12)


def test_a_policy_of_another_set_is_refused() -> None:
    """A player, a policy and a choice must be of the set of the log."""
    log, coin = [(("a",), 1.0), (("b",), 0.0)] * 20, sr.MSets(2, 1, labels="ab")
    for other in (sr.swap_combcp(sr.MSets(5, 2), 100), sr.MSets(5, 2).uniform_policy()):
        with pytest.raises(InvalidInput, match="`policy` must be over the 2 elements of the set"):
            evaluate(log, other, actions=coin, policies="uniform")


def test_a_journal_is_evaluated_by_its_own_set(tmp_path) -> None:
    """The command takes a journal as it takes a table, without set and range; what it knows must not be told again."""
    coin, path = sr.MSets(2, 1, labels="ab"), tmp_path / "coin.journal"
    with sr.Session(sr.baselines.uniform(coin), rng=1, journal=path, reward_range=(0, 3)) as session:
        for _ in range(40):
            session.observe(3.0 * ("a" in session.act().elements))
    asked = ["evaluate", str(path), "--policy", "a", "--json"]
    found = json.loads(CliRunner().invoke(app, asked, catch_exceptions=False).stdout)
    assert found["n_days"] == 40
    assert found["pseudo_inverse"]["value"] == pytest.approx(3.0, abs=1.0)
    assert found["told"] == "logged"
    refused = CliRunner().invoke(app, [*asked, "--set", "msets 2 1"]).output
    assert "its own set, range and policies" in " ".join(refused.split())
