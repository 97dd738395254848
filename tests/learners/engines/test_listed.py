"""Algorithms that list all actions: compiled blocks are steps, and so are their ledgers, to the last bit."""

import importlib
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.course import Course
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.listed import ListedEngine
from swapregret.play_result import Run
from swapregret.regret.ledgers.ledger_file import write_ledger

loop = importlib.import_module("swapregret.course")
B = sr.baselines
SETS, ARMS = sr.MSets(5, 2), sr.MSets(4, 1)
PATHS = sr.environments.shortcut_dag(2, 10).actions
HORIZON = 150

PLAYERS = [
    B.exp3(SETS, HORIZON),
    B.exp3(PATHS, HORIZON, learning_rate=20.0, exploration=0.1, baseline=0.0),
    B.exp3(sr.MSets(3, 3), HORIZON),
    B.exp3(sr.Permutations(3), HORIZON, feedback="full"),
    B.tsallis_inf(SETS, HORIZON),
    B.tsallis_inf(sr.Permutations(3), HORIZON, is_variance_reduced=True),
    B.blum_mansour(SETS, HORIZON),
    B.blum_mansour(PATHS, HORIZON, feedback="full", exploration=0.1),
    B.ito(SETS, HORIZON),
    B.ito(PATHS, HORIZON, is_variance_reduced=True),
    B.stoltz(SETS, HORIZON),
    B.stoltz(ARMS, HORIZON, rules="swap", exploration=0.05),
    B.stoltz(PATHS, HORIZON, feedback="full"),
    B.regret_matching(SETS, HORIZON),
    B.regret_matching(PATHS, HORIZON, feedback="full"),
    B.regret_matching(SETS, HORIZON, rule="inertia"),
    B.regret_matching(SETS, HORIZON, rule="inertia", feedback="full"),
    B.treeswap(SETS, HORIZON),
    B.treeswap(PATHS, HORIZON, estimator="shared", random_offset=False),
    B.treeswap(SETS, HORIZON, feedback="full"),
]
LARGE = [B.blum_mansour(sr.MSets(11, 3), 40), B.ito(sr.MSets(11, 3), 40), B.stoltz(sr.MSets(11, 3), 40)]


def name(player: Any) -> str:
    """Name a test by its player."""
    return f"{type(player).__name__} {player.actions!r} {player.feedback}"


def record(run: Run, actions: sr.ActionSet) -> tuple[float, dict[str, bytes]]:
    """Return the reward of a run, and everything its ledger holds, as bytes."""
    assert run.ledger is not None
    return run.reward, {part: array.tobytes() for part, array in write_ledger(run.ledger, actions).items()}


@pytest.mark.parametrize("player", PLAYERS, ids=name)
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, player, kind: str) -> None:
    """Spread and concentrated weights, lifted ones among them: the same rewards, laws, states and generator."""
    agrees(lambda each: ListedEngine(each, keeps_laws=True), player, HORIZON, kind)


@pytest.mark.parametrize("player", LARGE, ids=name)
def test_chains_that_are_refined_are_found_anew_alike(agrees, player) -> None:
    """Above 160 actions the block stops where yesterday's inverse no longer serves, and goes on with a new one."""
    agrees(ListedEngine, player, 40, has_laws=False)


@pytest.mark.parametrize("player", PLAYERS, ids=name)
@pytest.mark.parametrize("capacity", [None, 4])
def test_ledgers_are_those_of_steps(player, capacity: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the length of the blocks, and where the ledger must pool: the same reward and ledger, bit for bit."""
    world = sr.environments.cyclic(player.actions, HORIZON, phases=5, rng=1)
    found = []
    for block, is_compiled in ((loop._BLOCK, True), (37, True), (loop._BLOCK, False), (23, False)):
        with monkeypatch.context() as patch:
            patch.setattr(loop, "_BLOCK", block)
            if not is_compiled:
                patch.setattr(loop, "find_engine", lambda *_, **__: None)
            found.append(record(sr.play(player, world, rng=2, capacity=capacity).runs[0], player.actions))
    assert all(each == found[0] for each in found[1:])


@pytest.mark.parametrize("player", PLAYERS[::3], ids=name)
def test_days_go_on_from_a_snapshot(player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written down on odd days and taken up by new objects, compiled and stepped courses record the same bits."""
    options = {"measure": "ledger", "realised": False, "windows": (), "certificate": False, "capacity": None}
    world = sr.environments.cyclic(player.actions, HORIZON, phases=5, rng=1)

    def relay() -> tuple[float, dict[str, bytes]]:
        course = Course(player, world, np.random.SeedSequence(3), options)
        for stop in (1, 50, 77):
            course.advance(stop)
            arrays = course.dump()
            course = Course(player, world, np.random.SeedSequence(3), options)
            course.restore(arrays)
        course.advance(HORIZON)
        return record(course.close(), player.actions)

    blocks = relay()
    monkeypatch.setattr(loop, "find_engine", lambda *_, **__: None)
    assert relay() == blocks


def test_every_listing_algorithm_has_the_engine() -> None:
    """Measured or not, with any feedback; blocks are short enough for their laws to be kept."""
    for player in PLAYERS:
        engine = find_engine(player, is_measured=True)
        assert isinstance(engine, ListedEngine)
        assert engine.most_days == 2**21 // player.table.n_actions
        assert isinstance(find_engine(player, is_measured=False), ListedEngine)
