"""The script that measures the tables of the page on the adaptive preset puts them where they belong."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = {"worlds", "means", "everyone", "parts", "semi-bandit", "comband", "guard", "practice"}


def write_tables(cells: Path, page: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Run the script on what is known."""
    script = ROOT / "benchmarks" / "quality_tables.py"
    options = ["--cells", str(cells), "--known", "--only", name, "--write", str(page)]
    return subprocess.run([sys.executable, str(script), *options], capture_output=True, text=True, check=False)


def test_every_block_of_the_page_is_there_once_and_filled() -> None:
    """The page has a table between each pair of marks."""
    page = (ROOT / "docs" / "adaptive.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^<!-- (\S+): begin -->\n(.*?)^<!-- (\S+): end -->$", page, re.MULTILINE | re.DOTALL)
    assert {begin for begin, _, _ in blocks} == NAMES
    assert all(begin == end and "\n| --- |" in made for begin, made, end in blocks)
    assert len(blocks) == len(NAMES)


def test_rows_that_were_played_replace_a_block(tmp_path: Path) -> None:
    """A row has the means over its cells; rows that were not played are left out, and all around the block stays."""
    worlds = ("cyc7", "cyc31", "cyc127", "spiral", "slot", "iid", "pws", "outages", "rw", "tree")
    lines = [
        json.dumps([f"{place} | 10000 | 2 | semi-bandit | {world}", {"reward": 0.5 + 0.01 * at, "swap": 0.002 * at}])
        for place in ("6,2", "20,5", "permutations 5")
        for at, world in enumerate(worlds)
    ]
    cells, page = tmp_path / "cells.jsonl", tmp_path / "page.md"
    cells.write_text("\n".join(lines) + "\n", "utf-8")
    page.write_text("above\n<!-- semi-bandit: begin -->\nold\n<!-- semi-bandit: end -->\nbelow\n", "utf-8")
    assert write_tables(cells, page, "semi-bandit").returncode == 0
    assert page.read_text("utf-8").splitlines() == [
        "above",
        "<!-- semi-bandit: begin -->",
        "| reward / swap regret | m-sets (6, 2) | m-sets (20, 5) | permutations of 5 |",
        "| --- | --- | --- | --- |",
        "| least squares | .545 / .0090 | .545 / .0090 | .545 / .0090 |",
        "<!-- semi-bandit: end -->",
        "below",
    ]
    assert "left as it is" in write_tables(cells, page, "guard").stdout
    page.write_text("no block\n", "utf-8")
    assert "must have the lines" in write_tables(cells, page, "semi-bandit").stderr
