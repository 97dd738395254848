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


def columns_of(page: str) -> dict[tuple[str, str], str]:
    """Return the cells of tables of reward and swap regret by world and player, which the README names in its own words."""
    cells: dict[tuple[str, str], str] = {}
    names = {"`sr.swap_combcp`": '`preset="adaptive"`', "ten worlds": "mean"}
    for table in re.findall(r"^(\| player.*(?:\n\|.*)+)", page, re.MULTILINE):
        head, _, *rows = [[cell.strip(" *") for cell in row.strip("| ").split(" | ")] for row in table.splitlines()]
        worlds = [names.get(cell, cell).split(":")[0].strip("`") for cell in head]
        for player, *values in rows:
            known = re.search(r'`preset="\w+"`', player)
            name = known[0] if known else names.get(player.removesuffix(" (default)"), player)
            cells |= {(world, name): value for world, value in zip(worlds[1:], values, strict=True)}
    return cells


def test_the_table_of_the_readme_is_that_of_the_adaptive_page() -> None:
    """Reward and swap regret of the players are those of the page that the measurement writes."""
    readme, page = (columns_of((ROOT / name).read_text(encoding="utf-8")) for name in ("README.md", "docs/adaptive.md"))
    assert len(readme) == 24
    assert {key: page.get(key) for key in readme} == readme


def test_a_cell_that_differs_is_seen() -> None:
    """Players are found under both names, in bold or not."""
    ours = '| player: x | `iid` | mean |\n| --- | --- | --- |\n| `preset="adaptive"` (default) | .5 / .1 | .6 / .2 |\n'
    theirs = "| player | `iid`: still |\n| --- | --- |\n| `sr.swap_combcp` (default) | **.5 / .2** |\n"
    assert columns_of(ours) == {("iid", '`preset="adaptive"`'): ".5 / .1", ("mean", '`preset="adaptive"`'): ".6 / .2"}
    assert columns_of(theirs) == {("iid", '`preset="adaptive"`'): ".5 / .2"}
