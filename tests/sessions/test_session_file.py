"""Session files with a right checksum and wrong contents: refused by name, before any compiled code sees an array."""

import contextlib
import copy
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.files.storage import from_bytes, to_bytes, write_file
from swapregret.files.values import write_value

TREES = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d")]
PLAYERS: Late[Any] = Late(
    {
        "adaptive m-sets": lambda: sr.swap_combcp(sr.MSets(6, 2), 1000),
        "adaptive trees": lambda: sr.swap_combcp(sr.SpanningTrees(TREES), 1000),
        "multiscale": lambda: sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale"),
        "swap_comband": lambda: sr.swap_comband(sr.Permutations(3), 1000, preset="multiscale"),
        "anytime": lambda: sr.anytime(sr.swap_combcp, sr.MSets(6, 2), first_epoch=20, preset="multiscale"),
        **{
            name: partial(getattr(sr.baselines, name), sr.MSets(4, 2), 1000)
            for name in sr.baselines.__all__
            if name != "combcp"
        },
    }
)


def pay(session: sr.Session, total: float, decision: Any = None) -> None:
    """Let a decision earn a total, shown as the player wants to see it."""
    given = session.open_decisions[-1] if decision is None else decision
    is_total = session.player.feedback == "bandit"
    session.observe(total if is_total else given.action * (total / given.action.sum()), decision)


def begun(name: str) -> sr.Session:
    """Return a session of some days, with an open decision and one whose policy is older than the state."""
    session = sr.Session(PLAYERS[name], rng=1, max_open=3)
    for _ in range(42):
        session.act()
        pay(session, 0.5)
    session.act()
    for _ in range(4):  # a base window ends
        pay(session, 0.25, session.act())
    session.act()
    return session


def refused(path: Path, metadata: dict[str, Any], arrays: dict[str, Any]) -> bool:
    """Write a file and read it; tell whether it was refused, and play on where it was not."""
    write_file(path, to_bytes("session", metadata, arrays))
    told = ""
    try:
        session = sr.Session.load(path)
    except InvalidInput as error:
        told = str(error)
    if told:
        assert str(path) in told
        return True
    for decision in session.open_decisions:
        session.skip(decision)
    for _ in range(10):
        decision = session.act()
        assert decision.action in session.player.actions
        pay(session, 0.5)
    return False


def spoilt(array: Any) -> Iterator[tuple[str, Any]]:
    """Yield an array with another type, another shape, or numbers that no state has."""
    yield "type", array.astype(np.float32 if array.dtype.kind == "f" else np.float64)
    yield "longer", np.concatenate([array, array[-1:]]) if array.ndim and len(array) else np.stack([array, array])
    yield "axis", array[..., None]
    if array.size:
        yield "empty", array[:0] if array.ndim else array.reshape(1)[:0]
    if array.dtype.kind == "f" and array.size:
        for word, number in (("nan", np.nan), ("inf", np.inf), ("huge", 1e300)):
            yield word, np.full_like(array, number)
    if array.dtype.kind == "i" and array.size:
        yield "negative", np.full_like(array, -1)
    if array.dtype.kind in "iu" and array.size:
        yield "2**40", np.full_like(array, 2**40)


FREE = {
    "offset",
    "seed",
    "own.seed",
    "n_recoveries",
    "tally.offset",
    "tally.n_recoveries",
    "learners.n_updates",
    "learners.memory_count",
    "guard.n_windows",
    "mix.is_new",
    "last",
    "scales.n_updates",
    "scales.memory_count",
    "n_updates",
    "memory_count",
}


@pytest.mark.parametrize("name", PLAYERS)
def test_spoilt_arrays_are_refused(name: str, tmp_path: Path) -> None:
    """Each array of each player, with a wrong type, shape or range: refused with the file's name, or without effect on play."""
    path = tmp_path / "x.session"
    metadata, arrays = from_bytes("session", begun(name).snapshot(), "x")
    assert not refused(path, metadata, arrays)
    for number, (key, array) in enumerate(arrays.items()):
        if key.startswith("open.") and ".policy." in key and number % 10:
            continue  # read as the arrays of the state itself are
        for turn, (how, wrong) in enumerate(spoilt(array)):
            if len(arrays) > 60 and (turn + number) % 5:  # of players with many arrays, every fifth
                continue
            was_refused = refused(path, metadata, arrays | {key: wrong})
            part = key.split("state.")[-1].split("policy.")[-1].removeprefix("inner.")
            may_pass = how == "2**40" and (part in FREE or (part == "day" and key.startswith("open.")))
            assert was_refused or may_pass, f"{key} {how}"
        if len(arrays) <= 60 or number % 5 == 0:
            assert refused(path, metadata, {other: arrays[other] for other in arrays if other != key}), f"{key} missing"
    assert refused(path, metadata, arrays | {"state.more": np.zeros(3)})
    assert refused(path, metadata, arrays | {"more": np.zeros(3)})


