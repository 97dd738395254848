"""Worlds of which something is known before the day: what they say, what they pay, what they refuse."""

from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.environments.environment import DayKind
from swapregret.errors import InvalidInput
from swapregret.testing import check_environment

LETTERS = sr.MSets(4, 2, labels="abcd")


@pytest.fixture
def plain() -> sr.environments.Environment:
    """Return days without anything known."""
    return sr.environments.iid(LETTERS, 60, rng=0)


def test_days_are_told_in_turn(plain: sr.environments.Environment) -> None:
    """Contexts and masks come in turn, each from the top again, and rewards stay what they were."""
    world = sr.environments.on_days(plain, contexts=["x", "y", "z"], available=["abc", None])
    for day in range(60):
        assert world.kind(day) == DayKind("xyz"[day % 3], (3,) if day % 2 == 0 else ())
    assert (world.rewards(0, 60) == plain.rewards(0, 60)).all()
    assert (world.with_noise(9).kinds.of(np.arange(60)) == world.kinds.of(np.arange(60))).all()
    assert check_environment(world).passed
    assert "60 days of 6 kinds" in repr(world)


def test_contexts_pay_what_their_worlds_pay(plain: sr.environments.Environment) -> None:
    """Each day pays what the environment of its context pays that day; contexts come as often as they should, masks stay."""
    parts = {
        "x": sr.environments.on_days(plain, without=["a", ""]),
        "y": sr.environments.iid(LETTERS, 80, rng=4),
    }
    world = sr.environments.by_context(parts, shares=[0.25, 0.75], rng=1)
    assert world.horizon == 60
    contexts = [world.kind(day).context for day in range(60)]
    assert 5 <= contexts.count("x") <= 25  # false alarm below 1e-3 of seeds, and the seed is fixed
    for day in range(60):
        part = parts[contexts[day]]
        assert (world.means(day, day + 1) == part.means(day, day + 1)).all()
        assert world.kind(day).missing == part.kind(day).missing
    assert check_environment(world).passed


def test_shortages_leave_some_action() -> None:
    """Every mask leaves an action, as many masks come as are wanted, and None draws a new one every day."""
    graph = sr.SpanningTrees([(i, j) for i in range(4) for j in range(i)])
    plain = sr.environments.iid(graph, 50, rng=0)
    few = sr.environments.shortages(plain, masks=3, missing=0.3, rng=1)
    many = sr.environments.shortages(plain, masks=None, missing=0.3, rng=1)
    assert len(few.kinds.listed) <= 3 < len(many.kinds.listed)
    for day in range(50):
        missing = list(many.kind(day).missing)
        weights = np.ones(6)
        weights[missing] = -100.0
        assert not graph.argmax(weights)[missing].any()
    with pytest.raises(InvalidInput, match="missing at random"):
        sr.environments.shortages(plain, missing=1.0, rng=1)


def test_files_say_what_is_known(tmp_path: Path) -> None:
    """A replay reads columns `context` and `available` of a file, as an audit does."""
    path = tmp_path / "days.csv"
    path.write_text("context,a,b,c,d,available\nx,1,0,0,0,\ny,0,1,0,0,b;c;d\n", encoding="utf-8")
    world = sr.environments.replay(LETTERS, path, horizon=4)
    assert [world.kind(day) for day in range(4)] == [DayKind("x"), DayKind("y", (0,))] * 2
    assert world.means(1, 2).tolist() == [[0.0, 0.5, 0.0, 0.0]]
    path.write_text("context,a,b,c,d,available\nx,1,0,0,0,e\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="`available` must have labels"):
        sr.environments.replay(LETTERS, path)


def test_what_cannot_be_is_refused(plain: sr.environments.Environment) -> None:
    """A day without actions, the day named; two ways to say what is missing; kinds inside mixtures; lists of other lengths."""
    with pytest.raises(InvalidInput, match=r"on day 1 'a', 'b', 'c' missing"):
        sr.environments.on_days(plain, without=["", "abc"])
    with pytest.raises(InvalidInput, match="in one way"):
        sr.environments.on_days(plain, without=["a"], available=["b"])
    with pytest.raises(InvalidInput, match="Hashable"):
        sr.environments.on_days(plain, contexts=[["x"]])
    world = sr.environments.on_days(plain, contexts=["x", "y"])
    for wrong in (
        lambda: sr.environments.mixture([world, plain], rng=0),
        lambda: sr.environments.on_days(world, contexts=["x", "y"]),
        lambda: sr.environments.by_context({"x": world}, rng=0),
        lambda: sr.environments.by_context([world], rng=0),  # type: ignore[arg-type]
        lambda: sr.environments.by_context({"x": plain}, shares=[0.5, 0.5], rng=0),
        lambda: sr.environments.replay(LETTERS, [[0, 0, 0, 1]], contexts=["x", "y"]),
    ):
        with pytest.raises(InvalidInput):
            wrong()
