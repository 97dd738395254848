"""Values that no argument should be, and that every argument may be given."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import swapregret as sr

__all__ = ["HOSTILE", "holds_nan"]


class Odd:
    """An object that has a length and nothing else."""

    def __len__(self) -> int:
        return 3


def _deep(levels: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


HOSTILE: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: True,
    lambda: False,
    lambda: 0,
    lambda: -1,
    lambda: 1,
    lambda: 3,
    lambda: 2**31,
    lambda: 2**63,
    lambda: 10**18,
    lambda: -(10**30),
    lambda: 10**5000,
    lambda: 0.5,
    lambda: 2.5,
    lambda: -0.0,
    lambda: 1e308,
    lambda: 5e-324,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: -float("inf"),
    lambda: 1j,
    lambda: Decimal("0.3"),
    lambda: Fraction(1, 3),
    lambda: "",
    lambda: "abc",
    lambda: "01",
    lambda: "nan",
    lambda: "\x1b[31m\0",
    lambda: "/nonexistent/file.csv",
    lambda: "x" * 5000,
    lambda: b"abc",
    lambda: [],
    lambda: [0, 1],
    lambda: [1, 1, 0, 0],
    lambda: [0.5, float("nan"), 0.5, 0.0],
    lambda: [float("nan")] * 4,
    lambda: ["1", "0", "1", "0"],
    lambda: [[1, 0], [0, 1]],
    lambda: [[1], [1, 2]],
    lambda: [None, None],
    lambda: _deep(60),
    lambda: (),
    lambda: ("a", "b"),
    lambda: {},
    lambda: {"kind": "blotto"},
    lambda: {"a", "b", "c", "d"},
    lambda: iter([1, 2]),
    lambda: range(4),
    object,
    Odd,
    lambda: int,
    lambda: len,
    lambda: np.zeros(0),
    lambda: np.zeros(4),
    lambda: np.ones((4, 4)),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.full(4, np.nan),
    lambda: np.full(4, np.inf),
    lambda: np.array([1, 1, 0, 0], dtype=bool),
    lambda: np.array([1, 1, 0, 0], dtype=np.uint8),
    lambda: np.array(["a", "b", "c", "d"]),
    lambda: np.array([1j, 0, 1, 0]),
    lambda: np.array([1, 2, 3, 4], dtype="datetime64[s]"),
    lambda: np.array([1, 2, 3, 4], dtype="timedelta64[s]"),
    lambda: np.ma.array([1.0, 0.0, 1.0, 0.0], mask=[0, 0, 1, 0]),
    lambda: np.array([None, 1, "a", 2.0], dtype=object),
    lambda: np.array(0.5),
    lambda: np.float64("nan"),
    lambda: np.int64(7),
    lambda: datetime.date(2026, 1, 1),
    lambda: Path("/nonexistent"),
    lambda: sr.MSets(4, 2),
    lambda: sr.MSets,
    lambda: sr.Schedule([1, 4]),
    lambda: sr.baselines.uniform(sr.MSets(4, 2)),
    lambda: sr.environments.iid(sr.MSets(4, 2), 10, rng=0),
    lambda: np.random.default_rng(0),
    lambda: np.random.SeedSequence(3),
)


def holds_nan(value: Any) -> bool:
    """Tell whether a number, a sequence or an array has a NaN in it."""
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    return isinstance(value, list | tuple) and any(holds_nan(item) for item in value)
