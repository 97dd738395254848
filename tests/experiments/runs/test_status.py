"""Status files: two runs in one folder never take each other's away."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from socket import gethostname

from swapregret.experiments.runs.status import Status, clear_statuses, read_statuses
from swapregret.results.experiment import RunInfo

INFO = RunInfo("a", "set", "world", "player", 100, 0)


def test_hammered_by_another_run(tmp_path: Path) -> None:
    """While one run tells where it stands, another that clears the folder again and again loses it nothing."""
    stop = threading.Event()

    def clear() -> None:
        while not stop.is_set():
            clear_statuses(tmp_path)

    others = [threading.Thread(target=clear) for _ in range(2)]
    for each in others:
        each.start()
    try:
        status = Status(tmp_path, INFO)
        for day in range(300):
            status.begin(day)
            (report,) = read_statuses(tmp_path)
            assert report.day == day
    finally:
        stop.set()
        for each in others:
            each.join()
    status.close()
    assert read_statuses(tmp_path) == []


def test_what_workers_left_is_cleared(tmp_path: Path) -> None:
    """Files of processes of this machine that are gone, and old files of others, go; fresh ones of other machines stay."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(timeout=60)
    folder = tmp_path / "status"
    folder.mkdir()
    names = {
        f"{gethostname()}-{gone.pid}-1.json": False,
        f"{gethostname()}-{gone.pid}-1.new": False,
        f"{gethostname()}-{os.getpid()}-1.json": True,
        "another-machine-77-1.json": True,
        "old-machine-77-1.json": False,
    }
    for name in names:
        (folder / name).write_text("{}")
    os.utime(folder / "old-machine-77-1.json", (time.time() - 3600,) * 2)
    clear_statuses(tmp_path)
    assert {each.name for each in folder.iterdir()} == {name for name, stays in names.items() if stays}


def test_a_folder_that_vanishes_is_no_reason_to_stop(tmp_path: Path) -> None:
    """What is shown meanwhile is not worth a run."""
    status = Status(tmp_path, INFO)
    status.begin(0)
    for each in (tmp_path / "status").iterdir():
        each.unlink()
    (tmp_path / "status").rmdir()
    status.begin(1)
    assert [report.day for report in read_statuses(tmp_path)] == [1]
    status.close()
