r"""Security games: an evader walks a path, a guard watches m edges.

The guard is paid what the watched edges on the path are worth, the evader loses it and what its path costs by itself.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.arrays import Action, Vector, as_vector, frozen
from swapregret.games.base import Game

__all__ = ["SecurityGame"]


class SecurityGame(Game):
    """Paths against m-sets of edges.

    Parameters
    ----------
    edges : sequence of (tail, head)
        A directed acyclic graph.
    source, sink : hashable
        Where the evader starts and wants to be.
    guards : int
        How many edges are watched.
    worth : array_like, optional
        What it is worth to catch the evader on each edge; 1 if not given.
    toll : array_like, optional
        What each edge costs the evader anyway; 0 if not given, and then the game is zero-sum.

    Examples
    --------
    >>> game = SecurityGame([("s", "a"), ("a", "t"), ("s", "t")], "s", "t", 1)
    >>> game.payoffs([[1, 1, 0], [0, 1, 0]])
    array([-1.,  1.])
    """

    def __init__(
        self,
        edges: Sequence[tuple[Hashable, Hashable]],
        source: Hashable,
        sink: Hashable,
        guards: int,
        worth: npt.ArrayLike | None = None,
        toll: npt.ArrayLike | None = None,
    ) -> None:
        links = [(tail, head) for tail, head in edges]
        n = len(links)
        paths = DagPaths(links, source=source, sink=sink)
        super().__init__([paths, MSets(n, guards, labels=paths.labels)], ["evader", "guard"])
        self.worth = frozen(as_vector(np.ones(n) if worth is None else worth, n, "worth"))
        self.toll = frozen(as_vector(np.zeros(n) if toll is None else toll, n, "toll"))
        if all(isinstance(vertex, str | int) for edge in links for vertex in edge):
            self.spec = {
                "kind": "security",
                "edges": [list(edge) for edge in links],
                "source": source,
                "sink": sink,
                "guards": guards,
                "worth": self.worth.tolist(),
                "toll": self.toll.tolist(),
            }

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return what each edge costs the evader, or is worth to the guard."""
        return self._vector(player, actions[1 - player])

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return the same in expectation."""
        return self._vector(player, marginals[1 - player])

    def _vector(self, player: int, other: Any) -> Vector:
        met = self.worth * other
        return np.asarray(-met - self.toll if player == 0 else met)

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return what an edge does watched and unwatched, used and unused."""
        unmet, met = self._vector(player, 0.0), self._vector(player, 1.0)
        return np.minimum(unmet, met), np.maximum(unmet, met)
