"""When kernels are compiled, and where compiled code is kept."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import swapregret
from swapregret.compiled.cache_place import cache_folder
from swapregret.compiled.kernel import Kernel, kernel

_PACKAGE = Path(swapregret.__file__).parent
_SCRIPT = """
from swapregret.actions.m_sets.kernels import subsets
from swapregret.compiled.cache_place import cache_folder
import numpy as np
subsets.round_to_units(np.array([0.5, 0.5]), 1)
print(cache_folder(subsets.__file__))
"""
_FOLDERS = """
from pathlib import Path
from swapregret.compiled import cache_place as compiling
for name in ("actions/m_sets/kernels/subsets", "actions/m_sets/m_set_hull", "compiled/cholesky"):
    print(compiling.cache_folder(Path(compiling.__file__).parents[1] / (name + ".py")).name)
"""
_LATE = """
import sys
import numpy as np
import swapregret.learners.round.day
from swapregret.compiled.vectors import action_total
assert "numba" not in sys.modules
assert action_total(np.array([1.0, 2.0]), np.array([0, 1])) == 2.0
print("numba" in sys.modules)
"""
_BLAS = """
import sys
import numpy as np
from swapregret.compiled.vectors import action_total
action_total(np.array([1.0, 2.0]), np.array([0, 1]))
print("scipy.linalg" in sys.modules)
import numba
from numba.np import linalg
print(linalg.ensure_blas.__name__, numba.njit(lambda a, b: a @ b)(np.eye(2), np.ones(2)).sum())
"""
_KEPT = """
import ctypes
import numba
import numpy as np
from swapregret.compiled.address import entry_address
from swapregret.compiled.bits import lowest_bit
word = np.uint64(12)
made = lowest_bit.dispatcher
by_address = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64)(entry_address(made, word))
print(made(word), by_address(40), numba.njit(lambda word: lowest_bit(word) + 1)(word))
code = made.overloads[(numba.uint64,)].library
print(sum(made.stats.cache_hits.values()), len(list(code._get_module_for_linking().functions)))
"""


@kernel
def _double(value: float) -> float:
    return 2.0 * value


@kernel
def _quadruple(value: float) -> float:
    return _double(_double(value))


@kernel
def _times(value: float, count: int) -> float:
    return value * count


@kernel
def _many_times(value: float, count: int) -> float:
    return _times(value, 2) + _times(value, 3) + _times(value, count)


@kernel
def _positive(value: float) -> float:
    if value < 0.0:
        raise ValueError("must not be negative")
    return value


@kernel
def _positive_half(value: float) -> float:
    return 0.5 * _positive(value)


def _run(script: str, cache: Path | None, package: Path = _PACKAGE) -> list[str]:
    """Run a script with a cache of its own, or that of all tests."""
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return result.stdout.split()


def test_compiled_code_is_kept_and_found_again(tmp_path: Path) -> None:
    """Compiled code lands in a folder of the place asked for, named by the file and a digest, and is not made twice."""
    folder = Path(*_run(_SCRIPT, tmp_path))
    assert folder.parent == tmp_path
    assert folder.name == cache_folder(_PACKAGE / "actions" / "m_sets" / "kernels" / "subsets.py").name
    compiled = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert compiled
    assert Path(*_run(_SCRIPT, tmp_path)) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == compiled


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [("*.nbi", b"cno_such_module\nclass\n."), ("*.nbc", b"cno_such_module\nclass\n."), ("*.nbc", b"")],
)
def test_compiled_code_that_cannot_be_read_is_made_again(pattern: str, wrong: bytes, tmp_path: Path) -> None:
    """Files that are damaged, or that name a class of a module that is gone, are replaced: nobody has to delete a cache."""
    folder = Path(*_run(_SCRIPT, tmp_path))
    for path in folder.rglob(pattern):
        path.write_bytes((pickle.dumps(numba.__version__, protocol=-1) if pattern == "*.nbi" else b"") + wrong)
    damaged = {path: path.read_bytes() for path in folder.rglob(pattern)}
    assert damaged
    assert Path(*_run(_SCRIPT, tmp_path)) == folder
    assert all(path.read_bytes() != held for path, held in damaged.items())


def test_processes_that_compile_at_once_do_not_mix_up_their_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that both found nothing on disk keep different code: whoever asks for one is not given the other."""
    monkeypatch.setattr("swapregret.compiled.code_files._folder_of", lambda file: tmp_path)
    one, two, later = (Kernel(_double.__wrapped__).dispatcher._cache._cache_file for _ in range(3))
    write = one._save_data
    monkeypatch.setattr(two, "_load_index", dict)
    monkeypatch.setattr(one, "_save_data", lambda *data: (two.save("whole numbers", 2), write(*data)))
    one.save("reals", 1)
    assert later.load("whole numbers") == 2
    assert later.load("reals") in (None, 1)


