"""Sessions, ledgers and states are freed with their last reference: the collector looks for cycles too rarely for their arrays."""

import gc
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import swapregret as sr
from swapregret.games.windows import Windows
from swapregret.learners.player import Player
from swapregret.regret.laziness import LazinessLedger
from swapregret.regret.ledgers.ledger import SwapLedger

ACTIONS = sr.MSets(4, 2)


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def session(player: Player) -> sr.Session:
    """Return a session after some days."""
    made = sr.Session(player, rng=1, max_open=2)
    for _ in range(9):
        made.observe(0.5, made.act())
    return made


def ledger(kind: type[SwapLedger] | type[LazinessLedger]) -> SwapLedger | LazinessLedger:
    """Return a ledger after some days."""
    made = kind(ACTIONS)
    for reward in (0.1, 0.2):
        made.record(ACTIONS.exploration_policy(), np.full(4, reward))
    made.close()
    return made


def recorder() -> Windows:
    """Return a recorder of windows."""
    return Windows(ACTIONS, 5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: session(sr.swap_combcp(ACTIONS, 100)),
        lambda: session(sr.swap_combcp(ACTIONS, 100, preset="multiscale")),
        lambda: session(sr.baselines.exp3(ACTIONS, 100)),
        lambda: session(sr.baselines.combexp(ACTIONS, 100)),
        lambda: ledger(SwapLedger),
        lambda: ledger(LazinessLedger),
        recorder,
    ],
)
def test_what_nobody_holds_is_freed_at_once(make: Callable[[], object]) -> None:
    """With the collector off, the last reference is enough."""
    made = make()
    state = getattr(made, "_state", made)
    watched = [weakref.ref(each) for each in (made, state)]
    del made, state
    assert [each() for each in watched] == [None, None]
