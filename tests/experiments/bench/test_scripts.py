"""The scripts around the benchmark: what they count and write, on made-up numbers."""

import importlib.util
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parents[3] / "benchmarks"


def script(name: str) -> ModuleType:
    """Load a script as a module."""
    spec = importlib.util.spec_from_file_location(name, _FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
