"""A measured regret: the number, how sure it is, and which of the field's definitions it is.

May touch: nothing.
"""

from dataclasses import dataclass

__all__ = ["Regret"]


@dataclass(frozen=True)
class Regret:
    """One regret of one run or of several averaged.

    Attributes
    ----------
    value : float
        Total over the run.
    lower, upper : float
        A certified bracket of the value; all three are equal where the measurement is exact.
    standard_error : float
        Of the value over replications; NaN for a single run.
    n_days : float
    definition : str
        What was measured, in words.
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
    def is_exact(self) -> bool:
        """Tell whether the bracket is a point."""
        return self.lower == self.upper
