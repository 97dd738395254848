"""Whatever is recorded of competitors, blocks of any length record the same.

What players leave on their tapes is compared with their policies in ``regret/ledgers/test_tape.py``.
"""

import importlib
from typing import Any

import pytest

import swapregret as sr
from swapregret.regret.ledgers.ledger_file import write_ledger

loop = importlib.import_module("swapregret.playing.course")
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
    "pools": {"capacity": 4},
    "bound": {"measure": "bound"},
    "windows": {"measure": "none", "windows": (1, 7)},
    "realised": {"measure": "none", "realised": True},
    "everything": {"measure": "bound", "realised": True, "windows": (20,)},
}


@pytest.mark.parametrize("asked", OPTIONS)
@pytest.mark.parametrize("name", PLAYERS)
def test_the_length_of_blocks_does_not_matter(name: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards and realised play are the same bits, regrets the same to rounding, however many days are played at once."""
    player, options = PLAYERS[name], OPTIONS[asked]
    world = sr.environments.cyclic(player.actions, HORIZON, phases=4, rng=1)
    one = sr.play(player, world, rng=2, **options)
    monkeypatch.setattr(loop, "_BLOCK", 29)
    other = sr.play(player, world, rng=2, **options)
    assert one.reward == other.reward
    if (
        asked == "pools"
    ):  # the upper end adds up what was pooled piece by piece: it may be finer or coarser, never too low
        exact = sr.play(player, world, rng=2).swap_regret.value
        for found in (one, other):
            low, high = found.swap_regret.bracket
            assert low <= exact + 1e-9 <= high + 2e-9
    elif options.get("measure") != "none":
        assert one.swap_regret.bracket == pytest.approx(other.swap_regret.bracket, abs=1e-9)
    if options.get("measure") != "none":
        assert one.external_regret.value == pytest.approx(other.external_regret.value, abs=1e-9)
    first, second = one.runs[0], other.runs[0]
    for interval, again in zip(first.intervals, second.intervals, strict=True):
        assert interval.regrets == pytest.approx(again.regrets, abs=1e-9)
    if first.realised is not None:
        books = [write_ledger(run.realised) for run in (first, second)]
        assert {name: array.tobytes() for name, array in books[0].items()} == {
            name: array.tobytes() for name, array in books[1].items()
        }
