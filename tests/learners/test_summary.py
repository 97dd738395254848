"""What a player says of itself, against direct computation."""

from functools import partial

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.learners import presets
from swapregret.learners.baselines import uniform
from swapregret.learners.doubling import anytime
from swapregret.learners.player import Decision
from swapregret.learners.schedule import Schedule, count_ending
from swapregret.learners.summary import summarise
from swapregret.testing.player_checks import state_of

swap_combcp = partial(presets.swap_combcp, preset="multiscale")


@pytest.mark.parametrize("seed", range(3))
def test_next_updates_and_restarts_are_those_of_the_calendar(seed: int) -> None:
    """Counting days down from the summary meets the first day on which the calendar acts."""
    master = swap_combcp(MSets(5, 2), 100, schedule=Schedule([2, 6, 18]), preset="multiscale")
    state = master.start(np.random.default_rng(seed))
    windows, offset = np.array(master.schedule.windows), int(state.state.tally.offset[0])
    n_ending = [count_ending(windows, day + 1 + offset) for day in range(65)]
    rng = np.random.default_rng(1)
    for day in range(25):
        summary = summarise(master, state)
        assert summary is not None
        for scale in summary.scales:
            ends = [t for t in range(day, day + 40) if n_ending[t] >= scale.scale]
            restarts = [t for t in range(day, day + 40) if n_ending[t] > scale.scale]
            assert scale.next_update == ends[0] - day + 1
            assert scale.next_restart == restarts[0] - day + 1
            assert (scale.update_every, scale.restart_every) == master.schedule.windows[
                scale.scale - 1 : scale.scale + 1
            ]
        policy = master.policy(state)
        state = master.observe(state, Decision(day, policy.sample(rng), (), policy), float(rng.random()))


@pytest.mark.parametrize(
    "actions", [MSets(5, 2), MSets(3, 3), Explicit([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]])], ids=repr
)
def test_eigenvalues_and_regret(actions: MSets) -> None:
    """λ_min and the condition are those of Σ on the span; the regret is the best action's estimate minus what came in."""
    master = swap_combcp(actions, 100, schedule=Schedule([2, 6, 18]), preset="multiscale")
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    earned = 0.0
    for day in range(9):
        policy = master.policy(state)
        reward = float(rng.random())
        earned += reward
        state = master.observe(state, Decision(day, policy.sample(rng), (), policy), reward)
    summary = summarise(master, state)
    assert summary is not None
    values = np.linalg.eigvalsh(master.policy(state).cooccurrence())[-actions.rank :]
    assert summary.smallest_eigenvalue == pytest.approx(values[0], rel=1e-6)
    assert summary.condition == pytest.approx(values[-1] / values[0], rel=1e-6)
    best = max(float(row @ state.estimated_total()) for row in actions.enumerate())
    assert summary.estimated_external_regret == pytest.approx(best - earned)
    assert summary.n_recoveries == 0


def test_a_policy_that_shows_too_little_has_infinite_condition() -> None:
    """Without exploration and with one decomposition Σ is singular; the summary says so and does not fail."""
    master = swap_combcp(MSets(6, 2), 10, exploration=0.0, variants=1, random_offset=False, preset="multiscale")
    summary = summarise(master, master.start(np.random.default_rng(0)))
    assert summary is not None
    assert summary.smallest_eigenvalue == 0.0
    assert summary.condition == float("inf")


def test_other_players() -> None:
    """The doubling trick shows the player of its epoch; players without scales have no summary; no matrix above rank 400."""
    player = anytime(swap_combcp, MSets(5, 2), first_epoch=10, preset="multiscale")
    summary = summarise(player, player.start(np.random.default_rng(0)))
    assert summary is not None
    assert len(summary.scales) == swap_combcp(MSets(5, 2), 10, preset="multiscale").n_scales
    still = uniform(MSets(5, 2))
    assert summarise(still, still.start(np.random.default_rng(0))) is None
    large = swap_combcp(MSets(401, 2), 10, variants=1, preset="multiscale")
    wide = summarise(large, large.start(np.random.default_rng(0)))
    assert wide is not None
    assert wide.smallest_eigenvalue is None
    assert wide.condition is None


@pytest.mark.parametrize(
    ("preset", "feedback"),
    [
        ("adaptive", "bandit"),
        ("adaptive", "semi-bandit"),
        ("ladder", "bandit"),
        ("multiscale", "bandit"),
        ("paper", "bandit"),
    ],
)
def test_members_are_what_is_mixed(preset: str, feedback: str) -> None:
    """Every slot of the mixture has a name, and those that are drawn have the weights of the policy's parts."""
    session = sr.Session(swap_combcp(MSets(5, 2), 1000, preset=preset, feedback=feedback), rng=3)  # type: ignore[arg-type]
    for day in range(40):
        session.act()
        session.observe(day % 3 / 2 if feedback == "bandit" else [day % 3 / 4] * 2)
    summary = session.summary().player
    assert summary is not None
    assert len({each.name for each in summary.members}) == state_of(session).state.mix.weights.size
    drawn = [each.weight for each in summary.members if each.weight > 0.0]
    policy = session.policy()
    assert isinstance(policy, sr.Mixture)
    assert drawn == pytest.approx(policy.component_weights.tolist(), abs=1e-12)
    assert summary.members[-1].name == "exploration"
