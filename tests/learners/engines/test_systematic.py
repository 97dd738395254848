"""CombEXP and hybrid mirror descent on m-sets: compiled blocks are steps, and so are their ledgers, to the last bit."""

import importlib
from typing import Any

import pytest

import swapregret as sr
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.quiet import QuietEngine
from swapregret.learners.engines.systematic import SystematicEngine
from swapregret.regret.ledgers.ledger_file import write_ledger

loop = importlib.import_module("swapregret.course")
B = sr.baselines
HORIZON = 120
PLAYERS = [
    B.combexp(sr.MSets(6, 2), HORIZON),
    B.combexp(sr.MSets(5, 3), HORIZON, learning_rate=0.5, exploration=0.2, variants=2),
    B.combexp(sr.MSets(5, 2), HORIZON, learning_rate=2.0, exploration=0.0, variants=1),
    B.hybrid_omd(sr.MSets(6, 2), HORIZON),
    B.hybrid_omd(sr.MSets(70, 4), HORIZON, variants=2),
    B.hybrid_omd(sr.MSets(3, 3), HORIZON),
]


def name(player: Any) -> str:
    """Name a test by its player."""
    return f"{type(player).__name__} {player.actions!r} {player.variants}"


@pytest.mark.parametrize("player", PLAYERS, ids=name)
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, player, kind: str) -> None:
    """Spread and concentrated points, a singular Σ among them: the same rewards, laws, states and generator."""
    assert isinstance(find_engine(player), SystematicEngine)
    agrees(lambda each: SystematicEngine(each, keeps_laws=True), player, HORIZON, kind)


@pytest.mark.parametrize("player", PLAYERS, ids=name)
@pytest.mark.parametrize("capacity", [None, 7])
def test_ledgers_are_those_of_steps(player, capacity: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the length of the blocks, and where the ledger must grow or pool: the same reward and ledger."""
    world = sr.environments.cyclic(player.actions, HORIZON, phases=5, rng=1)
    found = []
    for block, is_compiled in ((loop._BLOCK, True), (37, True), (23, False)):
        with monkeypatch.context() as patch:
            patch.setattr(loop, "_BLOCK", block)
            if not is_compiled:
                patch.setattr(loop, "find_engine", lambda *_, **__: None)
            run = sr.play(player, world, rng=2, capacity=capacity).runs[0]
            assert run.ledger is not None
            ledger = {part: array.tobytes() for part, array in write_ledger(run.ledger, player.actions).items()}
            found.append((run.reward, ledger))
    assert found[0] == found[1] == found[2]


def test_what_is_not_run_here() -> None:
    """Other sets are run elsewhere, and so are a set of one action and a Σ above rank 400."""
    assert not SystematicEngine.can_run(B.combexp(sr.Permutations(3), 100))
    for actions in (sr.MSets(3, 3), sr.MSets(401, 2)):
        assert isinstance(find_engine(B.combexp(actions, 100, exploration=0.5)), QuietEngine)
