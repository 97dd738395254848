"""The enumerated normal form of a game that has one, and joint actions, listed where they are few: the independent check."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from swapregret.arguments import Count, checked
from swapregret.errors import TooLarge
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.payoffs import Game

PROFILE_LIMIT = 200_000
"""How many joint actions are listed before a sentence says that there are too many."""


def check_profiles(lists: Sequence[Any], do: str, limit: int = PROFILE_LIMIT) -> None:
    """Refuse lists with too many joint actions; ``do`` says what else can be done."""
    count = prod(len(each) for each in lists)
    if count > limit:
        raise TooLarge(f"a game must have at most {limit:,} joint actions to be listed", f"{count:,}", do)


def profiles(lists: Sequence[Any]) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
    """Yield every joint action, one of each list: where they are in the lists, and the actions.

    Examples
    --------
    >>> list(profiles(["ab", "c"]))
    [((0, 0), ('a', 'c')), ((1, 0), ('b', 'c'))]
    """
    for places in product(*(range(len(each)) for each in lists)):
        yield places, tuple(each[place] for each, place in zip(lists, places, strict=True))


def one_for(player: int, lists: Sequence[Any]) -> list[Any]:
    """Return the lists with one action left for the player: whose own does not matter."""
    return [each[:1] if index == player else each for index, each in enumerate(lists)]


@checked
def normal_form(game: Game, *, limit: Count = PROFILE_LIMIT) -> MatrixGame:
    """Return the game with every action of every player listed, in the order of ``enumerate``.

    Payoffs come from ``payoff_vector`` alone, profile by profile, so nothing that expectations assume enters.

    Parameters
    ----------
    game : Game
    limit : int
        With more joint actions the game is refused.

    Examples
    --------
    >>> from swapregret.games import ShapleyGame
    >>> normal_form(ShapleyGame(3, 1)).tables[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    lists = [actions.enumerate(limit) for actions in game.action_sets]
    check_profiles(lists, "Work with plays and certificates, which need no list.", limit)
    tables = np.empty((game.n_players, *map(len, lists)))
    for player in range(game.n_players):
        for places, profile in profiles(one_for(player, lists)):
            cell: list[slice | int] = list(places)
            cell[player] = slice(None)
            tables[(player, *cell)] = lists[player] @ game.payoff_vector(player, profile)
    labels = [[game.describe(player, row) for row in rows] for player, rows in enumerate(lists)]
    return MatrixGame(list(tables), labels=labels, names=game.names)
