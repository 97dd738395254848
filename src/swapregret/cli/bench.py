"""``swapregret bench``: how fast it is, here."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from swapregret.cli.console import console, emit_json, report_errors, status_console, styled
from swapregret.cli.options import AsJson

if TYPE_CHECKING:
    from swapregret.experiments.bench.sheets import Sheet

__all__ = ["bench"]

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rounds, without the largest sets: a minute or two.")
    ] = False,
    seconds: Annotated[float | None, typer.Option(help="Processor time for each figure of rounds and growth.")] = None,
    write: Annotated[
        Path | None, typer.Option(help="A page whose measured tables are rewritten, such as docs/performance.md.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure sessions, games, own sets, rounds per second, growth, memory and peers on this machine.

    Everything but sessions and starts is processor time of one core, with one thread of linear algebra; ratios are
    to a plain NumPy version of the same learner, run in the same process.

    Example: swapregret bench --quick
    """
    if os.environ.get("OMP_NUM_THREADS") != "1":  # read when NumPy is loaded, so it takes a process of its own
        options = [*(["--quick"] if quick else []), *(["--json"] if as_json else [])]
        options += ["--seconds", str(seconds)] if seconds is not None else []
        options += ["--write", str(write)] if write is not None else []
        command = [sys.executable, "-c", "from swapregret.cli import app; app()", "bench", *options]
        raise typer.Exit(subprocess.run(command, env=os.environ | _ONE_THREAD, check=False).returncode)
    with report_errors():
        from swapregret.experiments.bench.run_bench import run_bench
        from swapregret.experiments.bench.sheets import describe, read_page, sheets, write_page

        if write is not None:
            read_page(write)  # a page that cannot be written is found before the minutes of measuring
        if status_console.is_terminal:
            with status_console.status("measuring ...") as status:
                result = run_bench(quick=quick, seconds=seconds, progress=lambda what: status.update(styled(what)))
        else:
            result = run_bench(quick=quick, seconds=seconds)
        if write is not None:
            write_page(write, result)
    if as_json:
        emit_json(result.as_dict())
        return
    console.print(describe(result))
    for sheet in sheets(result):
        console.print(_table(sheet))


def _table(sheet: "Sheet") -> Table:
    table = Table(title=sheet.title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(sheet.headings[0], no_wrap=True)
    for heading in sheet.headings[1:]:
        table.add_column(heading, justify="right", overflow="fold")
    for row in sheet.rows:
        table.add_row(*row)
    return table
