"""What we measured: swap regret of the presets on a grid of sets, horizons and worlds, and how to read between its points.

The numbers are in ``measured.json``, written by ``benchmarks/measure_presets.py`` and never by hand. *Reading between*: a set
that was measured stands for itself; another set of the same class stands for the nearest one measured, if neither its
dimension nor its size differs by more than a factor of 1.5. Between two measured horizons the reading is linear in log T,
world by world; beyond the longest or below the shortest one it is the value there, up to a factor of 4 in T. Outside of that
there is no measurement near, and the answer is None.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import as_integer

NEAR_SET = 1.5
_NEAR_HORIZON = 4.0


@dataclass(frozen=True)
class Measurement:
    """One cell of the grid: a preset on a set, in a world, over a horizon.

    The set is told by its class and the line that makes it: "MSets", "msets 20 5". Regrets and rewards are per round; swap regret
    is the maximum over φ outside the expectation, from policies, with its standard error over replications.
    """

    set_class: str
    set_spec: str
    dimension: int
    size: int
    horizon: int
    preset: str
    world: str
    swap_regret: float
    standard_error: float
    external_regret: float
    reward: float
    replications: int
    seed: int


@dataclass(frozen=True)
class Reading:
    """Swap regret per round to expect in one world, and its standard error."""

    world: str
    swap_regret: float
    standard_error: float


@dataclass(frozen=True)
class Expectation:
    """What the measurements say of a set, a horizon and a preset: a reading per world, and where they come from, in words.

    ``is_measured`` tells whether the very set and horizon were measured.
    """

    readings: tuple[Reading, ...]
    source: str
    is_measured: bool

    @property
    def mean(self) -> float:
        """Return the mean over worlds."""
        return math.fsum(reading.swap_regret for reading in self.readings) / len(self.readings)

    @property
    def worst(self) -> Reading:
        """Return the reading of the world that costs most."""
        return max(self.readings, key=lambda reading: reading.swap_regret)

    @property
    def best(self) -> Reading:
        """Return the reading of the world that costs least."""
        return min(self.readings, key=lambda reading: reading.swap_regret)


@cache
def measurements() -> tuple[Measurement, ...]:
    """Return all that was measured."""
    text = (resources.files("swapregret.experiments") / "measured.json").read_text(encoding="utf-8")
    return tuple(Measurement(**row) for row in json.loads(text)["cells"])


def expected_swap_regret(
    actions: ActionSet, horizon: int, preset: str, cells: Iterable[Measurement] | None = None
) -> Expectation | None:
    """Return swap regret to expect by some cells, all that were measured if not given; None where there is none near."""
    days = as_integer(horizon, "horizon", 1)
    rows = [
        cell
        for cell in (measurements() if cells is None else cells)
        if cell.preset == preset and _from(cell, actions) <= NEAR_SET
    ]
    if not rows:
        return None
    nearest = min(rows, key=lambda cell: _from(cell, actions))
    rows = [cell for cell in rows if cell.set_spec == nearest.set_spec]
    horizons = sorted({cell.horizon for cell in rows})
    if not horizons[0] / _NEAR_HORIZON <= days <= horizons[-1] * _NEAR_HORIZON:
        return None
    below = max((t for t in horizons if t <= days), default=horizons[0])
    above = min((t for t in horizons if t >= days), default=horizons[-1])
    share = 0.0 if above == below else math.log(days / below) / math.log(above / below)
    ends = [{cell.world: cell for cell in rows if cell.horizon == end} for end in (below, above)]
    readings = tuple(
        Reading(
            world,
            (1 - share) * low.swap_regret + share * high.swap_regret,
            math.hypot((1 - share) * low.standard_error, share * high.standard_error),
        )
        for world, low in ends[0].items()
        if (high := ends[1].get(world)) is not None
    )
    same_set = _from(nearest, actions) == 1.0
    return Expectation(readings, _source(nearest, same_set, days, below, above, rows), same_set and days in horizons)


def distance(actions: ActionSet, set_class: str, dimension: int, size: int) -> float:
    """Return the larger of the ratios of dimensions and of sizes, 1 where both are equal; infinity for another class."""
    ratios = (dimension / actions.dimension, max(1, size) / max(1, actions.size))
    return max(max(ratio, 1.0 / ratio) for ratio in ratios) if set_class == type(actions).__name__ else math.inf


def _from(cell: Measurement, actions: ActionSet) -> float:
    return distance(actions, cell.set_class, cell.dimension, cell.size)


def _source(nearest: Measurement, same_set: bool, days: int, below: int, above: int, rows: list[Measurement]) -> str:
    counts = sorted({cell.replications for cell in rows if cell.horizon in (below, above)})
    where = f"{'' if same_set else 'the nearest set measured, '}{nearest.set_spec}{'' if same_set else ','}"
    if below != above:
        when = f"measured at T = {below:,} and T = {above:,}, read linearly in log T"
    elif days == below:
        when = f"measured at T = {below:,}"
    else:
        when = f"measured at T = {below:,}, the nearest horizon"
    return f"{where} {when}; {'–'.join(map(str, counts))} replications per world"
