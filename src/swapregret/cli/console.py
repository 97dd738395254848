"""What people see: one console for results, one for progress, and one way to report an error.

May touch: Rich, ``errors``, ``extras``.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from swapregret.errors import SwapRegretError
from swapregret.extras import EXTRA_OF, missing

__all__ = ["console", "emit_json", "progress_bar", "report_errors", "status_console"]

console = Console()
"""Results, on standard output."""
status_console = Console(stderr=True)
"""Progress and errors, on standard error, so that results can be piped."""


def emit_json(value: Any) -> None:
    """Print a value for machines."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def progress_bar() -> Progress:
    """Return a live bar with the time left; silent where standard error is not a terminal."""
    return Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=status_console,
        disable=not status_console.is_terminal,
    )


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn an error of the library, or of a file, into its sentence and exit status 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        status_console.print(
            f"[bold red]error[/]: a file or folder given must be usable: got {error.filename}, {error.strerror}. "
            "Check the path.",
            highlight=False,
        )
        raise typer.Exit(2) from None
    except SwapRegretError as error:
        _refuse(error)
    except ModuleNotFoundError as error:
        if error.name not in EXTRA_OF:
            raise
        _refuse(missing(error.name, "run this command"))


def _refuse(error: SwapRegretError) -> NoReturn:
    """Print a sentence of the library as it is, brackets included, and exit."""
    status_console.print(f"[bold red]error[/]: {escape(str(error))}", highlight=False)
    raise typer.Exit(2) from None
