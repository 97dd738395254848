"""What the compiler leaves out is of no use to anyone: users' own functions, errors, garbage and timers are as they were."""

import gc
from collections.abc import Iterator

import numba
import numpy as np
import pytest
from llvmlite.binding import ffi
from numba.core.compiler import Flags
from numba.core.postproc import PostProcessor
from numba.core.types.functions import BaseFunction

from swapregret.compiled.kernel import kernel


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
    own = numba.njit(_assign.__wrapped__)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"cannot assign slice of shape \(3,\) from input of shape \(2,\)"):
        own(target, np.zeros(2))


def test_all_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a kernel is compiled garbage is not looked for and LLVM is not timed; afterwards all is as before, Numba's code too."""
    seen, code = [], (BaseFunction.get_call_type, PostProcessor.run)

    @kernel
    def fresh(value: float) -> float:
        return value + 1.0

    made = fresh.dispatcher  # type: ignore[attr-defined]
    compiler = made._compiler.pipeline_class
    plain = compiler._compile_core
    monkeypatch.setattr(compiler, "_compile_core", lambda self: seen.append(gc.isenabled()) or plain(self))
    timers = list(ffi.lib._lock._cblist)
    for is_on in (True, False):
        (gc.enable if is_on else gc.disable)()
        try:
            made.recompile() if made.overloads else made(1.0)
            assert gc.isenabled() == is_on
        finally:
            gc.enable()
    assert seen
    assert not any(seen)
    assert (BaseFunction.get_call_type, PostProcessor.run) == code
    assert all(each.__module__.startswith("numba.") for each in code)
    assert timers
    assert list(ffi.lib._lock._cblist) == timers


def test_options_are_compared_by_what_they_say() -> None:
    """Two sets of options are the same if all values are, set or by default."""
    one, two, other = Flags(), Flags(), Flags()
    two.release_gil, other.release_gil = one.release_gil, not one.release_gil
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert one != "options"
