"""Seconds until something happens: the first run on a machine, a later one, and what a session compiles.

Each is timed by the clock in a process of its own, whose compiled code is in a folder that was empty before. Python keeps its
bytecode there too, as it does unless ``PYTHONDONTWRITEBYTECODE`` says no: else each start would compile all modules it loads.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import numpy as np

import swapregret as sr
from swapregret.experiments.bench.timing import time_steps

_DEMO = "from swapregret.cli import app; app(['demo', '--json'])"
_STEPS = "from swapregret.experiments.bench.starts import first_steps; print(*first_steps())"


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
    kept = {"NUMBA_CACHE_DIR": folder, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
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
