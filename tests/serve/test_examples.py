"""The examples run against a real server, as a newcomer would run them."""

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.serve
Served = Any

FOLDER = Path(__file__).parents[2] / "examples" / "service"


def test_the_curl_script(server: Served) -> None:
    """The script makes a problem, decides, reports and shows the log, with nothing but curl."""
    done = subprocess.run(
        ["bash", str(FOLDER / "decide.sh"), server.url], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"state": "reward"' in done.stdout
    assert ",reward,policy" in done.stdout


def test_the_application(server: Served) -> None:
    """The simulated application gets its decisions and leaves only those open that were never heard of."""
    found = importlib.util.spec_from_file_location("application", FOLDER / "application.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    shown = module.run(server.url, 120)
    assert shown["n_decisions"] == 120
    assert 0 < shown["n_rewards"] <= 120
    assert shown["n_open"] == 120 - shown["n_rewards"] < 15
