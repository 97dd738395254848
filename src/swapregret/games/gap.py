r"""How much a player could gain by deviating from a play, with what is certain about it."""

from dataclasses import dataclass

from swapregret.regret.measure import Regret

__all__ = ["Gap"]


@dataclass(frozen=True)
class Gap:
    """The mean gain per day of the best deviation of one kind, where not to deviate is always allowed.

    Attributes
    ----------
    value : float
        In rewards, on the scale [0, 1] of the learners.
    lower, upper : float
        A certified bracket; all three are equal where the measurement is exact.
    scale : float
        How much payoff one unit of reward is.
    definition : str
        What was measured, in words.

    Examples
    --------
    >>> gap = Gap(.125, .125, .125, 8.0, "an example")
    >>> gap.in_payoffs, gap.is_exact
    (1.0, True)
    """

    value: float
    lower: float
    upper: float
    scale: float
    definition: str

    @classmethod
    def of(cls, regret: Regret, scale: float) -> "Gap":
        """Read a regret as a gap: divided by the days, and never below 0, since nobody has to deviate."""
        value, lower, upper = (max(0.0, each / regret.n_days) for each in (regret.value, regret.lower, regret.upper))
        return cls(value, lower, upper, scale, regret.definition)

    @property
    def in_payoffs(self) -> float:
        """Return the value in the units of the game."""
        return self.value * self.scale

    @property
    def is_exact(self) -> bool:
        """Tell whether the bracket is a point."""
        return self.lower == self.upper

    def __repr__(self) -> str:
        return f"Gap({self._numbers})"

    def __str__(self) -> str:
        return f"{self._numbers}: {self.definition}"

    @property
    def _numbers(self) -> str:
        bracket = "" if self.is_exact else f" in [{self.lower:.4g}, {self.upper:.4g}]"
        return f"{self.value:.4g}{bracket} ({self.in_payoffs:.4g} in payoffs)"
