"""Where each worker stands, told through small files: any process that sees the folder can show it."""

import contextlib
import json
import os
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import gethostname

from swapregret.files.storage import Json
from swapregret.results.experiment import RunInfo

_EVERY = 0.25
_LONG = 600.0
_FOLDER = "status"


@dataclass(frozen=True)
class WorkerReport:
    """What a worker is doing: which run, how many of its days are played, how fast, and its last measured swap regret per round."""

    worker: str
    run: str
    label: str
    day: int
    horizon: int
    rounds_per_second: float
    swap_per_round: float | None


class Status:
    """Tells where a run of a folder of results stands, a few times per second at most."""

    def __init__(self, folder: str | os.PathLike[str], info: RunInfo) -> None:
        self._info = info
        self._worker = f"{gethostname()}-{os.getpid()}-{threading.get_ident() % 100000}"
        self._path = Path(folder) / _FOLDER / f"{self._worker}.json"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._day = self._first = 0
        self._began = self._told = time.monotonic()
        self._swap: float | None = None

    def begin(self, day: int) -> None:
        """Begin at a day."""
        self._day = self._first = day
        self._began = time.monotonic()
        self._tell()

    def advance(self, n_days: int) -> None:
        """Count days just played."""
        self._day += n_days
        if time.monotonic() - self._told >= _EVERY:
            self._tell()

    def measured(self, row: Json) -> None:
        """Take note of a checkpoint."""
        self._swap = row["swap"] / row["day"] if row["swap"] is not None else None
        self._tell()

    def close(self) -> None:
        """Say no more."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _tell(self) -> None:
        self._told = time.monotonic()
        spent = self._told - self._began
        info = self._info
        label = f"{info.player} | {info.environment} | {info.set} | #{info.replication}"
        speed = (self._day - self._first) / spent if spent > 0 else 0.0
        report = WorkerReport(self._worker, info.id, label, self._day, info.horizon, speed, self._swap)
        with contextlib.suppress(OSError):  # what is shown meanwhile is not worth a run
            self._path.parent.mkdir(parents=True, exist_ok=True)
            hidden = self._path.with_suffix(".new")
            hidden.write_text(json.dumps(asdict(report)), encoding="utf-8")
            os.replace(hidden, self._path)


def read_statuses(folder: str | os.PathLike[str]) -> list[WorkerReport]:
    """Return what the workers of a folder are doing, in a fixed order."""
    found = []
    for path in sorted((Path(folder) / _FOLDER).glob("*.json")):
        try:
            found.append(WorkerReport(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):  # gone or replaced while it was read
            continue
    return found


def clear_statuses(folder: str | os.PathLike[str]) -> None:
    """Remove what workers that are gone left behind: those of this machine whose process is no more, and files of long ago."""
    for path in (Path(folder) / _FOLDER).glob("*"):
        with contextlib.suppress(OSError):
            if _is_left(path):
                path.unlink()


def _is_left(path: Path) -> bool:
    """Tell whether nobody writes this file any more."""
    machine, _, rest = path.stem.rpartition("-")[0].rpartition("-")
    if machine == gethostname() and rest.isdigit():
        return not is_alive(int(rest))
    return time.time() - path.stat().st_mtime > _LONG


def is_alive(process: int) -> bool:
    """Tell whether a process of this machine lives, whoever it belongs to."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
