"""The folder of results: what is whole is found, what is damaged is not there."""

from pathlib import Path

import pytest

from swapregret.errors import InvalidInput
from swapregret.results import load_experiment
from swapregret.results.folder import FORMAT, ResultFolder


def stored(folder: Path) -> ResultFolder:
    """Return a store with one finished run."""
    store = ResultFolder(folder)
    store.put_snapshot("a", b"halfway")
    store.put_failure("a", {"error": "once"})
    store.put_run("a", table=b"table", detail=b"detail", timing={"seconds": [1.0]})
    return store


def test_a_run_is_there_once_it_is_whole(tmp_path: Path) -> None:
    """A sealed run is finished, and what earlier attempts left is gone."""
    store = stored(tmp_path)
    assert store.is_finished("a")
    assert store.snapshot("a") is None
    assert store.failure("a") is None
    assert store.timing("a") == {"seconds": [1.0]}
    assert not [path for path in (tmp_path / "runs").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("kind", ["parquet", "detail", "json"])
@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_damage_to_any_file_is_noticed(tmp_path: Path, kind: str, damage: str) -> None:
    """A file that was cut short, altered or removed makes the run unfinished."""
    store = stored(tmp_path)
    path = store.path("a", kind)
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if damage == "cut" else bytes([data[0] ^ 1]) + data[1:])
    cut_whitespace = kind == "json" and damage == "cut"  # the newline at the end means nothing
    assert store.is_finished("a") == cut_whitespace


def test_other_folders_are_refused(tmp_path: Path) -> None:
    """A folder that holds no results, or those of a later format, is refused with a sentence."""
    with pytest.raises(InvalidInput, match=r"no resolved\.json"):
        load_experiment(tmp_path)
    ResultFolder(tmp_path).begin(b"", {"name": "x", "runs": []}, {})
    assert load_experiment(tmp_path).finished == ()
    path = tmp_path / "resolved.json"
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', f'"format": {FORMAT + 1}'))
    with pytest.raises(InvalidInput, match="Upgrade"):
        load_experiment(tmp_path)
    path.write_text("{")
    with pytest.raises(InvalidInput, match="must be JSON"):
        load_experiment(tmp_path)
