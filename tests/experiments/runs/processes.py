"""Starting the command line in a process of its own, and waiting for what it leaves on disk."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

COMMAND = [sys.executable, "-c", "from swapregret.cli import app; app()"]
PATIENCE = 300.0


def start(*arguments: str | Path, **environment: str) -> "subprocess.Popen[str]":
    """Start the command line."""
    settings = os.environ | {"SWAPREGRET_SNAPSHOT_SECONDS": "0"} | environment
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Wait for a process; return its status and all it said."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out + err


def wait_for(happened: Callable[[], object], process: "subprocess.Popen[str]") -> None:
    """Wait until something has happened, as long as a process runs."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, finish(process)[1]
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of all runs that must not depend on how they were made."""
    kinds = (".parquet", ".detail", ".json")
    found = sorted((folder / "runs").iterdir())
    return {path.name: path.read_bytes() for path in found if path.suffix in kinds and "timing" not in path.name}
