"""Hostile values everywhere: a call returns, or refuses in a sentence of ours, at once, and leaves everything as it was.

``make test-fuzz`` makes 100,000 calls; ``SEED=7 make test-fuzz`` makes others. The suite makes 5,000.
"""

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.commands import WORDS, command_targets
from tests.fuzz.hostile import HOSTILE, holds_nan
from tests.fuzz.targets import Target, make_targets

from swapregret.errors import InvalidInput, SwapRegretError

CALLS = int(os.environ.get("SWAPREGRET_FUZZ_CALLS", "5000"))
SEED = int(os.environ.get("SEED", "0"))
SECONDS = 2.0


class TookTooLong(BaseException):
    """A call did not come back in time."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Interrupt what takes longer than two seconds."""

    def stop(*_: Any) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def in_time(call: Callable[[], Any]) -> Any:
    """Make a call that must come back in time, once what it needs is compiled: a file may ask for kernels nobody used yet.

    Compiling is not interrupted, and nothing is that comes back within two minutes.
    """
    for _ in range(2):
        started = time.perf_counter()
        with limited(120.0):
            told = call()
        if time.perf_counter() - started <= SECONDS:
            return told
    raise TookTooLong


WRAPPERS = ("verdict", "__call__", "called", "call", "labelling")
"""Functions that pass a call on; a TypeError that comes from none deeper is about the number of arguments."""


def spoil(target: Target, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any], bool]:
    """Return the arguments of a call with one or two of them replaced, one too few or too many; and whether one holds NaN."""
    arguments, keywords = list(target.arguments), dict(target.keywords)
    places = [*range(len(arguments)), *keywords]
    is_command = target.name.startswith("swapregret ")
    for _ in range(1 + int(rng.random() < 0.3)):
        value = WORDS[rng.integers(len(WORDS))] if is_command else HOSTILE[rng.integers(len(HOSTILE))]()
        if not places or rng.random() < 0.03:
            arguments.append(value)
            continue
        place = places[rng.integers(len(places))]
        if isinstance(place, str):
            keywords[place] = value
        else:
            arguments[place] = value
    if rng.random() < 0.02 and arguments:
        arguments.pop()
    return arguments, keywords, any(map(holds_nan, [*arguments, *keywords.values()]))


def verdict(target: Target, arguments: list[Any], keywords: dict[str, Any], has_nan: bool) -> str | None:
    """Make a call and say what is wrong with what came of it, or None.

    A call may return, refuse in a sentence of ours, or have too many or too few arguments, which Python says itself.
    """
    before = target.state()
    try:
        with limited():
            answer = target.call(*arguments, **keywords)
    except SwapRegretError as error:
        unchanged = bool(np.array_equal(target.state(), before))
        return None if unchanged and str(error) else "changed something and then refused"
    except TypeError as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_name in WRAPPERS:
            trace = trace.tb_next
        return None if trace is None else f"raised {error!r}"
    except TookTooLong:
        return f"took longer than {SECONDS} s"
    except Exception as error:
        return f"raised {error!r}"
    if has_nan and not target.takes_nan and not _is_truth(answer):
        return "accepted NaN"
    return "answered NaN" if holds_nan(answer) else None


def _is_truth(answer: Any) -> bool:
    return isinstance(answer, bool)


def described(value: Any) -> str:
    """Write an argument for the report."""
    try:
        return repr(value)[:60]
    except Exception:
        return type(value).__name__


def fuzz(targets: list[Target], calls: int, seed: int) -> dict[str, str]:
    """Make calls and return one complaint for each target and kind of fault."""
    rng, found = np.random.default_rng(seed), {}
    for target in targets:  # once as it should be, so that everything is compiled
        target.state()
        with suppress(SwapRegretError):
            target.call(*target.arguments, **target.keywords)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(calls):
            target = targets[rng.integers(len(targets))]
            arguments, keywords, has_nan = spoil(target, rng)
            complaint = verdict(target, arguments, keywords, has_nan)
            if complaint is not None:
                words = ", ".join([*map(described, arguments), *(f"{k}={described(v)}" for k, v in keywords.items())])
                found.setdefault(
                    f"{target.name}: {complaint[:60]}", f"call {number}: {target.name}({words}) {complaint}"
                )
    return found


def test_hostile_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call returns or refuses in a sentence; nothing raw, nothing slow, nothing changed, no NaN accepted."""
    monkeypatch.chdir(tmp_path)
    found = fuzz(make_targets(tmp_path) + command_targets(tmp_path), CALLS, SEED)
    assert not found, f"{len(found)} faults:\n" + "\n".join(found.values())


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda value: {}["a"], "raised KeyError"),
        (lambda value: None, "accepted NaN"),
        (lambda value: float("nan"), "accepted NaN|answered NaN"),
        (lambda value: signal.pause(), "took longer"),
        (lambda value: len(3), "raised TypeError"),
    ],
)
def test_the_harness_finds_what_is_planted(call: Any, complaint: str) -> None:
    """A call that fails in each of the ways is told."""
    import re

    told = verdict(Target("planted", call, (0.5,)), [float("nan")], {}, True)
    assert told is not None
    assert re.match(complaint, told)


def test_the_harness_finds_a_state_that_changed() -> None:
    """A refusal that leaves something behind is told."""
    held: list[int] = []

    def call(value: object) -> None:
        held.append(1)
        raise InvalidInput("it must not", "it did", "Do not.")

    assert verdict(Target("planted", call, (1,), state=lambda: len(held)), [2], {}, False) is not None
