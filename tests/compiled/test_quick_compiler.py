"""What the compiler leaves out is of no use to anyone: Numba is as it was, and so is what others compile with it."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from swapregret.compiled.kernel import Kernel, kernel


@numba.njit
def _theirs(values: np.ndarray) -> float:
    return values.sum() + np.zeros(3).size  # type: ignore[no-any-return]


@kernel
def _calls_theirs(values: np.ndarray) -> float:
    return 2.0 * _theirs(values)


@kernel
def _assign(target: np.ndarray, source: np.ndarray) -> None:
    target[:] = source


@numba.njit
def _assign_too(target: np.ndarray, source: np.ndarray) -> None:
    target[:] = source


@kernel
def _calls_assign_too(target: np.ndarray, source: np.ndarray) -> None:
    _assign_too(target, source)


@numba.njit
def _count(n: int) -> Iterator[int]:
    for i in range(n):
        if i % 2:
            yield i


@numba.njit
def _ask_python(value: float) -> float:
    half = value / 2.0
    with numba.objmode(read="float64"):
        read = float(str(half))
    return read + half


@kernel
def _calls_both(n: int) -> float:
    total = 0.0
    for i in _count(n):
        total += _ask_python(float(i))
    return total


def _fresh(name: str) -> Kernel:
    """Return a kernel that is in no file, and so on no disk."""
    namespace: dict[str, Any] = {"np": np}
    exec(f"def {name}(n):\n    return np.zeros(n).sum() + np.arange(n)[1:].size", namespace)
    return Kernel(namespace[name])


def _numba_as_it_is() -> dict[tuple[Any, ...], Any]:
    """Return all functions of Numba and of llvmlite, in modules and in classes, all settings, and what else could be changed."""
    from llvmlite.binding import ffi

    found: dict[tuple[Any, ...], Any] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            for each, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__ == name:
                    found |= {(name, each, inner): held for inner, held in vars(value).items() if callable(held)}
                elif callable(value):
                    found[name, each] = value
    settings = vars(numba.core.config)
    found |= {("config", name): str(value) for name, value in settings.items() if name.isupper()}
    engine = numba.core.registry.cpu_target.target_context.codegen()
    found |= {
        ("listeners", str(kind)): list(listeners)
        for kind, listeners in numba.core.event._registered.items()
        if listeners
    }
    return found | {"timers": list(ffi.lib._lock._cblist), "gc": gc.isenabled(), "engine": sorted(vars(engine))}  # type: ignore[dict-item]


def test_one_listener_stays_and_hears_kernels_alone() -> None:
    """What stays in Numba is one listener, registered by its public function: it counts kernels, and nothing a user compiles."""
    from swapregret.compiled.announcing import announcer

    _fresh("heard")(3)
    found = {name: held for name, held in _numba_as_it_is().items() if name[0] == "listeners"}
    ours = [
        each for listeners in found.values() for each in listeners if type(each).__module__.startswith("swapregret")
    ]
    assert ours == [announcer]
    n_done = announcer.n_done
    numba.njit(lambda x: x + 1.0)(2.0)
    assert announcer.n_done == n_done


def test_a_users_function_works_in_a_kernel_and_by_itself() -> None:
    """A function of Numba's own decorator that a kernel compiled first can be called from Python, and compiled for other types."""
    assert _calls_theirs(np.arange(3.0)) == 12.0
    assert _theirs(np.arange(3.0)) == 6.0
    assert _theirs(np.arange(3)) == 6.0


def test_a_users_generator_and_block_of_python_work_in_a_kernel() -> None:
    """What passes leave out for kernels is there for them."""
    assert _calls_both(6) == 9.0


def test_a_slice_of_another_shape_is_refused() -> None:
    """Numba checks the shapes of what is assigned; a kernel says less about it than a user's function, which says all."""
    target = np.zeros(3)
    _assign(target, np.ones(3))
    assert target.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="a slice must be assigned an array of its own shape"):
        _assign(target, np.zeros(2))
    for theirs in (numba.njit(_assign.__wrapped__), _calls_assign_too, _assign_too):  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match=r"cannot assign slice of shape \(3,\) from input of shape \(2,\)"):
            theirs(target, np.zeros(2))


