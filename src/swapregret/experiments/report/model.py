"""What a report shows, as values: scenes, and in each the curves of every player.

A *scene* is one set, one environment and one horizon; players are compared within it and nowhere else.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix, Vector
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
    """The terms of the decomposition lemma, per round, averaged over replications.

    Attributes
    ----------
    parts : Vector, shape (K,)
        Reg_k/(K T) for k < K, and last 1/K; they add up to the right-hand side.
    laziness : float
        The middle of the lemma, (1/KT) Σ (D_{k−1} − E_k).
    """

    parts: Vector
    laziness: float

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
    """Reward and swap regret per round with which each replication ended, each measured on its own; NaN where it was not.

    Replications with the same number met the same rewards, whoever played: what a paired comparison is made of.
    """

    replications: npt.NDArray[np.int64]
    reward: Vector
    swap: Vector


@dataclass(frozen=True, eq=False)
class PlayerRuns:
    """All replications of one player in one scene.

    Attributes
    ----------
    swap, external, reward : Curve or None
        Per round; None where it was not measured.
    microseconds : Curve or None
        Of one round.
    definition : str
        Which swap regret was measured, in words.
    bracket : (float, float) or None
        Certified ends of the swap regret per round on the last day, where it is not exact.
    windows : tuple of int
        L_0, …, L_K; empty for players without scales.
    offset : int
        Of the first replication: day 0 is day ``offset`` of the first windows.
    """

    name: str
    n_runs: int
    swap: Curve | None = None
    external: Curve | None = None
    reward: Curve | None = None
    microseconds: Curve | None = None
    definition: str = ""
    bracket: tuple[float, float] | None = None
    windows: tuple[int, ...] = ()
    offset: int = 0
    shares: Shares | None = None
    law: MarginalsByDay | None = None
    ends: Ends | None = None

    def curve(self, quantity: str) -> Curve | None:
        """Return the curve of ``swap``, ``external``, ``reward`` or ``microseconds``."""
        found: Curve | None = getattr(self, quantity)
        return found


@dataclass(frozen=True)
class DrawnEdge:
    """One element of a path or tree set: its ends by number, and its name."""

    tail: int
    head: int
    label: str


@dataclass(frozen=True)
class DrawnGraph:
    """The graph of a path or tree set; edge i is element i."""

    vertices: tuple[str, ...]
    edges: tuple[DrawnEdge, ...]
    is_directed: bool

    @classmethod
    def directed(cls, edges: Sequence[tuple[Hashable, Hashable]], labels: Iterable[str]) -> "DrawnGraph":
        """Return a directed graph, its vertices in the order of the edges."""
        place = {vertex: i for i, vertex in enumerate(dict.fromkeys(v for edge in edges for v in edge))}
        drawn = (DrawnEdge(place[u], place[v], label) for (u, v), label in zip(edges, labels, strict=True))
        return cls(tuple(map(str, place)), tuple(drawn), True)


@dataclass(frozen=True, eq=False)
class Scene:
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
    graph: DrawnGraph | None = None
    units: Units = UNIT_REWARDS

    @property
    def label(self) -> str:
        """Return what it is called on the page; a set that comes with its environment is not named twice."""
        named = f"{self.actions} · " if self.actions != f"set of {self.environment}" else ""
        return f"{named}{self.environment} · T = {self.horizon:,}"


@dataclass(frozen=True)
class Origin:
    """Where the results came from: the experiment, its specification as given, versions, seed and machine, what failed and why."""

    name: str
    spec: str
    facts: Mapping[str, str]
    n_runs: int
    n_finished: int
    failures: Mapping[str, str]
