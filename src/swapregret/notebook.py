"""Small tables for people: as lines of text for ``print``, as HTML for notebooks."""

from collections.abc import Sequence
from html import escape

__all__ = ["html_table", "text_table"]


def text_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a title and a table in columns, the first to the left, the others to the right.

    Examples
    --------
    >>> print(text_table("two days", ["regret", "total"], [["swap", "1.5"], ["external", "10"]]))
    two days
      regret    total
      swap        1.5
      external     10
    """
    table = [list(headings), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    lines = [title]
    for row in table:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def html_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """Return the same for a notebook, with all text escaped.

    Examples
    --------
    >>> html_table("a & b", ["x"], [["<1>"]])
    '<table><caption>a &amp; b</caption><thead><tr><th>x</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )
