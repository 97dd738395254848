"""The multi-scale master beside its literal simulation: calendar, relabelling, recoveries, refusals that change nothing."""

from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput, NotConverged
from swapregret.learners.baselines import combcp, uniform
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyComBCP
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.player import Decision
from swapregret.learners.policy_plan import plan_policies
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.round.day import NOT_PROJECTED
from swapregret.learners.schedule import Schedule, count_ending
from swapregret.sessions.session import Session
from swapregret.testing.player_checks import state_of

SETS = MSets(6, 2)
RANK_THREE = Explicit([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]])


def observe(player: Any, state: Any, day: int, action: np.ndarray, shown: Any) -> None:
    """Show a player what a day paid."""
    player.observe(state, Decision(day, action, player.actions, player.hold(state)), shown)


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_days_without_reward_change_nothing(factory: Any) -> None:
    """With predictor 0, rewards of 0 leave every policy as it was; so do skipped days, with any predictor."""
    options = {"preset": "multiscale", "schedule": Schedule([2, 4, 8]), "random_offset": False}
    session = Session(factory(SETS, 100, predictor_step=0.0, **options), rng=1)
    skipping = Session(factory(SETS, 100, **options), rng=1)
    first = session.policy().cooccurrence()
    for _ in range(9):
        session.act()
        session.observe(0.0)
        skipping.act()
        skipping.skip()
        for each in (session, skipping):
            assert np.allclose(each.policy().cooccurrence(), first, rtol=0.0, atol=1e-15)
    assert skipping.day == 9


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_relabelling_permutes_the_marginals(factory: Any) -> None:
    """Permuted worlds give permuted marginals wherever R̃ does not need the Σ of decompositions with fixed orders."""
    order = np.array([3, 1, 5, 0, 2, 4])
    player = factory(
        SETS, 60, preset="multiscale", feedback="semi-bandit", schedule=Schedule([1, 4, 16]), random_offset=False
    )
    rng = np.random.default_rng(4)
    actions = np.array([SETS.argmax(rng.random(6)) for _ in range(40)])
    values = rng.random((40, 6)) / 2
    found = []
    for columns in (np.arange(6), order):
        state = player.start(np.random.default_rng(0))
        for day, (action, row) in enumerate(zip(actions[:, columns], values[:, columns], strict=True)):
            observe(player, state, day, np.ascontiguousarray(action), row * action)
        found.append(player.policy(state).marginals())
    assert np.allclose(found[0][order], found[1], rtol=0.0, atol=1e-7)


def test_random_offset_is_the_only_draw_of_the_start() -> None:
    """The offset is a multiple of the base window below the longest one, drawn from the generator given."""
    master = swap_combcp(SETS, 2000, schedule=Schedule([3, 12, 48]), preset="multiscale")
    offsets = {int(master.start(np.random.default_rng(seed)).state.tally.offset[0]) for seed in range(60)}
    assert offsets <= set(range(0, 48, 3))
    assert len(offsets) > 8
    quiet = swap_combcp(SETS, 2000, random_offset=False, preset="multiscale")
    rng = np.random.default_rng(0)
    assert quiet.start(rng).state.tally.offset[0] == 0
    assert rng.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize("rate", [AdaptiveRate(3.0), FixedRate(0.05)])
def test_scales_change_only_when_the_calendar_says(rate: Any) -> None:
    """A scale's point stays until it updates; after a restart it is the first point again, or, warm, what it was."""
    master = swap_combcp(SETS, 100, schedule=Schedule([2, 6, 18]), preset="multiscale", rate=rate)
    state = master.start(np.random.default_rng(0))
    learners = state.state.learners
    windows, offset = np.array(master.schedule.windows), int(state.state.tally.offset[0])
    rng, first = np.random.default_rng(1), master.learner.first[0]
    for day in range(60):
        before = learners.points.copy()
        observe(master, state, day, master.act(state, rng), float(rng.random()))
        n_ending = count_ending(windows, day + 1 + offset)
        for k in (1, 2):
            same = np.array_equal(learners.points[k - 1], before[k - 1])
            if k < n_ending:
                assert same if isinstance(rate, AdaptiveRate) else np.array_equal(learners.points[k - 1], first)
                assert not learners.scores[k - 1].any()
            elif k == n_ending:
                assert not same
            else:
                assert same


def test_aggregates_lie_in_the_span() -> None:
    """Whatever solution of Σy = M was chosen, scales aggregate its part in span(A): the adaptive step sees nothing else."""
    master = swap_combcp(RANK_THREE, 100, schedule=Schedule([2, 8]), random_offset=False, preset="multiscale")
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for day in range(4):
        observe(master, state, day, master.act(state, rng), float(rng.random()))
    total, span = state.state.tally.total, RANK_THREE.span
    assert np.abs(total - span.project(total)).max() > 1e-3
    assert np.allclose(state.state.learners.scores[0], span.project(total), rtol=0.0, atol=1e-9)


def test_a_window_that_cannot_end_leaves_everything_as_it_was() -> None:
    """If a projection is refused on the last day of a window, the day has not been, and can be observed again."""
    master = swap_combcp(SETS, 100, schedule=Schedule([2, 8]), random_offset=False, preset="multiscale")
    state, twin = (master.start(np.random.default_rng(0)) for _ in range(2))
    rng = np.random.default_rng(1)
    for day in range(3):
        action = master.act(state, rng)
        for each in (state, twin):
            observe(master, each, day, action, 0.5)
    action = master.act(state, rng)
    before = master.dump(state)
    entries = state.do
    state.do = entries._replace(end_window=lambda h, n_ending: NOT_PROJECTED)
    with pytest.raises(NotConverged):
        observe(master, state, 3, action, 0.75)
    after = master.dump(state)
    assert [name for name in before if not np.array_equal(before[name], after[name])] == []
    state.do = entries
    for each in (state, twin):
        observe(master, each, 3, action, 0.75)
    mine, theirs = master.dump(state), master.dump(twin)
    assert [name for name in mine if not np.array_equal(mine[name], theirs[name])] == []


@pytest.mark.parametrize("is_late", [False, True])
def test_a_day_whose_system_cannot_be_solved_has_not_been(is_late: bool) -> None:
    """Where the mixture that was played explores nothing, the end of its window and a late reward are refused by one sentence."""
    master = swap_combcp(
        MSets(8, 3), 100, schedule=Schedule([2, 8]), random_offset=False, preset="multiscale", policy="chain"
    )
    session = Session(master, rng=1, max_open=3)
    late = session.act()
    for _ in range(3 if is_late else 1):
        session.observe(0.5, session.act())
    running = state_of(session)
    (late.held.mix if is_late else running.state.mix).weights[-1] = 0.0
    decision = late if is_late else session.act()
    assert decision.held.is_present != is_late
    before = master.dump(running)
    with pytest.raises(NotConverged, match="must be invertible on the span"):
        session.observe(0.75, decision)
    after = master.dump(running)
    assert [name for name in before if not np.array_equal(before[name], after[name])] == []
    assert decision in session.open_decisions


def test_a_player_that_keeps_no_matrix_has_no_solution() -> None:
    """Players that never estimate refuse to solve, by the same sentence."""
    decision = Session(uniform(SETS), rng=1).act()
    with pytest.raises(NotConverged, match="must be invertible on the span"):
        decision.held.solve(decision.action)


def test_views_stay_and_copies_go_their_own_way() -> None:
    """A policy that was played is the same after its window; a copy of a state is not moved by the original."""
    master = swap_combcp(SETS, 100, schedule=Schedule([2, 8]), random_offset=False, preset="multiscale")
    state = master.start(np.random.default_rng(0))
    held, copy = master.hold(state), master.copy(state)
    first = held.policy().cooccurrence()
    again = master.hold(copy)
    rng = np.random.default_rng(1)
    for day in range(4):
        observe(master, state, day, master.act(state, rng), float(day % 2))
    assert not held.is_present
    assert again.is_present
    assert not np.array_equal(master.policy(state).cooccurrence(), first)
    for each in (held.policy(), master.policy(copy), state.load_view(held.dump()).policy()):
        assert np.array_equal(each.cooccurrence(), first)


def test_steps_must_fit() -> None:
    """One step for all scales, or one per scale; one scale over the horizon is the plain learner."""
    plan = plan_policies(SETS, 1, "bandit")
    with pytest.raises(InvalidInput, match="2 rates and 3 scales"):
        SwapMaster(LazyComBCP(SETS, 0.1, (AdaptiveRate(), AdaptiveRate()), plan), Schedule([1, 2, 4, 8]))
    rates = (FixedRate(1.0), FixedRate(2.0))
    running = SwapMaster(LazyComBCP(SETS, 0.1, rates, plan), Schedule([1, 2, 4])).start(np.random.default_rng(0))
    assert running.rule.rates.tolist() == [1.0, 2.0]
    assert combcp(SETS, 40).schedule.n_scales == 1
