"""Arrows between the layers point one way: imports are read from the source, and a wrong one is named."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import swapregret

ROOT = Path(swapregret.__file__).parent

_GROUND = {
    "errors",
    "arguments",
    "registry",
    "networks",
    "extras",
    "counts",
    "files",
    "notebook",
    "units",
    "arrays",
    "compiled",
    "policy",
    "geometry",
    "actions",
}
_MEASURED = {"environments", "regret"}
_RUNNING = {"learners", "randomness", "sessions"}
_PLAYED = _GROUND | _MEASURED | _RUNNING | {"logs", "playing", "results"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "registry": {"errors"},
    "arguments": {"errors", "counts", "arrays"},
    "units": {"errors", "counts", "arrays"},
    "extras": {"errors"},
    "notebook": {"extras"},
    "counts": {"errors"},
    "files": {"errors", "registry", "arguments", "arrays", "extras"},
    "randomness": {"errors", "counts", "files"},
    "arrays": {"errors", "counts"},
    "policy": {"errors", "counts", "notebook", "arrays", "compiled", "files"},
    "compiled": {"errors", "arrays", "extras"},
    "geometry": {"errors", "arrays", "policy", "compiled"},
    "networks": {"errors", "arguments", "extras", "files", "arrays", "counts"},
    "actions": _GROUND - {"actions"},
    "environments": _GROUND | {"randomness"},
    "regret": _GROUND,
    "learners": _GROUND,
    "logs": _GROUND | {"learners", "randomness", "regret"},
    "sessions": _GROUND | {"learners", "logs", "randomness"},
    "playing": _PLAYED - {"playing", "results"},
    "results": _PLAYED - {"results"},
    "games": _PLAYED,
    "testing": _PLAYED | {"games"},
    "public": _PLAYED | {"games", "testing"},
    "": {"public", "extras"},
    "experiments": _PLAYED | {"games", "testing", ""},
    "client": {"errors"},
    "serve": _PLAYED | {"games", "experiments", ""},
    "cli": _PLAYED | {"games", "testing", "experiments", "serve", ""},
    "__main__": {"cli"},
}
"""What each file or folder under swapregret may import, besides itself; "" is the package's own __init__."""


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the dotted name below the package, "" for its own __init__, and the path of every module."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(tree: ast.AST, known: set[str], *, at_import: bool = False) -> Iterator[str]:
    """Yield the modules of the package that a file imports, by their names below it.

    ``at_import`` leaves out what is imported only inside functions or for type checkers.
    """
    for node in _running(tree) if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "swapregret":
                    yield alias.name.removeprefix("swapregret").removeprefix(".")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield "a relative import"
            elif node.module and node.module.split(".")[0] == "swapregret":
                base = node.module.removeprefix("swapregret").removeprefix(".")
                for alias in node.names:
                    deeper = f"{base}.{alias.name}".removeprefix(".")
                    yield deeper if deeper in known else base


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements that run when a module is imported."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _running(child)


def wrong_arrows(root: Path) -> list[str]:
    """Return a sentence for every import that the table above does not allow."""
    found = []
    known = {name for name, _ in modules(root)}
    for name, path in modules(root):
        layer = name.split(".")[0]
        if layer not in MAY_IMPORT:
            found.append(f"{path.name}: `{layer}` has no place in the order of layers")
            continue
        for target in imported(ast.parse(path.read_text(encoding="utf-8")), known):
            other = target.split(".")[0]
            if other not in MAY_IMPORT[layer] | {layer} or (other == layer == "" and target == ""):
                found.append(
                    f"{name or '__init__'} imports {target or 'swapregret'}: `{layer}` may not touch `{other}`"
                )
    return found


