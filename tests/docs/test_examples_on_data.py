"""The examples on data of others run on files of the same form, and say what is missing; the list of examples is complete."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples"


def run(monkeypatch: pytest.MonkeyPatch, name: str, *options: str) -> None:
    """Run an example as a program."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "argv", [name, *options])
    runpy.run_path(str(FOLDER / name), run_name="__main__")


def first_and_last(printed: str) -> tuple[list[float], list[float]]:
    """Return the first and the last row of the table of rewards."""
    rows = [line.split() for line in printed.splitlines() if re.match(r" +[\d,]+( +\d\.\d{4})+$", line)]
    return [float(cell) for cell in rows[0][1:]], [float(cell) for cell in rows[-1][1:]]


def test_trees_of_a_measured_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Traffic is routed, trees are chosen, and nobody earns more than the best fixed tree where the world stands still."""
    links = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)]
    rows = [f"{i} {a} {b} 1 10" for i, (a, b) in enumerate([*links, *((b, a) for a, b in links)])]
    (tmp_path / "Abilene").write_text("\n".join(["two", "headers", *rows]), encoding="utf-8")
    for name in ("AbileneTM", "AbileneTM2"):
        np.savetxt(
            tmp_path / name, np.tile(np.random.default_rng(1).random(16), (20, 1)) + np.arange(20)[:, None] / 100
        )
    run(monkeypatch, "abilene_trees.py", str(tmp_path), "--repeat", "2")
    printed = capsys.readouterr().out
    assert "5 links, 8 spanning trees, 80 decisions" in printed
    best, *others = first_and_last(printed)[1]
    assert 0.0 < max(others) < best + 0.05


def test_battles_against_plans_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against who sends all to one castle, five units take five others, and the four left to nobody are shared."""
    header = ",".join(f"Castle {i}" for i in range(1, 11))
    for name in ("castle-solutions.csv", *(f"castle-solutions-{i}.csv" for i in (2, 3, 4))):
        (tmp_path / name).write_text("\n".join([header, *["0,0,0,0,0,0,0,0,0,100"] * 5, "1,2"]), encoding="utf-8")
    run(monkeypatch, "blotto_tournament.py", str(tmp_path), "--unit", "20")
    printed = capsys.readouterr().out
    assert "20 battles" in printed
    assert first_and_last(printed)[1][0] == pytest.approx((9 + 8 + 7 + 6 + 5 + (4 + 3 + 2 + 1) / 2) / 55, abs=1e-4)


@pytest.mark.parametrize("name", ["abilene_trees.py", "blotto_tournament.py"])
def test_missing_data_are_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the files the program says which, and where to find them."""
    with pytest.raises(SystemExit):
        run(monkeypatch, name, str(tmp_path))
    printed = " ".join(capsys.readouterr().err.split())
    assert "github.com" in printed
    assert ("AbileneTM" if "trees" in name else "castle-solutions-4.csv") in printed


def test_every_example_is_in_the_list() -> None:
    """`examples/README.md` says of every file what it needs."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    files = [path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert [path.name for path in files if path.name not in text and path.name != "README.md"] == []


def test_examples_import_public_names() -> None:
    """What the examples import from the package, users may import too."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    found = set(re.findall(r"^ *(?:from|import) (swapregret[\w.]*)", code, re.MULTILINE))
    assert found <= {"swapregret", "swapregret.client"}
