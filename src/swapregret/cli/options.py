"""Options that several commands have, each written once: counts, seconds, action sets, presets, pages, JSON."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapregret.counts import MOST_REPLICATIONS, check_name, read_count, read_days, shown
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.registry import SPEC_FORMS

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

LARGEST_SEED = 2**63 - 1
MOST_JOBS = 4096
PRESET_NAMES = ("adaptive", "multiscale", "paper")
"""For the help, which must not wait for the library; a test compares them."""


def count(name: str, text: str, *, least: int = 1, most: int = 10**9) -> object:
    """Return an option that is a whole number, as people write it: 10000, 10_000 or 1e4."""
    return _option(name, text, lambda value: read_count(value, name, least, most))


def runs(name: str, text: str) -> object:
    """Return an option that is a number of runs."""
    return count(name, text, most=MOST_REPLICATIONS)


def days(name: str, text: str, *, least: int = 1) -> object:
    """Return an option that is a number of days."""
    return _option(name, text, lambda value: read_days(value, name, least))


def seconds(name: str, text: str, *, least: float = 0.001) -> object:
    """Return an option that is a number of seconds."""

    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number < math.inf:
            raise InvalidInput(
                f"`{name}` must be a number of seconds, at least {least:g}", shown(value), "Write e.g. 10."
            )
        return number

    return _option(name, text, read, "SECONDS")


def _option(name: str, text: str, read: Callable[[str], float], metavar: str = "COUNT") -> object:
    def parse(value: object) -> float:
        try:
            return read(str(value))
        except InvalidInput as error:
            raise typer.BadParameter(str(error)) from None

    return typer.Option(f"--{name}", parser=parse, metavar=metavar, help=text)


def page(name: str, text: str) -> object:
    """Return an option that is a file of HTML to write; what that takes is looked for before anything is measured."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            require_extra("experiments", f"`--{name}`", only="plotly")
            if not path.parent.is_dir() or path.is_dir():
                must = f"`--{name}` must be a file in a folder that is there"
                raise InvalidInput(must, shown(str(path), 300), "Make the folder first, or choose another.")
        return path

    return typer.Option(f"--{name}", help=text, callback=check)


def read_set(text: str) -> "ActionSet":
    """Make the action set of ``--set``; a misspelt word gets the one that was probably meant."""
    from swapregret.actions.set_specs import make_set

    return make_set(text)


def option(name: str, text: str) -> object:
    """Return an option that is a flag, a path, a text or a pair of numbers, as its type says."""
    return typer.Option(f"--{name}", help=text)


def choice(name: str, text: str, known: tuple[str, ...]) -> object:
    """Return an option that is one of some words; a misspelt one gets the one that was probably meant."""

    def parse(value: str) -> str:
        return check_name(value, known, name)

    help_text = f"{text}: {', '.join(known)}."
    return typer.Option(f"--{name}", metavar="NAME", help=help_text, callback=parse, autocompletion=lambda: list(known))


AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]
SeedOption = Annotated[int, count("seed", "Seed of everything random.", least=0, most=LARGEST_SEED)]
Jobs = Annotated[int, count("jobs", "Processes.", most=MOST_JOBS)]
SetSpec = Annotated[str, typer.Option("--set", metavar="SET", help="The action set: " + "; ".join(SPEC_FORMS) + ".")]
Preset = Annotated[str, choice("preset", "Which player", PRESET_NAMES)]
