r"""Routing games: each player sends one unit from its source to its sink through a network whose edges get slower with use.

Edge costs are affine, :math:`a_e + b_e k`, or those of the Bureau of Public Roads,
:math:`t_e (1 + B_e (u k / C_e)^{P_e})` with k players of u vehicles each, as in TNTP files.
"""

import os
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from swapregret.actions.edge_lists import read_edges
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.arguments import checked
from swapregret.arrays import Edge, Matrix, as_integer, as_number, as_numbers, check_memory
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.games.kinds.congestion import CongestionGame
from swapregret.games.payoffs import spec_of
from swapregret.networks import Network, read_tntp

Commodity = tuple[Hashable, Hashable]


class RoutingGame(CongestionGame):
    """An atomic routing game, one player per commodity.

    Parameters
    ----------
    edges : sequence of (tail, head)
        The network; for each player it must be acyclic on the edges that are its own.
    costs : array_like, shape (n_edges, n_players)
        What each of k users of an edge pays; see :func:`affine_costs`, :func:`bpr_costs`.
    commodities : sequence of (source, sink)
        One per player.
    allowed : sequence of int sequences, optional
        For each player the edges it may use; all if not given.

    Examples
    --------
    >>> edges = [("s", "t"), ("s", "a"), ("a", "t")]
    >>> game = RoutingGame(edges, affine_costs([0, 1, 0], [1, 0, .5], 2), [("s", "t")] * 2)
    >>> game.payoffs([[1, 0, 0], [0, 1, 1]])
    array([-1. , -1.5])
    """

    @checked
    def __init__(
        self,
        edges: Sequence[Edge],
        costs: npt.ArrayLike,
        commodities: Sequence[Commodity],
        allowed: Sequence[Sequence[int]] | None = None,
    ) -> None:
        links = list(read_edges(edges))
        pairs = list(read_edges(commodities, "commodities"))
        own = [list(range(len(links))) for _ in pairs] if allowed is None else [list(each) for each in allowed]

        @cache
        def paths(source: Hashable, sink: Hashable, use: tuple[int, ...]) -> DagPaths:
            """Return the set of a player; players alike share one."""
            return DagPaths([links[index] for index in use], source=source, sink=sink)

        chosen = [paths(source, sink, tuple(use)) for (source, sink), use in zip(pairs, own, strict=True)]
        names = [f"{index}: {source} → {sink}" for index, (source, sink) in enumerate(pairs)]
        super().__init__(chosen, costs, own, names)
        if len(self.costs) != len(links):
            raise InvalidInput(f"`costs` must have {len(links)} rows", str(len(self.costs)), "Give one per edge.")
        self.edges = tuple(links)
        self.commodities = tuple(pairs)
        if all(isinstance(vertex, str | int) for edge in [*links, *pairs] for vertex in edge):
            ends, wanted = [list(edge) for edge in links], [list(pair) for pair in pairs]
            self.spec = spec_of("routing", edges=ends, costs=self.costs, commodities=wanted, allowed=own)

    @classmethod
    def from_network(
        cls,
        network: Network,
        commodities: Sequence[Commodity],
        *,
        vehicles: float = 1.0,
        length: str = "free_flow_time",
    ) -> "RoutingGame":
        """Make a game of a road network with the attributes of a TNTP file.

        Each player may use the edges that lead away from its source (Dial's efficient paths) and lie on one of its paths.

        Parameters
        ----------
        network : Network
            With attributes free_flow_time, capacity, b and power.
        commodities : sequence of (source, sink)
        vehicles : float
            How many vehicles a player stands for.
        length : str
            The attribute by which edges lead away.
        """
        time, capacity, factor, power = (network.numbers(key) for key in ("free_flow_time", "capacity", "b", "power"))
        costs = bpr_costs(time, capacity, factor, power, len(commodities), vehicles=vehicles)
        numbered = replace(network, attributes={**network.attributes, "place": tuple(range(len(network.edges)))})
        allowed = []
        for source, sink in commodities:
            kept = numbered.acyclic_from(source, length=length)
            places = [int(index) for index in kept.numbers("place")]
            useful = DagPaths(kept.edges, source=source, sink=sink).graph.edge
            allowed.append([places[index] for index in np.sort(useful).tolist()])
        return cls(network.edges, costs, commodities, allowed)

    @classmethod
    def from_tntp(
        cls, path: str | os.PathLike[str], commodities: Sequence[Commodity], *, vehicles: float = 1.0
    ) -> "RoutingGame":
        """Make a game of a TNTP road network file; see :meth:`from_network`."""
        return cls.from_network(read_tntp(path), commodities, vehicles=vehicles)


