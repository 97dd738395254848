"""The folder of an experiment: where each file lies, and how it is written so that a crash leaves no half of it.

::

    DIR/spec.toml            the spec as given
    DIR/resolved.json        what it came to: sets, environments, players, and every run with its identity
    DIR/environment.json     versions, hardware, seed
    DIR/runs/ID.parquet      one row per checkpoint    } the same bytes wherever and by however many workers it was made
    DIR/runs/ID.detail       ledgers, marginals, terms }
    DIR/runs/ID.json         the seal: checksums of the two; without it, or if they differ, the run is not there
    DIR/runs/ID.timing.json  how long it took
    DIR/runs/ID.failure.json why a run failed
    DIR/snapshots/ID         a run in flight

Every file takes its name only when all of it is on disk, and several writers of one run write the same bytes.
"""

import hashlib
import json
import os
from pathlib import Path

from swapregret.errors import InvalidInput
from swapregret.files.storage import Json, read_file, write_file

FORMAT = 1
"""Version of the layout; folders of a later one are refused."""


class ResultFolder:
    """One folder of results; it need not exist before something is written."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, run: str, kind: str) -> Path:
        """Return where a file of a run lies; ``kind`` is its ending."""
        return self.folder / "runs" / f"{run}.{kind}"

    # ---- the experiment ------------------------------------------------------------------------------------------

    def begin(self, spec: bytes, resolved: Json, environment: Json) -> None:
        """Write down what is to be run, and where."""
        for inner in ("runs", "snapshots"):
            (self.folder / inner).mkdir(parents=True, exist_ok=True)
        _write(self.folder / "spec.toml", spec)
        _write(self.folder / "environment.json", environment)
        _write(self.folder / "resolved.json", {"format": FORMAT} | resolved)

    def resolved(self) -> Json:
        """Return what the spec came to, or say that this is no folder of results."""
        path = self.folder / "resolved.json"
        if not os.path.isfile(path):
            raise InvalidInput(
                "`folder` must hold the results of an experiment",
                f"{os.fspath(self.folder)!r}, which has no resolved.json",
                "Give the folder that `swapregret run SPEC.toml --out DIR` wrote.",
            )
        content = read_json(path)
        if type(content.get("format")) is not int or content["format"] > FORMAT:
            must = f"{os.fspath(path)!r} must have format {FORMAT} or older"
            raise InvalidInput(must, f"{content.get('format')!r:.80}", "Upgrade the library.")
        return content

    # ---- runs ----------------------------------------------------------------------------------------------------

    def is_finished(self, run: str) -> bool:
        """Tell whether a run is there and whole: both files match the checksums of its seal."""
        try:
            seal = json.loads(self.path(run, "json").read_bytes())
            return all(seal[kind] == _digest(self.path(run, kind).read_bytes()) for kind in ("parquet", "detail"))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def put_run(self, run: str, *, table: bytes, detail: bytes, timing: Json) -> None:
        """Write a finished run, its seal last; what was left of attempts before goes."""
        _write(self.path(run, "parquet"), table)
        _write(self.path(run, "detail"), detail)
        _write(self.path(run, "timing.json"), timing)
        _write(self.path(run, "json"), {"parquet": _digest(table), "detail": _digest(detail)})
        self.path(run, "failure.json").unlink(missing_ok=True)
        self.drop_snapshot(run)

    def put_failure(self, run: str, failure: Json) -> None:
        """Write down why a run failed."""
        _write(self.path(run, "failure.json"), failure)

    def failure(self, run: str) -> Json | None:
        """Return why a run failed, or None."""
        path = self.path(run, "failure.json")
        return read_json(path) if path.is_file() else None

    def timing(self, run: str) -> Json | None:
        """Return how long a finished run took, ``seconds`` by ``days``, or None if that is not known."""
        path = self.path(run, "timing.json")
        if not path.is_file():
            return None
        content = read_json(path)
        for name, kinds in (("days", (int,)), ("seconds", (int, float))):
            numbers = content.get(name, [])
            if not isinstance(numbers, list) or not all(type(each) in kinds and 0 <= each < 2**63 for each in numbers):
                must = f"{os.fspath(path)!r} must have a list of numbers as `{name}`"
                raise InvalidInput(must, f"{numbers!r:.80}", "Run the spec again.")
        return content

    # ---- runs in flight ------------------------------------------------------------------------------------------

    def put_snapshot(self, run: str, data: bytes) -> None:
        """Keep where a run stands."""
        _write(self.folder / "snapshots" / run, data)

    def snapshot(self, run: str) -> bytes | None:
        """Return where a run stood, or None."""
        try:
            return (self.folder / "snapshots" / run).read_bytes()
        except FileNotFoundError:  # also if another writer has just finished the run
            return None

    def drop_snapshot(self, run: str) -> None:
        """Forget where a run stood."""
        (self.folder / "snapshots" / run).unlink(missing_ok=True)


def _write(path: Path, content: bytes | Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = (json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()
    write_file(path, content)


def read_json(path: Path) -> Json:
    """Read a JSON object, or say what is wrong with the file."""
    try:
        content = json.loads(read_file(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{os.fspath(path)!r} must be JSON", str(error)[:200], "Run the spec again.") from None
    if not isinstance(content, dict):
        raise InvalidInput(f"{os.fspath(path)!r} must be a JSON object", f"{content!r:.80}", "Run the spec again.")
    return content


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
