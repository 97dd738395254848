"""How far two players are apart at the horizon, and whether their runs tell them apart."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from swapregret.arrays import Vector
from swapregret.experiments.report.model import PlayerRuns

SIGNS = {"reward": 1.0, "swap": -1.0}
"""Which end is good: the most reward, the least swap regret."""
_ROUNDING = 1e-12


def four(value: float, sign: str = "") -> str:
    """Write a number with four decimals, 0 without a sign of its own; with a sign where one is wanted."""
    return f"{round(value, 4) + 0.0:{sign}.4f}"


@dataclass(frozen=True)
class Difference:
    """A mean difference with Student's 95 % interval over replications; NaN ends for a single one."""

    value: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Tell whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0


def difference(one: Vector, other: Vector, *, is_paired: bool = True) -> Difference:
    """Return the mean of ``one`` less that of ``other`` with its interval; exactly 0 where it is no more than rounding.

    Entries are paired (Student's interval of their differences), or those of two independent samples (Welch's).
    """
    samples = [one - other] if is_paired else [one, -other]
    mean = float(sum(sample.mean() for sample in samples))
    if min(len(sample) for sample in samples) < 2:
        return Difference(mean, math.nan, math.nan)
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    total, half = sum(parts), 0.0
    if total > 0.0:
        freedom = total**2 / sum(part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True))
        half = float(stdtrit(freedom, 0.975)) * math.sqrt(total)
    if abs(mean) + half <= _ROUNDING * max(float(np.abs(each).max()) for each in (one, other)):
        return Difference(0.0, 0.0, 0.0)
    return Difference(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Gap:
    """By how much one player is better than another: by the numbers of the tables, and run by run."""

    value: float
    by_run: Difference

    @property
    def mark(self) -> str:
        """Return ▲ if it is better, ▼ if worse, ≈ where the runs do not tell, = where they are alike; "" without an interval."""
        if math.isnan(self.by_run.low):
            return ""
        if self.by_run == Difference(0.0, 0.0, 0.0):
            return "="
        if not self.by_run.is_clear or self.by_run.value * self.value <= 0.0:
            return "≈"
        return "▲" if self.value > 0.0 else "▼"

    @property
    def hint(self) -> str:
        """Return the interval of the difference run by run, in words."""
        if math.isnan(self.by_run.low):
            return "a single run: no interval"
        found = (self.by_run.value, self.by_run.low, self.by_run.high)
        value, low, high = (four(each, "+") for each in found)
        return f"each run measured on its own: better by {value}, 95 % interval {low} to {high}"


def gap(one: PlayerRuns, other: PlayerRuns, quantity: str, *, is_paired: bool = True) -> Gap | None:
    """Return by how much ``one`` is better than ``other`` in ``reward`` or ``swap``; None where one has no number.

    Paired, only runs with the same number are compared: they met the same rewards.
    """
    sign, curves = SIGNS[quantity], (one.curve(quantity), other.curve(quantity))
    if curves[0] is None or curves[1] is None:
        return None
    by_run = Difference(math.nan, math.nan, math.nan)
    if one.ends is not None and other.ends is not None:
        mine, theirs = sign * getattr(one.ends, quantity), sign * getattr(other.ends, quantity)
        if is_paired:
            _, first, second = np.intersect1d(one.ends.replications, other.ends.replications, return_indices=True)
            mine, theirs = mine[first], theirs[second]
        if len(mine) and len(theirs):
            by_run = difference(mine, theirs, is_paired=is_paired)
    return Gap(sign * (curves[0].last[0] - curves[1].last[0]), by_run)
