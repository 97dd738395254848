"""The command line: thin. Each command parses, calls the library, and prints through one console.

A command's module is imported when the command is asked for, or all of them for the list of commands: one command never
waits for what another needs.

May touch: everything. Nothing imports it.
"""

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_command_from_info
from typer.models import CommandInfo

__all__ = ["COMMANDS", "app"]

gc.set_threshold(100_000)  # Numba makes as many objects that stay: do not go through them again and again meanwhile

COMMANDS = (
    "demo",
    "init",
    "run",
    "results",
    "report",
    "plan",
    "audit",
    "table1",
    "counterexample",
    "game",
    "serve",
    "bench",
    "journal",
)
"""In the order of the help; each is a function of the same name in a module of the same name."""


class _Commands(TyperGroup):
    """The commands above, each imported when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        settings: dict[str, Any] = {}
        try:
            function = getattr(import_module(f"swapregret.cli.{cmd_name}"), cmd_name)
        except ModuleNotFoundError as error:
            function = _refusing(error)
            settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        if isinstance(function, typer.Typer):  # a command with commands of its own
            return get_command(function)
        info = CommandInfo(name=cmd_name, callback=function, context_settings=settings)
        return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode="rich")


def _refusing(error: ModuleNotFoundError) -> Callable[[], None]:
    """Return a command that says which extra it needs; what no extra brings is raised as it is."""
    from swapregret.cli.console import report_errors
    from swapregret.extras import EXTRA_OF

    if error.name not in EXTRA_OF:
        raise error

    def refuse() -> None:
        with report_errors():
            raise error

    refuse.__doc__ = f"Not installed: pip install 'swapregret\\[{EXTRA_OF[error.name]}]'."
    return refuse


app = typer.Typer(
    name="swapregret",
    cls=_Commands,
    help="Repeated combinatorial decisions with no swap regret.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
)


@app.callback()
def main() -> None:
    """Repeated combinatorial decisions with no swap regret: learners, exact measurements, experiments."""
