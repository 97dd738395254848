"""The house stays one that people can find their way in: short files, small folders, names that mean one thing."""

from collections import Counter
from pathlib import Path

import swapregret

ROOT = Path(swapregret.__file__).parent
MOST_LINES, MOST_FILES = 350, 15


def faults(root: Path) -> list[str]:
    """Return what is too long, too full, or named twice."""
    files = sorted(root.rglob("*.py"))
    found = []
    for path in files:
        count = len(path.read_text(encoding="utf-8").splitlines())
        if count > MOST_LINES:
            found.append(f"{path.relative_to(root)} has {count} lines")
    for folder, count in Counter(path.parent for path in files).items():
        if count > MOST_FILES:
            found.append(f"{folder.relative_to(root)} has {count} files")
    names = Counter(path.name for path in files if path.name != "__init__.py")
    return found + [f"{name} names {count} files" for name, count in names.items() if count > 1]


def test_files_are_short_folders_small_and_names_their_own() -> None:
    """No file has more than 350 lines, no folder more than 15 files, and no two files have one name."""
    assert faults(ROOT) == []


def test_what_has_grown_too_much_is_named(tmp_path: Path) -> None:
    """A long file, a full folder and a name that stands twice are each reported."""
    (tmp_path / "part").mkdir()
    (tmp_path / "long.py").write_text("x = 1\n" * (MOST_LINES + 1), encoding="utf-8")
    for number in range(MOST_FILES + 1):
        (tmp_path / "part" / f"file_{number}.py").write_text("", encoding="utf-8")
    (tmp_path / "file_0.py").write_text("", encoding="utf-8")
    assert faults(tmp_path) == ["long.py has 351 lines", "part has 16 files", "file_0.py names 2 files"]
