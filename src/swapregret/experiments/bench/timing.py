"""Rounds per second of processor time, so that other work on the machine counts as little as possible; steps of a session."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.arrays import Vector
from swapregret.sessions.session import Session

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

    Examples
    --------
    >>> measure(lambda n: sum(range(n)), seconds=0.001).rounds_per_second > 0
    True
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


def time_steps(session: Session[Any], rewards: Vector) -> Vector:
    """Return the seconds, by the clock, of each step of a session: a decision and its reward."""
    taken = np.empty(rewards.size)
    for step, reward in enumerate(rewards.tolist()):
        began = time.perf_counter()
        session.act()
        session.observe(reward)
        taken[step] = time.perf_counter() - began
    return taken


def bare_exp3(rounds: int) -> float:
    """Play Exp3 with ten arms as one writes it in NumPy, and return what it earned: the unit in which learners are compared."""
    rng, n_arms = np.random.default_rng(0), 10
    means = np.linspace(0.2, 0.8, n_arms)
    log_weights, gamma, rate, earned = np.zeros(n_arms), 0.05, 0.05 / n_arms, 0.0
    for _ in range(rounds):
        weights = np.exp(log_weights - log_weights.max())
        law = (1.0 - gamma) * weights / weights.sum() + gamma / n_arms
        arm = min(int(np.searchsorted(law.cumsum(), rng.random())), n_arms - 1)
        reward = float(rng.random() < means[arm])
        log_weights[arm] += rate * reward / law[arm]
        earned += reward
    return earned
