"""What people see: one console for results, one for progress, tables and bars.

Text is never markup here. Whatever is printed, in a line, a cell, a title or a bar, goes through :func:`plain`; styles are given
beside the text, by ``style=`` or :func:`styled`. So a name cannot change colours, vanish as a tag, become an emoji or move the
cursor, whoever chose it.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import typer
from rich import progress
from rich.console import Console
from rich.table import Table
from rich.text import Text

_COUNT_SECONDS = 0.25
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
"""Progress and errors, on standard error, so that results can be piped."""
for _made in (console, status_console):
    _made._width = None  # the width is that of the terminal now, not when this file was loaded


def table_of(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str | Text]], *, left: int = 1, **look: Any
) -> Table:
    """Return a table whose first ``left`` columns are words and the others numbers; ``look`` is handed on to Rich."""
    table = Table(title=title or None, **look)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def emit_json(value: object) -> None:
    """Print a value for machines."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


class WordsColumn(progress.ProgressColumn):
    """What a bar says of its task: a field of the task, or its description."""

    def __init__(self, field: str = "", width: int = 0) -> None:
        super().__init__()
        self._field, self._width = field, width

    def render(self, task: progress.Task) -> Text:
        """Return the words."""
        words = styled(str(task.fields[self._field]) if self._field else task.description)
        if self._width:
            words.truncate(self._width, overflow="ellipsis", pad=True)
        return words


def progress_bar(*columns: progress.ProgressColumn, **look: Any) -> progress.Progress:
    """Return a live bar, with the time left unless told otherwise; silent where standard error is not a terminal."""
    left = (progress.TaskProgressColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
    shown = columns or (WordsColumn(width=28), progress.BarColumn(), *left)
    return progress.Progress(*shown, console=status_console, disable=not status_console.is_terminal, **look)


@contextmanager
def watch_compiling() -> Iterator[Callable[[], int]]:
    """Show how many functions were compiled since, by any process, until the block ends; yield what counts them."""
    from swapregret.compiled.announcing import announcer
    from swapregret.compiled.cache_place import compiled_files

    before, is_over, began = compiled_files(), Event(), time.perf_counter()
    spent = (progress.BarColumn(bar_width=20), progress.TimeElapsedColumn())
    bar = progress_bar(WordsColumn(), WordsColumn("count"), *spent, transient=True)

    def n_new() -> int:
        return len(compiled_files() - before)

    def show() -> None:
        while not is_over.wait(_COUNT_SECONDS):
            bar.update(task, count=f"{n_new()} functions")

    if not status_console.is_terminal:
        status_console.print("Compiling the inner loops, where that was not done before ...", style="dim")
    announcer.is_shown_elsewhere = True
    with bar:
        task = bar.add_task("Compiling, once", total=None, count="")
        watcher = Thread(target=show, daemon=True)
        watcher.start()
        try:
            yield n_new
        finally:
            is_over.set()
            watcher.join()
            announcer.is_shown_elsewhere = False
    status_console.print(f"{n_new()} functions compiled in {time.perf_counter() - began:.0f} s.", style="dim")
