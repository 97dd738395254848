"""Which engine runs a competitor in compiled blocks."""

from typing import Any

from swapregret.learners.engines.listed import ListedEngine
from swapregret.learners.player import Player

__all__ = ["Engine", "find_engine", "is_whole"]

Engine = ListedEngine
"""What runs blocks of days."""


def find_engine(player: Player[Any], *, is_measured: bool = True, keeps_plays: bool = False) -> Engine | None:
    """Return an engine for a competitor, or None where its days must be stepped."""
    return ListedEngine(player, is_measured) if ListedEngine.can_run(player) else None


def is_whole(engine: Engine | None) -> bool:
    """Tell whether an engine runs whole blocks without the interpreter."""
    return engine is not None
