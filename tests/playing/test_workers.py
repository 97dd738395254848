"""Tasks in other processes: order, closures by value, and what cannot travel."""

import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from swapregret.errors import InvalidInput
from swapregret.playing.workers import pickled, run_pickled, run_tasks


def call(function, argument):
    """Call a function; at the top of a module, so that other processes find it."""
    return function(argument)


def test_closures_travel_by_value() -> None:
    """A function that holds arrays, defaults, and itself gives the same results after a round trip."""
    table = np.arange(5.0)

    def outer(index: int, *, shift: float = 1.0) -> float:
        def factorial(n: int) -> int:
            return 1 if n == 0 else n * factorial(n - 1)

        return float(table[index]) + shift + factorial(3)

    assert pickle.loads(run_pickled(pickled((call, (outer, 2))))) == (True, 9.0) == (True, outer(2))

    def countdown(n: int) -> int:
        return 0 if n == 0 else countdown(n - 1)

    assert pickle.loads(run_pickled(pickled((call, (countdown, 3))))) == (True, 0)


SCRIPT = """
from dataclasses import dataclass
from swapregret.playing.workers import run_tasks

@dataclass
class Mine:
    value: int

class MyError(Exception):
    pass

def make(value):
    if value == 3:
        raise MyError("three")
    return Mine(value)

if __name__ == "__main__":
    assert list(run_tasks(make, [(1,), (2,)], n_jobs=2)) == [Mine(1), Mine(2)]
    try:
        list(run_tasks(make, [(1,), (3,)], n_jobs=2))
    except MyError as error:
        print(error)
"""


def test_classes_of_a_script_come_back_from_its_workers(tmp_path: Path) -> None:
    """Results and errors of classes that only the main script has are the script's own when they come back."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("three\n", "")


def test_one_job_stays_here_and_keeps_the_order() -> None:
    """Without other processes nothing is pickled, and results come in the order of the tasks."""
    seen = []
    assert list(run_tasks(call, [(seen.append, n) for n in range(3)], n_jobs=1)) == [None] * 3
    assert seen == [0, 1, 2]


def test_what_cannot_travel_is_named() -> None:
    """A lock cannot be sent to another process, and the sentence says what to do."""
    with pytest.raises(InvalidInput, match="n_jobs=1"):
        list(run_tasks(call, [(print, threading.Lock()), (print, 1)], n_jobs=2))


def test_threads_share_what_is_here_and_keep_the_order() -> None:
    """In threads nothing is pickled, tasks run side by side, and results come in the order of the tasks."""
    together = threading.Barrier(2, timeout=30.0)

    def meet(number: int) -> int:
        together.wait()
        return 10 * number

    assert list(run_tasks(call, [(meet, n) for n in range(4)], n_jobs=2, threads=True)) == [0, 10, 20, 30]


def test_an_error_in_a_thread_comes_out_and_ends_the_rest() -> None:
    """The first task that fails raises its own error; tasks not yet begun are not begun."""
    begun = []

    def fail(number: int) -> None:
        begun.append(number)
        time.sleep(0.05 * number)
        raise ValueError(f"task {number}")

    with pytest.raises(ValueError, match="task 0"):
        list(run_tasks(call, [(fail, n) for n in range(50)], n_jobs=2, threads=True))
    assert len(begun) < 50
