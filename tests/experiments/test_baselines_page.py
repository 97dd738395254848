"""The tables of `docs/baselines.md` are those the commands measure: cheap cells are played again and compared.

If a test here fails, a table is stale: `python benchmarks/paper_pages.py`.
"""

from pathlib import Path

import pytest
from linear_swap import measure
from measured_block import around, block
from paper_pages import counterexample_block, main, table1_block
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.errors import InvalidInput
from swapregret.experiments.paper_table1 import COMPETITORS, INSTANCES, Cell, Table1, measure_cell
from swapregret.experiments.shortcut_counterexample import PLAYERS, Counterexample, CounterexampleRow, realised_regret

PAGE = Path(__file__).parents[2] / "docs" / "baselines.md"


def rows_of(name: str) -> dict[str, list[str]]:
    """Return the first table of a block, by the first cell of each row."""
    lines = block(PAGE, name).strip().split("\n\n")[1].splitlines()
    return {cells[0]: cells[1:] for cells in (line.strip("| ").split(" | ") for line in [lines[0], *lines[2:]])}


@pytest.mark.parametrize("place", range(len(PLAYERS)))
def test_the_counterexample_on_the_page_is_measured_again(place: int) -> None:
    """The mean over the first two runs at n = 4 is within .05 of that over eight on the page."""
    name = list(PLAYERS)[place]
    runs = [realised_regret(4, 10_000, name, 0, run) for run in range(2)]
    assert sum(runs) / 2 == pytest.approx(float(rows_of("counterexample")["4"][1 + place]), abs=0.05)


@pytest.mark.parametrize("name", ["uniform play", "Lazy-ComBCP, K = 1", "Swap-ComBCP paper", "Exp3"])
def test_table_1_on_the_page_is_measured_again(name: str) -> None:
    """Swap regret of cheap players on m-sets (6, 2) is that on the page."""
    head = block(PAGE, "table1").strip().splitlines()[0]
    horizon = int(head.partition("T = ")[2].split(", ")[0].replace(",", ""))
    contender = next(each for each in COMPETITORS if each.name == name)
    made = measure_cell(INSTANCES[0], contender, "cyclic", horizon, 1, 25.0, 0)
    assert made.swap_regret == pytest.approx(float(rows_of("table1")[name][1].split()[0]), abs=0.0015)


@pytest.mark.parametrize(("learner", "place"), [("default, full", 1), ("single, bandit", 4), ("default, bandit", 3)])
def test_linear_swap_regret_on_the_page_is_measured_again(learner: str, place: int) -> None:
    """Linear swap regret of a cheap run is that on the page."""
    rows = [line.strip("| ").split(" | ") for line in block(PAGE, "linear").strip().splitlines()]
    shown = next(row for row in rows if row[0] == "permutations 4, iid")
    assert measure("permutations 4", "iid", learner, 10_000) == pytest.approx(float(shown[1 + place]), abs=2e-4)


def test_what_commands_print_becomes_a_block_and_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page without the marks is refused; with them only the block changes."""
    page, told = tmp_path / "page.md", tmp_path / "told.json"
    page.write_text("above\n<!-- counterexample: begin -->\nold\n<!-- counterexample: end -->\nbelow\n", "utf-8")
    options = ["counterexample", "--length", "2", "--horizon", "50", "--replications", "1", "--jobs", "1", "--json"]
    told.write_text(CliRunner().invoke(app, options).stdout, "utf-8")
    monkeypatch.setattr("sys.argv", ["paper_pages.py", "counterexample", str(told), str(page)])
    main()
    lines = page.read_text("utf-8").splitlines()
    assert (lines[0], lines[-1]) == ("above", "below")
    assert "| 2 | 5 |" in page.read_text("utf-8")
    with pytest.raises(InvalidInput, match="table1: begin"):
        around(page, "table1")


def test_blocks_say_what_was_measured_and_refused() -> None:
    """A measured cell has swap regret and time, a refused one the word; regrets of runs stand by n."""
    name = COMPETITORS[0].name
    cells = [
        Cell("m-sets", "a", 15, 6, 2, name, swap_regret=0.0123, microseconds=3.4),
        Cell("m-sets", "b", 10**9, 46, 9, name, refused="refused: would take a day"),
    ]
    made = table1_block(Table1("cyclic", 100, 1, 25.0, 0, tuple(cells)))
    assert f"| {name} | T^(3/4), N ≤ 64 | .012 3 µs | refused |" in made
    rows = [CounterexampleRow(4, 17, each, 0.5, 0.4, 0.6, (0.5,), None) for each in PLAYERS]
    assert "| 4 | 17 | 0.500 | 0.500 | 0.500 |" in counterexample_block(Counterexample(100, 1, 0, tuple(rows)))
