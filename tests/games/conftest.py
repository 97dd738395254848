"""Small games of every kind, and plays over them."""

from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.games import (
    BlottoGame,
    CongestionGame,
    CorrelatedPlay,
    FunctionGame,
    Game,
    MatchingMarket,
    MatrixGame,
    RankingDuel,
    RoutingGame,
    SecurityGame,
    SequentialGame,
    ShapleyGame,
    affine_costs,
    bpr_costs,
    chicken,
)
from swapregret.policy import FinitePolicy

_DIAMOND = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]


_REPLY = [("yes", ("pay", [1.0, -0.5, 2.0])), ("no", ("pay", [-1.0, 0.5, 0.25]))]
_ASKED = ("move", 2, "asked", [("stop", ("pay", [0.0, 3.0, -1.0])), ("go", ("move", 1, "heard", _REPLY))])
_TREE = (
    "chance",
    [
        (0.25, ("move", 0, "sun", [("ask", _ASKED), ("wait", ("pay", [0.5, 0.5, 0.5]))])),
        (0.5, ("move", 0, "rain", [("ask", _ASKED), ("wait", ("move", 1, "silence", _REPLY))])),
        (0.25, ("pay", [0.1, 0.2, 0.3])),
    ],
)
"""Three players; some leaves are reached without a move of some of them."""


def small_games() -> dict[str, Game]:
    """Return one small game of every kind."""
    rng = np.random.default_rng(5)
    three = MatrixGame(list(rng.normal(size=(3, 2, 3, 2))))
    sets = [MSets(4, 2), MSets(3, 1)]
    tables = rng.random((4, 3))

    def pays(player: int, actions: Any) -> Any:
        return tables @ actions[1] if player == 0 else tables.T @ actions[0]

    return {
        "chicken": chicken(),
        "three": three,
        "shapley": ShapleyGame(7, 2),
        "blotto": BlottoGame((4, 3), [1.0, 2.0, 0.5], ties="first"),
        "blotto paths": BlottoGame((4, 3), 3, coordinates="path"),
        "affine routing": RoutingGame(
            _DIAMOND, affine_costs(rng.random(6), rng.random(6), 3), [("s", "t"), ("s", "t"), ("s", "b")]
        ),
        "bpr routing": RoutingGame(
            _DIAMOND, bpr_costs(rng.random(6), 1.0, 0.15, 4.0, 3), [("s", "t"), ("a", "t"), ("s", "t")]
        ),
        "congestion": CongestionGame([MSets(4, 2), MSets(4, 1), MSets(4, 2)], rng.random((4, 3)).cumsum(axis=1)),
        "security": SecurityGame(_DIAMOND, "s", "t", 2, worth=rng.random(6), toll=rng.random(6)),
        "ranking": RankingDuel([0.5, 0.3, 0.2], items="abc"),
        "matching": MatchingMarket([rng.random((2, 3)), rng.random((1, 3)), rng.random((3, 3))], rng.random((3, 3))),
        "function": FunctionGame(sets, pays),
        "sequential": SequentialGame(_TREE),
    }


GAMES = small_games()


def random_play(game: Game, seed: int, windows: int = 4) -> CorrelatedPlay:
    """Return a play of random policies with listed support."""
    rng = np.random.default_rng(seed)
    policies = []
    for _ in range(windows):
        row = []
        for actions in game.action_sets:
            rows = actions.enumerate()
            kept = rows[rng.permutation(len(rows))[: 1 + int(rng.integers(4))]]
            row.append(FinitePolicy(kept, rng.dirichlet(np.ones(len(kept)))))
        policies.append(tuple(row))
    return CorrelatedPlay(game, tuple(rng.integers(1, 6, windows).tolist()), tuple(policies))


@pytest.fixture(params=sorted(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    """Every kind of game, small."""
    return GAMES[request.param]


@pytest.fixture
def make_play() -> Any:
    """Hand out the maker of random plays."""
    return random_play
