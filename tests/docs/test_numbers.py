"""Numbers that stand on two pages: the README's are those of the page that is rewritten by the measurement."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def ratios(page: str) -> tuple[list[float], list[float]]:
    """Return how many times faster than `pinv` and than `solve` the rows of the table of `docs/performance.md` are."""
    table = re.search(r"^\| set .* over pinv \| aim \| over solve \|\n(.*?)\n$", page, re.MULTILINE | re.DOTALL)
    assert table is not None
    columns: tuple[list[float], list[float]] = ([], [])
    for row in table[1].splitlines()[1:]:
        cells = row.strip("| ").split(" | ")
        for column, cell in zip(columns, (cells[-3], cells[-1]), strict=True):
            column += [float(each.replace(",", "")) for each in re.findall(r"([\d,.]+)×", cell)]
    return columns


def spoken(values: list[float]) -> str:
    """Return a range as the README says it: two digits."""
    return " to ".join(f"{float(f'{end:.2g}'):,g}" for end in (min(values), max(values))) + " times"


def test_the_speed_in_words_is_that_of_the_measured_table() -> None:
    """The page says how many times faster a round is, as its table does."""
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    pinv, solve = ratios(page)
    said = " ".join(page.split())
    assert f"{spoken(solve)} faster than the same learner in plain NumPy that solves linear systems" in said
    assert f"{spoken(pinv)} faster than the one with the paper's pseudo-inverse" in said


def test_a_changed_table_is_seen() -> None:
    """The range follows the rows; rows without a comparison do not count."""
    rows = "| a | 1 k | 2 k | 39× / 41× | 25× | 30× / – |\n| b | 1 | 2 | 7,241× / 50× | – | 8.5× / 17× |\n"
    head = "| set | spread | concentrated | over pinv | aim | over solve |\n| --- | --: | --: | --: | --: | --: |\n"
    pinv, solve = ratios(f"{head}{rows}| c | 1 | 2 | – / – | – | – / – |\n\n| d | 9× |\n")
    assert (pinv, solve) == ([39.0, 41.0, 7241.0, 50.0], [30.0, 8.5, 17.0])
    assert (spoken(pinv), spoken(solve)) == ("39 to 7,200 times", "8.5 to 30 times")


def test_the_table_of_the_readme_is_that_of_the_adaptive_page() -> None:
    """Reward and swap regret of the players stand on two pages, row for row the same, with the command that shows them."""
    rows = re.compile(
        r"^\| [^|]+ (?:\| \.\d\d(?: / \.\d{3})? ){10}\|.*$|^`python benchmarks/quality.py.*$", re.MULTILINE
    )
    pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/adaptive.md")]
    first, second = (rows.findall(page) for page in pages)
    assert first == second
    assert len(first) == 8
