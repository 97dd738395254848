"""Whatever is recorded of competitors, compiled blocks of any length record what stepping records, bit for bit.

What masters leave on their tapes is compared with their policies in ``regret/test_tape.py``.
"""

import importlib
from typing import Any

import pytest

import swapregret as sr
from swapregret.play_result import Run
from swapregret.regret.ledgers.ledger_file import write_ledger

loop = importlib.import_module("swapregret.course")
HORIZON = 130
SETS = sr.MSets(5, 2)
PLAYERS: dict[str, Any] = {
    "leader": sr.baselines.follow_the_leader(SETS, HORIZON),
    "listed": sr.baselines.exp3(SETS, HORIZON),
    "held": sr.baselines.treeswap(SETS, HORIZON),
    "uniform": sr.baselines.uniform(SETS),
    "anytime": sr.anytime(sr.baselines.exp3, SETS, first_epoch=30),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "ledger": {},
    "bound": {"measure": "bound"},
    "windows": {"measure": "none", "windows": (1, 7)},
    "realised": {"measure": "none", "realised": True},
    "everything": {"measure": "bound", "realised": True, "windows": (20,)},
}
CASES = [(name, asked) for name in PLAYERS for asked in OPTIONS]


def contents(run: Run, actions: sr.ActionSet) -> dict[str, Any]:
    """Return everything that was recorded, as bytes."""
    found: dict[str, Any] = {"reward": run.reward}
    if run.ledger is not None:
        found |= {f"law {name}": array.tobytes() for name, array in write_ledger(run.ledger, actions).items()}
    if run.realised is not None:
        found |= {name: array.tobytes() for name, array in write_ledger(run.realised, actions).items()}
    if run.lazy is not None:
        found |= {"lazy": (run.lazy.best, run.lazy.earned, run.lazy.total.tobytes(), run.lazy.n_days)}
    for interval in run.intervals:
        found |= {f"{interval.window} days": interval.regrets.tobytes()}
    return found


@pytest.mark.parametrize(("name", "asked"), CASES)
def test_blocks_record_what_steps_do(name: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound from laziness follows laws through blocks; windows and realised play add day by day."""
    player = PLAYERS[name]
    world = sr.environments.cyclic(player.actions, HORIZON, phases=4, rng=1)
    found = []
    for block, is_compiled in ((loop._BLOCK, True), (29, True), (41, False)):
        with monkeypatch.context() as patch:
            patch.setattr(loop, "_BLOCK", block)
            if not is_compiled:
                patch.setattr(loop, "find_engine", lambda *_, **__: None)
            run = sr.play(player, world, rng=2, **OPTIONS[asked]).runs[0]
            found.append(contents(run, player.actions))
    assert found[0] == found[1] == found[2]
