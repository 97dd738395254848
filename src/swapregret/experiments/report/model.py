"""What a report shows, as values: cases, and in each the curves of every player.

A *case* is one set, one environment and one horizon; players are compared within it and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix, Vector
from swapregret.networks.network import Network
from swapregret.units import UNIT_REWARDS, Units


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity at some days, with an interval; low = high = NaN where replications are too few to tell."""

    days: npt.NDArray[np.int64]
    value: Vector
    low: Vector
    high: Vector

    @property
    def last(self) -> tuple[float, float, float]:
        """Return value, low and high at the last day."""
        return float(self.value[-1]), float(self.low[-1]), float(self.high[-1])

    @property
    def has_interval(self) -> bool:
        """Tell whether any day has an interval."""
        return bool(np.isfinite(self.low).any() and np.isfinite(self.high).any())


@dataclass(frozen=True, eq=False)
class Shares:
    """The terms of the decomposition lemma, per day, averaged over replications."""

    parts: Vector  # Reg_k/(K T) for k < K, and last 1/K: they add up to the right-hand side
    laziness: float  # the middle of the lemma, (1/KT) Σ (D_{k−1} − E_k)

    @property
    def bound(self) -> float:
        """Return the right-hand side."""
        return float(self.parts.sum())


@dataclass(frozen=True, eq=False)
class MarginalsByDay:
    """The probability of each element after some days; ``marginals`` has a row for each of them."""

    days: npt.NDArray[np.int64]
    marginals: Matrix


@dataclass(frozen=True, eq=False)
class Ends:
    """Reward and swap regret per day with which each replication ended, each measured on its own; NaN where it was not.

    Replications with the same number met the same rewards, whoever played: what a paired comparison is made of.
    """

    replications: npt.NDArray[np.int64]
    reward: Vector
    swap: Vector


@dataclass(frozen=True, eq=False)
class PlayerRuns:
    """All replications of one player in one case; regrets and rewards are per day, None where they were not measured."""

    name: str
    n_runs: int
    swap: Curve | None = None
    external: Curve | None = None
    reward: Curve | None = None
    microseconds: Curve | None = None  # of one round
    definition: str = ""  # which swap regret was measured, in words
    bracket: tuple[float, float] | None = None  # certified ends of the last swap regret, where it is not exact
    windows: tuple[int, ...] = ()  # L_0, …, L_K; empty for players without scales
    offset: int = 0  # of the first replication: day 0 is day `offset` of the first windows
    shares: Shares | None = None
    policy: MarginalsByDay | None = None
    ends: Ends | None = None

    def curve(self, quantity: str) -> Curve | None:
        """Return the curve of ``swap``, ``external``, ``reward`` or ``microseconds``."""
        found: Curve | None = getattr(self, quantity)
        return found


@dataclass(frozen=True, eq=False)
class Case:
    """One set, one environment, one horizon, and everybody who played there, in the order of the specification.

    All numbers are on the scale [0, 1]; ``units`` says what the environment counts.
    """

    actions: str
    environment: str
    horizon: int
    dimension: int
    size: int
    n_actions: int | None
    labels: tuple[str, ...]
    players: tuple[PlayerRuns, ...]
    network: Network | None = None
    units: Units = UNIT_REWARDS

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what a case is known by: set, environment and horizon."""
        return self.actions, self.environment, self.horizon

    @property
    def label(self) -> str:
        """Return what it is called on the page; a set that comes with its environment is not named twice."""
        named = f"{self.actions} · " if self.actions != f"set of {self.environment}" else ""
        return f"{named}{self.environment} · T = {self.horizon:,}"


@dataclass(frozen=True)
class Origin:
    """Where the results came from: the experiment, its specification as given, versions, seed and machine, what failed and why.

    ``settings`` are the specification in full, with all that it left as it comes.
    """

    name: str
    spec: str
    facts: Mapping[str, str]
    n_runs: int
    n_finished: int
    failures: Mapping[str, str]
    settings: Mapping[str, object] = field(default_factory=dict)