def circles(root: Path) -> list[list[str]]:
    """Return groups of modules that import each other in a circle while they are being imported."""
    known = {name for name, _ in modules(root)}
    graph = {}
    for name, path in modules(root):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph[name] = {target for target in imported(tree, known, at_import=True) if target in known and target != name}

    def reaches(start: str, goal: str) -> bool:
        seen, stack = set(), [start]
        while stack:
            for target in graph[stack.pop()]:
                if target == goal:
                    return True
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        return False

    return [[name, *sorted(t for t in graph[name] if reaches(t, name))] for name in graph if reaches(name, name)]


def test_every_arrow_points_the_right_way() -> None:
    """No module imports a layer above its own, and every module belongs to a layer."""
    assert wrong_arrows(ROOT) == []


def test_no_module_imports_itself_in_a_circle() -> None:
    """Importing one module never needs another that is still being imported."""
    assert circles(ROOT) == []


def test_the_table_itself_has_no_circle() -> None:
    """The layers can be put in an order in which each imports only earlier ones."""
    placed: set[str] = set()
    while len(placed) < len(MAY_IMPORT):
        ready = {layer for layer, below in MAY_IMPORT.items() if below <= placed} - placed
        assert ready, f"a circle among {sorted(set(MAY_IMPORT) - placed)}"
        placed |= ready


def test_what_must_never_meet_does_not() -> None:
    """The table keeps learners from environments and regrets, geometry from sets, and everyone from experiments and cli."""
    for layer in ("environments", "regret"):
        assert not MAY_IMPORT[layer] & {"learners", "sessions", "playing", "testing", "environments", "regret"}
    assert not MAY_IMPORT["learners"] & {"environments", "regret", "games", "sessions", "playing"}
    assert "actions" not in MAY_IMPORT["geometry"] | MAY_IMPORT["policy"]
    assert [layer for layer, below in MAY_IMPORT.items() if below & {"experiments", "cli"}] == [
        "serve",
        "cli",
        "__main__",
    ]
    assert [layer for layer, below in MAY_IMPORT.items() if "serve" in below] == ["cli"]


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("geometry/kl.py", "from swapregret.actions.action_set import ActionSet", "`geometry` may not touch `actions`"),
        ("environments/environment.py", "import swapregret.learners.master", "`environments` may not touch `learners`"),
        ("regret/notions.py", "from swapregret.playing import play", "`regret` may not touch `playing`"),
        ("learners/master.py", "from swapregret.environments import base", "`learners` may not touch `environments`"),
        ("policy.py", "def late():\n    from swapregret.geometry import kl", "`policy` may not touch `geometry`"),
        ("playing/play.py", "from swapregret.cli import console", "`playing` may not touch `cli`"),
        ("testing/kit.py", "from swapregret.experiments import runner", "`testing` may not touch `experiments`"),
        ("actions/sets.py", "import swapregret as sr", "`actions` may not touch ``"),
        ("actions/sets.py", "from . import base", "`actions` may not touch `a relative import`"),
        ("helpers.py", "import swapregret.errors", "`helpers` has no place"),
    ],
)
def test_a_planted_wrong_arrow_is_found(tmp_path: Path, file: str, line: str, complaint: str) -> None:
    """A single wrong import, wherever it stands in a file, is reported with both ends."""
    for name in (
        "playing/play.py",
        "errors.py",
        "arrays.py",
        "cli/console.py",
        "actions/action_set.py",
        "experiments/runner.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            "import numpy\nfrom swapregret.errors import InvalidInput\n" if name == "playing/play.py" else ""
        )
    assert wrong_arrows(tmp_path) == []
    planted = tmp_path / file
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(line + "\n")
    (sentence,) = wrong_arrows(tmp_path)
    assert complaint in sentence


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    """Two modules that import each other are found; imports inside functions or for type checkers do not count."""
    (tmp_path / "a.py").write_text("from swapregret.b import x\n")
    (tmp_path / "b.py").write_text("import swapregret.a\n")
    assert circles(tmp_path) == [["a", "b"], ["b", "a"]]
    (tmp_path / "b.py").write_text("if TYPE_CHECKING:\n    import swapregret.a\ndef f():\n    import swapregret.a\n")
    assert circles(tmp_path) == []