DEEP: Any = []
for _ in range(900):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "change",
    [
        {"counts": [47, 46, 47]},
        {"counts": [48, 45, 0]},
        {"counts": [-48, -46, 0]},
        {"counts": [48.0, 46, 0]},
        {"counts": [48, 46]},
        {"counts": [2**70, 2**70 - 2, 0]},
        {"counts": "abc"},
        {"open": [47, 45]},
        {"open": [45, 45]},
        {"open": [45, 48]},
        {"open": [45]},
        {"open": {"45": 1}},
        {"policies": [46]},
        {"policies": []},
        {"policies": [45, 45]},
        {"max_open": 1},
        {"max_open": 0},
        {"max_open": True},
        {"max_open": 2**70},
        {"reward_range": [1.0, 0.0]},
        {"reward_range": [0.0]},
        {"reward_range": "01"},
        {"reward_range": [0.0, "1"]},
        {"reward_range": [0.0, float("nan")]},
        {"entropy": "7"},
        {"entropy": -1},
        {"rng": None},
        {"rng": {}},
        {"rng": {"bit_generator": "default_rng"}},
        {"rng": {"bit_generator": "PCG64", "state": {"state": -1, "inc": 1}, "has_uint32": 0, "uinteger": 0}},
        {"rng": {"bit_generator": "PCG64", "state": DEEP, "has_uint32": 0, "uinteger": 0}},
        {"rng": {"bit_generator": "MT19937", "state": {"key": {"array": [1], "dtype": "object"}, "pos": 99999}}},
        {"player": 3},
        {"player": []},
        {"player": {}},
        {"player": DEEP},
        {"player": write_value(sr.MSets(6, 2))},
        {"player": write_value(sr.swap_combcp(sr.MSets(7, 2), 1000))},
        {"player": write_value(sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale"))},
        {"player": {"class": "MSets", "args": {"list": [10**12, 3]}, "kwargs": {"dict": []}}},
        {"more": 1},
    ],
    ids=lambda change: json.dumps(change)[:60],
)
def test_spoilt_headers_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    """Counts that do not add up, settings of another type, something else than a generator or a player: refused by name."""
    metadata, arrays = from_bytes("session", begun("adaptive m-sets").snapshot(), "x")
    assert refused(tmp_path / "x.session", metadata | change, arrays)


def test_every_field_of_the_header_is_needed(tmp_path: Path) -> None:
    """A header without one of its fields is refused."""
    metadata, arrays = from_bytes("session", begun("multiscale").snapshot(), "x")
    for name in metadata:
        less = copy.copy(metadata)
        del less[name]
        assert refused(tmp_path / "x.session", less, arrays)


def test_actions_that_are_none_are_refused(tmp_path: Path) -> None:
    """An open decision must be an action of the set."""
    metadata, arrays = from_bytes("session", begun("adaptive m-sets").snapshot(), "x")
    for wrong in (np.ones(6, dtype=np.int64), np.zeros(6, dtype=np.int64), np.array([2, 0, 0, 0, 0, 0])):
        assert refused(tmp_path / "x.session", metadata, arrays | {"open.45.action": wrong})


def test_random_damage_under_a_right_checksum(tmp_path: Path) -> None:
    """Bytes of arrays changed at random and sealed again: refused by name, or a session that plays lawful actions."""
    rng, path = np.random.default_rng(5), tmp_path / "x.session"
    for name in ("adaptive m-sets", "adaptive trees", "multiscale", "exp3"):
        metadata, arrays = from_bytes("session", begun(name).snapshot(), "x")
        names = [key for key in arrays if arrays[key].size]
        for _ in range(20):
            changed = {key: array.copy() for key, array in arrays.items()}
            array = changed[names[rng.integers(len(names))]].reshape(-1).view(np.uint8)
            array[rng.integers(len(array), size=3)] = rng.integers(256, size=3)
            with contextlib.suppress(
                SwapRegretError
            ):  # a state of odd numbers may come to an end, in a sentence of ours
                refused(path, metadata, changed)


def test_sessions_of_any_seed_and_day_come_back() -> None:
    """What the default learner writes is never refused: not even where it recommends actions too rarely to remember them."""
    player = sr.swap_combcp(sr.MSets(5, 2), 64)
    for seed in range(60):
        session = sr.Session(player, rng=seed)
        for _ in range(9 + seed % 12):
            session.act()
            session.observe(0.4)
        again = sr.Session.from_bytes(session.snapshot())
        assert (again.act().action == session.act().action).all()


def test_a_player_that_does_not_list_may_have_any_number_of_actions() -> None:
    """LinUCB climbs where actions are more than it lists, so its file need not be as long as their list."""
    session = sr.Session(sr.baselines.lin_ucb(sr.MSets(30, 10), 1000), rng=1)
    assert sr.Session.from_bytes(session.snapshot()).player.actions.n_actions == 30_045_015
