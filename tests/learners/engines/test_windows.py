"""The adaptive master off m-sets: days between two turns in compiled code, and the same days stepped."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from swapregret.learners.adaptive.window_engine import WindowEngine

import swapregret as sr
from swapregret import course
from swapregret.course import Course
from swapregret.learners.engines.find import find_engine

EDGES = [(f"{a}{i}", f"{a + 1}{j}") for a in range(3) for i in range(3 if a else 1) for j in range(3 if a < 2 else 1)]
SETS = {
    "permutations": sr.Permutations(4),
    "paths": sr.DagPaths(EDGES, source="00", sink="30"),
    "trees": sr.SpanningTrees(list(combinations(range(5), 2))),
    "partitions": sr.Partitions(4, 3),
    "large m-sets": sr.MSets(66, 2),
}
HORIZON, CUT, DAYS = 3000, 500, 1100


def _course(actions: sr.ActionSet, measure: str, capacity: int, **options: Any) -> Course:
    player = sr.swap_combcp(actions, HORIZON, preset="adaptive", **({"calm": 0.05} | options))
    world = sr.environments.cyclic(actions, HORIZON, phases=7, rng=2)
    recorded = {"measure": measure, "realised": False, "windows": (), "certificate": False, "capacity": None}
    return Course(replace(player, capacity=capacity), world, np.random.SeedSequence(5), recorded)


def _played(
    actions: sr.ActionSet,
    is_restored: bool = False,
    days: int = DAYS,
    measure: str = "none",
    capacity: int = 8192,
    **options: Any,
) -> dict[str, np.ndarray]:
    """Play to a day in the middle of a window, be written and perhaps read again, play on; return everything known."""
    played = _course(actions, measure, capacity, **options)
    played.advance(days * CUT // DAYS)
    dumped = played.dump()
    if is_restored:
        played = _course(actions, measure, capacity, **options)
        played.restore(dumped)
    played.advance(days)
    return {name: array for name, array in played.dump().items() if name != "has_stopped"}


def _assert_same(mine: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> None:
    assert mine.keys() == theirs.keys()
    for name, array in theirs.items():
        assert np.array_equal(mine[name], array), name


def _stepped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "find_engine", lambda *_, **__: None)


@pytest.mark.parametrize("measure", ["none", "ledger"])
@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("name", SETS)
def test_stepped_and_compiled_days_agree(
    monkeypatch: pytest.MonkeyPatch, name: str, feedback: str, measure: str
) -> None:
    """State, generator, rewards and ledger are the same bits after the same days, with a restart in the middle too."""
    player = sr.swap_combcp(SETS[name], HORIZON, preset="adaptive", feedback=feedback)
    assert isinstance(find_engine(player), WindowEngine)
    compiled = _played(SETS[name], feedback=feedback, measure=measure)
    resumed = _played(SETS[name], True, feedback=feedback, measure=measure)
    _stepped(monkeypatch)
    _assert_same(compiled, _played(SETS[name], feedback=feedback, measure=measure))
    _assert_same(resumed, _played(SETS[name], True, feedback=feedback, measure=measure))


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "iterative"},
        {"solver": "inverse"},
        {"exploration_law": "spanner"},
        {"swap_filter": False},
        {"pooling": False, "capacity": 256},
        {"learned_weights": False},
        {"guarded": False},
        {"guard_slack": 1e-4},
    ],
    ids=str,
)
def test_other_configurations_agree(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    """So they are with other solvers and laws, each ingredient off, tables that overflow, a guard that trips."""
    actions = sr.Permutations(5)
    compiled = _played(actions, **options)
    _stepped(monkeypatch)
    _assert_same(compiled, _played(actions, **options))


def test_full_tables_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """So they are where actions are seldom met again: the filter's table is thinned, the guard's is settled."""
    actions = sr.Permutations(7)
    compiled = _played(actions, capacity=600)
    assert len(compiled["state.vectors.keys"]) < 600 == int(compiled["state.vectors.room"])
    assert compiled["state.guard.numbers"][0] > 0.0
    _stepped(monkeypatch)
    _assert_same(compiled, _played(actions, capacity=600))


def test_sets_known_by_a_list_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """So they are on a set that has nothing but the general algorithms, whose turns are not compiled."""
    actions = sr.Explicit([[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    compiled = _played(actions, False, 110)
    _stepped(monkeypatch)
    _assert_same(compiled, _played(actions, False, 110))


@pytest.mark.parametrize("name", SETS)
def test_common_turns_are_compiled(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Between restarts of the shortest scale the master is asked for few turns: the rest ran in compiled code."""
    master = sr.swap_combcp(SETS[name], HORIZON, preset="adaptive", calm=0.0)
    asked, turn = [], type(master).turn

    def counted(*args: Any, **kwargs: Any) -> Any:
        asked.append(1)
        return turn(*args, **kwargs)

    monkeypatch.setattr(type(master), "turn", counted)
    rng = np.random.default_rng(0)
    rewards = np.random.default_rng(1).random((DAYS, SETS[name].dimension)) / SETS[name].size
    WindowEngine(master).run(master.start(rng), rng, rewards)
    base, second = master.schedule.windows[:2]
    assert len(asked) <= DAYS // second + DAYS // base // 4


def test_a_state_handed_in_stays_as_it_was() -> None:
    """The engine copies the tables of a state it has not made itself."""
    master = sr.swap_combcp(SETS["trees"], HORIZON, preset="adaptive")
    rng, rewards = np.random.default_rng(0), np.random.default_rng(1).random((400, 10)) / 4
    first = WindowEngine(master).run(master.start(rng), rng, rewards).state
    before = {name: array.copy() for name, array in master.dump(first).items()}
    WindowEngine(master).run(first, rng, rewards)
    _assert_same(master.dump(first), before)
