"""A session compiles what its days need when it is made, and no later call waits for the compiler."""

import subprocess
import sys

import pytest

import swapregret as sr
from swapregret.errors import InvalidInput

DAYS = """
import sys
import numba.core.caching
import swapregret as sr

for law in sys.argv[3:]:
    player = sr.swap_combcp(sr.MSets(5, 2), 2_000, preset=sys.argv[1], law=law)
    session = sr.Session(player, rng=1, max_open=2, warm=sys.argv[2] == "warm")
asked = []
load = numba.core.caching.Cache.load_overload
numba.core.caching.Cache.load_overload = lambda self, *args: asked.append(self._name) or load(self, *args)
late = session.act()
for day in range(300):
    session.observe(0.1 * (day % 7), session.act())
session.observe(0.5, late)
print(len(asked))
"""


def asked(preset: str, how: str, *laws: str) -> int:
    """Return how many compiled functions a new process asks for in the days of the last session it made."""
    run = [sys.executable, "-c", DAYS, preset, how, *(laws or ("auto",))]
    return int(subprocess.run(run, capture_output=True, text=True, check=True, timeout=300).stdout)


@pytest.mark.parametrize("preset", ["adaptive", "multiscale"])
def test_days_ask_for_no_compiled_code(preset: str) -> None:
    """Everything is at hand before the first day, for rewards that come late too; without warming up it is not."""
    assert asked(preset, "warm") == 0
    assert asked(preset, "cold") > 0


def test_every_session_is_warmed_up() -> None:
    """A player like an earlier one, whose policies are of another kind, is warmed up too."""
    assert asked("multiscale", "warm", "list", "chain") == 0


def test_warm_is_a_flag() -> None:
    """What is neither True nor False is refused."""
    with pytest.raises(InvalidInput, match="`warm` must be True or False"):
        sr.Session(sr.baselines.uniform(sr.MSets(3, 1)), warm="no")  # type: ignore[arg-type]
