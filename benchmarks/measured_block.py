"""Tables of a page that a command writes: they stand between two marks, and are never written by hand."""

from collections.abc import Sequence
from pathlib import Path

from swapregret.errors import InvalidInput


def around(path: Path, name: str = "measured") -> tuple[str, str]:
    """Return what stands before and after a block of a page, with its marks.

    Raises
    ------
    InvalidInput
        If the page does not have the block exactly once.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = path.read_text(encoding="utf-8")
    if page.count(begin) != 1 or page.count(end) != 1:
        must = f"the page to write must have the lines {begin} and {end}, each once"
        raise InvalidInput(must, f"{path} without them", "Add them where the tables shall stand.")
    before, rest = page.split(begin)
    return before + begin, end + rest.split(end)[1]


def block(path: Path, name: str = "measured") -> str:
    """Return what stands between the marks."""
    before, after = around(path, name)
    return path.read_text(encoding="utf-8")[len(before) : -len(after)]


def put_block(path: Path, text: str, name: str = "measured") -> None:
    """Rewrite a block of a page, and leave what stands around it."""
    before, after = around(path, name)
    path.write_text(f"{before}\n{text.strip()}\n{after}", encoding="utf-8")


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose first column is words and whose others are numbers.

    Examples
    --------
    >>> markdown(["who", "how much"], [["a", "1"]])
    ['| who | how much |', '| --- | --: |', '| a | 1 |']
    """
    marks = "| --- |" + " --: |" * (len(headings) - 1)
    return [f"| {' | '.join(headings)} |".replace("\n", " "), marks, *(f"| {' | '.join(row)} |" for row in rows)]
