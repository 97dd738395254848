"""Session files that claim more than they hold, or actions that are none: refused before they cost anything, or play."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.files.storage import from_bytes, to_bytes

LARGE = 30_000


def parts_of(player: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the file of a session of some days holds."""
    session: sr.Session[Any] = sr.Session(player, rng=1, warm=False)
    for _ in range(9):
        session.act()
        session.observe(0.5)
    return from_bytes("session", session.snapshot(), "x")


def with_size(value: Any, size: int) -> Any:
    """Return a configuration in which the sevens are another number."""
    if isinstance(value, dict):
        return {name: with_size(part, size) for name, part in value.items()}
    if isinstance(value, list):
        return [size if type(part) is int and part == 7 else with_size(part, size) for part in value]
    return value


def test_a_set_larger_than_its_state_costs_nothing() -> None:
    """A file of some hundred kilobytes that names a set of 30,000 elements is refused before memory for it is asked for."""
    metadata, arrays = parts_of(sr.swap_combcp(sr.MSets(7, 2), 1000))
    metadata["player"] = with_size(metadata["player"], LARGE)
    data = to_bytes("session", metadata, arrays | {"state.more": np.zeros(LARGE)})
    assert len(data) > LARGE
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=f"{LARGE:,} numbers in 'tally.total'"):
            sr.Session.from_bytes(data)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_lists_hold_actions_of_the_set() -> None:
    """Two ones in the first row and none in the second are as many as a permutation has, and are none: refused."""
    metadata, arrays = parts_of(sr.swap_combcp(sr.Permutations(3), 1000))
    sr.Session.from_bytes(to_bytes("session", metadata, arrays))
    words = arrays["state.policies.words"].copy()
    words[0, 0, 0] = 0b100000011
    with pytest.raises(InvalidInput, match=r"actions of the set in 'policies\.words'"):
        sr.Session.from_bytes(to_bytes("session", metadata, arrays | {"state.policies.words": words}))
