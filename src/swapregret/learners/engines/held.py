"""A block of days of a competitor whose policy stays for many of them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from swapregret.arrays import Actions, Vector
from swapregret.policy import Policy

__all__ = ["HeldBlock", "Law"]


class Law(NamedTuple):
    """A policy that was played: from which day of the block on."""

    start: int
    policy: Policy


@dataclass(frozen=True, eq=False)
class HeldBlock:
    """A block of days, played.

    Attributes
    ----------
    state : object
        After the last day.
    received : Vector
        The reward of each day.
    plays : Actions
        The action of each day.
    laws : tuple of Law
        The policies that were played.
    """

    state: Any
    received: Vector
    plays: Actions
    laws: tuple[Law, ...]
