"""How time per round and memory grow, against dimension, scales, number of actions and horizon."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.experiments.bench.cases import round_player, rounds_of
from swapregret.experiments.bench.timing import PowerLaw, fit_power, measure
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.learners.player import Player
from swapregret.learners.presets import swap_combcp


@dataclass(frozen=True)
class Growth:
    """A quantity against another, and the power law fitted to it.

    ``limit`` is the largest exponent asked for.
    """

    name: str
    against: str
    sizes: tuple[float, ...]
    microseconds: tuple[float, ...]
    fit: PowerLaw
    limit: float


@dataclass(frozen=True)
class GrowthCase:
    """One curve: for each parameter the size to plot it at, and the player."""

    name: str
    against: str
    parameters: tuple[Any, ...]
    make: Callable[[Any], tuple[float, Player[Any]]]
    limit: float


def _round(actions: ActionSet) -> tuple[float, Player[Any]]:
    return actions.dimension, round_player(actions)


def _scales(n_scales: int) -> tuple[float, Player[Any]]:
    return n_scales, round_player(MSets(20, 5), windows=tuple(4**k for k in range(n_scales + 1)))


def _count(size: int) -> tuple[float, Player[Any]]:
    actions = MSets(40, size)
    return float(actions.n_actions), round_player(actions)


def _horizon(horizon: int) -> tuple[float, Player[Any]]:
    return horizon, swap_combcp(MSets(20, 5), horizon, preset="multiscale")


GROWTHS = (
    GrowthCase("m-sets, m = d/10", "d", (100, 300, 1000, 3000), lambda d: _round(MSets(d, d // 10)), 1.3),
    GrowthCase("layered paths, width 10", "d", (5, 10, 20, 50), lambda n: _round(layered_dag(10, n)), 1.15),
    GrowthCase("permutations", "d", (6, 10, 14, 20, 30, 40), lambda n: _round(Permutations(n)), 1.7),
    GrowthCase("m-sets (20, 5), H = 4", "K", (2, 3, 4, 6, 8), _scales, 1.0),
    GrowthCase("m-sets, d = 40", "N", (2, 3, 5, 8, 12, 20), _count, 0.1),
    GrowthCase("m-sets (20, 5), multiscale", "T", (10_000, 100_000, 1_000_000, 10_000_000), _horizon, 0.1),
)
"""The curves, with the exponents asked for; 0 is asked for as at most .1, what noise allows."""


def measure_growth(case: GrowthCase, seconds: float) -> Growth:
    """Time rounds in the spread state for every parameter of a curve."""
    sizes, times = [], []
    for parameter in case.parameters:
        size, player = case.make(parameter)
        sizes.append(float(size))
        times.append(measure(rounds_of(player, "spread"), seconds).microseconds)
    assert np.isfinite(times).all()
    return Growth(case.name, case.against, tuple(sizes), tuple(times), fit_power(sizes, times), case.limit)
