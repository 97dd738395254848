"""Rounds per second of processor time, so that other work on the machine counts as little as possible."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

_FIRST = 10
_MOST = 4_000_000


@dataclass(frozen=True)
class Timing:
    """How fast something ran: the best of several stretches of ``rounds`` rounds each."""

    rounds_per_second: float
    rounds: int

    @property
    def microseconds(self) -> float:
        """Return microseconds per round."""
        return 1e6 / self.rounds_per_second


def measure(run: Callable[[int], object], seconds: float, least: int = _FIRST) -> Timing:
    """Time a function that plays a given number of rounds.

    One short call compiles most; the number of rounds is then raised until a call, and a second one like it, which has
    nothing left to compile or load, takes a third of ``seconds``. The fastest of three such calls counts.
    """
    run(least)
    goal, rounds = seconds / 3.0, least
    while True:
        spent = _seconds(run, rounds)
        if spent >= 0.5 * goal or rounds >= _MOST:
            spent = min(spent, _seconds(run, rounds))
            if spent >= 0.5 * goal or rounds >= _MOST:
                break
        growth = min(20.0, 1.1 * goal / max(spent, 1e-4))
        rounds = min(_MOST, max(rounds + least, least * math.ceil(rounds * growth / least)))
    best = min(spent, _seconds(run, rounds))
    return Timing(rounds / max(best, 1e-9), rounds)


def _seconds(run: Callable[[int], object], rounds: int) -> float:
    start = time.process_time()
    run(rounds)
    return time.process_time() - start
