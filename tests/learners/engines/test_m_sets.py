"""Compiled blocks on m-sets."""

from functools import partial

import numpy as np
import pytest
from swapregret.learners.engines.between_turns import TurnEngine
from swapregret.learners.engines.m_sets import MSetEngine

from swapregret.actions.m_sets import MSets
from swapregret.environments.iid import iid
from swapregret.learners.engines.find import find_engine
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.play import play

ENGINE = partial(MSetEngine, keeps_laws=True)
DAILY = Schedule([1, 5, 25])
multiscale = partial(swap_combcp, preset="multiscale")


@pytest.mark.parametrize("size", [(2, 1), (5, 2), (10, 9), (70, 7)])
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, size: tuple[int, int], kind: str) -> None:
    """Daily updates, one decomposition or several: the same rewards, states, laws and generator, bit for bit."""
    actions = MSets(*size)
    agrees(ENGINE, multiscale(actions, 100, schedule=DAILY, exploration=0.3, variants=1), 60, kind)
    agrees(ENGINE, multiscale(actions, 100, schedule=DAILY, random_offset=True), 60, kind)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("windows", [[1, 4, 12], [8, 16, 64]])
def test_blocks_are_steps_with_any_feedback(agrees, feedback: str, windows: list[int]) -> None:
    """All kinds of feedback, with laws kept a day and with laws kept a window, where Σ is inverted."""
    agrees(ENGINE, multiscale(MSets(9, 3), 1000, schedule=Schedule(windows), feedback=feedback), 100)


def test_a_factor_for_a_day_is_left_out_where_iterating_is_faster() -> None:
    """From 81 elements with one decomposition, 151 with eight, and never where windows are longer."""
    for d, variants, windows, solver in (
        (81, 1, [1, 5, 25], "iterative"),
        (80, 1, [1, 5, 25], "auto"),
        (81, 8, [1, 5, 25], "auto"),
        (151, 8, [1, 5, 25], "iterative"),
        (81, 1, [4, 20], "auto"),
    ):
        player = multiscale(MSets(d, 8), 100, schedule=Schedule(windows), variants=variants, law="list")
        assert player.estimator.solver == solver
        assert MSetEngine.can_run(player)


@pytest.mark.parametrize("size", [(2, 1), (9, 4), (40, 31)])
@pytest.mark.parametrize("windows", [[1, 5, 25], [4, 8, 16, 32, 64, 128]])
def test_blocks_are_steps_of_chains(agrees, size: tuple[int, int], windows: list[int]) -> None:
    """Two laws or five, kept a day or through the cuts of blocks; iterated for, or with Σ factored."""
    for kind, solver in (("random", "iterative"), ("constant", "auto")):
        player = multiscale(MSets(*size), 200, schedule=Schedule(windows), law="chain", solver=solver, exploration=0.1)
        assert MSetEngine.can_run(player)
        agrees(ENGINE, player, 80, kind)


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_blocks_are_steps_of_chains_with_any_feedback(agrees, feedback: str) -> None:
    """Where Σ is not needed, chains only draw."""
    player = multiscale(MSets(9, 3), 1000, schedule=DAILY, feedback=feedback, law="chain")
    agrees(ENGINE, player, 40)


def test_large_sets_are_played_by_chains() -> None:
    """Above rank 400, and above 50 where windows begin below 4 days; not where Σ is not needed or not seen through."""
    large, middle = MSets(401, 40), MSets(60, 6)
    for actions, law, options in (
        (large, "chain", {}),
        (large, "list", {"law": "list"}),
        (large, "list", {"feedback": "semi-bandit"}),
        (large, "list", {"exploration": 0.0}),
        (large, "list", {"exploration_law": "spanner"}),
        (large, "list", {"solver": "dense"}),
        (MSets(400, 40), "list", {"schedule": Schedule([4, 16])}),
        (middle, "chain", {"schedule": DAILY}),
        (middle, "list", {"schedule": Schedule([4, 16])}),
        (MSets(50, 6), "list", {"schedule": DAILY}),
    ):
        player = multiscale(actions, 1000, **options)
        assert player.learners[0].law == law, options
        assert law == "list" or isinstance(find_engine(player), MSetEngine)


def test_ledgers_of_chains() -> None:
    """Exact where there are at most 10,000 sets; beyond, laws are entered by sampled play. Measuring changes no play."""
    for size, is_listed in (((52, 2), True), ((60, 6), False)):
        actions = MSets(*size)
        player, world = multiscale(actions, 40, schedule=DAILY), iid(actions, 40, rng=1)
        assert player.learners[0].law == "chain"
        measured = play(player, world, rng=0)
        assert ("sampled" in measured.swap_regret.definition) == (not is_listed)
        assert play(player, world, rng=0, measure="none").reward == measured.reward


@pytest.mark.parametrize("solver", ["dense", "inverse", "iterative"])
def test_blocks_are_steps_with_any_solver(agrees, solver: str) -> None:
    """Σ factored, inverted, and never made."""
    agrees(ENGINE, multiscale(MSets(30, 4), 100, schedule=DAILY, exploration=0.2, solver=solver), 40, "constant")


def test_the_iteration_agrees_with_the_factor() -> None:
    """Without a matrix the estimates are those of the dense solver to nine digits."""
    actions, rewards = MSets(40, 6), np.random.default_rng(0).random((30, 40)) / 6
    totals = []
    for solver in ("dense", "iterative"):
        player = multiscale(actions, 100, schedule=Schedule([40, 80]), exploration=0.1, solver=solver)
        rng = np.random.default_rng(1)
        totals.append(MSetEngine(player).run(player.start(rng), rng, rewards).state.total)
    assert np.abs(totals[0] - totals[1]).max() <= 1e-9 * np.abs(totals[0]).max()


def test_blocks_are_steps_with_the_papers_preset(agrees) -> None:
    """Scales with rates of their own, exploring on a spanner; one scale that does not explore."""
    agrees(ENGINE, swap_combcp(MSets(8, 3), 64, preset="paper"), 64)
    agrees(ENGINE, multiscale(MSets(5, 2), 64, schedule=Schedule.single(64), exploration=0.1), 40)


def test_what_the_engine_does_not_cover_has_another() -> None:
    """Warm restarts, one action only, and an iteration without uniform exploration turn in Python."""
    assert isinstance(find_engine(multiscale(MSets(5, 2), 1000)), MSetEngine)
    assert isinstance(find_engine(multiscale(MSets(5, 2), 1000), has_stopped=True), TurnEngine)
    assert isinstance(find_engine(multiscale(MSets(5, 2), 1000, warm_restarts=True)), TurnEngine)
    assert isinstance(find_engine(multiscale(MSets(3, 3), 1000)), TurnEngine)
    assert isinstance(find_engine(multiscale(MSets(5, 2), 1000, exploration=0.0, solver="iterative")), TurnEngine)
