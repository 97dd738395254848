"""Pages that say where something stands are right: files exist, and names of the paper map can be imported."""

import importlib
import re
from pathlib import Path

import pytest

import swapregret as sr

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "swapregret"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FILE = re.compile(r"`((?:[\w*-]+/)+[\w*-]+\.py|tests(?:/[\w*-]+)+)`")
_NAME = re.compile(r"`(swapregret|actions|geometry|learners|regret|environments|baselines|policy)\.([\w.]+)`")


def missing_files(text: str) -> list[str]:
    """Return the files and folders that a page names and that are nowhere in the repository."""
    roots = [
        ROOT,
        PACKAGE.parent,
        PACKAGE,
        *(each for each in PACKAGE.rglob("*") if each.is_dir() and each.name != "__pycache__"),
    ]
    return [each for each in _FILE.findall(text) if not any(any(root.glob(each)) for root in roots)]


def is_found(place: str) -> bool:
    """Tell whether a dotted name below the package is a module, or something in one."""
    parts = place.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["swapregret", *parts[:cut]]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return hasattr(sr, parts[0]) and len(parts) > 1 and hasattr(getattr(sr, parts[0]), parts[1])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    """Every file and folder of the repository that a page names is there."""
    assert missing_files(page.read_text(encoding="utf-8")) == []


def test_names_of_the_paper_map_exist() -> None:
    """Every symbol of the paper map can be imported."""
    text = (ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8")
    places = [f"{head}.{rest}".removeprefix("swapregret.") for head, rest in _NAME.findall(text)]
    assert len(places) > 10
    assert [place for place in places if not is_found(place) and not is_found(f"learners.{place}")] == []


def test_what_is_gone_is_seen() -> None:
    """A file and a name that do not exist are reported."""
    assert missing_files("see `learners/nowhere.py`, `tests/docs` and `learners/*/guard.py`") == ["learners/nowhere.py"]
    assert not is_found("learners.master.SwapMaster")
    assert is_found("regret.bounds.table1")
