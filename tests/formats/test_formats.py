"""What earlier versions wrote is read: one small file of each kind, for each version that wrote another."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.formats.make import FILES, FOLDER, HERE, is_alike, plain

VERSIONS = sorted(each.name for each in HERE.iterdir() if (each / "facts.json").exists())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", FILES)
def test_files_of_earlier_versions(version: str, name: str, tmp_path: Path) -> None:
    """A file says what it said when it was written, and what was open goes on."""
    shutil.copytree(HERE / version, tmp_path, dirs_exist_ok=True)
    told = json.loads((HERE / version / "facts.json").read_text("utf-8"))
    assert is_alike(plain(FILES[name](tmp_path / name)), told[name])


def test_this_version_has_its_files() -> None:
    """Each minor version has a folder, and each file in it is asked what it holds."""
    assert FOLDER.name in VERSIONS, "run tests/formats/make.py"
    told = json.loads((FOLDER / "facts.json").read_text("utf-8"))
    assert set(told) == set(FILES)
    beside = {"facts.json", "spec.toml"}
    assert {each.name for each in FOLDER.iterdir()} == beside | set(FILES)


def test_another_number_is_noticed() -> None:
    """Facts that differ are told from those that are alike."""
    facts: Any = {"a": [1, 0.5, None], "b": {"c": "x"}}
    assert is_alike(facts, json.loads(json.dumps(facts)))
    for other in ({"a": [1, 0.5 + 1e-6, None], "b": {"c": "x"}}, {"a": [1, 0.5], "b": {"c": "x"}}, {"a": facts["a"]}):
        assert not is_alike(facts, other)
