"""Anytime play: epochs that double, a fresh player each, feedback that comes late, and no end."""

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import InvalidInput
from swapregret.learners.baselines import uniform
from swapregret.learners.doubling import DoublingState, anytime
from swapregret.learners.player import Decision
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.sessions.session import Session
from swapregret.testing.player_checks import state_of


def test_epochs_double_and_each_has_a_player_for_its_horizon() -> None:
    """Epoch j lasts first·2^j days, is played by factory(actions, that horizon), and begins uniform again."""
    asked = []

    def factory(actions: MSets, horizon: int, **options: object) -> object:
        asked.append((horizon, options))
        return swap_combcp(actions, horizon, **options)  # type: ignore[arg-type]

    player = anytime(factory, MSets(5, 2), first_epoch=3, variants=2)  # type: ignore[arg-type]
    session = Session(player, rng=1)
    epochs = []
    for day in range(3 + 6 + 12 + 1):
        state = state_of(session)
        epochs.append(state.epoch)
        if state.day == 0:
            assert np.allclose(session.policy().marginals(), 0.4, rtol=0.0, atol=1e-9), f"day {day}"
        session.act()
        session.observe(0.9)
    assert epochs == [0] * 3 + [1] * 6 + [2] * 12 + [3]
    assert asked == [(3, {"variants": 2}), (6, {"variants": 2}), (12, {"variants": 2}), (24, {"variants": 2})]


def test_epochs_draw_their_randomness_from_the_start() -> None:
    """Offsets of later epochs depend on the generator of the start alone, differ between epochs, and repeat with the seed."""
    player = anytime(swap_combcp, MSets(6, 2), first_epoch=200, preset="multiscale")

    def offsets(seed: int) -> list[int]:
        state = player.start(np.random.default_rng(seed))
        found = []
        for epoch in range(3):
            found.append(int(state.inner.state.tally.offset[0]))
            state = DoublingState(epoch, player.epoch_length(epoch) - 1, state.seed, state.inner)
            policy = player.policy(state)
            state = player.observe(
                state, Decision(0, policy.sample(np.random.default_rng(0)), MSets(4, 2), policy), 0.5
            )
        return found

    assert offsets(1) == offsets(1)
    assert len({tuple(offsets(seed)) for seed in range(8)}) == 8


def test_rewards_of_an_earlier_epoch_are_estimated_with_their_own_policy() -> None:
    """A decision of epoch 0 observed in epoch 1 adds R̂ + (r − R̂·M)Σ⁺M with the Σ of epoch 0."""
    actions = MSets(4, 2)
    player = anytime(swap_combcp, actions, first_epoch=4, preset="multiscale", predictor_step=0.0, random_offset=False)
    session = Session(player, rng=3, max_open=2)
    for _ in range(3):
        session.act()
        session.observe(1.0)
    late = session.act()
    session.act()
    session.observe(0.25, session.open_decisions[1])
    assert state_of(session).epoch == 1
    before = state_of(session).inner.estimated_total()
    session.observe(0.5, late)
    inverse = np.linalg.pinv(late.policy.cooccurrence())
    assert np.allclose(state_of(session).inner.estimated_total() - before, 0.5 * inverse @ late.action)


def test_players_of_earlier_epochs_are_kept() -> None:
    """Looking back at an epoch does not make the player of the present one anew: policies stay the same objects."""
    player = anytime(swap_combcp, Explicit([[1, 0], [0, 1]]), first_epoch=2, preset="multiscale")
    state = player.start(np.random.default_rng(0))
    now = player.player_for(1)
    assert player.player_of(state) is player.player_for(0)
    assert player.player_for(1) is now


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband, uniform])
def test_dump_and_load(factory: object) -> None:
    """A state made again from its arrays is in the same epoch, on the same day, with the same policy."""
    player = anytime(factory, MSets(4, 2), first_epoch=5)  # type: ignore[arg-type]
    state = player.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for day in range(17):
        policy = player.policy(state)
        state = player.observe(state, Decision(day, policy.sample(rng), (), policy), float(rng.random()))
    other = anytime(factory, MSets(4, 2), first_epoch=5)  # type: ignore[arg-type]
    loaded = other.load(player.dump(state))
    assert (loaded.epoch, loaded.day, loaded.seed) == (state.epoch, state.day, state.seed) == (2, 2, state.seed)
    assert np.array_equal(other.policy(loaded).marginals(), player.policy(state).marginals())


def test_it_never_stops() -> None:
    """Epoch 40, of 10¹⁵ days, works as the first did."""
    player = anytime(swap_combcp, MSets(4, 2), preset="multiscale")
    last = player.player_of(DoublingState(39, 0, 5, None)).start(np.random.default_rng(0))
    state = DoublingState(39, player.epoch_length(39) - 1, 5, last)
    policy = MSets(4, 2).uniform_policy()
    state = player.observe(state, Decision(0, policy.sample(np.random.default_rng(0)), MSets(4, 2), policy), 0.5)
    assert state.epoch == 40
    policy = player.policy(state)
    state = player.observe(state, Decision(0, policy.sample(np.random.default_rng(0)), (), policy), 0.5)
    assert state.day == 1
    assert player.load(player.dump(state)).epoch == 40


def test_feedback_and_refusals() -> None:
    """The kind of feedback is the factory's; an epoch has at least one day; options are checked by the factory."""
    assert anytime(swap_combcp, MSets(4, 2), feedback="full", preset="multiscale").feedback == "full"
    with pytest.raises(InvalidInput, match="first_epoch"):
        anytime(swap_combcp, MSets(4, 2), first_epoch=0, preset="multiscale")
    with pytest.raises(InvalidInput, match="ingredients"):
        anytime(swap_combcp, MSets(4, 2), colour="red", preset="multiscale").start(np.random.default_rng(0))
