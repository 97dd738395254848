"""Room for lists that are saved with the state they belong to."""

from functools import singledispatch
from typing import Any

from swapregret.actions.listed_laws import listed_room

__all__ = ["list_room"]


@singledispatch
def list_room(family: Any, n_slots: int, n_atoms: int) -> Any:
    """Return room for so many lists of so many actions each, by the class of the family; μ is in the last slot.

    A family may add fields of its own beside them, which are saved too: what its lists are made from.
    """
    return listed_room(family, n_slots, n_atoms)
