"""Cases made by hand, with every kind of figure in them."""

import numpy as np
import pytest

from swapregret.experiments.report.model import (
    Case,
    Curve,
    MarginalsByDay,
    Origin,
    PlayerRuns,
    Shares,
)
from swapregret.networks import Network

DAYS = np.array([1, 10, 100, 1000], dtype=np.int64)


def curve(*values: float, width: float = 0.1) -> Curve:
    """Return a curve over four days with an interval of 10 % about it."""
    value = np.array(values)
    return Curve(DAYS, value, value - width * np.abs(value), value + width * np.abs(value))


def runs(name: str, swap: tuple[float, ...], *, dimension: int, is_master: bool = False) -> PlayerRuns:
    """Return a player whose external regret is its swap regret less 0.1."""
    marginals = np.linspace(0.0, 1.0, 4 * dimension).reshape(4, dimension)
    return PlayerRuns(
        name,
        3,
        swap=curve(*swap),
        external=curve(*(value - 0.1 for value in swap)),
        reward=curve(0.1, 0.2, 0.3, 0.4),
        microseconds=curve(900.0, 90.0, 9.0, 5.0),
        definition="swap regret of hand-made numbers",
        windows=(1, 10, 100, 1000) if is_master else (),
        offset=3 if is_master else 0,
        shares=Shares(np.array([0.02, -0.01, 1 / 3]), 0.25) if is_master else None,
        policy=MarginalsByDay(DAYS, marginals),
    )


@pytest.fixture
def diamond() -> Network:
    """Return s → {a, b} → t with a way straight through and a parallel edge."""
    return Network(tuple(pair for pair in ("sa", "sb", "at", "bt", "st", "sa")), directed=True)


@pytest.fixture
def cases(diamond: Network) -> tuple[Case, ...]:
    """Return a path case where a master wins, and an m-set case where nobody has a certificate."""
    master = runs("multiscale", (0.5, 0.2, 0.1, 0.05), dimension=6, is_master=True)
    rivals = (master, runs("single <b>", (0.5, 0.4, 0.35, 0.3), dimension=6))
    labels = tuple(f"{u} → {v}" for u, v in diamond.edges)
    paths = Case("diamond", "cyclic", 1000, 6, 2, 4, labels, rivals, diamond)
    others = (runs("uniform", (0.2, 0.2, 0.2, 0.2), dimension=3), runs("exp3", (0.2, 0.2, 0.2, 0.21), dimension=3))
    sets = Case("3 choose 1", "iid", 1000, 3, 1, 3, ("x", "y", "z"), others)
    return paths, sets


@pytest.fixture
def origin() -> Origin:
    """Return where hand-made results come from."""
    return Origin("by hand", "seed = 7 # </script>", {"library": "0.1.0", "seed": "7"}, 12, 11, {"run 3": "it <broke>"})
