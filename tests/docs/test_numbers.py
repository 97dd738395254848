"""Numbers that stand on two pages: the README's are those of the page that is rewritten by the measurement."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def ratios(page: str) -> tuple[list[float], list[float]]:
    """Return how many times faster than `pinv` and than `solve` the rows of the table of `docs/performance.md` are."""
    rows = re.findall(r"^\|[^|]+\| (?:spread|concentrated) \|(.*)\|$", page, re.MULTILINE)
    columns: tuple[list[float], list[float]] = ([], [])
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")]
        for column, cell in zip(columns, (cells[2], cells[-1]), strict=True):
            if cell.endswith("×"):
                column.append(float(cell.removesuffix("×").replace(",", "")))
    return columns


def spoken(values: list[float]) -> str:
    """Return a range as the README says it: whole numbers, the least rounded down."""
    return f"{int(min(values)):,} to {int(max(values)):,} times"


def test_the_speed_of_the_readme_is_that_of_the_measured_table() -> None:
    """README says how many times faster a round is; `benchmarks/performance.py` writes the table it must agree with."""
    pinv, solve = ratios((ROOT / "docs" / "performance.md").read_text(encoding="utf-8"))
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"{spoken(solve)} faster than the same learner in plain NumPy that solves linear systems" in readme
    assert f"{spoken(pinv)} faster than the one with the paper's pseudo-inverse" in readme


def test_a_changed_table_is_seen() -> None:
    """The range follows the rows; rows without a comparison do not count."""
    rows = "| a | spread | 1 k | 2 | 39.5× | 25× | 4 | 30.2× |\n| b | concentrated | 1 | 2 | 7,241× | – | 3 | 17.2× |\n"
    pinv, solve = ratios(rows + "| c | spread | 1 | – | – | – | – | – |\n")
    assert (spoken(pinv), spoken(solve)) == ("39 to 7,241 times", "17 to 30 times")


def test_the_table_of_the_readme_is_that_of_the_adaptive_page() -> None:
    """Reward and swap regret of the players stand on two pages, row for row the same, with the command that shows them."""
    rows = re.compile(
        r"^\| [^|]+ (?:\| \.\d\d(?: / \.\d{3})? ){10}\|.*$|^`python benchmarks/quality.py.*$", re.MULTILINE
    )
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/adaptive.md")]
    first, second = (rows.findall(page) for page in pages)
    assert first == second
    assert len(first) == 6
