"""``swapregret report``: the results of an experiment as one page."""

from pathlib import Path
from typing import Annotated

import typer

from swapregret.cli.console import console, emit_json, report_errors
from swapregret.extras import require_extra

__all__ = ["report"]


def report(
    folder: Annotated[Path, typer.Argument(help="The folder that `swapregret run` wrote.", metavar="DIR")],
    other: Annotated[Path | None, typer.Argument(help="Another one to compare with it.", metavar="[DIR]")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; report.html in DIR (or comparison.html) if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the path and size as JSON.")] = False,
) -> None:
    """Write a report: figures, tables, definitions and how to make them again, in one HTML file that needs no network.

    With two folders, the report compares them: what changed for each player, with the uncertainty of the difference.

    Example: swapregret report results --out report.html
    """
    with report_errors():
        require_extra("experiments", "`swapregret report`")
        from swapregret.experiments.report.write import write_comparison, write_report

        path = write_report(folder, out) if other is None else write_comparison(folder, other, out)
        size = path.stat().st_size
        if as_json:
            emit_json({"report": str(path), "bytes": size})
        else:
            console.print(f"{path}: {size / 1e6:.1f} MB, opens in any browser", soft_wrap=True)