@pytest.mark.parametrize("collects", [True, False])
def test_all_is_put_back(collects: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a kernel is compiled Numba does less and garbage is not looked for; afterwards all is as before, after an error too."""
    _fresh("first")(3)
    before, during = _numba_as_it_is(), []
    made = _fresh("second")
    compiler = made.dispatcher._compiler.pipeline_class
    plain = compiler._compile_core
    monkeypatch.setattr(compiler, "_compile_core", lambda self: during.append(_numba_as_it_is()) or plain(self))
    (gc.enable if collects else gc.disable)()
    try:
        assert made(3) == 2.0
        with pytest.raises(numba.TypingError):
            made("three")
        assert gc.isenabled() == collects
    finally:
        gc.enable()
    after = _numba_as_it_is()
    assert [name for name, value in before.items() if after[name] != value] == []
    changed = {name for name, value in before.items() if during[0][name] != value}
    assert ("numba.np.arrayobj", "raise_with_shape_context") in changed
    assert "gc" in changed


def test_another_thread_meets_numba_as_it_is() -> None:
    """Whoever holds the lock under which Numba compiles finds it unchanged, however much is compiled beside."""
    _fresh("zeroth")(3)
    before, seen, is_over = _numba_as_it_is(), [], []

    def look() -> None:
        while not is_over:
            with global_compiler_lock:
                now = _numba_as_it_is()
            seen.append([name for name, value in before.items() if now[name] != value])

    watcher = Thread(target=look)
    watcher.start()
    try:
        for name in ("third", "fourth", "fifth"):
            assert _fresh(name)(3) == 2.0
    finally:
        is_over.append(True)
        watcher.join()
    assert seen
    assert not any(seen)


_BESIDE = """
import re
import sys
import numba
import numpy as np

def theirs(values):
    table = np.zeros((3, values.size))
    table[1] = values
    return table.sum() + values[::-1].copy()[0]

def code(**options):  # names have numbers that count functions
    made = numba.njit(theirs, **options)
    made(np.arange(3.0))
    return re.sub(r"_ZN[\\w.]+|0x[0-9a-f]+|\\.-?\\d+|\\x22|\\d+", "", next(iter(made.inspect_asm().values())))

kinds = ({}, {"error_model": "numpy", "nogil": True})
before = [code(**each) for each in kinds] if sys.argv[1] == "theirs first" else None
from swapregret.compiled.kernel import kernel
assert kernel(theirs)(np.arange(3.0)) == 5.0
after = [code(**each) for each in kinds]
assert before in (None, after)
print(after)
"""


def _run(script: str, cache: Path, *args: str) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONHASHSEED": "0"}  # Numba goes through sets
    done = subprocess.run(
        [sys.executable, "-c", script, *args], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def test_a_users_function_is_compiled_as_if_nothing_of_ours_were_there(tmp_path: Path) -> None:
    """Its machine code is the same before a kernel of ours and after it, under the options of kernels too."""
    assert _run(_BESIDE, tmp_path, "theirs first") == _run(_BESIDE, tmp_path, "ours first")


_OTHER = """
import sys
import numba
import numpy as np
if sys.argv[1] != "same":
    numba.__version__ = sys.argv[1]
from swapregret.actions.m_sets.kernels import subsets
from swapregret.compiled import vectors
from swapregret.compiled.kernel import kernel

@kernel
def both(values, sums):
    vectors.exponentials_in(values, values, sums)
    return vectors.action_total(values, np.array([1, 1, 0]))

values = np.array([0.1, -2.3, 7.7])
print(both(values, np.zeros(3)).hex(), [each.hex() for each in values.tolist()])
print(subsets.round_to_units(np.array([0.3, 0.3, 0.4]), 1).tolist())
print("swapregret.compiled.quick_compiler" in sys.modules, file=sys.stderr if sys.argv[1] == "same" else sys.stdout)
"""


def test_with_another_version_of_numba_the_bits_are_the_same(tmp_path: Path) -> None:
    """With a version that was not tested, kernels are Numba's own functions, and give the same to the last bit."""
    same, other = (_run(_OTHER, tmp_path, version) for version in ("same", "0.99.0"))
    assert other == same + "False\n"
