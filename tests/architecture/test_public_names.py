"""What is exported is what is documented, and every module introduces itself."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import swapregret
from swapregret.public import BY_NAME

ROOT = Path(swapregret.__file__).parent
API = Path(__file__).parents[2] / "docs" / "api.md"
MODULES = sorted(ROOT.rglob("*.py"))


def documented(text: str) -> set[str]:
    """Return the names a page documents: table rows that begin with | `name`, and headings ### name."""
    rows = re.findall(r"^\| `([\w.]+)`", text, flags=re.MULTILINE)
    headings = re.findall(r"^### `?([\w.]+)`?\s*$", text, flags=re.MULTILINE)
    return {*rows, *headings}


def exported() -> dict[str, Any]:
    """Return every public object under its dotted name below the package."""
    found: dict[str, Any] = {}
    for name in swapregret.__all__:
        found[name] = thing = getattr(swapregret, name)
        if isinstance(thing, ModuleType):
            found |= {f"{name}.{inner}": getattr(thing, inner) for inner in thing.__all__}
    for module, names in BY_NAME.items():
        found |= {f"{module}.{name}": getattr(import_module(f"swapregret.{module}"), name) for name in names.split()}
    return found


def imported(page: str) -> set[str]:
    """Return what the blocks of Python of a page import from modules of the package."""
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    found = re.findall(r"^from swapregret\.([\w.]+) import ([\w, ]+)", code, re.MULTILINE)
    return {f"{module}.{name.strip()}" for module, names in found for name in names.split(",")}


def undocumented(things: dict[str, Any]) -> list[str]:
    """Return the public objects, methods and properties that have no docstring."""
    found = []
    for name, thing in things.items():
        if not inspect.getdoc(thing):
            found.append(name)
        if inspect.isclass(thing) and thing.__module__.startswith("swapregret"):
            for member, value in vars(thing).items():
                is_public = not member.startswith("_") and (callable(value) or isinstance(value, property))
                if is_public and not inspect.getdoc(value) and not inspect.getdoc(getattr(thing, member)):
                    found.append(f"{name}.{member}")
    return found


def test_the_names_are_sorted_and_there() -> None:
    """Every name of __all__ exists, none comes twice, and they are in order; so in every public module."""
    for module in (swapregret, *(thing for thing in exported().values() if isinstance(thing, ModuleType))):
        assert list(module.__all__) == sorted(set(module.__all__)), module.__name__
        assert all(hasattr(module, name) for name in module.__all__)


def test_the_page_documents_exactly_what_is_exported() -> None:
    """docs/api.md has a row for every public name, and none for a name that is not there."""
    names, rows = set(exported()), documented(API.read_text(encoding="utf-8"))
    assert rows - names == set(), "documented, but not exported"
    assert names - rows == set(), "exported, but not documented"


@pytest.mark.parametrize("page", sorted(API.parent.rglob("*.md")), ids=lambda path: path.stem)
def test_pages_teach_public_names_only(page: Path) -> None:
    """What a page imports is public: docs/api.md lists it, and it does not change without a word."""
    assert imported(page.read_text(encoding="utf-8")) - set(exported()) == set()


def test_an_import_of_a_page_is_found() -> None:
    """The search above sees every name of a line, and only code."""
    page = "```python\nfrom swapregret.a.b import c, d  # e\n```\nfrom swapregret.x import y\n"
    assert imported(page) == {"a.b.c", "a.b.d"}


def test_every_public_object_explains_itself() -> None:
    """Every exported class, function and module has a docstring, and so has every public method."""
    assert undocumented(exported()) == []


def test_an_object_without_a_docstring_is_found() -> None:
    """The search above sees a class, a method and a function that say nothing."""
    bare = type("Bare", (), {"act": lambda self: None, "__module__": "swapregret.x", "_inner": lambda self: None})
    assert undocumented({"Bare": bare, "f": lambda: None}) == ["Bare", "Bare.act", "f"]


def test_rows_and_headings_are_read() -> None:
    """Names in other columns, other headings and prose are not taken for documented names."""
    page = "| `MSets` | m-sets, see `Explicit` |\n### play\n### `Session`\n## Sets\ntext `mix`\n| `environments.iid` | x |\n"
    assert documented(page) == {"MSets", "play", "Session", "environments.iid"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    """A module opens with a sentence about the file; the package itself with an example."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert (">>>" if path == ROOT / "__init__.py" else ".") in docstring


def printing(source: str) -> Iterator[int]:
    """Yield the lines on which a source prints."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node.lineno


def test_the_library_never_prints() -> None:
    """Only the command line speaks to people, and a planted print is seen."""
    assert list(printing("x = 1\nprint(x)\n")) == [2]
    found = {str(path): list(printing(path.read_text(encoding="utf-8"))) for path in MODULES if "cli" not in path.parts}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_importing_the_package_stays_light() -> None:
    """Neither Numba nor SciPy's larger parts, tools for tests, the command line or readers are loaded by the first name."""
    heavy = ["numba", "scipy.linalg", "scipy.optimize", "scipy.stats", "scipy.sparse", "polars", "plotly", "pydantic"]
    heavy += ["joblib", "hypothesis", "pytest", "networkx", "cvxpy", "typer", "rich", "matplotlib", "pandas", "pyarrow"]
    code = (
        "import swapregret, sys; assert 'numpy' not in sys.modules; swapregret.MSets;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_loaded_later_is_there_from_the_start() -> None:
    """Modules loaded on demand are listed, found as attributes, and no other name is."""
    code = (
        "import swapregret as sr, sys; assert {*sr.__all__} <= {*dir(sr)}; assert 'swapregret.games' not in sys.modules;"
        "print(sr.games.__name__, sr.testing.__name__, sr.networks.__name__, hasattr(sr, 'gems'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["swapregret.games", "swapregret.testing", "swapregret.networks", "False"]


@pytest.mark.parametrize(
    "first",
    ["import swapregret.playing.play", "from swapregret.playing.course import Course", "from swapregret import *"],
)
def test_a_file_never_hides_the_function_of_its_name(first: str) -> None:
    """Whatever is imported first, ``sr.play`` is the function."""
    code = f"{first}; import swapregret as sr; print(sr.play.__module__, callable(sr.play), sr.results.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["swapregret.playing.play", "True", "swapregret.results"]
