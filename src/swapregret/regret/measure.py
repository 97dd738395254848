"""A measured regret: the number, how sure it is, and which of the field's definitions it is."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from swapregret.notebook import text_table
from swapregret.units import Units

_RULE = "against rules that may look at the context and at what is available"


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of some runs; NaN for a single one."""
    n = len(values)
    return statistics.stdev(values) / math.sqrt(n) if n > 1 else math.nan


def student_factor(n: int, confidence: float = 0.95) -> float:
    """Return how many standard errors reach the end of Student's interval of a mean of n runs; NaN for a single one."""
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, (1.0 + confidence) / 2.0)) if n > 1 else math.nan


def regret_rows(names: Sequence[str], regrets: "Sequence[Regret]", windows: "Sequence[Regret]" = ()) -> list[list[str]]:
    """Return regrets, and external regrets of windows, as rows of a table: name, total, per day, between which ends."""
    rows = []
    listed = [*names, *(f"external, window {index}" for index in range(len(windows)))]
    for name, regret in zip(listed, (*regrets, *windows), strict=True):
        between = "exact" if regret.is_exact else f"{regret.lower:.6g} … {regret.upper:.6g}"
        rows.append([name, f"{regret.value:.6g}", f"{regret.per_round:.6g}", between])
    return rows


class AuditTable:
    """What the audits of a log show alike: the mean per day, and a table of regrets."""

    windows: "tuple[Regret, ...]"
    reward: float
    n_days: int
    is_cost: bool
    _title: ClassVar[str]
    _names: ClassVar[tuple[str, ...]]

    @property
    def cost(self) -> float:
        """Return the mean (expected) cost per day."""
        return 0.0 - self.reward

    @property
    def regrets(self) -> "tuple[Regret, ...]":
        """Return the regrets of all days: external, internal, swap and dynamic, as far as they are known."""
        return tuple(getattr(self, f"{name}_regret") for name in self._names)

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        earned = f"a cost of {self.cost:.6g}" if self.is_cost else f"a reward of {self.reward:.6g}"
        title = f"{self._title}: {self.n_days:,} days, {earned} per day"
        return title, ["regret", "total", "per day", "between"], regret_rows(self._names, self.regrets, self.windows)

    def __repr__(self) -> str:
        return text_table(*self._table())


class SumsOfKinds:
    """Regrets of days of several kinds, sums over the kinds."""

    @cached_property
    def external_regret(self) -> "Regret":
        """Against the best rule that chooses one action for each kind of days."""
        return self._sum("external")

    @cached_property
    def swap_regret(self) -> "Regret":
        """Against the best rule φ for each kind of days, maximum outside the expectation (the paper's)."""
        return self._sum("swap")

    @cached_property
    def linear_swap_regret(self) -> "Regret":
        """Against the best affine map for each kind of days."""
        return self._sum("linear_swap")

    def _sum(self, name: str, definition: str = "") -> "Regret":
        parts: Mapping[Any, Any] = getattr(self, "parts")  # noqa: B009  # a field of one class, a property of the other
        return sum_of_kinds([getattr(part, f"{name}_regret") for part in parts.values()], definition)


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

    @classmethod
    def point(cls, value: float, standard_error: float, n_days: float, definition: str) -> "Regret":
        """Return a regret without a bracket: a value that is known, or an estimate with its standard error."""
        return cls(value, value, value, standard_error, float(n_days), definition)

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


def sum_of_kinds(regrets: Sequence[Regret], definition: str = "") -> Regret:
    """Return a regret against rules that may look at what is known before a day, of the regrets of each kind of days.

    Where their definitions differ, and none is given for the sum, the shortest is that of all; parts say what is said of each.
    """
    value, lower, upper = (sum(getattr(each, name) for each in regrets) for name in ("value", "lower", "upper"))
    error = math.sqrt(sum(each.standard_error**2 for each in regrets))
    words = f"{definition or min((each.definition for each in regrets), key=len)}; {_RULE}"
    words += f": the sum over {len(regrets)} kinds of days" if len(regrets) > 1 else ""
    return Regret(value, lower, upper, error, sum(each.n_days for each in regrets), words)
