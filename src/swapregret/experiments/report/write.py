"""Writing a report: results in, one HTML file out.

May touch: ``experiments.report``, ``storage``.
"""

import os
from pathlib import Path

from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.page import render_page
from swapregret.storage import write_file

__all__ = ["write_report"]


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
