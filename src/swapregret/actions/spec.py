"""Action sets by a line of text, for command lines and files: ``msets 20 5``, ``paths edges.csv s t``.

``product "msets 5 2" "permutations 3"`` puts several side by side.
"""

import importlib
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapregret.counts import read_count
from swapregret.csv_file import CsvTable, read_csv
from swapregret.errors import InvalidInput, Unsupported

if TYPE_CHECKING:
    from swapregret.actions.base import ActionSet

__all__ = ["PRODUCT", "SPEC_FORMS", "parse_set", "split_product"]


_LARGEST = 10**7
"""Any number of a line of text; a set of so many elements takes gigabytes."""


@dataclass(frozen=True)
class _Form:
    """How one word is read: the public class it makes, its arguments for people, and how to make it."""

    public: str
    arguments: str
    make: "Callable[..., ActionSet]"
    count: int


def _whole(text: str) -> int:
    return read_count(text, "a number of a set", 0, _LARGEST)


def _edges(path: str) -> list[tuple[str, str]]:
    table = _filled(read_csv(path, has_comments=True))
    if table.header != ("tail", "head"):
        raise InvalidInput(
            f"{path!r} must begin with the line 'tail,head'", repr(",".join(table.header)), "Add a header."
        )
    return [(tail, head) for _, (tail, head) in table.rows]


def _filled(table: CsvTable) -> CsvTable:
    for line, cells in table.rows:
        if not all(cells):
            raise InvalidInput(
                f"line {line} of {table.name!r} must have {len(cells)} entries", repr(cells), "Fill every column."
            )
    return table


def _explicit(kind: Any, path: str) -> "ActionSet":
    table = _filled(read_csv(path))
    for line, cells in table.rows:
        for label, value in zip(table.header, cells, strict=True):
            if value not in ("0", "1"):
                raise InvalidInput(
                    f"line {line}, column {label!r} of {path!r} must be 0 or 1",
                    repr(value),
                    "Write one action per line.",
                )
    made: ActionSet = kind([[int(cell) for cell in cells] for _, cells in table.rows], labels=list(table.header))
    return made


_FORMS = {
    "msets": _Form("MSets", "DIMENSION SIZE", lambda kind, d, m, **k: kind(_whole(d), _whole(m), **k), 2),
    "permutations": _Form("Permutations", "N", lambda kind, n: kind(_whole(n)), 1),
    "truncated": _Form("TruncatedPermutations", "ROWS COLUMNS", lambda kind, k, n: kind(_whole(k), _whole(n)), 2),
    "partitions": _Form("Partitions", "TOTAL PARTS", lambda kind, n, k: kind(_whole(n), _whole(k)), 2),
    "trees": _Form("SpanningTrees", "EDGES.csv", lambda kind, path: kind(_edges(path)), 1),
    "forests": _Form("Forests", "EDGES.csv SIZE", lambda kind, path, k: kind(_edges(path), size=_whole(k)), 2),
    "paths": _Form(
        "DagPaths", "EDGES.csv SOURCE SINK", lambda kind, path, s, t: kind(_edges(path), source=s, sink=t), 3
    ),
    "explicit": _Form("Explicit", "ACTIONS.csv", _explicit, 1),
}

PRODUCT = "product"
"""The word that puts sets side by side."""
_PRODUCT_FORM = f'{PRODUCT} "SET" "SET" ...'
SPEC_FORMS = (*(f"{word} {form.arguments}" for word, form in _FORMS.items()), _PRODUCT_FORM)
"""What a spec may look like, for help texts."""


def parse_set(spec: str) -> "ActionSet":
    """Make the action set a line of text describes.

    Parameters
    ----------
    spec : str
        A word and its arguments, separated by spaces: ``msets 20 5``, ``permutations 5``, ``truncated 3 7``,
        ``partitions 10 5``, ``trees edges.csv``, ``forests edges.csv 4``, ``paths edges.csv s t``,
        ``explicit actions.csv``. After ``msets``, ``labels=a,b,c`` names the elements. Files of edges begin with the
        line ``tail,head``; a file of actions has one column of 0 and 1 for each element. ``product`` takes two or more
        specs, each in quotation marks; ``names=route,slate`` after them names the decisions.

    Examples
    --------
    >>> parse_set("msets 4 2 labels=a,b,c,d").labels
    ('a', 'b', 'c', 'd')
    >>> parse_set('product "msets 5 2" "permutations 3" names=slate,order')
    Product(MSets(5, 2), Permutations(3))
    """
    words = spec.split()
    if not words or words[0] not in (*_FORMS, PRODUCT):
        raise InvalidInput(
            f"`spec` must begin with one of {', '.join((*_FORMS, PRODUCT))}",
            repr(spec),
            f"For example: {SPEC_FORMS[0]!r}.",
        )
    if words[0] == PRODUCT:
        parts, names = split_product(spec)
        return _public("Product")(*map(parse_set, parts), names=names)  # type: ignore[no-any-return]
    form = _FORMS[words[0]]
    plain = [word for word in words[1:] if not word.startswith("labels=")]
    named = [word.removeprefix("labels=").split(",") for word in words[1:] if word.startswith("labels=")]
    if len(plain) != form.count or len(named) > (1 if words[0] == "msets" else 0):
        raise InvalidInput(
            f"`spec` must read {words[0]} {form.arguments}", repr(spec), "Give just these arguments, in this order."
        )
    return form.make(_public(form.public), *plain, **({"labels": named[0]} if named else {}))


def split_product(spec: str) -> tuple[list[str], list[str] | None]:
    r"""Return the specs inside the spec of a product, and the names of the decisions if it gives them.

    Examples
    --------
    >>> split_product('product "msets 5 2" "product \'msets 2 1\' \'permutations 2\'" names=a,b')
    (['msets 5 2', "product 'msets 2 1' 'permutations 2'"], ['a', 'b'])
    """
    try:
        words = shlex.split(spec)[1:]
    except ValueError:
        words = []
    parts = [word for word in words if not word.startswith("names=")]
    names = [word.removeprefix("names=").split(",") for word in words if word.startswith("names=")]
    if len(parts) < 2 or len(names) > 1:
        raise InvalidInput(
            f"`spec` must read {_PRODUCT_FORM}, at least two sets",
            repr(spec),
            'Put each set in quotation marks: product "msets 5 2" "permutations 3".',
        )
    return parts, names[0] if names else None


def _public(name: str) -> Any:
    """Return the class of a set by its public name."""
    kind = getattr(importlib.import_module("swapregret"), name, None)
    if kind is None:
        raise Unsupported(f"this version must have the set {name}", "a version without it", "Install a later one.")
    return kind
