"""The learner over affine maps: its map is one, its point is fixed, and its linear swap regret falls where others' does not."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, Unsupported

SETS = [
    sr.MSets(5, 2),
    sr.Permutations(3),
    sr.environments.shortcut_dag(2, 10).actions,
    sr.environments.decision_tree(2, 2, 2),
]


@pytest.mark.parametrize("actions", SETS, ids=repr)
def test_the_map_keeps_the_hull_and_the_point_stays(actions: sr.ActionSet) -> None:
    """Whatever the rewards were, the map takes every action into conv(A), and the point played is mapped onto itself."""
    player, rng = sr.baselines.linear_swap(actions, 400, window=5), np.random.default_rng(1)
    state = player.start(rng)
    session = sr.Session(player, rng=2)
    for _ in range(60):
        decision = session.act()
        rewards = rng.random(actions.dimension) / actions.size
        session.observe(rewards)
        state = player.observe(state, decision, rewards)
    assert np.abs(state.map @ state.point - state.point).max() <= 1e-5
    assert np.abs(state.played.marginals() - state.point).max() <= 1e-9
    for row in actions.enumerate():
        image = state.map @ row
        assert np.abs(actions.decompose(np.maximum(image, 0.0)).marginals() - image).max() <= 1e-7


@pytest.mark.parametrize("actions", SETS[:2], ids=repr)
def test_it_has_less_linear_swap_regret_than_a_single_learner(actions: sr.ActionSet) -> None:
    """In a world that moves in cycles a single learner follows what was best; the fixed point of a map does not."""
    horizon = 3_000
    world = sr.environments.cyclic(actions, horizon, rng=0)
    ours, single = (
        sr.play(player, world, rng=1).linear_swap_regret.value / horizon
        for player in (
            sr.baselines.linear_swap(actions, horizon),
            sr.baselines.combcp(actions, horizon, feedback="full"),
        )
    )
    assert ours < 0.05
    assert ours < single


def test_what_it_cannot_do_is_refused() -> None:
    """It needs full feedback and a described hull."""
    with pytest.raises(InvalidInput, match="`feedback`"):
        sr.baselines.linear_swap(sr.MSets(4, 2), 100, feedback="bandit")
    with pytest.raises(Unsupported, match="whose hulls have few equations"):
        sr.baselines.linear_swap(sr.Explicit([[1, 0, 1], [0, 1, 1]]), 100)
