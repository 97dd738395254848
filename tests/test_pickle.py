"""Sets, policies, players and states go through pickle, and to other processes, and come back the same."""

import inspect
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.testing.player_checks import state_of

EDGES = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]


def two_largest(weights: Any) -> Any:
    """Answer as the oracle of 2-sets; at the top of a module, so that pickle can name it."""
    return (np.argsort(np.argsort(-weights, kind="stable"), kind="stable") < 2).astype(int)


SETS: Late[sr.ActionSet] = Late(
    {
        "MSets": lambda: sr.MSets(6, 2, labels="abcdef"),
        "Permutations": lambda: sr.Permutations(3, labels="abc"),
        "TruncatedPermutations": lambda: sr.TruncatedPermutations(2, 4),
        "SpanningTrees": lambda: sr.SpanningTrees(EDGES),
        "Forests": lambda: sr.Forests(EDGES, size=2),
        "DagPaths": lambda: sr.DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t"),
        "Partitions": lambda: sr.Partitions(4, 3),
        "Plans": lambda: sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        "Explicit": lambda: sr.Explicit([[1, 0, 1], [0, 1, 1], [1, 1, 0]]),
        "OracleSet": lambda: sr.OracleSet(4, two_largest),
        "Product": lambda: sr.Product(sr.MSets(3, 1), sr.MSets(4, 2)),
    }
)
PRESETS = ("adaptive", "multiscale", "paper")


def again(value: Any) -> Any:
    """Send a value through pickle."""
    return pickle.loads(pickle.dumps(value))


def go_on(player: Any, state: Any, bits: dict[str, Any], days: int) -> tuple[list[list[int]], dict[str, Any]]:
    """Play some days from a state with a generator in a known state; return the actions, and the state as arrays."""
    rng = np.random.default_rng()
    rng.bit_generator.state = bits
    plays = []
    for day in range(days):
        policy = player.policy(state)
        action = policy.sample(rng)
        decision = sr.Decision(day, action, player.actions.elements(action), policy)
        rewards = np.arange(player.actions.dimension) / player.actions.dimension / player.actions.size
        seen = float(rewards @ action) if player.feedback == "bandit" else rewards * action
        state = player.observe(state, decision, rewards if player.feedback == "full" else seen)
        plays.append(action.tolist())
    return plays, player.dump(state)


def same(one: Any, other: Any) -> bool:
    """Tell whether two results of ``go_on`` are equal, bit for bit."""
    return one[0] == other[0] and {k: v.tobytes() for k, v in one[1].items()} == {
        k: v.tobytes() for k, v in other[1].items()
    }


def middle(player: Any) -> tuple[Any, dict[str, Any]]:
    """Return a state after some days, and the generator's."""
    rng = np.random.default_rng(5)
    state = player.start(rng)
    session = sr.Session(player, rng=3)
    for _ in range(7):
        action = session.act().action
        known = np.full(player.actions.dimension, 0.5 / player.actions.size)
        session.observe(0.5 if player.feedback == "bandit" else known if player.feedback == "full" else known * action)
    state = player.load(player.dump(state_of(session)))
    return state, rng.bit_generator.state


def test_every_exported_set_is_here() -> None:
    """A new public set must be added to the list above."""
    found = {
        name
        for name in sr.__all__
        if inspect.isclass(kind := getattr(sr, name)) and issubclass(kind, sr.ActionSet) and kind is not sr.ActionSet
    }
    assert found == set(SETS)


@pytest.mark.parametrize("name", SETS)
def test_a_set_and_its_policies_come_back(name: str) -> None:
    """Whatever has been asked of a set before, its copy answers alike; policies keep their bits and stay read-only."""
    actions = SETS[name]
    _ = actions.span, actions.spanner(), actions.exploration_policy(), actions.rank
    copy = again(actions)
    assert repr(copy) == repr(actions)
    assert (copy.labels, copy.n_actions, copy.rank) == (actions.labels, actions.n_actions, actions.rank)
    scores = np.linspace(-1.0, 1.0, actions.dimension)
    assert np.array_equal(copy.argmax(scores), actions.argmax(scores))
    assert copy.kl_project(scores).point.tobytes() == actions.kl_project(scores).point.tobytes()
    policies = [actions.exploration_policy(), actions.decompose(actions.kl_project(scores).point)]
    policies += [actions.gibbs(scores)] if actions.has_gibbs else []
    for policy in policies:
        twin = again(policy)
        assert twin.marginals().tobytes() == policy.marginals().tobytes()
        drawn = [each.sample(np.random.default_rng(1)).tolist() for each in (policy, twin)]
        assert drawn[0] == drawn[1]
    twin = again(sr.FinitePolicy([[1, 0], [0, 1]], [0.5, 0.5]))
    assert not twin.weights.flags.writeable


def kind_of(player: Any) -> Any:
    """Return the type of a player's family in compiled code."""
    from numba import typeof

    return typeof(player._family.hull.data)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", [name for name in SETS if name != "OracleSet"])
def test_players_and_states_come_back(name: str, preset: str) -> None:
    """A player and its state, sent through pickle in the middle of a play, go on with the same bits and the same compiled code."""
    player = sr.swap_combcp(SETS[name], 100, preset=preset)
    state, bits = middle(player)
    copy, kept = again((player, state))
    assert kind_of(copy) == kind_of(player)
    assert same(go_on(player, state, bits, 5), go_on(copy, kept, bits, 5))


@pytest.mark.parametrize("name", sr.baselines.__all__)
def test_competitors_come_back(name: str) -> None:
    """So does every competitor, and an anytime player."""
    player = getattr(sr.baselines, name)(SETS["MSets"], 100)
    state, bits = middle(player)
    copy, kept = again((player, state))
    assert same(go_on(player, state, bits, 5), go_on(copy, kept, bits, 5))


def test_another_process_gives_the_same_bits() -> None:
    """Players of every preset and their states, sent to a process pool, play the same days there as here."""
    players = [sr.swap_combcp(SETS["MSets"], 100, preset=preset) for preset in PRESETS]
    players.append(sr.anytime(sr.swap_combcp, SETS["DagPaths"]))
    tasks = [(player, *middle(player), 5) for player in players]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = [future.result(timeout=300) for future in [pool.submit(go_on, *task) for task in tasks]]
    for task, found in zip(tasks, there, strict=True):
        assert same(go_on(*task), found)


def test_joblib_sends_them_too() -> None:
    """Joblib's workers, which start afresh, play the same days as this process."""
    from joblib import Parallel, delayed

    player = sr.swap_combcp(SETS["Permutations"], 100, preset="multiscale")
    task = (player, *middle(player), 5)
    (found,) = Parallel(n_jobs=2)([delayed(go_on)(*task)])
    assert same(go_on(*task), found)


def test_joblib_sends_functions_of_a_script(tmp_path: Path) -> None:
    """A function of a script or a notebook is sent with the package it uses, which goes by name."""
    assert again(sr) is sr
    script = tmp_path / "script.py"
    script.write_text(
        "import joblib\nimport swapregret as sr\n\n"
        "def draw(actions, seed):\n"
        "    return sr.Session(sr.baselines.uniform(actions), rng=seed).act().choice\n\n"
        "actions = sr.MSets(5, 2)\n"
        "there = joblib.Parallel(n_jobs=2)(joblib.delayed(draw)(actions, seed) for seed in range(2))\n"
        "print(there == [draw(actions, seed) for seed in range(2)])\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
