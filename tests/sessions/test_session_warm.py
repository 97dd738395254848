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

preset, feedback = sys.argv[1].split()
for policy in sys.argv[3:]:
    player = sr.swap_combcp(sr.MSets(5, 2), 2_000, preset=preset, feedback=feedback, policy=policy)
    session = sr.Session(player, rng=1, max_open=2, warm=sys.argv[2] == "warm")
asked = []
load = numba.core.caching.Cache.load_overload
numba.core.caching.Cache.load_overload = lambda self, *args: asked.append(self._name) or load(self, *args)
told = 0.5 if feedback == "bandit" else [0.1] * 5
late = session.act()
known = [{"without": [0]}, {"context": 0}, {"context": 1}, {"context": 1, "without": [0, 1]}, {"choice": (2, 3)}]
known = [said for said in known if "choice" not in said or (preset, feedback) == ("adaptive", "bandit")]
for day in range(300):
    session.observe(told, session.act(**(known[day % 7] if day % 7 < len(known) else {})))
session.skip(session.act())
session.observe(told, late)
print(len(asked))
"""


def asked(kind: str, how: str, *policies: str) -> int:
    """Return how many compiled functions a new process asks for in the days of the last session it made."""
    run = [sys.executable, "-c", DAYS, kind, how, *(policies or ("auto",))]
    return int(subprocess.run(run, capture_output=True, text=True, check=True, timeout=300).stdout)


@pytest.mark.parametrize("kind", ["adaptive bandit", "multiscale bandit", "multiscale full"])
def test_days_ask_for_no_compiled_code(kind: str) -> None:
    """Everything is at hand before the first day, for rewards that come late or never; without warming up it is not."""
    assert asked(kind, "warm") == 0
    assert asked(kind, "cold") > 0


def test_every_session_is_warmed_up() -> None:
    """A player like an earlier one, whose policies are of another kind, is warmed up too."""
    assert asked("multiscale bandit", "warm", "list", "chain") == 0


def test_warm_is_a_flag() -> None:
    """What is neither True nor False is refused."""
    with pytest.raises(InvalidInput, match="`warm` must be True or False"):
        sr.Session(sr.baselines.uniform(sr.MSets(3, 1)), warm="no")  # type: ignore[arg-type]


def test_a_player_that_makes_others_of_a_class_is_warmed() -> None:
    """A class in a player's fields is a word like others: only values have fields to look into."""
    player = sr.anytime(sr.baselines.exp3, sr.MSets(4, 2), first_epoch=16)
    assert sr.Session(player, rng=0, warm=True).act().action.sum() == 2
