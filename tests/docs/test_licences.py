"""The page of licences says what is installed."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_pinned_package_has_a_licence() -> None:
    """Each line of constraints.txt has its row, with the same version and a licence; no row is left over."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = [tuple(line.split(";")[0].strip().split("==")) for line in lines if "==" in line]
    rows = (ROOT / "docs" / "licences.md").read_text("utf-8").split("| --- | --- | --- |\n")[1].splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [(name, version) for name, version, _ in cells] == pinned, "run .ci/list-licences"
    assert [name for name, _, licence in cells if licence in ("", "not stated")] == []
