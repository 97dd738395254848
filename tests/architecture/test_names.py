"""A name means one thing: few public names are defined in two modules, and their number does not grow."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import swapregret

ROOT = Path(swapregret.__file__).parent
MOST_SHARED = 48


def _defined(tree: ast.Module) -> Iterator[str]:
    for each in tree.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
        for target in each.targets if isinstance(each, ast.Assign) else []:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id


def shared_names(root: Path) -> dict[str, list[str]]:
    """Return the public names that several modules define at their top level, each with the modules."""
    found = defaultdict(set)
    for path in sorted(root.rglob("*.py")):
        for name in _defined(ast.parse(path.read_text(encoding="utf-8"))):
            if not name.startswith("_"):
                found[name].add(str(path.relative_to(root)))
    return {name: sorted(modules) for name, modules in found.items() if len(modules) > 1}


def test_names_of_several_things_do_not_become_more() -> None:
    """Whoever adds one renames it, or another; whoever removes one lowers the number."""
    found = shared_names(ROOT)
    assert len(found) <= MOST_SHARED, "\n".join(f"{name}: {', '.join(modules)}" for name, modules in found.items())


def test_shared_names_are_found(tmp_path: Path) -> None:
    """Functions, classes and values of one name in two modules are found; private ones and those of one module are not."""
    (tmp_path / "a.py").write_text("class Row: ...\nROWS, LEFT = 1, 2\n_own = 3\ndef once(): ...\ndef once(): ...\n")
    (tmp_path / "b.py").write_text("def Row(): ...\nROWS: int = 1\n_own = 4\n")
    assert shared_names(tmp_path) == {"Row": ["a.py", "b.py"], "ROWS": ["a.py", "b.py"]}
