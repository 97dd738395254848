"""CombEXP and hybrid mirror descent off m-sets: compiled blocks are steps, and so are their ledgers, to the last bit."""

import importlib
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.engines.find import find_engine, is_whole
from swapregret.learners.engines.points import PointEngine
from swapregret.regret.ledgers.ledger_file import write_ledger

loop = importlib.import_module("swapregret.course")
B = sr.baselines
HORIZON = 90
BRIDGED = sr.SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 1)])
APART = sr.Forests([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], size=3)
UNLIKE = sr.DagPaths(
    [("s", "a"), ("s", "b"), ("a", "c"), ("b", "c"), ("u", "a"), ("c", "d"), ("d", "t"), ("d", "e"), ("e", "t")],
    source="s",
    sink="t",
)
PLAYERS = [
    B.combexp(sr.Permutations(3), HORIZON, learning_rate=0.5, exploration=0.2, variants=3),
    B.combexp(sr.TruncatedPermutations(2, 3), HORIZON, learning_rate=0.5, exploration=0.2, variants=1),
    B.combexp(sr.Partitions(3, 2), HORIZON),
    B.combexp(UNLIKE, HORIZON, learning_rate=0.5, exploration=0.2, variants=1),
    B.combexp(sr.Partitions(4, 3), HORIZON, learning_rate=2.0, exploration=0.0, variants=2),
    B.combexp(BRIDGED, HORIZON, learning_rate=0.5, exploration=0.2, variants=2),
    B.combexp(APART, HORIZON),
    B.hybrid_omd(sr.Permutations(3), HORIZON),
    B.hybrid_omd(sr.TruncatedPermutations(2, 3), HORIZON),
    B.hybrid_omd(UNLIKE, HORIZON, variants=2),
    B.hybrid_omd(BRIDGED, HORIZON, variants=1),
    B.hybrid_omd(APART, HORIZON),
]


def name(player: Any) -> str:
    """Name a test by its player."""
    return f"{type(player).__name__} {player.actions!r} {player.variants}"


@pytest.mark.parametrize("player", PLAYERS, ids=name)
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, player, kind: str) -> None:
    """Spread and concentrated points, edges of no path and of all, a singular Σ: the same rewards, laws, states, generator."""
    engine = find_engine(player)
    assert isinstance(engine, PointEngine)
    assert is_whole(engine)
    agrees(lambda each: PointEngine(each, keeps_laws=True), player, HORIZON, kind)


@pytest.mark.parametrize("player", [PLAYERS[0], PLAYERS[3], PLAYERS[11]], ids=name)
def test_ledgers_are_those_of_steps(player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the length of the blocks, days that pay nothing among them: the same reward, realised play and ledgers."""
    rows = np.random.default_rng(3).random((HORIZON, player.actions.dimension)) / player.actions.size
    rows[::3] = 0.0
    world = sr.environments.replay(player.actions, rows)
    found = []
    for block, is_compiled in ((loop._BLOCK, True), (37, True), (23, False)):
        with monkeypatch.context() as patch:
            patch.setattr(loop, "_BLOCK", block)
            if not is_compiled:
                patch.setattr(loop, "find_engine", lambda *_, **__: None)
            run = sr.play(player, world, rng=2, realised=True).runs[0]
            ledgers = [
                {part: array.tobytes() for part, array in write_ledger(ledger, player.actions).items()}
                for ledger in (run.ledger, run.realised)
                if ledger is not None
            ]
            found.append((run.reward, ledgers))
    assert found[0] == found[1] == found[2]


def test_hybrid_on_a_set_that_is_only_an_oracle_is_stepped() -> None:
    """Its point is moved in Python every day."""
    assert find_engine(B.hybrid_omd(sr.Explicit([[1, 1, 0], [0, 1, 1], [1, 0, 1]]), 100)) is None
