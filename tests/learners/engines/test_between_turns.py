"""Masters that turn in Python, and the follower of the leader: days in blocks are days stepped."""

import numpy as np
import pytest
from swapregret.learners.engines.between_turns import TurnEngine

import swapregret as sr
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.leader import LeaderEngine

WINDOWS = {"preset": "multiscale", "schedule": sr.Schedule([2, 10, 50])}
SETS, ORDERS = sr.MSets(5, 2), sr.Permutations(3)
PATHS = sr.environments.shortcut_dag(2, 10).actions
EXPLICIT = sr.Explicit([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 1]])

MASTERS = [
    sr.swap_combcp(SETS, 200, warm_restarts=True, **WINDOWS),
    sr.swap_combcp(ORDERS, 200, warm_restarts=True, feedback="semi-bandit", **WINDOWS),
    sr.swap_combcp(PATHS, 200, warm_restarts=True, feedback="full", **WINDOWS),
    sr.swap_combcp(SETS, 200, exploration=0.0, solver="iterative", **WINDOWS),
    sr.swap_combcp(EXPLICIT, 200, **WINDOWS),
    sr.swap_comband(EXPLICIT, 200, **WINDOWS),
    sr.swap_comband(EXPLICIT, 200, feedback="semi-bandit", **WINDOWS),
]


@pytest.mark.parametrize("player", MASTERS, ids=lambda each: f"{type(each.learners[0]).__name__} {each.actions!r}")
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, player, kind: str) -> None:
    """Warm restarts, Gibbs laws, an iteration, sets without a family: the same rewards, laws, states and generator."""
    assert isinstance(find_engine(player), TurnEngine)
    agrees(TurnEngine, player, 110, kind)


def test_a_singular_sigma_is_recovered_from(agrees) -> None:
    """Where a law is too sure for Σ to be factored, blocks take the second way as often as steps do."""
    player = sr.swap_combcp(SETS, 400, exploration=0.0, preset="multiscale", schedule=sr.Schedule([1, 400]))
    agrees(TurnEngine, player, 300, "constant")
    rng, rewards = np.random.default_rng(1), np.tile(SETS.action_of([0, 1]) / 2.0, (300, 1))
    assert TurnEngine(player).run(player.start(rng), rng, rewards).state.n_recoveries > 0


@pytest.mark.parametrize("actions", [SETS, ORDERS, PATHS], ids=repr)
@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_the_leader_is_followed_in_leaps(agrees, actions, feedback: str, kind: str) -> None:
    """Days after a change of the leader are taken back: the same rewards, laws, scores and generator."""
    player = sr.baselines.follow_the_leader(actions, 300, feedback=feedback)
    assert isinstance(find_engine(player), LeaderEngine)
    agrees(LeaderEngine, player, 300, kind)
