"""Blocks and steps are the same code: the same actions, rewards and states, bit for bit, for every family, preset and feedback."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.arrays import text_of_array
from swapregret.compiled.vectors import action_total
from swapregret.files.storage import from_bytes
from swapregret.learners.doubling import anytime
from swapregret.playing.course import Course
from swapregret.testing.player_checks import state_of

K4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
SETS: Late[sr.ActionSet] = Late(
    {
        "m-sets": lambda: sr.MSets(6, 2),
        "permutations": lambda: sr.Permutations(3),
        "paths": lambda: sr.DagPaths(K4, source=0, sink=3),
        "trees": lambda: sr.SpanningTrees(K4),
        "explicit": lambda: sr.Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0]]),
        "oracle": lambda: sr.OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64)),
    }
)
MORE: Late[sr.ActionSet] = Late(
    {
        "forests": lambda: sr.Forests([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], size=3),
        "product": lambda: sr.Product(sr.MSets(3, 1), sr.Permutations(2)),
        "many": lambda: sr.MSets(14, 5),  # too many for a list
        "long": lambda: sr.MSets(11, 3),  # 165 actions: chains are refined, not eliminated
        "arms": lambda: sr.MSets(4, 1),
    }
)
ALL = SETS | MORE
DAYS, CUT = 120, 47
OPTIONS = {"measure": "none", "realised": True, "windows": (), "certificate": False, "capacity": None}
CASES = [
    (name, preset, feedback)
    for name, (preset, feedback) in product(SETS, [("multiscale", "bandit"), ("adaptive", "bandit")])
]
CASES += [("m-sets", preset, feedback) for preset in ("multiscale", "adaptive") for feedback in ("semi-bandit", "full")]
CASES += [("forests", "multiscale", "bandit"), ("product", "multiscale", "bandit")]
CASES += [(name, "comband", "bandit") for name in ("m-sets", "permutations", "paths", "trees", "explicit")]
CASES += [(name, "ladder", "bandit") for name in ("m-sets", "trees", "oracle")] + [("m-sets", "ladder", "full")]
CASES += [("m-sets", "paper", "bandit"), ("trees", "multiscale", "semi-bandit"), ("paths", "multiscale", "full")]

LISTING = ("exp3", "tsallis_inf", "blum_mansour", "ito", "stoltz", "regret_matching", "treeswap")
COMPETITORS: list[tuple[str, str, dict[str, Any]]] = [
    *((name, each, {}) for name in (*SETS, "forests", "product") for each in ("combexp",)),
    *((name, "uniform", {}) for name in ("m-sets", "oracle", "product")),
    *((name, "follow_the_leader", {}) for name in ("m-sets", "permutations", "oracle", "product")),
    *((name, "comband", {}) for name in ("m-sets", "oracle", "product", "many")),
    *(("m-sets", each, {}) for each in LISTING),
    *(("paths", each, {"feedback": "full"}) for each in LISTING if each not in ("ito", "tsallis_inf")),
    ("arms", "exp3", {"learning_rate": 20.0, "exploration": 0.1, "baseline": 0.0}),
    ("arms", "stoltz", {"rules": "swap", "exploration": 0.05}),
    ("arms", "treeswap", {"estimator": "shared", "random_offset": False}),
    ("arms", "regret_matching", {"rule": "inertia"}),
    ("oracle", "blum_mansour", {}),
    *(("long", each, {}) for each in ("blum_mansour", "ito", "stoltz")),
    ("m-sets", "follow_the_leader", {"feedback": "semi-bandit"}),
    ("m-sets", "follow_the_leader", {"feedback": "full"}),
    ("m-sets", "combexp", {"learning_rate": 2.0, "exploration": 0.0, "variants": 1}),
    ("paths", "comband", {"exploration_policy": "spanner"}),
    ("permutations", "comband", {"learning_rate": 40.0, "exploration": 0.0}),
]


def player_of(name: str, preset: str, feedback: str) -> Any:
    """Return a player whose windows end often."""
    actions, schedule = ALL[name], sr.Schedule([2, 6, 18, 54])
    if preset == "comband":
        return sr.swap_comband(actions, DAYS, preset="multiscale", feedback=feedback, schedule=schedule)
    return sr.swap_combcp(actions, DAYS, preset=preset, feedback=feedback, schedule=schedule, variants=2)


def step(session: sr.Session, rewards: np.ndarray) -> tuple[list[list[int]], list[float]]:
    """Play days by hand."""
    plays, received = [], []
    for row in rewards:
        decision = session.act()
        total = min(max(action_total(row, decision.action), 0.0), 1.0)
        feedback = session.player.feedback
        session.observe({"bandit": total, "semi-bandit": row * decision.action, "full": row}[feedback])
        plays.append(decision.action.tolist())
        received.append(total)
    return plays, received


def played(player: Any, world: Any, cuts: tuple[int, ...]) -> tuple[Course, list[list[int]]]:
    """Play blocks up to each day in turn."""
    course = Course(player, world, np.random.SeedSequence(3), OPTIONS)
    plays: list[list[int]] = []
    for stop in cuts:
        course.advance(stop)
        plays += course.plays.tolist()
    return course, plays


def assert_same(player: Any, one: Any, other: Any) -> None:
    """Compare two states array by array."""
    mine, theirs = player.dump(one), player.dump(other)
    assert mine.keys() == theirs.keys()
    assert [name for name in mine if not np.array_equal(mine[name], theirs[name])] == []


@pytest.mark.parametrize(("name", "preset", "feedback"), CASES)
def test_blocks_are_steps(name: str, preset: str, feedback: str, tmp_path: Path) -> None:
    """A course in blocks, a session stepped, and a session saved and loaded in the middle play the same game."""
    player = player_of(name, preset, feedback)
    check_blocks_are_steps(player, tmp_path)
    assert player.is_compiled == (name != "oracle")


@pytest.mark.parametrize(("name", "competitor", "options"), COMPETITORS)
def test_blocks_of_competitors_are_steps(name: str, competitor: str, options: dict[str, Any], tmp_path: Path) -> None:
    """So do competitors, on every kind of set."""
    check_blocks_are_steps(getattr(sr.baselines, competitor)(ALL[name], DAYS, **options), tmp_path)


def check_blocks_are_steps(player: Any, tmp_path: Path) -> None:
    """Play blocks and steps, and compare all there is."""
    world = sr.environments.cyclic(player.actions, DAYS, phases=5, rng=2)
    rewards = world.rewards(0, DAYS)
    course, plays = played(player, world, (1, CUT, DAYS))
    session = sr.Session(player, rng=np.random.SeedSequence(3))
    found, received = step(session, rewards[:CUT])
    session.save(tmp_path / "session")
    loaded = sr.Session.load(tmp_path / "session", player)
    for each in (session, loaded):
        more, rest = step(each, rewards[CUT:])
        assert found + more == plays
        assert np.mean(received + rest) == pytest.approx(course.reward, abs=1e-12)
        assert_same(player, state_of(each), course.state)
        assert from_bytes("session", each.snapshot(), "")[0]["rng"] == json.loads(text_of_array(course.dump()["rng"]))


@pytest.mark.parametrize("preset", ["multiscale", "adaptive"])
def test_anytime_blocks_are_steps(preset: str) -> None:
    """So they do through epochs that double."""
    actions = SETS["m-sets"]
    player = anytime(sr.swap_combcp, actions, first_epoch=20, preset=preset, variants=2)
    world = sr.environments.cyclic(actions, DAYS, phases=5, rng=2)
    course, _ = played(player, world, (1, CUT, DAYS))
    session = sr.Session(player, rng=np.random.SeedSequence(3))
    _, received = step(session, world.rewards(0, DAYS))
    assert np.mean(received) == pytest.approx(course.reward, abs=1e-12)
    assert state_of(session).epoch == 2
    assert_same(player, state_of(session), course.state)


@pytest.mark.parametrize("preset", ["multiscale", "adaptive"])
def test_late_rewards_are_estimated_without_bias(preset: str) -> None:
    """With three decisions open, E[R̃·M'] = R·M' for the policy that drew each, by a sum over all actions."""
    actions = sr.MSets(4, 2)
    rewards = np.array([0.1, 0.4, 0.2, 0.3])
    player = sr.swap_combcp(
        actions, 100, preset=preset, schedule=sr.Schedule([2, 4, 8]), variants=2, random_offset=False
    )
    means = np.zeros((3, 4))
    chances = np.zeros(3)
    session = sr.Session(player, rng=1, max_open=3)
    for _ in range(5):  # the third of the open days below is drawn after a window has ended
        session.observe(float(rewards @ session.act().action))
    session.act()
    session.act()
    session.observe(0.3, session.open_decisions[1])
    session.act()
    session.act()
    policies = [decision.policy for decision in session.open_decisions]
    assert not session.open_decisions[0].held.is_present
    snapshot = session.snapshot()
    for index, policy in enumerate(policies):
        for action in actions.enumerate():
            again = sr.Session.from_bytes(snapshot, player)
            decision = again.open_decisions[index]
            decision.action = action
            before = state_of(again).estimated_total()
            again.observe(float(rewards @ action), decision)
            chance = policy.probability(action)
            chances[index] += chance
            means[index] += chance * (state_of(again).estimated_total() - before)
    assert np.allclose(chances, 1.0, rtol=0.0, atol=1e-12)
    for action in actions.enumerate():
        assert np.allclose(means @ action, rewards @ action, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("preset", ["multiscale", "adaptive"])
@pytest.mark.parametrize("name", SETS)
def test_what_a_decision_says_of_its_policy(name: str, preset: str) -> None:
    """Marginals and Σ⁺M are those of the policy: while it is played, after the player has moved on, with the doubling trick."""

    def check(decision: Any) -> None:
        assert np.allclose(decision.marginals, decision.policy.marginals(), rtol=0.0, atol=1e-12)
        solved, moment = decision.held.solve(decision.action), decision.policy.cooccurrence()
        assert np.allclose(moment @ solved, moment @ np.linalg.pinv(moment) @ decision.action, rtol=0.0, atol=1e-8)

    doubling = anytime(sr.swap_combcp, SETS[name], first_epoch=20, preset=preset)
    for player in (player_of(name, preset, "bandit"), doubling):
        session = sr.Session(player, rng=5, max_open=40)
        for day in range(30):
            check(session.act())
            if day % 3:
                session.observe(day % 4 / 3, session.open_decisions[day % len(session.open_decisions)])
        for decision in session.open_decisions:
            check(decision)
