"""Compiled blocks on paths and partitions."""

from functools import partial

import numpy as np
import pytest
from swapregret.learners.engines.paths import PathEngine

from swapregret.actions.dag_paths import DagPaths
from swapregret.actions.partitions import Partitions
from swapregret.environments.iid import iid
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import DenseSolver, IterativeSolver
from swapregret.learners.engines.find import find_engine
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.play import play
from swapregret.policy import mix

ENGINE = partial(PathEngine, keeps_laws=True)
DAILY = Schedule([1, 5, 25])
UNEVEN = DagPaths(
    [("s", "a"), ("b", "t"), ("x", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("s", "t")], source="s", sink="t"
)
SETS = [UNEVEN, Partitions(4, 3), Partitions(7, 4)]
multiscale = partial(swap_combcp, preset="multiscale")


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("kind", ["random", "constant"])
@pytest.mark.parametrize("law", ["list", "chain"])
def test_blocks_are_steps(agrees, actions, kind: str, law: str) -> None:
    """Lists with a factored Σ and chains without a matrix: the same rewards, states, laws and generator, bit for bit."""
    solver = "auto" if law == "list" else "iterative"
    for chosen in ({"exploration": 0.3, "variants": 1}, {"random_offset": True}):
        player = multiscale(actions, 100, schedule=DAILY, law=law, solver=solver, **chosen)
        agrees(ENGINE, player, 60, kind)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("law", ["list", "chain"])
def test_blocks_are_steps_with_any_feedback(agrees, feedback: str, law: str) -> None:
    """All kinds of feedback, with laws kept a window."""
    solver = "auto" if law == "list" else "iterative"
    player = multiscale(UNEVEN, 1000, schedule=Schedule([4, 16, 64]), feedback=feedback, law=law, solver=solver)
    agrees(ENGINE, player, 100)


def test_blocks_are_steps_with_the_papers_preset(agrees) -> None:
    """Scales with rates of their own, exploring on a spanner."""
    agrees(ENGINE, swap_combcp(Partitions(4, 3), 64, preset="paper"), 64)


def test_large_sets_play_chains_without_a_matrix() -> None:
    """Above rank 400 points are played by chains, and days run in compiled code; lists are to be had by name."""
    actions = Partitions(12, 8)
    player = multiscale(actions, 100)
    assert actions.rank > 400
    assert {learner.law for learner in player.learners} == {"chain"}
    assert find_engine(player) is not None
    assert {learner.law for learner in multiscale(actions, 100, law="list").learners} == {"list"}
    with pytest.raises(InvalidInput, match="Markov law"):
        multiscale(Partitions(3, 2, coordinates="compact"), 100, law="chain")
    with pytest.raises(InvalidInput, match="adaptive"):
        swap_combcp(UNEVEN, 100, preset="adaptive", law="chain")


def test_chains_are_chosen_where_a_factor_would_serve_too_few_days() -> None:
    """From rank 51 on, with bandit feedback and windows below four days; a list by name, and for the paper, as before."""
    actions = Partitions(7, 4)
    assert actions.rank == 64
    for windows, feedback, law in (
        ([1, 5, 25], "bandit", "chain"),
        ([3, 15], "bandit", "chain"),
        ([4, 16], "bandit", "list"),
        ([1, 5, 25], "full", "list"),
    ):
        player = multiscale(actions, 100, schedule=Schedule(windows), feedback=feedback)
        assert player.learners[0].law == law
        assert find_engine(player) is not None
    assert multiscale(actions, 100, schedule=DAILY, law="list").learners[0].law == "list"
    assert multiscale(actions, 100, schedule=DAILY, exploration_law="spanner").learners[0].law == "list"
    assert swap_combcp(actions, 64, preset="paper").learners[0].law == "list"


def test_ledgers_of_chains_are_exact_on_small_graphs() -> None:
    """With at most 10,000 paths a chain lists them: regrets are exact, and measuring changes nothing that is played."""
    actions = Partitions(7, 4)
    player = multiscale(actions, 40, schedule=DAILY)
    world = iid(actions, 40, rng=1)
    measured = play(player, world, rng=0)
    assert measured.swap_regret.is_exact
    assert "sampled" not in measured.swap_regret.definition
    bare = play(player, world, rng=0, measure="none")
    assert bare.reward == measured.reward
    law = player.start(np.random.default_rng(0)).mixture
    assert law.has_atoms
    rows = law.finite()
    np.testing.assert_allclose(rows.weights @ rows.atoms, law.marginals(), atol=1e-12)
    np.testing.assert_allclose((rows.atoms.T * rows.weights) @ rows.atoms, law.cooccurrence(), atol=1e-12)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
def test_chains_are_solved_as_a_matrix_would_be(spread: float) -> None:
    """Σ⁺M by the iteration gives every path the same estimate as the factored matrix."""
    actions, rng = Partitions(6, 4), np.random.default_rng(0)
    points = [actions.kl_project(spread * rng.normal(size=actions.dimension)).point for _ in range(5)]
    laws = [*(actions.markov_policy(point) for point in points), actions.exploration_policy()]
    law = mix(laws, [0.1, 0.2, 0.3, 0.05, 0.05, 0.3])
    dense, free = DenseSolver(law, actions.span), IterativeSolver(law)
    paths = actions.enumerate().astype(float)
    for _ in range(5):
        action = law.sample(rng)
        expected = paths @ dense.solve(action)
        assert np.abs(paths @ free.solve(action) - expected).max() <= 1e-7 * np.abs(expected).max()
        assert not free.has_recovered
