"""Joint actions, listed where they are few."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action
from swapregret.errors import TooLarge
from swapregret.policy import FinitePolicy

PROFILE_LIMIT = 200_000
"""How many joint actions are listed before a sentence says that there are too many."""


def other_profiles(action_sets: Sequence[ActionSet], player: int) -> Iterator[tuple[Action, ...]]:
    """Yield every joint action of the others; the player's own entry is its oracle's answer to nothing."""
    lists = [
        np.asarray(own.argmax(np.zeros(own.dimension)))[None, :] if index == player else own.enumerate(PROFILE_LIMIT)
        for index, own in enumerate(action_sets)
    ]
    _check(prod(len(rows) for rows in lists))
    return product(*lists)


def weighted_profiles(policies: Sequence[FinitePolicy], player: int) -> Iterator[tuple[tuple[Action, ...], float]]:
    """Yield the joint actions of the others under independent laws, with their probabilities."""
    laws = [(law.atoms[:1], np.ones(1)) if i == player else (law.atoms, law.weights) for i, law in enumerate(policies)]
    _check(prod(len(weights) for _, weights in laws))
    for places in product(*(range(len(weights)) for _, weights in laws)):
        chosen = tuple(rows[place] for (rows, _), place in zip(laws, places, strict=True))
        yield chosen, float(prod(weights[place] for (_, weights), place in zip(laws, places, strict=True)))


def _check(count: int) -> None:
    if count > PROFILE_LIMIT:
        raise TooLarge(
            f"at most {PROFILE_LIMIT:,} joint actions must be enough where they are listed",
            f"{count:,}",
            "Give the game `ranges` and `expected`, so that nothing needs to be listed.",
        )
