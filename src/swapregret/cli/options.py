"""Options that several commands have, each written once: counts, action sets, presets, JSON.

May touch: ``counts``, ``errors``, ``actions.spec``; the library, when a command runs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapregret.actions.spec import SPEC_FORMS
from swapregret.counts import LONGEST_HORIZON, read_count
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.actions.base import ActionSet

__all__ = ["MOST_JOBS", "PRESET_NAMES", "AsJson", "Preset", "Seed", "SetSpec", "count", "read_preset", "read_set"]

MOST_JOBS = 4096
PRESET_NAMES = ("adaptive", "multiscale", "paper")
"""For the help, which must not wait for the library; a test compares them."""


def count(name: str, text: str, *, least: int = 1, most: int = LONGEST_HORIZON, flag: str | None = None) -> Any:
    """Return an option that is a whole number, as people write it: 10000, 10_000 or 1e4."""
    return typer.Option(flag or f"--{name}", parser=_reader(name, least, most), metavar="COUNT", help=text)


def _reader(name: str, least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        try:
            return read_count(str(value), name, least, most)
        except InvalidInput as error:
            raise typer.BadParameter(str(error)) from None

    return read


def read_set(text: str) -> "ActionSet":
    """Make the action set of ``--set``; a misspelt word gets the one that was probably meant."""
    from swapregret.experiments.set_entries import make_set

    return make_set(text, Path())


def read_preset(name: str) -> str:
    """Return the preset of ``--preset``, or say which one was probably meant."""
    from swapregret.experiments.names import check_name

    return check_name(name, PRESET_NAMES, "preset")


AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]
Seed = Annotated[int, count("seed", "Seed of everything random.", least=0, most=2**63 - 1)]
SetSpec = Annotated[str, typer.Option("--set", metavar="SET", help="The action set: " + "; ".join(SPEC_FORMS) + ".")]
Preset = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"Which player: {', '.join(PRESET_NAMES)}.",
        autocompletion=lambda: list(PRESET_NAMES),
    ),
]
