"""Networks from tables of edges: CSV files, and the TNTP format of road networks.

A cell that cannot be read is named by its line and column.
"""

import math
import os
from collections.abc import Mapping, Sequence

from swapregret.arguments import checked
from swapregret.arrays import Vertex
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.csv_file import read_csv, read_text
from swapregret.networks.network import Network

_TNTP_COLUMNS = "init_node term_node capacity length free_flow_time b power speed toll link_type"

_Row = tuple[int, Sequence[str]]
"""The number of a line, and its cells."""


@checked
def read_edges_csv(
    path: str | os.PathLike[str],
    *,
    tail: str | int = 0,
    head: str | int = 1,
    has_header: bool = True,
    directed: bool = True,
    delimiter: str = ",",
) -> Network:
    """Read a table with one edge per line.

    Parameters
    ----------
    path : path
        A UTF-8 text file. Empty lines and lines that start with ``#`` are left out.
    tail, head : str or int
        The columns of the two vertices, by name or by number from 0.
    has_header : bool
        Whether the first line names the columns; otherwise they are called ``"column 0"``, ``"column 1"``, ...
    directed : bool
        Whether edges have a direction.
    delimiter : str
        What separates the cells.

    Returns
    -------
    Network
        Vertices are whole numbers if all of them can be read as such, else text. The other columns become attributes; a
        column whose first cell is a number must hold numbers.

    Raises
    ------
    InvalidInput
        Naming the line and the column that cannot be read.
    """
    table = read_csv(path, has_header=has_header, has_comments=True, delimiter=delimiter)
    name = table.name
    columns = list(table.header) or [f"column {index}" for index in range(len(table.rows[0][1]))]
    ends = (_column(columns, tail, "tail", name), _column(columns, head, "head", name))
    return _table(table.rows, columns, ends, directed=directed, name=name)


@checked
def read_tntp(path: str | os.PathLike[str]) -> Network:
    """Read the network file of a TNTP road network (``*_net.tntp``).

    Metadata lines ``<KEY> value`` end with ``<END OF METADATA>``; a line that starts with ``~`` names the columns; every
    further line is a directed link that ends with ``;``.

    Returns
    -------
    Network
        Vertices are whole numbers; capacity, length, free_flow_time, ... are attributes.

    Raises
    ------
    InvalidInput
        Naming the line and the column that cannot be read, or a number of links other than the metadata's.
    """
    name = os.fspath(path)
    columns: list[str] = _TNTP_COLUMNS.split()
    rows: list[_Row] = []
    promised: str | None = None
    in_metadata = True
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        text = line.strip()
        if in_metadata:
            key, _, value = text.partition(">")
            if key == "<NUMBER OF LINKS":
                promised = value.strip()
            in_metadata = key != "<END OF METADATA"
        elif text.startswith("~"):
            named = text[1:].replace(";", " ").strip()
            names = [cell.strip() for cell in named.split("\t")] if "\t" in named else named.split()
            columns = ["_".join(each.lower().split()) for each in names if each.strip()]
        elif text:
            rows.append((number, text.rstrip(";").split()))
    if in_metadata:
        raise InvalidInput(
            f"{name} must have a line <END OF METADATA>", "none", "Pass the network file, *_net.tntp, of the data set."
        )
    for line_number, cells in rows:
        odd = next((cell for cell in cells[:2] if not cell.isdecimal()), None)
        if odd is not None:
            raise InvalidInput(
                f"line {line_number} of {name} must name its nodes by whole numbers", repr(odd), "Correct the line."
            )
    network = _table(rows, columns, (0, 1), directed=True, name=name, is_numeric=True)
    if promised is not None and promised != str(len(rows)):
        must = f"{name} must have as many links as <NUMBER OF LINKS> says, {promised}"
        raise InvalidInput(must, str(len(rows)), "The file may have been cut off.")
    return network


def _column(columns: Sequence[str], wanted: str | int, parameter: str, name: str) -> int:
    if isinstance(wanted, str) and wanted in columns:
        return columns.index(wanted)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(columns):
        return wanted
    raise InvalidInput(
        f"`{parameter}` must be a column of {name}", shown(wanted), f"Its columns are {list(columns)}, numbered from 0."
    )


def _table(
    rows: Sequence[_Row],
    columns: list[str],
    ends: tuple[int, int],
    *,
    directed: bool,
    name: str,
    is_numeric: bool = False,
) -> Network:
    """Make a network of the cells; where the table is numeric, all attributes must be numbers."""
    if not rows:
        raise InvalidInput(f"{name} must contain edges", "none", "Check the path, and `has_header`.")
    for number, cells in rows:
        if len(cells) != len(columns):
            must = f"line {number} of {name} must have {len(columns)} columns"
            raise InvalidInput(must, str(len(cells)), "Correct the line, or the delimiter.")
        for end in ends:
            if not cells[end]:
                must = f"line {number} of {name} must name a vertex in column {columns[end]!r}"
                raise InvalidInput(must, "an empty cell", "Complete or remove the line.")
    called = {cells[end] for _, cells in rows for end in ends}
    names: Mapping[str, Vertex]
    try:
        names = {cell: int(cell) for cell in called}
    except ValueError:  # all of them stay text
        names = {cell: cell for cell in called}
    attributes = {
        label: _values([(number, cells[index]) for number, cells in rows], label, name, is_numeric)
        for index, label in enumerate(columns)
        if index not in ends
    }
    edges = tuple((names[cells[ends[0]]], names[cells[ends[1]]]) for _, cells in rows)
    return Network(edges, directed, (), attributes, name)


def _values(cells: list[tuple[int, str]], column: str, name: str, is_numeric: bool) -> tuple[object, ...]:
    """Read a column as numbers if its first cell is one (or must be), else as text; an empty cell is None."""
    first = next((cell for _, cell in cells if cell), "")
    if not is_numeric and _number(first) is None:
        return tuple(cell or None for _, cell in cells)
    odd = next((each for each in cells if each[1] and _number(each[1]) is None), None)
    if odd is not None:
        must = f"line {odd[0]} of {name} must have a finite number in column {column!r}"
        raise InvalidInput(must, repr(odd[1]), "Correct the cell.")
    return tuple(_number(cell) for _, cell in cells)


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
