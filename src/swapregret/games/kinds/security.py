r"""Security games: an evader walks a path, a guard watches m edges.

The guard is paid what the watched edges on the path are worth, the evader loses it and what its path costs by itself.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.actions.edge_lists import read_edges
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.arguments import checked
from swapregret.arrays import Vector, as_vector, frozen
from swapregret.games.bilinear import PairRule, pair_rule
from swapregret.games.payoffs import RuledGame, spec_of


class SecurityGame(RuledGame):
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

    rule: PairRule

    @checked
    def __init__(
        self,
        edges: Sequence[tuple[Hashable, Hashable]],
        source: Hashable,
        sink: Hashable,
        guards: int,
        worth: npt.ArrayLike | None = None,
        toll: npt.ArrayLike | None = None,
    ) -> None:
        links = list(read_edges(edges))
        n = len(links)
        paths = DagPaths(links, source=source, sink=sink)
        super().__init__([paths, MSets(n, guards, labels=paths.labels)], ["evader", "guard"])
        self.worth = frozen(as_vector(np.ones(n) if worth is None else worth, n, "worth").copy())
        self.toll = frozen(as_vector(np.zeros(n) if toll is None else toll, n, "toll").copy())
        met = scipy.sparse.diags_array(self.worth)
        self.rule = pair_rule([np.arange(n)] * 2, [-met, met], np.append(-self.toll, np.zeros(n)))
        if all(isinstance(vertex, str | int) for edge in links for vertex in edge):
            ends, values = [list(edge) for edge in links], {"worth": self.worth, "toll": self.toll}
            self.spec = spec_of("security", edges=ends, source=source, sink=sink, guards=guards, **values)

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return what an edge does watched and unwatched, used and unused."""
        unmet = self.rule.base[self.starts[player] : self.starts[player + 1]]
        met = unmet + (self.worth if player else -self.worth)
        return np.minimum(unmet, met), np.maximum(unmet, met)
