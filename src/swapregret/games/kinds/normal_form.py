"""The enumerated normal form of a game that has one, and the joint law of a play over it: the independent check."""

from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from swapregret.boundary import refuses
from swapregret.errors import TooLarge
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.payoffs import Game
from swapregret.games.profiles import PROFILE_LIMIT


@refuses
def normal_form(game: Game) -> MatrixGame:
    """Return the game with every action of every player listed, in the order of ``enumerate``.

    Payoffs come from ``payoff_vector`` alone, profile by profile, so nothing that expectations assume enters.

    Raises
    ------
    TooLarge
        If there are more than 200,000 joint actions.

    Examples
    --------
    >>> from swapregret.games.kinds.shapley import ShapleyGame
    >>> normal_form(ShapleyGame(3, 1)).tables[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    lists = [actions.enumerate(PROFILE_LIMIT) for actions in game.action_sets]
    shape = tuple(len(rows) for rows in lists)
    if prod(shape) > PROFILE_LIMIT:
        raise TooLarge(
            f"a game must have at most {PROFILE_LIMIT:,} joint actions to be listed",
            f"{prod(shape):,}",
            "Work with plays and certificates, which need no list.",
        )
    tables = np.empty((game.n_players, *shape))
    for player in range(game.n_players):
        others = [range(1) if index == player else range(count) for index, count in enumerate(shape)]
        for places in product(*others):
            profile = tuple(rows[place] for rows, place in zip(lists, places, strict=True))
            cell: list[slice | int] = list(places)
            cell[player] = slice(None)
            tables[(player, *cell)] = lists[player] @ game.payoff_vector(player, profile)
    labels = [[game.describe(player, row) for row in rows] for player, rows in enumerate(lists)]
    return MatrixGame(list(tables), labels=labels, names=game.names)


@refuses
def joint_law(play: CorrelatedPlay) -> npt.NDArray[np.float64]:
    """Return the probability of every joint action, one axis per player, in the order of ``enumerate``.

    Every law of the play must list its support, or give the probability of an action.
    """
    lists = [actions.enumerate(PROFILE_LIMIT) for actions in play.game.action_sets]
    total = np.zeros(tuple(len(rows) for rows in lists))
    for weight, laws in zip(play.weights, play.policies, strict=True):
        joint = np.array(weight)
        for law, rows in zip(laws, lists, strict=True):
            joint = np.multiply.outer(joint, law.probabilities(rows))
        total += joint
    return total
