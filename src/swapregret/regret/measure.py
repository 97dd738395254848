"""A measured regret: the number, how sure it is, and which of the field's definitions it is."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from swapregret.units import Units


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of some runs; NaN for a single one.

    Examples
    --------
    >>> standard_error([1.0, 3.0]), standard_error([1.0])
    (1.0, nan)
    """
    n = len(values)
    return statistics.stdev(values) / math.sqrt(n) if n > 1 else math.nan


def student_factor(n: int, confidence: float = 0.95) -> float:
    """Return how many standard errors reach the end of Student's interval of a mean of n runs; NaN for a single one.

    Examples
    --------
    >>> round(student_factor(8), 3)
    2.365
    """
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, (1.0 + confidence) / 2.0)) if n > 1 else math.nan


def regret_rows(names: Sequence[str], regrets: "Sequence[Regret]", windows: "Sequence[Regret]" = ()) -> list[list[str]]:
    """Return regrets, and external regrets of windows, as rows of a table: name, total, per day, between which ends.

    Examples
    --------
    >>> regret_rows(["swap"], [Regret(5.0, 4.0, 6.0, 0.5, 100, "an example")])
    [['swap', '5', '0.05', '4 … 6']]
    """
    rows = []
    listed = [*names, *(f"external, window {index}" for index in range(len(windows)))]
    for name, regret in zip(listed, (*regrets, *windows), strict=True):
        between = "exact" if regret.is_exact else f"{regret.lower:.6g} … {regret.upper:.6g}"
        rows.append([name, f"{regret.value:.6g}", f"{regret.per_round:.6g}", between])
    return rows


@dataclass(frozen=True)
class Regret:
    """One regret of one run or of several averaged.

    Attributes
    ----------
    value : float
        Total over the run.
    lower, upper : float
        A certified bracket of the value; all three are equal where the measurement is exact. Where totals alone were seen,
        ``definition`` says what each end is.
    standard_error : float
        Of the value over replications, or of an estimate from totals; NaN for a single run whose rewards are known.
    n_days : float
    definition : str
        What was measured, in words.

    Examples
    --------
    >>> regret = Regret(5.0, 4.0, 6.0, 0.5, 100, "an example")
    >>> regret.per_round, regret.is_exact
    (0.05, False)
    >>> print(regret)
    5 in [4, 6], ± 0.5 (0.05 per round): an example
    """

    value: float
    lower: float
    upper: float
    standard_error: float
    n_days: float
    definition: str

    @property
    def per_round(self) -> float:
        """Return the value divided by the number of days."""
        return self.value / self.n_days

    @property
    def bracket(self) -> tuple[float, float]:
        """Return (lower, upper)."""
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Tell whether the bracket is a point."""
        return self.lower == self.upper

    def in_units(self, units: Units) -> "Regret":
        """Return the regret in what people count, of one measured on the scale [0, 1]: the same days, times the range."""
        if units.scale == 1.0 and not units.is_cost:
            return self
        numbers = (self.value, self.lower, self.upper, self.standard_error)
        low, high = units.declared
        words = f"{self.definition}; in units of {units.word}s, whose totals lie in [{low:g}, {high:g}]"
        value, lower, upper, error = (units.scale * number for number in numbers)
        return Regret(value, lower, upper, error, self.n_days, words)

    def __repr__(self) -> str:
        return f"Regret({self._numbers})"

    def __str__(self) -> str:
        return f"{self._numbers}: {self.definition}"

    @property
    def _numbers(self) -> str:
        bracket = "" if self.is_exact else f" in [{self.lower:.6g}, {self.upper:.6g}]"
        error = "" if math.isnan(self.standard_error) else f", ± {self.standard_error:.3g}"
        return f"{self.value:.6g}{bracket}{error} ({self.per_round:.6g} per round)"
