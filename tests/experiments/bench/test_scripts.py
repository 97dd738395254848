"""The scripts around the benchmark: what they count and write, on made-up numbers."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from swapregret.actions.m_sets import MSets
from swapregret.actions.permutations import Permutations
from swapregret.experiments.bench.cases import Case
from swapregret.geometry.solve import IterativeSolver

_FOLDER = Path(__file__).parents[3] / "benchmarks"


def script(name: str) -> ModuleType:
    """Load a script as a module."""
    spec = importlib.util.spec_from_file_location(name, _FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_floor_is_the_slowest_of_operations_bytes_and_waiting() -> None:
    """A step lasts as long as its operations, its bytes, at the rate of arrays of about its size, or its recursion need."""
    floor = script("floor")
    machine = floor.Machine(1e9, {1000: 4e9, 1_000_000: 1e9}, 1e-3, (1e-9, 2e-9, 5e-9))
    assert machine.seconds(floor.Step("x", 2e6, 0.0, 10)) == pytest.approx(2e-3)
    assert machine.seconds(floor.Step("x", 0.0, 4e6, 3000)) == pytest.approx(1e-3)
    assert machine.seconds(floor.Step("x", 0.0, 4e6, 900_000)) == pytest.approx(4e-3)
    waiting = floor.Step("x", 1e6, 0.0, 10, 1e-2, waits=(1e6, 2e6, 1e6))
    assert machine.seconds(waiting) == pytest.approx(1e-2)
    assert ", 10.0× if nothing waited" in floor.section("case", [waiting], 1e-2, machine)[0]
    steps = [floor.Step("Cholesky, r = 2", 1e5, 0.0, 10, 3e-4), floor.Step("rest", 1e5, 0.0, 10)]
    title, *lines = floor.section("case", steps, 4e-4, machine)
    assert title == "## case: 400 µs a round, 2.0× the floor, 0.4× with LAPACK's own factorisation in it"
    assert lines[-1].endswith("3.0× its own floor.")


def test_steps_of_conjugate_gradients_are_counted() -> None:
    """One step fewer than counted is not enough, and the count is."""
    floor = script("floor")
    law = MSets(12, 4).decompose(np.linspace(0.1, 1.0, 12) * 4.0 / 6.6, variants=3)
    action = law.sample(np.random.default_rng(0))
    steps = floor.steps_of_gradients(law, action)
    enough = IterativeSolver(law, limit=steps)
    enough.solve(action)
    assert not enough.has_recovered
    assert 1 <= steps <= 60


def test_a_round_is_looked_at_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of a small case have counts and times, and the whole run is timed."""
    floor = script("floor")
    monkeypatch.setattr(floor, "best_of", lambda run, seconds=0.0: (run(), 1e-3)[1])
    case = Case("permutations 3", lambda: Permutations(3))
    steps, whole = floor.look(case, "spread", "dense", floor.factored)
    assert whole == pytest.approx(1e-3 / 100)
    assert [step.name for step in steps][4] == "Cholesky, r = 5"
    assert steps[4].flops == pytest.approx(125 / 3)
    steps, whole = floor.look(case, "spread", "iterative", floor.permutations)
    assert steps[3].name.endswith("steps of conjugate gradients")
    assert steps[3].flops > 0.0


def test_the_page_gets_its_tables() -> None:
    """Every list of numbers becomes a table with as many cells a row as its heading has."""
    numbers = {
        "machine": {"processor": "P", "python": "3", "numpy": "2"},
        "exp3": 85_000.0,
        "rounds": [
            {"case": "c", "state": "s", "ours": 2e4, "reference": 1e3, "tuned": None, "wanted": 25.0},
            {"case": "d", "state": "s", "ours": 20.0, "reference": None, "tuned": None, "wanted": None},
        ],
        "learners": [{"case": "c", "learner": "l", "ours": 2e6, "in_exp3": 5.0, "wanted": None}],
        "growth": [
            {
                "name": "g",
                "against": "d",
                "fit": {"exponent": 1.0, "error": 0.1},
                "limit": 1.3,
                "sizes": [1.0],
                "microseconds": [2.0],
            }
        ],
        "memory": [
            {"name": "m", "horizon": 10, "days": 1, "bytes": 800, "scales_by_dimension": 10, "rank_squared": 90}
        ],
        "peers": [
            {"name": "p", "microseconds": {"10": 5.0}, "remark": ""},
            {"name": "q", "microseconds": {}, "remark": "not installed"},
        ],
    }
    lines = script("performance").page(numbers)
    assert "| c | s | 20 k | 1 k | 20× | 25× | – | – |" in lines
    assert "| m | 10 | 1 | 1 | 10.0 | 1 |" in lines
    assert "| q | – | not installed |" in lines
    tables = "\n".join(lines).split("\n\n")
    for block in tables:
        rows = [line.count("|") for line in block.splitlines() if line.startswith("|")]
        assert len(set(rows)) <= 1
