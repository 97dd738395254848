"""Where compiled code is kept."""

import os
import subprocess
import sys
from pathlib import Path

from swapregret.kernels.compile import cache_folder

_SCRIPT = """
from swapregret.kernels.compile import cache_folder
from swapregret.kernels.subsets import top_elements
import numpy as np
top_elements(np.array([1.0, 2.0]), 1)
print(cache_folder())
"""


def _run(cache: Path) -> Path:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return Path(result.stdout.strip())


def test_the_folder_is_named_by_the_code(tmp_path: Path) -> None:
    """Compiled code lands in a folder of the place asked for whose name is a digest of all kernels, and is found again."""
    folder = _run(tmp_path)
    assert folder.parent == tmp_path
    assert folder.name == cache_folder().name
    compiled = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert compiled
    assert _run(tmp_path) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == compiled