def test_code_for_python_is_kept_without_what_only_callers_need(tmp_path: Path) -> None:
    """A kernel found on disk is called from Python, by its address and from compiled code; its intermediate code is not kept."""
    *first, n_first, n_functions = _run(_KEPT, tmp_path)
    *then, n_then, n_kept = _run(_KEPT, tmp_path)
    assert first == then == ["2", "3", "3"]
    assert (n_first, n_then, n_kept) == ("0", "1", "0")
    assert int(n_functions) > 0


def test_a_change_moves_what_depends_on_it_and_nothing_else(tmp_path: Path) -> None:
    """After a change of a file its own kernels and those of files that import it get new folders; others keep theirs."""
    package = tmp_path / "swapregret"
    shutil.copytree(_PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = _run(_FOLDERS, tmp_path / "cache", package)
    changed = package / "actions" / "m_sets" / "kernels" / "subsets.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n_MORE = 1\n", encoding="utf-8")
    after = _run(_FOLDERS, tmp_path / "cache", package)
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]


def test_numba_is_loaded_by_the_first_call(tmp_path: Path) -> None:
    """Until a kernel is called Numba is not loaded."""
    assert _run(_LATE, tmp_path) == ["True"]


def test_numba_comes_up_without_all_of_scipy_and_yet_has_blas(tmp_path: Path) -> None:
    """Numba's question for BLAS is answered without loading scipy.linalg; a user's function that needs BLAS finds it."""
    assert _run(_BLAS, tmp_path) == ["False", "ensure_blas", "2.0"]


def test_kernels_call_kernels_before_and_after_they_are_made() -> None:
    """A kernel that calls one never called before compiles, and gives what Python gives."""
    assert isinstance(_quadruple, Kernel)
    assert _quadruple(3.0) == _quadruple.__wrapped__(3.0) == 12.0
    assert _double(3.0) == 6.0
    assert repr(_double).endswith("_double>")


def test_a_constant_is_a_number_like_any_other() -> None:
    """A kernel called with constants by another is compiled once, not once a constant."""
    made: Any = _times
    assert _many_times(1.0, 4) == 9.0
    assert len(made.linked.overloads) <= 1  # none if the caller came from the cache
    assert "Literal" not in str(made.linked.signatures)


def test_what_only_kernels_call_is_compiled_without_a_way_in_for_python() -> None:
    """A kernel that kernels called before Python did is compiled for each, and both give the same."""
    made: Any = _times
    assert _many_times(2.0, 4) == 18.0
    assert len(made.dispatcher.overloads) == 0
    assert _times(2.0, 9) == 18.0
    assert len(made.dispatcher.overloads) == 1


def test_what_is_only_linked_into_other_code_raises_through_it() -> None:
    """A kernel without machine code of its own works in its callers, errors included."""
    assert _positive_half(3.0) == 1.5
    with pytest.raises(ValueError, match="must not be negative"):
        _positive_half(-3.0)


_LOADED = """
import sys
import swapregret as sr
from swapregret.compiled.methods import _digest
from swapregret.learners.multiscale.scale_phases import MultiscaleRule
from swapregret.learners.round import entries

session = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=0)
before = _digest(frozenset({MultiscaleRule}), entries.__file__)
_digest.cache_clear()
import swapregret.cli, swapregret.games, swapregret.testing
sr.games.matching_pennies()
print(before == _digest(frozenset({MultiscaleRule}), entries.__file__))
print(before == _digest(frozenset({MultiscaleRule}), sr.games.payoffs.__file__))
"""


def test_what_else_is_loaded_does_not_change_where_code_is_found() -> None:
    """A process that has loaded games finds the code of one that has not; a caller that calls more has another key."""
    assert _run(_LOADED, None) == ["True", "False"]


def test_kernels_travel_by_name() -> None:
    """A pickled kernel is found by its name."""
    from swapregret.compiled.vectors import action_total

    found = pickle.loads(pickle.dumps(action_total))
    assert found is action_total
    assert found(np.array([0.5, 0.25]), np.array([1, 1])) == 0.75
