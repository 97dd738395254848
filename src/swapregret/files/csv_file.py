"""CSV files, read and written in this one place: cells as text, each row with the number of its line; and Parquet files.

What is the same everywhere: UTF-8 with or without a mark at the beginning; cells may be quoted and may then hold
delimiters and line breaks; spaces around a cell do not count; empty lines are left out.
What the columns mean, the caller knows.
"""

import csv
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from swapregret.arguments import Location
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class CsvTable:
    """A file as text."""

    name: str  # of the file, as it was given
    header: tuple[str, ...]  # the names of the columns; empty where the file has none
    rows: tuple[tuple[int, tuple[str, ...]], ...]  # the line it begins on, from 1, and its cells


def read_csv(
    path: Location, *, has_header: bool | None = True, has_comments: bool = False, delimiter: str = ","
) -> CsvTable:
    r"""Read a CSV file, or name the line that cannot be used.

    Where ``has_header`` is None, the first row names the columns if it has a cell that is not a number. With ``has_comments``
    lines that begin with ``#`` are left out.
    """
    name = os.fspath(path)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise InvalidInput("`delimiter` must be one character", repr(delimiter), 'Use e.g. "," or "\\t".')
    rows = tuple(_rows(name, read_text(path), delimiter, has_comments))
    if not rows:
        raise InvalidInput(f"{name} must begin with a row of cells", "an empty file", "Check the path.")
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise InvalidInput(
                f"line {line} of {name} must have {width} cells, as line {rows[0][0]} has",
                str(len(cells)),
                "Complete the line; quote cells that hold the delimiter.",
            )
    if has_header is None:
        has_header = not all(map(_is_number, rows[0][1]))
    header = rows[0][1] if has_header else ()
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise InvalidInput(f"the columns of {name} must have different names", f"{twice} twice", "Rename one.")
    return CsvTable(name, header, rows[1:] if has_header else rows)


def read_parquet(path: Location, what: str, otherwise: str) -> "pl.DataFrame":
    """Read a Parquet file, ``what`` names it in sentences; ``otherwise`` says what to do without Polars."""
    require_extra("experiments", "reading Parquet", only="polars", otherwise=otherwise)
    import polars as pl

    try:
        return pl.read_parquet(os.fspath(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        came = f"{os.fspath(path)!r}: {error}"
        raise InvalidInput(f"{what} must be a readable Parquet file", came, "Write it again.") from None


def csv_line(cells: Iterable[str]) -> str:
    r"""Return a row as a line of a CSV file, quoted where a cell needs it.

    Examples
    --------
    >>> csv_line(["a,b", "1"])
    '"a,b",1\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def read_text(path: Location) -> str:
    """Read a text file in UTF-8, or say why it cannot be read."""
    from swapregret.files.storage import check_regular  # with NumPy, for which a help must not wait

    name = os.fspath(path)
    try:
        check_regular(path)
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError, MemoryError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise InvalidInput(
                f"{name} must be UTF-8 text", f"byte {error.start} that is not", "Convert the file to UTF-8."
            ) from None
        said = getattr(error, "strerror", None) or str(error)
        raise InvalidInput("`path` must be a file that can be read", f"{name!r}: {said}", "Check the path.") from None


def _rows(name: str, text: str, delimiter: str, has_comments: bool) -> Iterator[tuple[int, tuple[str, ...]]]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True, strict=True)
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            is_empty = not cells or (len(cells) == 1 and not cells[0].strip())
            if not is_empty and not (has_comments and cells[0].startswith("#")):
                yield line, tuple(cell.strip() for cell in cells)
    except csv.Error as error:
        raise InvalidInput(
            f"{name} must be CSV with closed quotation marks", f"line {reader.line_num}: {error}", "Correct the line."
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
