"""Compiled blocks on spanning trees and forests."""

from functools import partial

import pytest
from swapregret.learners.engines.forests import ForestEngine

from swapregret.actions.forests import Forests
from swapregret.actions.spanning_trees import SpanningTrees
from swapregret.learners.engines.find import find_engine
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule

ENGINE = partial(ForestEngine, keeps_laws=True)
DAILY = Schedule([1, 5, 25])
BRIDGED = SpanningTrees([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 1)])
COMPLETE = SpanningTrees([(i, j) for j in range(6) for i in range(j)])
FEW = Forests([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)], size=2)
multiscale = partial(swap_combcp, preset="multiscale")


@pytest.mark.parametrize("actions", [BRIDGED, COMPLETE, FEW], ids=repr)
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, actions, kind: str) -> None:
    """Bridges, parallel edges, forests that leave vertices apart: the same bits, one decomposition or several."""
    agrees(ENGINE, multiscale(actions, 100, schedule=DAILY, exploration=0.3, variants=1), 40, kind)
    agrees(ENGINE, multiscale(actions, 100, schedule=DAILY, variants=3, random_offset=True), 40, kind)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_blocks_are_steps_with_any_feedback(agrees, feedback: str) -> None:
    """All kinds of feedback, with laws kept a window."""
    agrees(ENGINE, multiscale(BRIDGED, 1000, schedule=Schedule([4, 16, 64]), feedback=feedback), 80)


def test_blocks_are_steps_with_the_papers_preset(agrees) -> None:
    """Scales with rates of their own, exploring on a spanner."""
    agrees(ENGINE, swap_combcp(COMPLETE, 64, preset="paper"), 40)
    assert find_engine(swap_combcp(COMPLETE, 64, preset="paper")) is not None
