"""Writing a report: results in, one HTML file out."""

import os
from pathlib import Path

from swapregret.errors import InvalidInput
from swapregret.experiments.report.compare import compare
from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.page import render_page
from swapregret.storage import write_file

__all__ = ["write_comparison", "write_report"]


def write_report(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Write the report of an experiment as one HTML file that needs nothing from outside; return where it is.

    Parameters
    ----------
    folder : path
        A folder of results; runs that are missing are left out and counted on the page.
    out : path, optional
        The file to write; ``report.html`` in the folder if not given.
    """
    path = Path(folder) / "report.html" if out is None else Path(out)
    scenes, origin = gather(folder)
    write_file(path, render_page(scenes, origin).encode())
    return path


def write_comparison(
    first: str | os.PathLike[str], second: str | os.PathLike[str], out: str | os.PathLike[str] | None = None
) -> Path:
    """Write a report about two campaigns: their players side by side, and what changed; return where it is.

    Parameters
    ----------
    first, second : path
        Folders of results with at least one scene in common.
    out : path, optional
        The file to write; ``comparison.html`` in the second folder if not given.
    """
    if Path(first).resolve() == Path(second).resolve():
        raise InvalidInput("two campaigns must be two folders", f"{os.fspath(first)!r} twice", "Give another one.")
    (one, one_origin), (other, other_origin) = gather(first), gather(second)
    names = (one_origin.name, other_origin.name)
    if names[0] == names[1]:
        names = (Path(first).resolve().name, Path(second).resolve().name)
    if names[0] == names[1]:
        names = (os.fspath(first), os.fspath(second))
    seeds = (one_origin.facts.get("seed"), other_origin.facts.get("seed"))
    made = compare(one, other, names, is_paired=seeds[0] is not None and seeds[0] == seeds[1])
    path = Path(second) / "comparison.html" if out is None else Path(out)
    write_file(path, render_page(made.scenes, one_origin, comparison=made, others=[other_origin]).encode())
    return path
