"""Action sets of a spec: a line of text, or a table that may name a network file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from swapregret.actions.base import ActionSet
from swapregret.actions.graphs.forests import Forests
from swapregret.actions.graphs.spanning_trees import SpanningTrees
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.actions.paths.partitions import Partitions
from swapregret.actions.products.product import Product
from swapregret.actions.spec import PRODUCT, SPEC_FORMS, parse_set, split_product
from swapregret.counts import excerpt
from swapregret.errors import InvalidInput
from swapregret.experiments.names import check_name
from swapregret.networks import Network, read_edges_csv, read_gml, read_graphml, read_tntp

__all__ = ["SET_KINDS", "SET_PARAMETERS", "make_set"]

SET_PARAMETERS: dict[str, tuple[str, ...]] = {
    "msets": ("dimension", "size", "labels"),
    "permutations": ("n", "labels", "row_labels", "column_labels"),
    "truncated": ("rows", "columns", "labels", "row_labels", "column_labels"),
    "partitions": ("total", "parts", "coordinates"),
    "trees": ("file", "edges", "largest_component"),
    "forests": ("file", "edges", "size"),
    "paths": ("file", "edges", "source", "sink", "length"),
    "explicit": ("file", "actions", "labels"),
    PRODUCT: ("sets", "names"),
}
"""What a table of each kind may hold."""
SET_KINDS = tuple(SET_PARAMETERS)
_READERS: dict[str, Callable[[Path], Network]] = {
    ".csv": read_edges_csv,
    ".tntp": read_tntp,
    ".gml": read_gml,
    ".graphml": read_graphml,
}


def make_set(entry: str | Mapping[str, Any], folder: Path) -> ActionSet:
    """Make the set of a line or a table; files are looked for in ``folder``.

    Examples
    --------
    >>> make_set("msets 6 2", Path()).n_actions
    15
    >>> make_set({"kind": "paths", "edges": [["s", "t"], ["s", "a"], ["a", "t"]], "source": "s", "sink": "t"}, Path()).size
    2
    """
    if isinstance(entry, str):
        words = entry.split()
        if not words or words[0] not in SET_KINDS:
            check_name(words[0] if words else "", SET_KINDS, "sets", f"begin as in {SPEC_FORMS[0]!r}, with")
        if words[0] == PRODUCT:
            parts, names = split_product(entry)
            return Product(*(make_set(part, folder) for part in parts), names=names)
        return parse_set(" ".join(str(folder / word) if os.path.isfile(folder / word) else word for word in words))
    values = {name: value for name, value in entry.items() if name != "kind"}
    return _MAKERS[entry["kind"]](values, folder)


def _network(values: dict[str, Any], folder: Path, kind: str) -> Network:
    if "edges" in values:
        return Network(tuple((tail, head) for tail, head in _pairs(values["edges"])), directed=kind == "paths")
    if "file" not in values:
        raise InvalidInput(f"a set of {kind} must have `file` or `edges`", f"{sorted(values)}", "Add one of them.")
    path = folder / str(values["file"])
    ending = check_name(path.suffix.lower(), _READERS, "file", "end with one of")
    return _READERS[ending](path)


def _pairs(edges: Any) -> list[list[Any]]:
    if not isinstance(edges, list) or not all(isinstance(edge, list) and len(edge) == 2 for edge in edges):
        raise InvalidInput(
            "`edges` must be a list of pairs", excerpt(edges, 80), 'Write e.g. [["s", "a"], ["a", "t"]].'
        )
    return edges


def _trees(values: dict[str, Any], folder: Path) -> ActionSet:
    network = _network(values, folder, "trees").undirected()
    part = values.get("largest_component", False)
    if not isinstance(part, bool):
        raise InvalidInput("`largest_component` must be true or false", repr(part)[:80], "It is false if not given.")
    whole = network.largest_component()
    if not part and len(whole.edges) != len(network.edges):
        raise InvalidInput(
            "the graph of spanning trees must be connected",
            f"{len(network.edges)} edges, of which the largest component has {len(whole.edges)}",
            "Join its parts, or write largest_component = true to play that component alone.",
        )
    return SpanningTrees(whole.edges)


def _forests(values: dict[str, Any], folder: Path) -> ActionSet:
    return Forests(_network(values, folder, "forests").undirected().edges, size=_given(values, "size", "forests"))


def _paths(values: dict[str, Any], folder: Path) -> ActionSet:
    network = _network(values, folder, "paths")
    source, sink = _given(values, "source", "paths"), _given(values, "sink", "paths")
    if "length" in values or not network.directed:
        network = network.acyclic_from(source, length=values.get("length"))
    return DagPaths(network.edges, source=source, sink=sink)


def _explicit(values: dict[str, Any], folder: Path) -> ActionSet:
    if "actions" in values:
        return Explicit(values["actions"], labels=values.get("labels"))
    return parse_set(f"explicit {folder / str(_given(values, 'file', 'explicit'))}")


def _product(values: dict[str, Any], folder: Path) -> ActionSet:
    parts = _given(values, "sets", PRODUCT)
    if not isinstance(parts, list):
        raise InvalidInput(
            "`sets` of a product must be a list", repr(parts)[:80], 'Write e.g. ["msets 5 2", "permutations 3"].'
        )
    for part in parts:
        if not isinstance(part, str):
            check_name(part.get("kind") if isinstance(part, Mapping) else part, SET_KINDS, "sets.kind")
    return Product(*(make_set(part, folder) for part in parts), names=values.get("names"))


def _given(values: dict[str, Any], name: str, kind: str) -> Any:
    if name not in values:
        raise InvalidInput(f"a set of {kind} must have `{name}`", f"only {sorted(values)}", "Add it.")
    return values[name]


def _plain(build: Callable[..., ActionSet], kind: str, needed: tuple[str, ...]) -> Callable[..., ActionSet]:
    def make(values: dict[str, Any], folder: Path) -> ActionSet:
        for name in needed:
            _given(values, name, kind)
        return build(**values)

    return make


_MAKERS: dict[str, Callable[[dict[str, Any], Path], ActionSet]] = {
    "msets": _plain(MSets, "msets", ("dimension", "size")),
    "permutations": _plain(Permutations, "permutations", ("n",)),
    "truncated": _plain(TruncatedPermutations, "truncated", ("rows", "columns")),
    "partitions": _plain(Partitions, "partitions", ("total", "parts")),
    "trees": _trees,
    "forests": _forests,
    "paths": _paths,
    "explicit": _explicit,
    PRODUCT: _product,
}
