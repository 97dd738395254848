"""Compiled blocks of Exp3 and Tsallis-INF."""

import pytest

from swapregret.actions.m_sets import MSets
from swapregret.actions.permutations import Permutations
from swapregret.learners.baselines.exp3 import exp3
from swapregret.learners.baselines.tsallis_inf import tsallis_inf
from swapregret.learners.engines.find import find_engine
from swapregret.learners.engines.scores import ScoreEngine

PLAYERS = [
    exp3(MSets(5, 2), 200),
    exp3(MSets(5, 2), 200, learning_rate=20.0, exploration=0.1, baseline=0.0),
    exp3(MSets(3, 3), 200),
    exp3(Permutations(4), 200, learning_rate=50.0),
    tsallis_inf(MSets(5, 2), 200),
    tsallis_inf(Permutations(3), 200, is_variance_reduced=True),
]


@pytest.mark.parametrize("player", PLAYERS, ids=lambda player: f"{type(player).__name__} {player.actions!r}")
@pytest.mark.parametrize("kind", ["random", "constant"])
def test_blocks_are_steps(agrees, player, kind: str) -> None:
    """Spread and concentrated weights, lifted ones among them: the same rewards, scores and generator, bit for bit."""
    agrees(ScoreEngine, player, 150, kind, has_laws=False)


def test_laws_are_not_kept() -> None:
    """Where laws are measured the days are stepped, and so they are with full feedback."""
    assert isinstance(find_engine(PLAYERS[0], is_measured=False), ScoreEngine)
    assert find_engine(PLAYERS[0], is_measured=True) is None
    assert find_engine(exp3(MSets(5, 2), 200, feedback="full"), is_measured=False) is None
