"""Joint actions, listed where they are few."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from swapregret.errors import TooLarge

PROFILE_LIMIT = 200_000
"""How many joint actions are listed before a sentence says that there are too many."""


def check_profiles(lists: Sequence[Any], do: str) -> None:
    """Refuse lists with too many joint actions; ``do`` says what else can be done."""
    count = prod(len(each) for each in lists)
    if count > PROFILE_LIMIT:
        raise TooLarge(f"a game must have at most {PROFILE_LIMIT:,} joint actions to be listed", f"{count:,}", do)


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
