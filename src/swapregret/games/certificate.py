r"""The certificate: ε such that a play is an ε-correlated equilibrium.

.. math:: \varepsilon = \max_i \max_\phi\ \mathbb E_\sigma\big[r_i(\phi(M_i), M_{-i}) - r_i(M_i, M_{-i})\big]

Exact while policies have listed support, or are mixed with one exploration policy that is held throughout; otherwise a certified
bracket. All in rewards, on the learners' scale [0, 1].
"""

from collections.abc import Sequence
from dataclasses import dataclass

from swapregret.games.payoffs import Game
from swapregret.notebook import html_table
from swapregret.regret.ledgers.answers import Answers
from swapregret.regret.measure import Regret
from swapregret.regret.notions import external_regret, swap_regret


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


@dataclass(frozen=True)
class Certificate:
    """How close a play is to the correlated and the coarse correlated equilibria.

    Attributes
    ----------
    names : tuple of str
        The players.
    swap, external : tuple of Gap
        One per player.
    """

    names: tuple[str, ...]
    swap: tuple[Gap, ...]
    external: tuple[Gap, ...]

    @property
    def epsilon(self) -> float:
        """Return ε: the largest upper end of a swap gap."""
        return max(gap.upper for gap in self.swap)

    @property
    def lower(self) -> float:
        """Return what ε cannot be below."""
        return max(gap.lower for gap in self.swap)

    @property
    def coarse_epsilon(self) -> float:
        """Return ε for coarse correlated equilibrium: the largest external gap."""
        return max(gap.upper for gap in self.external)

    @property
    def total(self) -> float:
        """Return the sum of the players' swap gaps."""
        return sum(gap.value for gap in self.swap)

    @property
    def is_exact(self) -> bool:
        """Tell whether every gap is exact."""
        return all(gap.is_exact for gap in self.swap)

    def __repr__(self) -> str:
        least = "" if self.is_exact else f" (at least {self.lower:.6g})"
        return (
            f"Certificate(ε = {self.epsilon:.6g}{least}, coarse {self.coarse_epsilon:.6g}, {len(self.names)} players)"
        )

    def _repr_html_(self) -> str:
        rows = [
            [name, f"{swap.value:.6g}", f"{external.value:.6g}", f"{swap.in_payoffs:.6g}"]
            for name, swap, external in zip(self.names, self.swap, self.external, strict=True)
        ]
        return html_table(self._title, ["player", "swap gap", "external gap", "swap gap in payoffs"], rows)

    @property
    def _title(self) -> str:
        how = "exactly" if self.is_exact else f"at least {self.lower:.6g} and at most"
        return f"an ε-correlated equilibrium with ε {how} {self.epsilon:.6g}, coarse {self.coarse_epsilon:.6g}"

    def __str__(self) -> str:
        lines = [self._title]
        for name, swap, external in zip(self.names, self.swap, self.external, strict=True):
            lines.append(f"  {name}: swap gap {swap.value:.6g}, external gap {external.value:.6g}")
        return "\n".join(lines)


def certify_answers(game: Game, answers: Sequence[Answers]) -> Certificate:
    """Return the certificate of a play by the best answers to it, one per player."""
    scales = [game.scale(player) for player in range(len(answers))]
    swap = [Gap.of(swap_regret(each), scale) for each, scale in zip(answers, scales, strict=True)]
    external = [
        Gap.of(external_regret(each.actions, each.runs), scale) for each, scale in zip(answers, scales, strict=True)
    ]
    return Certificate(game.names, tuple(swap), tuple(external))
