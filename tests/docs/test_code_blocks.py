"""Every Python block of the README and of the pages in docs runs as printed, and shows what its comments say.

A page is self-contained: its blocks run in order, in one fresh namespace and an empty folder. Two conventions of the pages are
kept by machine. A block after a sentence with "Save this as `name`" is saved under that name before anything runs. A line that
is an expression, or prints one, followed by a comment that opens with a bracket, must give what the comment says.
"""

import ast
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_blocks import BLOCK, Block, blocks_of

import swapregret as sr

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def run_block(block: Block, name: str, namespace: dict[str, Any]) -> None:
    """Run a block statement by statement, and hold expressions to the comments behind them."""
    lines = block.text.splitlines()
    for statement in ast.parse(block.text).body:
        comment = _comment(lines, statement)
        ast.increment_lineno(statement, block.line)
        if comment is None or not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), name, "exec"), namespace)
            continue
        value, show = statement.value, repr
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
            (value,), show = value.args, str
        shown = " ".join(show(eval(compile(ast.Expression(value), name, "eval"), namespace)).split())
        assert comment.startswith(shown), f"{name}:{statement.lineno} says {comment!r} and gives {shown!r}"


def _comment(lines: list[str], statement: ast.stmt) -> str | None:
    """Return the comment behind a statement, if it opens with a bracket and so stands for a value."""
    assert statement.end_lineno is not None
    rest = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :].decode().strip()
    found = re.match(r"#\s*([(\[].*)", rest)
    return " ".join(found[1].split()) if found else None


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of a page run in order, from nothing but the page."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for block in blocks:
        if block.saved_as:
            (tmp_path / block.saved_as).write_text(block.text, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    known = set(sys.modules)
    try:
        for block in blocks:
            if block.language == "python":
                run_block(block, str(page.relative_to(ROOT)), namespace)
    finally:
        for name in set(sys.modules) - known:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == tmp_path:
                del sys.modules[name]
    if page.parent.name == "gallery":
        assert list(tmp_path.iterdir()) == [], "what a page leaves behind is in the way when it runs again"


def test_the_block_of_scikit_learn_runs() -> None:
    """The pipeline of the page on contexts fits what the page has fitted before, and names a context."""
    pytest.importorskip("sklearn")
    page = (ROOT / "docs" / "how_to" / "make_contexts.md").read_text("utf-8")
    (block,) = (each for each in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if "sklearn" in each)
    session = sr.Session(sr.swap_combcp(sr.MSets(4, 2), 100), rng=1)
    past = np.random.default_rng(1).normal(size=(200, 4))
    names: dict[str, Any] = {"past": past, "features": past[0], "session": session}
    exec(block, names)
    assert names["decision"].context in range(8)


def test_every_set_has_a_page_with_an_example() -> None:
    """Each page on a set has a Python block, and the index links to every page."""
    folder = ROOT / "docs" / "sets"
    index = (folder / "README.md").read_text(encoding="utf-8")
    for page in sorted(folder.glob("*.md")):
        assert any(block.language == "python" for block in blocks_of(page.read_text(encoding="utf-8"))), page.name
        assert page.name == "README.md" or f"]({page.name})" in index, page.name


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """A relative link of a page is a file of the project."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_a_wrong_comment_and_a_wrong_block_are_found() -> None:
    """The runner fails where a page says something else than what comes out, and where a block raises."""
    run_block(Block("python", "x = 1\nx, 2  # (1, 2): right\n", 1, None), "page", {})
    with pytest.raises(AssertionError, match=r"page:3 says '\(1, 3\)' and gives '\(1, 2\)'"):
        run_block(Block("python", "x = 1\nprint((x, 2))  # (1, 3)\n", 1, None), "page", {})
    with pytest.raises(NameError):
        run_block(Block("python", "y\n", 1, None), "page", {})
    (block,) = blocks_of("Save this as `a.csv`:\n\n```csv\n1\n```\n")
    assert (block.language, block.text, block.line, block.saved_as) == ("csv", "1\n", 3, "a.csv")


def test_one_round_names_files_and_functions_that_exist() -> None:
    """The page that follows a day through the code is left behind by no change of a name."""
    names = re.findall(r"`([^`\n]+)`", (ROOT / "docs" / "one_round.md").read_text(encoding="utf-8"))
    files = {path.relative_to(ROOT / "src").as_posix(): path for path in (ROOT / "src").rglob("*.py")}
    code = "\n".join(path.read_text(encoding="utf-8") for path in files.values())
    paths = {name for name in names if name.endswith(".py")}
    functions = {name for name in names if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", name)}
    assert min(len(paths), len(functions)) > 10
    assert {name for name in paths if not any(file.endswith(f"/{name}") for file in files)} == set()
    assert {name for name in functions if not re.search(rf"def {name}\b", code)} == set()
