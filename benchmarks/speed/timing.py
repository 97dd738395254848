"""Steps of a session; a bare Exp3; starts.

A start is timed by the clock in a process of its own, whose compiled code is in a folder that was empty before. Python keeps its
bytecode there too, as it does unless ``PYTHONDONTWRITEBYTECODE`` says no: else each start would compile all modules it loads.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.arrays import Vector

_DEMO = "from swapregret.cli import app; app(['demo', '--json'])"
_STEPS = "from speed.timing import first_steps; print(*first_steps())"


def time_steps(session: sr.Session[Any], rewards: Vector) -> Vector:
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
        policy = (1.0 - gamma) * weights / weights.sum() + gamma / n_arms
        arm = min(int(np.searchsorted(policy.cumsum(), rng.random())), n_arms - 1)
        reward = float(rng.random() < means[arm])
        log_weights[arm] += rate * reward / policy[arm]
        earned += reward
    return earned


@dataclass(frozen=True)
class StartRow:
    """What was started, how many seconds it took, and what is asked of it, in words."""

    name: str
    seconds: float
    aim: str = ""


def measure_starts() -> list[StartRow]:
    """Run the demo twice and a session once, with nothing compiled at first: a minute or two."""
    with tempfile.TemporaryDirectory() as folder:
        first, later = (_run(_DEMO, folder)[0] for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        made, slowest = (float(word) for word in _run(_STEPS, folder)[1].split())
    return [
        StartRow("swapregret demo, nothing compiled yet", first),
        StartRow("swapregret demo, later", later, "1.5 s"),
        StartRow("Session(...), nothing compiled yet", made),
        StartRow("slowest of its first 1,000 steps", slowest, "no pause"),
    ]


def _run(code: str, folder: str) -> tuple[float, str]:
    place = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    kept = {
        "PYTHONPATH": place,
        "NUMBA_CACHE_DIR": folder,
        "PYTHONPYCACHEPREFIX": folder,
        "PYTHONDONTWRITEBYTECODE": "",
    }
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | kept,
        capture_output=True,
        text=True,
        check=False,
    )
    taken = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"a process of the benchmark must end well: it ended with\n{done.stderr}")
    return taken, done.stdout


def first_steps(steps: int = 1000) -> tuple[float, float]:
    """Return the seconds in which a session on m-sets (10, 3) was made, and those of its slowest step."""
    began = time.perf_counter()
    session = sr.Session(sr.swap_combcp(sr.MSets(10, 3), steps), rng=0)
    made = time.perf_counter() - began
    return made, float(time_steps(session, np.full(steps, 0.5)).max())
