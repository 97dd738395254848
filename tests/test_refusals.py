"""Nonsense is refused in a sentence of ours, wherever a user can reach: values, ranges, labels, paths, wrong kinds of things."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import SwapRegretError
from swapregret.policy.compound import Mixture

ACTIONS = sr.MSets(4, 2)
PLAYER = sr.baselines.uniform(ACTIONS)
NAN = float("nan")


def observe(reward: Any) -> None:
    """Show a reward to a new session."""
    session = sr.Session(PLAYER, rng=0, warm=False)
    session.act()
    session.observe(reward)


def replay(rewards: Any) -> None:
    """Play on some rewards."""
    sr.environments.replay(ACTIONS, rewards)


def totals(rewards: Any) -> None:
    """Audit a log of ten days of which only totals were seen."""
    sr.audit(ACTIONS, [[1, 1, 0, 0]] * 10, rewards, policies=ACTIONS.uniform_policy())


CASES: dict[str, Callable[[], Any]] = {
    "a reward as text": lambda: observe("0.5"),
    "a snapshot as text": lambda: sr.Session.from_bytes("x"),  # type: ignore[arg-type]
    "progress that is a number": lambda: sr.play(PLAYER, sr.environments.iid(ACTIONS, 10, rng=0), progress=3),  # type: ignore[arg-type]
    "tables of several shapes": lambda: sr.games.MatrixGame([np.ones((2, 3)), np.ones((2, 2))]),
    "a seed of thousands of digits": lambda: sr.Session(sr.baselines.uniform(ACTIONS), rng=10**5000),
    "a complex reward": lambda: observe(0.5 + 0j),
    "a reward that is True": lambda: observe(True),
    "a masked reward": lambda: observe(np.ma.masked_array(0.5, mask=True)),
    "a reward that is a time": lambda: observe(np.timedelta64(1)),
    "a reward that is a date": lambda: observe(np.datetime64("2020")),
    "rewards as text": lambda: replay([["0.1", "0.2", "0.3", "0.1"]]),
    "rewards that are True": lambda: replay(np.ones((2, 4), dtype=np.bool_)),
    "complex rewards": lambda: replay(np.zeros((2, 4), dtype=complex)),
    "masked rewards": lambda: replay(np.ma.masked_all((2, 4))),
    "rewards that are times": lambda: replay(np.zeros((2, 4), dtype="m8[s]")),
    "rewards that are dates": lambda: replay(np.zeros((2, 4), dtype="M8[s]")),
    "totals of a log as text": lambda: totals(["0.5"] * 10),
    "totals of a log that are True": lambda: totals([True] * 10),
    "complex totals of a log": lambda: totals(np.full(10, 0.5 + 0j)),
    "masked totals of a log": lambda: totals(np.ma.array(np.full(10, 0.5), mask=[True, *[False] * 9])),
    "totals of a log that are times": lambda: totals(np.zeros(10, dtype="m8[s]")),
    "rewards of a log that are True": lambda: sr.audit(ACTIONS, [[1, 1, 0, 0]], np.ones((1, 4), dtype=np.bool_)),
    "variance of NaN": lambda: sr.FinitePolicy([[1, 0], [0, 1]], [0.5, 0.5]).variance([NAN, 0.0]),
    "costs that are NaN": lambda: sr.games.affine_costs([1.0, NAN], [1.0, 1.0], 2),
    "fewer than no layers": lambda: sr.games.layered_edges(-1, 2),
    "a range upside down": lambda: sr.environments.iid(ACTIONS, 10, low=0.9, high=0.1),
    "a range that is text": lambda: sr.Session(PLAYER, reward_range="01"),  # type: ignore[arg-type]
    "labels without an order": lambda: sr.MSets(3, 1, labels={"a", "b", "c"}),  # type: ignore[arg-type]
    "labels in a dict": lambda: sr.MSets(3, 1, labels={"a": 1, "b": 2, "c": 3}),  # type: ignore[arg-type]
    "checkpoints without axes": lambda: sr.play(
        sr.baselines.uniform(sr.MSets(4, 2)),
        sr.environments.iid(sr.MSets(4, 2), 10, rng=0),
        checkpoints=np.array(0.5),  # type: ignore[arg-type]
    ),
    "components without axes": lambda: Mixture(np.array(0.5), [0.5, 0.5]),  # type: ignore[arg-type]
    "labels that are NaN": lambda: sr.MSets(3, 1, labels=[NAN, NAN, 1]),
    "sync that is text": lambda: sr.Session(PLAYER, sync="no"),  # type: ignore[arg-type]
    "a set for a player": lambda: sr.Session(ACTIONS),  # type: ignore[type-var]
    "an array for an environment": lambda: sr.play(PLAYER, np.zeros((3, 4))),  # type: ignore[arg-type]
    "a seed below 0": lambda: sr.Session(PLAYER, rng=-1),
    "a journal in no folder": lambda: sr.Session(PLAYER, journal="/nonexistent/folder/x.journal"),
    "text for a game": lambda: sr.games.MatrixGame("x"),  # type: ignore[arg-type]
    "numbers for a network": lambda: sr.games.RoutingGame(3, 4, 5),  # type: ignore[arg-type]
    "a number for a file": lambda: sr.networks.read_tntp(3),  # type: ignore[arg-type]
    "a number for a game": lambda: sr.games.self_play(3, [PLAYER], 5),  # type: ignore[arg-type]
    "a number for players": lambda: sr.games.self_play(sr.games.matching_pennies(), 3, 5),  # type: ignore[arg-type]
    "sets for players": lambda: sr.games.self_play(sr.games.matching_pennies(), [ACTIONS, ACTIONS], 5),  # type: ignore[list-item]
}


@pytest.mark.parametrize("case", CASES)
def test_nonsense_is_refused(case: str) -> None:
    """What must hold, what came, what to do."""
    with pytest.raises(SwapRegretError, match=r" must .*: got .*\. ") as refusal:
        CASES[case]()
    assert len(str(refusal.value)) < 1_000


def test_a_file_never_takes_the_place_of_a_pipe(tmp_path: Path) -> None:
    """What is no file and no folder stays what it is: a device would be lost to the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(SwapRegretError, match="a device or a pipe"):
        sr.Session(PLAYER, rng=0, warm=False).save(pipe)
    assert pipe.is_fifo()
