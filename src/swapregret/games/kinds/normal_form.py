"""The enumerated normal form of a game that has one, and the joint law of a play over it: the independent check."""

import numpy as np
import numpy.typing as npt

from swapregret.boundary import refuses
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.payoffs import Game
from swapregret.games.profiles import PROFILE_LIMIT, check_profiles, one_for, profiles


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
    check_profiles(lists, "Work with plays and certificates, which need no list.")
    tables = np.empty((game.n_players, *map(len, lists)))
    for player in range(game.n_players):
        for places, profile in profiles(one_for(player, lists)):
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