@checked
def affine_costs(constant: npt.ArrayLike, slope: npt.ArrayLike, n_players: int) -> Matrix:
    """Return the table of a_e + b_e k for k = 1..n users.

    Examples
    --------
    >>> affine_costs([1., 0.], [0., 2.], 3).tolist()
    [[1.0, 1.0, 1.0], [2.0, 4.0, 6.0]]
    """
    users = np.arange(1, as_integer(n_players, "n_players", 1, 10**6) + 1)
    a, b = _columns(constant=constant, slope=slope)
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(a + b * users)


def _columns(**given: npt.ArrayLike) -> list[Matrix]:
    """Read columns of finite numbers: each has one per edge, or one for all."""
    columns = {name: np.atleast_1d(as_numbers(values, name)) for name, values in given.items()}
    for name, column in columns.items():
        if column.ndim > 1 or not np.isfinite(column).all():
            raise InvalidInput(f"`{name}` must be finite numbers, one per edge", shown(column), "Mend the table.")
    lengths = {name: len(column) for name, column in columns.items()}
    if len({*lengths.values()} - {1}) > 1:
        raise InvalidInput("costs must have one number per edge, or one for all", shown(lengths), "Mend the table.")
    return [column[:, None] for column in np.broadcast_arrays(*columns.values())]


@checked
def bpr_costs(
    free_flow: npt.ArrayLike,
    capacity: npt.ArrayLike,
    factor: npt.ArrayLike,
    power: npt.ArrayLike,
    n_players: int,
    *,
    vehicles: float = 1.0,
) -> Matrix:
    """Return the table of t_e (1 + B_e (u k / C_e)^P_e) for k = 1..n players of u vehicles.

    Examples
    --------
    >>> bpr_costs([10.], [2.], [.15], [4.], 2).round(6).tolist()
    [[10.09375, 11.5]]
    """
    users = np.arange(1, as_integer(n_players, "n_players", 1, 10**6) + 1)
    time, limit, rise, exponent = _columns(free_flow=free_flow, capacity=capacity, factor=factor, power=power)
    vehicles = as_number(vehicles, "vehicles")
    if (limit <= 0.0).any() or not vehicles > 0.0:
        raise InvalidInput(
            "`capacity` and `vehicles` must be positive", f"{limit.min(initial=vehicles):g}", "Correct the table."
        )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return _finite(time * (1.0 + rise * (vehicles * users / limit) ** exponent))


def _finite(costs: Matrix) -> Matrix:
    if not np.isfinite(costs).all():
        raise InvalidInput("all costs must be finite", "a cost beyond any float", "Check the table.")
    return costs


@checked
def layered_edges(layers: int, width: int) -> list[Edge]:
    """Return a network of full layers between "s" and "t": width + (layers − 1)·width² + width edges.

    Examples
    --------
    >>> len(layered_edges(4, 5)), layered_edges(1, 2)
    (85, [('s', '0.0'), ('s', '0.1'), ('0.0', 't'), ('0.1', 't')])
    """
    layers, width = as_integer(layers, "layers", 1), as_integer(width, "width", 1)
    check_memory(2 * width + (layers - 1) * width**2, "a layered network", 2000)
    edges: list[Edge] = [("s", f"0.{j}") for j in range(width)]
    for layer in range(layers - 1):
        edges += [(f"{layer}.{i}", f"{layer + 1}.{j}") for i in range(width) for j in range(width)]
    return edges + [(f"{layers - 1}.{j}", "t") for j in range(width)]
