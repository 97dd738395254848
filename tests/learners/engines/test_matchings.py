"""Compiled blocks on permutations and truncated permutations."""

from functools import partial

import numpy as np
import pytest
from swapregret.learners.engines.matchings import MatchingEngine

from swapregret.actions.permutations import Permutations
from swapregret.actions.truncated_permutations import TruncatedPermutations
from swapregret.errors import NotConverged, SwapRegretError
from swapregret.geometry.solve import DenseSolver, IterativeSolver
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.policy import mix

ENGINE = partial(MatchingEngine, keeps_laws=True)
SETS = [Permutations(2), Permutations(4), Permutations(7), TruncatedPermutations(3, 5), TruncatedPermutations(1, 4)]
DAILY = Schedule([1, 5, 25])


@pytest.mark.parametrize("actions", SETS, ids=repr)
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, actions, kind: str) -> None:
    """Daily updates, one decomposition or several: the same rewards, states, laws and generator, bit for bit."""
    agrees(
        ENGINE, swap_combcp(actions, 100, preset="multiscale", schedule=DAILY, exploration=0.3, variants=1), 60, kind
    )
    agrees(ENGINE, swap_combcp(actions, 100, preset="multiscale", schedule=DAILY, random_offset=True), 60, kind)


@pytest.mark.parametrize("n", [2, 4, 7])
def test_blocks_are_steps_without_a_matrix(agrees, n: int) -> None:
    """With Σ⁺M iterated for, too: the same bits with one decomposition or several, spread out or concentrated."""
    for kind in ("random", "constant"):
        for chosen in ({"exploration": 0.3, "variants": 1}, {"random_offset": True}):
            player = swap_combcp(
                Permutations(n), 100, preset="multiscale", schedule=DAILY, solver="iterative", **chosen
            )
            assert MatchingEngine.can_run(player)
            agrees(ENGINE, player, 60, kind)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
def test_lists_are_solved_as_a_matrix_would_be(spread: float) -> None:
    """Σ⁺M by the iteration gives every action the same estimate as the factored matrix."""
    actions, rng = Permutations(6), np.random.default_rng(0)
    points = [actions.kl_project(spread * rng.normal(size=36)).point for _ in range(3)]
    law = mix([*(actions.decompose(point) for point in points), actions.uniform_policy()], [0.2, 0.2, 0.3, 0.3])
    dense, free = DenseSolver(law, actions.span), IterativeSolver(law)
    for _ in range(5):
        action = law.sample(rng)
        expected = actions.span.project(dense.solve(action))
        assert np.abs(actions.span.project(free.solve(action)) - expected).max() <= 1e-8 * np.abs(expected).max()
        assert not free.has_recovered


def test_large_sets_need_no_matrix() -> None:
    """Permutations of 15 things and more are iterated for where laws last less than four days, and run compiled."""
    for n, windows, solver in ((15, [1, 5, 25], "iterative"), (14, [1, 5, 25], "auto"), (15, [4, 20], "auto")):
        player = swap_combcp(Permutations(n), 100, preset="multiscale", schedule=Schedule(windows), variants=1)
        assert player.estimator.solver == solver
        assert MatchingEngine.can_run(player)
    many = swap_combcp(Permutations(15), 100, preset="multiscale", schedule=DAILY, variants=8)
    assert many.estimator.solver == "auto"


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("windows", [[1, 4, 12], [8, 16, 64]])
def test_blocks_are_steps_with_any_feedback(agrees, feedback: str, windows: list[int]) -> None:
    """All kinds of feedback, with laws kept a day and with laws kept a window, where Σ is inverted."""
    player = swap_combcp(Permutations(4), 1000, preset="multiscale", schedule=Schedule(windows), feedback=feedback)
    agrees(ENGINE, player, 100)


def test_blocks_are_steps_with_the_papers_preset(agrees) -> None:
    """Scales with rates of their own, exploring on a spanner; one scale that does not explore."""
    agrees(ENGINE, swap_combcp(Permutations(4), 64, preset="paper"), 64)
    agrees(
        ENGINE, swap_combcp(Permutations(3), 64, preset="multiscale", schedule=Schedule.single(64), exploration=0.1), 40
    )


def test_a_projection_that_fails_raises_what_stepping_raises() -> None:
    """Rates so large that log-weights have no digits left are refused in the same words."""
    from swapregret.learners.lazy import FixedRate

    player = swap_combcp(Permutations(3), 100, preset="multiscale", schedule=DAILY, rate=FixedRate(1e300))
    rng = np.random.default_rng(0)
    with pytest.raises(SwapRegretError) as caught:
        MatchingEngine(player).run(player.start(rng), rng, np.random.default_rng(1).random((50, 9)) / 3)
    assert not isinstance(caught.value, NotConverged) or "gap" in str(caught.value)
