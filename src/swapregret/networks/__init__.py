"""Graphs as people have them: networkx graphs, edge-list CSV, TNTP road networks, GML and GraphML.

Each reader, and ``Network.from_networkx``, gives a :class:`Network`, whose edges go straight into an action set::

    SpanningTrees(read_gml("isp.gml").undirected().edges)
    DagPaths(read_tntp("city_net.tntp").acyclic_from(1, length="free_flow_time"), source=1, sink=24)
"""

from swapregret.networks.graph_files import read_gml, read_graphml
from swapregret.networks.network import Network
from swapregret.networks.tables import read_edges_csv, read_tntp

__all__ = ["Network", "read_edges_csv", "read_gml", "read_graphml", "read_tntp"]
