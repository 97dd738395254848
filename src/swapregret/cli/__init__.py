"""The command line: thin. Each command parses, calls the library, and prints through one console.

A command's module is imported when the command is asked for, or all of them for the list of commands. None of them imports
the library before it runs, so help never waits for what a command needs.
"""

import gc
import inspect
import re
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_command_from_info
from typer.models import CommandInfo

from swapregret import __version__
from swapregret.errors import InvalidInput

__all__ = ["COMMANDS", "app"]

gc.set_threshold(100_000)  # Numba makes as many objects that stay: do not go through them again and again meanwhile

COMMANDS = (
    *("demo", "init", "run", "results", "report", "plan", "audit", "table1", "counterexample", "game"),
    *("serve", "warm", "bench", "journal"),
)
"""In the order of the help; each is a function, or a Typer group, of the same name in a module of the same name."""
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(TyperGroup):
    """The commands above, each imported when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        found = getattr(import_module(f"swapregret.cli.{cmd_name}"), cmd_name)
        if isinstance(found, typer.Typer):  # a command with commands of its own
            return get_command(found)
        words = _LINE_BREAK.sub(" ", inspect.cleandoc(found.__doc__ or ""))  # a paragraph wraps where the terminal ends
        info = CommandInfo(name=cmd_name, callback=found, help=words, context_settings=_HELP)
        return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode="rich")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one was probably meant."""
        from swapregret.names import check_name

        if args and not args[0].startswith("-"):
            try:
                check_name(args[0], COMMANDS, "COMMAND")
            except InvalidInput as error:
                ctx.fail(str(error))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run, and tell wrong usage as every other error is told."""
        standalone_mode = options.pop("standalone_mode", True)
        try:
            status = super().main(*args, **(options | {"standalone_mode": False}))
        except Exception as error:  # wrong usage is known by its method, whichever package made it
            if not standalone_mode or not hasattr(error, "format_message"):
                raise
            _show_usage(error)
            status = getattr(error, "exit_code", 2)
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def _show_usage(error: Any) -> None:
    from swapregret.cli.console import status_console, styled

    context = getattr(error, "ctx", None)
    if not error.format_message():  # no arguments at all: the help was printed
        return
    status_console.print(styled(("error", "bold red"), f": {error.format_message()}"))
    if context is not None:
        status_console.print(f"{context.get_usage()}\n{context.command_path} --help explains.", style="dim")


app = typer.Typer(
    name="swapregret",
    cls=_Commands,
    help="Repeated combinatorial decisions with no swap regret.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings=_HELP,
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"swapregret {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", "-V", is_eager=True, callback=_tell_version, help="Print the version.")
    ] = False,
) -> None:
    """Repeated combinatorial decisions with no swap regret: learners, exact measurements, experiments."""
