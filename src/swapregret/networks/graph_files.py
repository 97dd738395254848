"""Networks from graph files, GML and GraphML, read by networkx; and the network of a table in a spec, from any file."""

import os
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from swapregret.arguments import checked
from swapregret.arrays import Vertex
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.files.csv_file import read_text
from swapregret.files.storage import Json
from swapregret.networks.network import Network
from swapregret.networks.tables import read_edges_csv, read_tntp


@checked
def read_gml(path: str | os.PathLike[str]) -> Network:
    """Read a GML file.

    Parameters
    ----------
    path : path
        A UTF-8 text file. Edges that come twice are parallel edges, whether or not the file says ``multigraph 1``.

    Returns
    -------
    Network
        A vertex is named by its ``label``; by (label, id) where several have the same label, by its id where it has none.

    Raises
    ------
    Unsupported
        If networkx is not installed.
    InvalidInput
        If the file is no GML.
    """

    def parse(networkx: Any, text: str) -> Any:
        if not re.search(r"(?m)^\s*multigraph\s", text):
            text = re.sub(r"(?m)^(\s*graph\s*\[)", r"\1 multigraph 1 ", text, count=1)
        return networkx.parse_gml(text.splitlines(), label="id")

    graph = _read(path, "GML", parse)
    labels = {node: data.get("label") for node, data in graph.nodes(data=True)}
    times = Counter(labels.values())
    names: dict[Vertex, Vertex] = {}
    for node, label in labels.items():
        names[node] = node if label is None else label if times[label] == 1 else (label, node)
    return Network.from_networkx(graph, name=os.fspath(path), names=names)


@checked
def read_graphml(path: str | os.PathLike[str]) -> Network:
    """Read a GraphML file.

    Returns
    -------
    Network
        Vertices are named by their ids, which are text.

    Raises
    ------
    Unsupported
        If networkx is not installed.
    InvalidInput
        If the file is no GraphML.
    """

    def parse(networkx: Any, text: str) -> Any:
        return networkx.read_graphml(BytesIO(text.encode()), force_multigraph=True)

    return Network.from_networkx(_read(path, "GraphML", parse), name=os.fspath(path))


def _read(path: str | os.PathLike[str], what: str, parse: Callable[[Any, str], Any]) -> Any:
    """Return the multigraph that ``parse(networkx, text)`` makes of the text of a file."""
    require_extra("networks", f"reading {what}", otherwise="Or read an edge list with read_edges_csv.")
    import networkx

    text = read_text(path)
    try:
        return parse(networkx, text)
    except Exception as error:
        raise InvalidInput(
            f"{os.fspath(path)} must be a {what} file", f"one networkx cannot read: {error}", "Check the file."
        ) from error


_READERS: dict[str, Callable[[Path], Network]] = {
    ".csv": partial(read_edges_csv, tail="tail", head="head"),
    ".tntp": read_tntp,
    ".gml": read_gml,
    ".graphml": read_graphml,
}


def network_of(values: Json, folder: Path, *, directed: bool) -> Network:
    """Return the network of ``edges``, or of the ``file`` in a folder, which its ending tells how to read."""
    if "edges" in values:
        edges = values["edges"]
        if not isinstance(edges, list) or not all(isinstance(edge, list) and len(edge) == 2 for edge in edges):
            do = 'Write e.g. [["s", "a"], ["a", "t"]].'
            raise InvalidInput("`edges` must be a list of pairs", shown(edges), do)
        return Network(tuple(edges), directed=directed)
    if "file" not in values:
        raise InvalidInput("a set on a graph must have `file` or `edges`", f"{sorted(values)}", "Add one of them.")
    path = folder / str(values["file"])
    return _READERS[check_name(path.suffix.lower(), _READERS, "file", "end with one of")](path)
