"""Long runs under rewards made to break arithmetic: nothing overflows, drifts or goes silent.

Each case plays a share of 10,000 days; `make test-numerics` plays a million days on m-sets and a share of that elsewhere.
Warnings are errors throughout, and overflow, division by zero and invalid operations of NumPy are raised.
"""

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.learners.lazy import FixedRate
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.player import Decision
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.sessions.session import Session
from swapregret.testing.player_checks import state_of

ROUNDS = int(os.environ.get("SWAPREGRET_ROUNDS", "10000"))

IS_LONG = ROUNDS > 10_000

World = Callable[[Session, Decision], float]


def least_likely(session: Session, decision: Decision) -> float:
    """Pay the share of the action that lies in the least likely action of the day."""
    target = session.player.actions.argmax(-session.policy().marginals())
    return float(target @ decision.action) / max(1, int(target.sum()))


WORLDS: dict[str, World] = {
    "all 0": lambda session, decision: 0.0,
    "all 1": lambda session, decision: 1.0,
    "alternating": lambda session, decision: float(decision.day % 2),
    "a constant": lambda session, decision: 0.5,
    "least likely": least_likely,
}
SETS: dict[str, tuple[ActionSet, float]] = {
    "10 choose 3": (MSets(10, 3), 0.5),
    "d = 2": (MSets(2, 1), 0.2),
    "m = d - 1": (MSets(6, 5), 0.2),
    "one action, rank 1": (MSets(4, 4), 0.2),
    "one action listed": (Explicit([[1, 0, 1]]), 0.005),
    "sizes differ": (Explicit([[1, 1, 0], [1, 0, 0], [0, 0, 1]]), 0.005),
    "rank 3 of 5": (Explicit([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]]), 0.005),
}


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """Raise on anything but underflow, which the log domain makes harmless."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def check(session: Session) -> None:
    """All numbers of the state are finite, and the marginals are a point of the hull to 1e-9."""
    actions, marginals = session.player.actions, session.policy().marginals()
    assert np.isfinite(marginals).all()
    assert marginals.min() >= -1e-12
    assert marginals.max() <= 1.0 + 1e-12
    if actions.is_uniform:
        assert abs(marginals.sum() - actions.size) <= 1e-9
    for name, array in session.player.dump(state_of(session)).items():
        assert not np.isnan(array).any(), name
        assert np.isfinite(array).all(), name
    if isinstance(session.player, SwapMaster) and actions.is_uniform:
        for point in state_of(session).state.learners.points:
            assert abs(point.sum() - actions.size) <= 1e-9


def run(session: Session, world: World, days: int) -> None:
    """Play, checking a hundred times on the way and at the end."""
    every = max(1, days // 100)
    for day in range(days):
        decision = session.act()
        session.observe(world(session, decision))
        if day % every == 0:
            check(session)
    check(session)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", SETS)
def test_long_runs(name: str, world: str) -> None:
    """Σx = m to 1e-9 and no NaN, whatever is paid; Σ stays well conditioned, which the summary reports; nothing recovers."""
    actions, share = SETS[name]
    days = ROUNDS if IS_LONG and isinstance(actions, MSets) else int(share * ROUNDS)
    session = Session(swap_combcp(actions, days, preset="multiscale"), rng=1)
    run(session, WORLDS[world], days)
    summary = session.summary().player
    assert summary is not None
    assert summary.n_recoveries == 0
    assert summary.condition is not None
    assert 1.0 <= summary.condition < 1e6
    assert summary.smallest_eigenvalue is not None
    assert summary.smallest_eigenvalue > 0.0


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["10 choose 3", "one action, rank 1", "sizes differ"])
def test_long_runs_of_comband(name: str, world: str) -> None:
    """The Gibbs policy keeps its marginals in the hull too."""
    actions, share = SETS[name]
    days = int(min(share, 0.1) * ROUNDS)
    session = Session(swap_comband(actions, days, preset="multiscale"), rng=1)
    run(session, WORLDS[world], days)
    summary = session.summary().player
    assert summary is not None
    assert summary.n_recoveries == 0


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["10 choose 3", "one action, rank 1", "sizes differ"])
def test_long_runs_of_the_adaptive_preset(name: str, world: str) -> None:
    """Pool, weights and filter keep the marginals in the hull."""
    actions, share = SETS[name]
    days = int(min(share, 0.02) * ROUNDS)
    run(Session(swap_combcp(actions, max(100, days), preset="adaptive"), rng=1), WORLDS[world], days)


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_long_runs_with_more_to_see(feedback: str) -> None:
    """Elements that pay 0 and elements that pay all, seen one by one, drive no marginal out of the hull."""
    actions = MSets(10, 3)
    session = Session(swap_combcp(actions, 10**6, preset="multiscale", feedback=feedback), rng=1)
    days = int(0.2 * ROUNDS)
    for day in range(days):
        decision = session.act()
        values = np.zeros(10)
        values[(day // max(1, days // 4)) % 4] = 1.0
        session.observe(values * decision.action if feedback == "semi-bandit" else values)
        if day % 100 == 0:
            check(session)
    check(session)


def test_rank_one_thousand() -> None:
    """Without a matrix at r = 1000: conjugate gradients, no recovery, no condition to report."""
    actions = MSets(1000, 10)
    player = swap_combcp(actions, 10**6, preset="multiscale", schedule=Schedule([2, 8, 32]))
    session = Session(player, rng=1)
    run(session, WORLDS["alternating"], max(10, ROUNDS // 1000))
    summary = session.summary().player
    assert summary is not None
    assert summary.condition is None
    assert summary.n_recoveries == 0


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_a_concentrated_policy_stays_sound_and_can_turn(factory: object) -> None:
    """With steps far too large q sits on one action for long; it stays a point of the hull and moves when the world does."""
    actions = MSets(6, 2)
    good, better = np.array([1, 1, 0, 0, 0, 0]), np.array([0, 0, 0, 0, 1, 1])
    player = factory(  # type: ignore[operator]
        actions,
        10**6,
        preset="multiscale",
        schedule=Schedule.single(10**7, base=5),
        rate=FixedRate(1.0),
        random_offset=False,
    )
    session = Session(player, rng=1)
    days = int(0.1 * ROUNDS)
    run(session, lambda _, decision: float(good @ decision.action) / 2, days)
    assert state_of(session).state.learners.points[0, :2].min() > 0.99
    run(session, lambda _, decision: float(better @ decision.action) / 2, 3 * days)
    assert state_of(session).state.learners.points[0, 4:].min() > 0.99


@pytest.mark.parametrize("variants", [1, 8])
def test_recoveries_are_counted_and_survived(variants: int) -> None:
    """Without exploration the policy sits on few actions, Σ is singular, the second way is taken, counted, and harmless."""
    actions = MSets(6, 2)
    player = swap_combcp(
        actions,
        10**6,
        preset="multiscale",
        exploration=0.0,
        variants=variants,
        rate=FixedRate(5.0),
        schedule=Schedule.single(10**7),
    )
    session = Session(player, rng=1)
    run(session, WORLDS["alternating"], max(200, ROUNDS // 50))
    summary = session.summary().player
    assert summary is not None
    assert summary.n_recoveries > 0
    assert summary.condition == float("inf")
    assert summary.smallest_eigenvalue == 0.0


def test_a_reward_range_of_any_size() -> None:
    """Rewards of 10³⁰⁰ or 10⁻³⁰⁰ are as good as those in [0, 1]."""
    for scale in (1e300, 1e-300):
        session = Session(swap_combcp(MSets(5, 2), 1000, preset="multiscale"), rng=1, reward_range=(-scale, scale))
        run(session, lambda _, decision, scale=scale: scale * (decision.day % 3 - 1.0), 200)  # type: ignore[misc]
