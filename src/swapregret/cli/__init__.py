"""The command line: thin. Each command parses, calls the library, and prints through one console; errors are told here.

A command's module is imported when the command is asked for, or all of them for the list of commands. None of them imports
the library before it runs, so help never waits for what a command needs.
"""

import gc
import inspect
import os
import re
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_command_from_info
from typer.models import CommandInfo

from swapregret import __version__
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.extras import extra_of, missing_extra

__all__ = ["COMMANDS", "app", "sentence_of"]

gc.set_threshold(100_000)  # Numba makes as many objects that stay: do not go through them again and again meanwhile

COMMANDS = {
    "demo": "play_commands",
    "init": "experiment_commands",
    "run": "experiment_commands",
    "results": "experiment_commands",
    "report": "experiment_commands",
    "plan": "plan_commands",
    "audit": "log_commands",
    "evaluate": "log_commands",
    "exploit": "paper_commands",
    "table1": "paper_commands",
    "counterexample": "paper_commands",
    "game": "play_commands",
    "serve": "service_commands",
    "warm": "plan_commands",
    "journal": "log_commands",
}
"""In the order of the help, each with its module, where it is a function, or a Typer group, of the same name."""
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_READER_GONE = 141
"""The status that a shell gives to a command which ends by a closed pipe."""
_HELP = {"help_option_names": ["-h", "--help"]}


class _Commands(TyperGroup):
    """The commands above, each imported when it is needed."""

    def list_commands(self, ctx: object) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        found = getattr(import_module(f"swapregret.cli.{COMMANDS[cmd_name]}"), cmd_name)
        if isinstance(found, typer.Typer):  # a command with commands of its own
            return get_command(found)
        words = _LINE_BREAK.sub(" ", inspect.cleandoc(found.__doc__ or ""))  # a paragraph wraps where the terminal ends
        info = CommandInfo(name=cmd_name, callback=found, help=words, context_settings=_HELP)
        return get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode="rich")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one was probably meant."""
        if args and not args[0].startswith("-"):
            try:
                check_name(args[0], COMMANDS, "COMMAND")
            except InvalidInput as error:
                ctx.fail(str(error))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run, and tell what goes wrong in one sentence, with exit status 2."""
        from swapregret.cli.console import status_console, styled

        standalone_mode = options.pop("standalone_mode", True)
        try:
            status = super().main(*args, **(options | {"standalone_mode": False}))
            sys.stdout.flush()
        except (Exception, SystemExit) as error:
            if _is_reader_gone(error):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed into nothing
                sys.exit(_READER_GONE)
            if isinstance(error, SystemExit):
                raise
            said = sentence_of(error)
            if not standalone_mode or said is None:
                raise
            if said:
                status_console.print(styled(("error", "bold red"), f": {said}"))
            context = getattr(error, "ctx", None)
            if said and context is not None:  # wrong usage
                status_console.print(f"{context.get_usage()}\n{context.command_path} --help explains.", style="dim")
            status = getattr(error, "exit_code", 2)
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def _is_reader_gone(error: BaseException) -> bool:
    """Tell whether a command ended because nobody reads what it prints any more, as after ``| head``."""
    if isinstance(error, SystemExit):  # of Rich, which has closed the output
        return isinstance(error.__context__, BrokenPipeError)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return True
    return False


def sentence_of(error: Exception) -> str | None:
    """Return how an error of usage, of the library, of a file or of memory is told; None if it is none of these.

    Examples
    --------
    >>> sentence_of(MemoryError())
    'what is asked must fit this machine: got too little memory. Ask for less.'
    """
    if hasattr(error, "format_message"):  # wrong usage, whichever package says so; empty where the help was printed
        return str(error.format_message())
    if isinstance(error, SwapRegretError):
        return str(error)
    if isinstance(error, OSError):
        said = f"{shown(error.filename, 300)}, {error.strerror}" if error.filename is not None else str(error)
        return f"a file or folder given must be usable: got {said}. Check the path."
    if isinstance(error, MemoryError | OverflowError):
        return f"what is asked must fit this machine: got {str(error) or 'too little memory'}. Ask for less."
    if isinstance(error, RecursionError):
        return "what is given must not be nested so deeply: got hundreds of levels. Write it flatter."
    missing = str(error.name) if isinstance(error, ModuleNotFoundError) else ""
    extra = extra_of(missing)
    return str(missing_extra(extra, "this command", [missing])) if extra is not None else None


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
