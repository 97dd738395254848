"""What people see: one console for results, one for progress, and one way to report an error.

Text is never markup here. Whatever is printed, in a line, a cell, a title or a bar, goes through :func:`plain`; styles are given
beside the text, by ``style=`` or :func:`styled`. So a name cannot change colours, vanish as a tag, become an emoji or move the
cursor, whoever chose it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from swapregret.counts import excerpt
from swapregret.errors import SwapRegretError
from swapregret.extras import extra_of, missing_extra

__all__ = ["Words", "console", "emit_json", "plain", "progress_bar", "report_errors", "status_console", "styled"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and line feed, marks that reverse the direction of writing, halves of characters."""


def plain(value: object) -> str:
    r"""Return text that shows what it holds: a character that would act on the terminal is written as its code.

    Examples
    --------
    >>> plain("[/bold] :x: \x1b[31m")
    '[/bold] :x: \\x1b[31m'
    """
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), str(value))


def styled(*parts: str | tuple[str, str]) -> Text:
    """Return a line made of plain parts and of parts with a style.

    Examples
    --------
    >>> styled(("error", "bold red"), ": [x]").plain
    'error: [x]'
    """
    return Text.assemble(
        *(plain(part) if isinstance(part, str) else (plain(part[0]), part[1]) for part in parts),
        overflow="fold",
    )


class _PlainConsole(Console):
    """A console for which text is text."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Make what is printed of a string: every string that Rich shows comes by here."""
        return super().render_str(plain(text), **(options | {"markup": False, "emoji": False}))


console: Console = _PlainConsole()
"""Results, on standard output."""
status_console: Console = _PlainConsole(stderr=True)
for _made in (console, status_console):
    _made._width = None  # the width is that of the terminal now, not when this file was loaded

"""Progress and errors, on standard error, so that results can be piped."""


def emit_json(value: Any) -> None:
    """Print a value for machines."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


class Words(ProgressColumn):
    """What a bar says of its task: a field of the task, or its description."""

    def __init__(self, field: str = "", width: int = 0) -> None:
        super().__init__()
        self._field, self._width = field, width

    def render(self, task: Task) -> Text:
        """Return the words."""
        words = styled(str(task.fields[self._field]) if self._field else task.description)
        if self._width:
            words.truncate(self._width, overflow="ellipsis", pad=True)
        return words


def progress_bar() -> Progress:
    """Return a live bar with the time left; silent where standard error is not a terminal."""
    return Progress(
        Words(width=28),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=status_console,
        disable=not status_console.is_terminal,
    )


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn an error of the library, of a file or of memory into its sentence and exit status 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        said = f"{excerpt(error.filename, 300)}, {error.strerror}" if error.filename is not None else str(error)
        _fail(f"a file or folder given must be usable: got {said}. Check the path.")
    except (MemoryError, OverflowError) as error:
        _fail(f"what is asked must fit this machine: got {error or 'too little memory'}. Ask for less.")
    except RecursionError:
        _fail("what is given must not be nested so deeply: got hundreds of levels. Write it flatter.")
    except SwapRegretError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        if extra is None:
            raise
        _fail(str(missing_extra(extra, "this command", [str(error.name)])))


def _fail(sentence: str) -> NoReturn:
    status_console.print(styled(("error", "bold red"), f": {sentence}"))
    raise typer.Exit(2) from None
