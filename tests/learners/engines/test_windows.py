"""The adaptive master off m-sets: days between two turns in compiled code, and the same days stepped."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret import course
from swapregret.course import Course
from swapregret.learners.adaptive.window_engine import WindowEngine
from swapregret.learners.engines.find import find_engine

OPTIONS: dict[str, Any] = {
    "measure": "ledger",
    "realised": False,
    "windows": (),
    "certificate": False,
    "capacity": None,
}
EDGES = [(f"{a}{i}", f"{a + 1}{j}") for a in range(3) for i in range(3 if a else 1) for j in range(3 if a < 2 else 1)]
SETS = {
    "permutations": sr.Permutations(4),
    "paths": sr.DagPaths(EDGES, source="00", sink="30"),
    "trees": sr.SpanningTrees(list(combinations(range(5), 2))),
    "partitions": sr.Partitions(4, 3),
}
HORIZON, CUT, DAYS = 3000, 500, 1100


def _course(actions: sr.ActionSet, **options: Any) -> Course:
    player = sr.swap_combcp(actions, HORIZON, preset="adaptive", **options)
    world = sr.environments.cyclic(actions, HORIZON, phases=7, rng=2)
    return Course(player, world, np.random.SeedSequence(5), OPTIONS)


def _played(actions: sr.ActionSet, is_restored: bool, days: int = DAYS, **options: Any) -> dict[str, np.ndarray]:
    """Play to a day in the middle of a window, be written and perhaps read again, play on; return everything known."""
    played = _course(actions, **options)
    played.advance(days * CUT // DAYS)
    dumped = played.dump()
    if is_restored:
        played = _course(actions, **options)
        played.restore(dumped)
    played.advance(days)
    return {name: array for name, array in played.dump().items() if name != "has_stopped"}


def _assert_same(mine: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    assert mine.keys() == theirs.keys()
    for name, array in theirs.items():
        assert np.array_equal(mine[name], array), name


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("name", SETS)
def test_stepped_and_compiled_days_agree(monkeypatch: pytest.MonkeyPatch, name: str, feedback: str) -> None:
    """State, generator, rewards and ledger are the same bits after the same days, with a restart in the middle too."""
    player = sr.swap_combcp(SETS[name], HORIZON, preset="adaptive", feedback=feedback)
    assert isinstance(find_engine(player), WindowEngine)
    compiled = _played(SETS[name], False, feedback=feedback)
    resumed = _played(SETS[name], True, feedback=feedback)
    monkeypatch.setattr(course, "find_engine", lambda *_, **__: None)
    _assert_same(compiled, _played(SETS[name], False, feedback=feedback))
    _assert_same(resumed, _played(SETS[name], True, feedback=feedback))


@pytest.mark.parametrize("options", [{"solver": "iterative"}, {"solver": "inverse"}, {"exploration_law": "spanner"}])
def test_other_solvers_and_laws_agree(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    """So they are where Σ is not factored (days are then stepped), where it is inverted, and where μ is a list."""
    compiled = _played(SETS["permutations"], False, **options)
    monkeypatch.setattr(course, "find_engine", lambda *_, **__: None)
    _assert_same(compiled, _played(SETS["permutations"], False, **options))


def test_sets_known_by_a_list_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """So they are on a set that has nothing but the general algorithms."""
    actions = sr.Explicit([[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    compiled = _played(actions, False, 110)
    monkeypatch.setattr(course, "find_engine", lambda *_, **__: None)
    _assert_same(compiled, _played(actions, False, 110))


def test_a_state_handed_in_stays_as_it_was() -> None:
    """The engine copies the tables of a state it has not made itself."""
    master = sr.swap_combcp(SETS["trees"], HORIZON, preset="adaptive")
    rng, rewards = np.random.default_rng(0), np.random.default_rng(1).random((400, 10)) / 4
    first = WindowEngine(master).run(master.start(rng), rng, rewards).state
    before = {name: array.copy() for name, array in master.dump(first).items()}
    WindowEngine(master).run(first, rng, rewards)
    _assert_same(master.dump(first), before)
