"""The whole benchmark: every figure of ``make bench-speed`` as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from speed.cases import (
    LEARNERS,
    PRESET_CASES,
    ROUNDS,
    STATES,
    LearnerRow,
    RoundRow,
    time_case,
    time_learner,
)
from speed.doors import DOORS, DoorRow, time_door
from speed.peers import PEERS, PeerTime, measure_ours, measure_peer
from speed.timing import StartRow, bare_exp3, measure_starts
from swapregret.experiments.runs.runner import about_machine
from swapregret.experiments.timing import measure

_QUICK = 0.02
"""The share of the rounds of a door that a quick run plays."""


@dataclass(frozen=True)
class Bench:
    """Everything that was measured."""

    machine: dict[str, Any]
    exp3: float
    doors: list[DoorRow]
    starts: list[StartRow]
    rounds: list[RoundRow]
    learners: list[LearnerRow]
    peers: list[PeerTime]


def run_bench(
    *, quick: bool = False, seconds: float | None = None, progress: Callable[[str], None] = lambda text: None
) -> Bench:
    """Measure everything, with ``seconds`` of processor time for each figure that is no door (.6, or .15 if quick).

    A quick run leaves out the largest sets and what is compiled anew, and plays fewer rounds: a minute or two. ``progress`` is
    called with what is being measured.
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
            rounds.append(time_case(case, state, each))
    learners = []
    for preset_case in PRESET_CASES:
        for name in LEARNERS:
            progress(f"{preset_case.name}, {name}")
            learners.append(time_learner(preset_case, name, exp3, _QUICK if quick else 1.0))
    peers = measure_ours(each)
    for peer in (each for each in PEERS if find_spec(each.module)):
        progress(peer.name)
        peers.append(measure_peer(peer, each, (10, 100) if quick else (10, 100, 1000)))
    return Bench(about_machine(), exp3, doors, starts, rounds, learners, peers)
