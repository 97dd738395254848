"""An oracle that fails once, as one behind a network does: the error is the oracle's own, and the session goes on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput


class Flaky:
    """The heaviest tree on five vertices; fails at the question whose number is given, counted from when it is told to count."""

    def __init__(self) -> None:
        self.count, self.fails_at = 0, -1
        self.trees = sr.SpanningTrees([(a, b) for a in range(5) for b in range(a)])

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """Answer, or fail."""
        self.count += 1
        if self.count == self.fails_at:
            raise ConnectionError("the solver did not answer")
        return self.trees.argmax(weights)


def _play(session: sr.Session[Any], oracle: Flaky, days: int, *, fails: bool) -> int:
    """Play days; a call whose oracle fails is made again. Return how often that was."""
    n_failed = 0
    for day in range(days):
        for call in (session.act, lambda day=day: session.observe((day % 7) / 7)):
            oracle.count, oracle.fails_at = 0, 1 if fails else -1
            try:
                call()
            except ConnectionError:
                n_failed += 1
                oracle.fails_at = -1
                call()
    return n_failed


@pytest.mark.parametrize("has_journal", [False, True])
def test_a_call_is_made_again(has_journal: bool, tmp_path: Path) -> None:
    """With a failure wherever one can be, all is as without any: the state, and what a journal holds, bit for bit."""
    sessions = []
    for fails in (False, True):
        oracle = Flaky()
        player = sr.swap_combcp(sr.OracleSet(10, oracle), 60)
        given = {"journal": tmp_path / f"{fails}.journal"} if has_journal else {}
        session = sr.Session(player, rng=3, **given)
        assert (_play(session, oracle, 40, fails=fails) > 0) == fails
        sessions.append(session)
    assert sessions[0].snapshot() == sessions[1].snapshot()
    if has_journal:
        sessions[1].close()
        again = sr.Session(sessions[1].player, journal=tmp_path / "True.journal")
        assert again.snapshot() == sessions[0].snapshot()
        assert (tmp_path / "False.journal").stat().st_size == (tmp_path / "True.journal").stat().st_size


def test_a_range_that_no_linear_function_shifts_is_refused() -> None:
    """Costs of actions of different sizes, where no vector is 1 on all of them, are no sums over elements once they are rewards."""
    actions = sr.Explicit([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    with pytest.raises(InvalidInput, match="Add an element that every action contains"):
        sr.Session(sr.swap_combcp(actions, 100), rng=1, cost_range=(0.0, 1.5))
    sr.Session(sr.swap_combcp(actions, 100), rng=1, reward_range=(0.0, 1.5))
