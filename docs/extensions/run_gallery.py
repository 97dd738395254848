"""Run the pages of the gallery while the site is built: what their blocks print and show stands below them.

A page is Markdown with blocks of Python that run in order, as cells of a notebook do; the value of a last expression is shown. Each
page is also written as a notebook. It runs in an empty folder of its own, so that a second build finds nothing of the first.
Figures are drawn by the Plotly that is installed, copied into the site once.
"""

import ast
import io
import json
from contextlib import chdir, redirect_stdout
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import plotly
from page_blocks import BLOCK

FOLDER = "gallery/"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


def is_run(page: str) -> bool:
    """Tell whether a page of the site is one of the gallery."""
    return page.startswith(FOLDER) and page != f"{FOLDER}README"


def run_cell(text: str, name: str, namespace: dict[str, Any]) -> tuple[str, Any]:
    """Run a block; return what it printed, and the value of the expression it ends with."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        value = (
            eval(compile(ast.Expression(last.value), name, "eval"), namespace) if isinstance(last, ast.Expr) else None
        )
    return printed.getvalue(), value


def shown(printed: str, value: Any, place: str) -> str:
    """Return as HTML what a notebook would show below a cell."""
    parts = [f"<pre>{escape(printed)}</pre>"] if printed else []
    if hasattr(value, "to_plotly_json"):
        parts.append(
            value.to_html(
                full_html=False,
                include_plotlyjs=False,
                div_id=place,
                config={"responsive": True, "displayModeBar": False},
            )
        )
    elif value is not None:
        parts.append(value._repr_html_() if hasattr(value, "_repr_html_") else f"<pre>{escape(repr(value))}</pre>")
    return '<div class="shown">' + "".join(parts) + "</div>" if parts else ""


def run_page(app: Any, page: str, source: list[str]) -> None:
    """Put below each block of a page of the gallery what it shows."""
    if not is_run(page):
        return
    name = page.removeprefix(FOLDER)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    written, end = ['```{raw} html\n<script src="../_static/plotly.min.js"></script>\n```\n\n'], 0
    with TemporaryDirectory() as folder, chdir(folder):
        for number, block in enumerate(BLOCK.finditer(source[0])):
            cell = run_cell(block[2], f"{page}.md", namespace) if block[1] == "python" else ("", None)
            markup = shown(*cell, f"{name}-{number}")
            written += [source[0][end : block.end()], f"\n\n```{{raw}} html\n{markup}\n```\n" if markup else ""]
            end = block.end()
    link = f'<p><a href="{name}.ipynb" download>This page as a notebook</a></p>'
    app.env.gallery_notebooks = getattr(app.env, "gallery_notebooks", {}) | {page: notebook(source[0])}
    source[0] = "".join([*written, source[0][end:], f"\n\n```{{raw}} html\n{link}\n```\n"])


def notebook(text: str) -> str:
    """Return a page as a notebook: the text between blocks as Markdown, the blocks of Python as code."""
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(text.split("```python\n")):
        code, _, prose = part.partition("```\n") if number else ("", "", part)
        for kind, content in (("code", code), ("markdown", prose)):
            if content.strip():
                more = {"execution_count": None, "outputs": []} if kind == "code" else {}
                cell_id = f"cell-{len(cells)}"
                cells.append({"cell_type": kind, "id": cell_id, "metadata": {}, "source": content.strip(), **more})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def write_notebooks(app: Any, error: Exception | None) -> None:
    """Write the notebooks beside the pages."""
    if error is None:
        for page, text in getattr(app.env, "gallery_notebooks", {}).items():
            Path(app.outdir, f"{page}.ipynb").write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx about what stands above."""
    app.connect("source-read", run_page)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": False}
