"""The network of a table in a spec: its edges, or a file."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput
from swapregret.networks.graph_files import read_gml, read_graphml
from swapregret.networks.network import Network
from swapregret.networks.tables import read_edges_csv, read_tntp

_READERS: dict[str, Callable[[Path], Network]] = {
    ".csv": partial(read_edges_csv, tail="tail", head="head"),
    ".tntp": read_tntp,
    ".gml": read_gml,
    ".graphml": read_graphml,
}


def network_of(values: Mapping[str, Any], folder: Path, *, directed: bool) -> Network:
    """Return the network of ``edges``, or of the ``file`` in a folder, which its ending tells how to read.

    Examples
    --------
    >>> network_of({"edges": [["s", "a"], ["a", "t"]]}, Path(), directed=True).edges
    (('s', 'a'), ('a', 't'))
    """
    if "edges" in values:
        return Network(tuple((tail, head) for tail, head in _pairs(values["edges"])), directed=directed)
    if "file" not in values:
        raise InvalidInput("a set on a graph must have `file` or `edges`", f"{sorted(values)}", "Add one of them.")
    path = folder / str(values["file"])
    return _READERS[check_name(path.suffix.lower(), _READERS, "file", "end with one of")](path)


def _pairs(edges: Any) -> list[list[Any]]:
    if not isinstance(edges, list) or not all(isinstance(edge, list) and len(edge) == 2 for edge in edges):
        raise InvalidInput("`edges` must be a list of pairs", shown(edges, 80), 'Write e.g. [["s", "a"], ["a", "t"]].')
    return edges
