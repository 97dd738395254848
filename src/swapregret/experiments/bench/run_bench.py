"""The whole benchmark: every figure of ``swapregret bench`` as one value."""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.experiments.bench.cases import (
    LEARNERS,
    PRESET_CASES,
    ROUNDS,
    STATES,
    Case,
    level,
    round_player,
    rounds_of,
)
from swapregret.experiments.bench.doors import DOORS, DoorRow, time_door
from swapregret.experiments.bench.growth import GROWTHS, Growth, measure_growth
from swapregret.experiments.bench.memory import Holding, measure_memory
from swapregret.experiments.bench.peers import PEERS, PeerTime, measure_ours, measure_peer
from swapregret.experiments.bench.reference import Reference
from swapregret.experiments.bench.starts import StartRow, measure_starts
from swapregret.experiments.bench.timing import bare_exp3, measure
from swapregret.experiments.runs.runner import processor

_LONG_HORIZON = 1_000_000
_QUICK = 0.02
"""The share of the rounds of a door that a quick run plays."""


@dataclass(frozen=True)
class RoundRow:
    """Rounds per second of one set in one state, with what they are compared with.

    ``reference`` is the plain learner with the paper's pseudo-inverse, ``tuned`` the plain learner that solves on independent
    coordinates, ``ratio`` how many times faster than the reference a round is; None where it was not run.
    """

    case: str
    state: str
    dimension: int
    ours: float
    reference: float | None
    tuned: float | None
    wanted: float | None
    ratio: float | None


@dataclass(frozen=True)
class LearnerRow:
    """Rounds per second of a whole learner, and in units of a bare Exp3 with ten arms."""

    case: str
    learner: str
    ours: float
    in_exp3: float
    wanted: float | None


@dataclass(frozen=True)
class Bench:
    """Everything that was measured."""

    machine: dict[str, Any]
    exp3: float
    doors: list[DoorRow]
    starts: list[StartRow]
    rounds: list[RoundRow]
    learners: list[LearnerRow]
    growth: list[Growth]
    memory: list[Holding]
    peers: list[PeerTime]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, words, lists and dictionaries."""
        return asdict(self)


def describe_machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "threads_of_blas": os.environ.get("OMP_NUM_THREADS", "not limited"),
    }


def time_case(case: Case, state: str, seconds: float, reference: bool = True) -> RoundRow:
    """Time the rounds of a set in a state, and those of the reference in the same process."""
    actions = case.make()
    ours = measure(rounds_of(round_player(actions, state, case.learner), state), seconds).rounds_per_second
    pinv = solve = None
    if reference and case.plain is not None:
        pinv, solve = (
            measure(_plain_run(case, actions, state, inverse), seconds, least=1).rounds_per_second
            for inverse in ("pinv", "solve")
        )
    ratio = None if pinv is None else ours / pinv
    return RoundRow(case.name, state, actions.dimension, ours, pinv, solve, case.ratio, ratio)


def _plain_run(case: Case, actions: ActionSet, state: str, inverse: str) -> Callable[[int], object]:
    assert case.plain is not None
    plain, rewards = case.plain(actions), level(actions, state) / actions.size
    rng = np.random.default_rng(0)
    reference = Reference(plain, actions.size, rate=STATES[state], inverse=inverse)
    return lambda rounds: reference.play(np.broadcast_to(rewards, (rounds, rewards.size)), rng)


def time_learner(case_index: int, learner: str, exp3: float, seconds: float) -> LearnerRow:
    """Time a whole learner at its own schedule for a million days."""
    case = PRESET_CASES[case_index]
    player = LEARNERS[learner](case.make(), _LONG_HORIZON)
    rate = measure(rounds_of(player, "concentrated"), seconds).rounds_per_second
    return LearnerRow(case.name, learner, rate, rate / exp3, case.wanted if learner == "multiscale" else None)


def run_bench(
    *, quick: bool = False, seconds: float | None = None, progress: Callable[[str], None] = lambda text: None
) -> Bench:
    """Measure everything.

    Parameters
    ----------
    quick : bool
        Leave out the largest sets and what is compiled anew, and play fewer rounds: a minute or two.
    seconds : float, optional
        Processor time for each figure that is no door; .6, or .15 if quick.
    progress : callable
        Called with what is being measured.
    """
    each = (0.15 if quick else 0.6) if seconds is None else seconds
    progress("a bare Exp3 with ten arms")
    exp3 = measure(bare_exp3, each).rounds_per_second
    doors = []
    for door in DOORS:
        progress(door.name)
        doors.append(time_door(door, exp3, _QUICK if quick else 1.0))
    progress("a first run, with nothing compiled")
    starts = [] if quick else measure_starts()
    rounds = []
    for case in ROUNDS:
        if quick and case.is_long:
            continue
        for state in STATES:
            progress(f"{case.name}, {state}")
            rounds.append(time_case(case, state, each, reference=not (quick and state == "concentrated")))
    learners = []
    for index, preset_case in enumerate(PRESET_CASES):
        for name in LEARNERS:
            progress(f"{preset_case.name}, {name}")
            learners.append(time_learner(index, name, exp3, each))
    growth = []
    for curve in GROWTHS:
        progress(f"growth of {curve.name} with {curve.against}")
        growth.append(measure_growth(curve, each))
    progress("memory")
    memory = measure_memory((10, 60) if quick else (10, 400))
    peers = measure_ours(each)
    for peer in PEERS:
        progress(peer.name)
        peers.append(measure_peer(peer, each, (10, 100) if quick else (10, 100, 1000)))
    return Bench(describe_machine(), exp3, doors, starts, rounds, learners, growth, memory, peers)
