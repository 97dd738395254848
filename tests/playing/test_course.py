"""A course written down and taken up again plays the same days, and records them alike, bit for bit."""

from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.environments.environment import Environment
from swapregret.files.storage import from_bytes, to_bytes
from swapregret.playing.course import Course
from swapregret.playing.play_result import Run
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger_file import read_ledger, write_ledger
from swapregret.regret.notions import swap_regret

HORIZON = 260
STOPS = (1, 100, 101, 190)
GRAPH = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
SMALL, WIDE = sr.MSets(6, 2), sr.MSets(24, 8)
PATHS = sr.DagPaths(GRAPH, source="s", sink="t")
TREES = [(i, j) for i in range(7) for j in range(i)]
FIELDS = sr.Partitions(9, 4)

PLAYERS: Late[tuple[Any, dict[str, Any]]] = Late(
    {
        "engine": lambda: (sr.swap_combcp(SMALL, HORIZON, preset="multiscale"), {}),
        "everything": lambda: (
            sr.swap_combcp(SMALL, HORIZON, preset="multiscale"),
            {"realised": True, "windows": (1, 7), "certificate": True},
        ),
        "bound": lambda: (sr.swap_combcp(SMALL, HORIZON, preset="multiscale"), {"measure": "bound"}),
        "adaptive": lambda: (sr.swap_combcp(SMALL, HORIZON, preset="adaptive"), {}),
        "unlisted": lambda: (sr.swap_combcp(WIDE, HORIZON, preset="multiscale"), {}),
        "gibbs": lambda: (
            sr.swap_comband(WIDE, HORIZON, schedule=sr.Schedule([4, 16, 64]), preset="multiscale"),
            {"capacity": 30},
        ),
        "paths": lambda: (sr.swap_combcp(PATHS, HORIZON, preset="multiscale"), {}),
        "trees": lambda: (sr.swap_comband(sr.SpanningTrees(TREES), HORIZON, preset="multiscale"), {}),
        "images": lambda: (sr.swap_comband(FIELDS, HORIZON, preset="multiscale"), {}),
        "exp3": lambda: (sr.baselines.exp3(SMALL, HORIZON), {}),
        "anytime": lambda: (sr.anytime(sr.swap_combcp, SMALL, first_epoch=40, preset="multiscale"), {}),
    }
)
NOTHING = {"measure": "ledger", "realised": False, "windows": (), "certificate": False, "capacity": None}


def begin(name: str) -> Course:
    """Make a course at its first day."""
    player, options = PLAYERS[name]
    world: Environment = sr.environments.cyclic(player.actions, HORIZON, phases=5, rng=1)
    return Course(player, world, np.random.SeedSequence(3), NOTHING | options)


def reread(course: Course) -> dict[str, Any]:
    """Write a course to bytes and read them."""
    return from_bytes("course", to_bytes("course", {}, course.dump()), "a test")[1]


def parts(ledger: Ledger | None) -> dict[str, bytes]:
    """Return everything a ledger holds, as bytes."""
    return {} if ledger is None else {name: a.tobytes() for name, a in write_ledger(ledger).items()}


def same(one: Run, other: Run) -> None:
    """Compare two records bit for bit."""
    assert one.reward == other.reward
    assert parts(one.ledger) == parts(other.ledger)
    assert parts(one.realised) == parts(other.realised)
    if one.lazy is not None and other.lazy is not None:
        assert (one.lazy.best, one.lazy.earned) == (other.lazy.best, other.lazy.earned)
    for left, right in zip(one.intervals, other.intervals, strict=True):
        assert left.regrets.tobytes() == right.regrets.tobytes()
    if one.decomposition is not None and other.decomposition is not None:
        assert one.decomposition.contributions.tobytes() == other.decomposition.contributions.tobytes()


@pytest.mark.parametrize("name", list(PLAYERS))
def test_a_course_goes_on_from_bytes(name: str) -> None:
    """Read by new objects after some days, once or at every stop, a course records what it records in one process."""
    steady, relay = begin(name), begin(name)
    for stop in STOPS:
        for course in (steady, relay):
            course.advance(stop)
            course.close()
        steady.restore(reread(steady))
        written, relay = reread(relay), begin(name)
        relay.restore(written)
    late = begin(name)
    late.restore(reread(steady))
    steady.restore(reread(steady))
    for course in (steady, relay, late):
        course.advance(HORIZON)
    end = steady.close()
    same(end, late.close())
    same(end, relay.close())


@pytest.mark.parametrize("name", list(PLAYERS))
def test_stopping_changes_nothing_but_rounding(name: str) -> None:
    """A course that was closed and written many times measures what one in a single piece does."""
    whole, cut = begin(name), begin(name)
    whole.advance(HORIZON)
    for stop in (*STOPS, HORIZON):
        cut.advance(stop)
        cut.close()
        cut.restore(reread(cut))
    one, other = whole.close(), cut.close()
    assert one.reward == pytest.approx(other.reward, abs=1e-12)
    actions = whole.player.actions
    if one.ledger is not None and other.ledger is not None:
        assert one.ledger.earned == pytest.approx(other.ledger.earned, abs=1e-9)
        assert one.ledger.total == pytest.approx(other.ledger.total, abs=1e-9)
        assert len(one.ledger.policies) == len(other.ledger.policies)
        if one.ledger.dropped is None and one.ledger.pooled.n_pools == 0:
            expected, found = swap_regret(answer(actions, [one.ledger])), swap_regret(answer(actions, [other.ledger]))
            assert found.value == pytest.approx(expected.value, abs=1e-8)
            assert found.is_exact == expected.is_exact
    if one.decomposition is not None and other.decomposition is not None:
        assert one.decomposition.bound == pytest.approx(other.decomposition.bound, abs=1e-9)
        assert [share.starts.tolist() for share in one.decomposition.scales] == [
            share.starts.tolist() for share in other.decomposition.scales
        ]
    if one.lazy is not None and other.lazy is not None:
        assert other.lazy.earned == pytest.approx(one.lazy.earned, abs=1e-9)
        assert one.lazy.best - 1e-9 <= other.lazy.best <= 1.01 * one.lazy.best  # a scale read from a file is on its own
    for left, right in zip(one.intervals, other.intervals, strict=True):
        assert left.regrets == pytest.approx(right.regrets, abs=1e-9)


@pytest.mark.parametrize("name", ["engine", "unlisted", "gibbs", "trees", "images"])
def test_a_ledger_in_a_file_is_the_same_ledger(name: str) -> None:
    """Read from its arrays, a ledger has the same swap regret and bracket."""
    course = begin(name)
    course.advance(120)
    ledger, actions = course.close().ledger, course.player.actions
    assert ledger is not None
    copy = read_ledger(write_ledger(ledger), actions)
    expected, found = swap_regret(answer(actions, [ledger])), swap_regret(answer(actions, [copy]))
    assert (found.value, found.bracket, found.definition) == (expected.value, expected.bracket, expected.definition)
