"""The tables of a benchmark and the page they are written into, on made-up numbers."""

from pathlib import Path

import bench_speed
import pytest
from speed.cases import LearnerRow, RoundRow
from speed.doors import DoorRow
from speed.peers import PeerTime
from speed.run_bench import Bench
from speed.sheets import sheets, write_page
from speed.timing import StartRow

from swapregret.errors import InvalidInput

_BENCH = Bench(
    {"processor": "P", "cpu_count": 2, "python": "3", "numpy": "2"},
    100_000.0,
    [
        DoorRow("session", 9, 15.2, 1.52, 99.7, 1234.5, None, None, "20; 200"),
        DoorRow("ledger", 9, 0.812, 0.08, None, None, 1.234, None, ""),
        DoorRow("own set", 9, 1234.5, 123.4, None, None, None, 3.52, "1,000; 4"),
        DoorRow("own set, multiscale", 9, 55.5, 5.5, None, None, None, 120.0, "1,000; 4"),
        DoorRow("bound, multiscale", 9, 2.0, 0.2, None, None, 0.5, None, "< ledger"),
    ],
    [StartRow("first", 44.4), StartRow("later", 1.66, "1.5 s")],
    [
        RoundRow("c", "spread", 4, 2e4),
        RoundRow("c", "concentrated", 4, 999_700.0),
    ],
    [LearnerRow("c", "multiscale", 2e6, 20.0, 5.0), LearnerRow("c", "paper", 2e3, 0.02, None)],
    [PeerTime("p", {10: 5.0, 2_558_620_845: 70.0}), PeerTime("q", {}, "installed, but: it broke")],
)


def test_the_page_gets_its_tables(tmp_path: Path) -> None:
    """Every list of numbers becomes a table between the marks, doors first; what stands around stays."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured: begin -->outdated<!-- measured: end -->\nafter\n", encoding="utf-8")
    write_page(page, _BENCH)
    text = page.read_text(encoding="utf-8")
    for line in (
        "| session | 15 | 1.5 | p99 100 | 20; 200 |",
        "| ledger | .81 | .08 | 1.2× none | – |",
        "| own set | 1,234 / 56 | 123 / 5.5 | 3.5 / 120 calls | 1,000; 4 |",
        "| bound, multiscale | 2 | .2 | .5× none | < ledger |",
        "| later | 1.7 | 1.5 s |",
        "| c | 20 k | 1 M |",
        "| c | 2 M (20×) | 2 k (.02×) | 5× |",
        "| p | 10; 2.6·10⁹ | 5; 70 |",
        "| q | – | installed, but: it broke |",
    ):
        assert line in text.splitlines()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "outdated" not in text
    write_page(page, _BENCH)
    assert page.read_text(encoding="utf-8") == text
    assert text.index("| what | µs") < text.index("| set |")


def test_rows_are_as_wide_as_their_headings() -> None:
    """A table has as many cells in each row as it has headings; one without rows is left out."""
    found = sheets(_BENCH)
    assert len(found) == 5
    for sheet in found:
        assert {len(row) for row in sheet.rows} == {len(sheet.headings)}
    nothing = Bench(_BENCH.machine, 1.0, [], [], [], [], [])
    assert sheets(nothing) == []


def test_a_page_without_marks_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the marks; a page that is not there is named too."""
    monkeypatch.setattr("bench_speed.run_bench", None)  # a call of it would fail
    page = tmp_path / "page.md"
    with pytest.raises((InvalidInput, OSError), match=r"page\.md"):
        bench_speed.main(["--write", str(page)])
    page.write_text("nothing of the kind\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"page\.md"):
        bench_speed.main(["--write", str(page)])
    with pytest.raises(
        InvalidInput, match=r"<!-- measured: begin --> and <!-- measured: end -->, each once: got .*page.md without"
    ):
        write_page(page, _BENCH)
    assert page.read_text(encoding="utf-8") == "nothing of the kind\n"
