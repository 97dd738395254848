"""Action sets by a line of text or a table, for command lines and files: ``msets 20 5``, ``paths edges.csv s t``.

``registry.FORMS`` has the word of each set and the arguments of its line. A table names them, ``{"kind": "msets", "dimension": 20,
"size": 5}``; each set says what else its table may hold (``spec_options``), and makes itself of one (``from_spec``).
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapregret.actions.labelled import SpecValues
from swapregret.counts import check_name, read_count
from swapregret.errors import InvalidInput
from swapregret.registry import FORMS, SETS, SPEC_FORMS, find

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

_LARGEST = 10**7
"""Any number of a line of text; a set of so many elements takes gigabytes."""
_PRODUCT = "product"


def set_class(word: object) -> "type[ActionSet]":
    """Return the class of sets with a word; a misspelt one gets the one that was probably meant."""
    known = check_name(word, FORMS, "set", f"begin as in {SPEC_FORMS[0]!r}, with")
    return find(FORMS[known][0], "a set", SETS)  # type: ignore[no-any-return]


def _arguments(word: str) -> tuple[str, ...]:
    """Return the names of what follows the word in a line."""
    if word == _PRODUCT:
        return ("sets",)
    return tuple("file" if "." in each else each.lower() for each in FORMS[word][1].split())


def set_parameters(word: str) -> tuple[str, ...]:
    """Return what a table of this kind may hold."""
    return (*_arguments(word), *set_class(word).spec_options)


def make_set(entry: str | Mapping[str, Any], folder: Path | None = None) -> "ActionSet":
    """Make the set of a line or a table.

    Parameters
    ----------
    entry : str or mapping
        ``msets 20 5``, ``permutations 5``, ``truncated 3 7``, ``partitions 10 5``, ``trees edges.csv``, ``forests edges.csv 4``,
        ``paths edges.csv s t``, ``explicit actions.csv``; where elements can have names, ``labels=a,b,c`` may follow. CSV files of
        edges have the columns ``tail`` and ``head``; a file of actions has one column of 0 and 1 for each element. ``product``
        takes two or more lines, each in quotation marks; ``names=route,slate`` after them names the decisions. A table has
        ``kind``, the first word, and the parameters by name.
    folder : Path, optional
        Where files are looked for; where the process runs if not given.

    Examples
    --------
    >>> make_set("msets 4 2 labels=a,b,c,d").labels
    ('a', 'b', 'c', 'd')
    >>> make_set('product "msets 5 2" "permutations 3" names=slate,order')
    Product(MSets(5, 2), Permutations(3))
    >>> make_set({"kind": "paths", "edges": [["s", "t"], ["s", "a"], ["a", "t"]], "source": "s", "sink": "t"}).size
    2
    """
    word, values = read_spec(entry)
    for name in _arguments(word):
        if name not in values and name != "file":
            raise InvalidInput(f"a set of {word} must have `{name}`", f"only {sorted(values)}", "Add it.")
    return set_class(word).from_spec(values, Path() if folder is None else folder)


def read_spec(entry: str | Mapping[str, Any]) -> tuple[str, SpecValues]:
    """Return the word of a line or a table, and the parameters by name: what a table of the same set holds.

    Examples
    --------
    >>> read_spec("msets 20 5")
    ('msets', {'dimension': 20, 'size': 5})
    """
    if not isinstance(entry, str):
        set_class(entry.get("kind"))
        return entry["kind"], {name: value for name, value in entry.items() if name != "kind"}
    word, *rest = entry.split() or [""]
    kind = set_class(word)
    if word == _PRODUCT:
        parts, names = split_product(entry)
        return word, {"sets": parts, "names": names}
    arguments = _arguments(word)
    plain = [each for each in rest if not each.startswith("labels=")]
    labels = [each.removeprefix("labels=").split(",") for each in rest if each.startswith("labels=")]
    if len(plain) != len(arguments) or len(labels) > ("labels" in kind.spec_options):
        raise InvalidInput(
            f"a set must read {word} {FORMS[word][1]}", repr(entry), "Give just these arguments, in this order."
        )
    texts = {"file", *kind.spec_texts}
    values: SpecValues = {
        name: text if name in texts else read_count(text, f"{name} of {word}", 0, _LARGEST)
        for name, text in zip(arguments, plain, strict=True)
    }
    return word, values | ({"labels": labels[0]} if labels else {})


def split_product(line: str) -> tuple[list[str], list[str] | None]:
    r"""Return the lines inside the line of a product, and the names of the decisions if it gives them."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        words = []
    parts = [word for word in words if not word.startswith("names=")]
    names = [word.removeprefix("names=").split(",") for word in words if word.startswith("names=")]
    if len(parts) < 2 or len(names) > 1:
        raise InvalidInput(
            f"a set must read {_PRODUCT} {FORMS[_PRODUCT][1]}, at least two sets",
            repr(line),
            'Put each set in quotation marks: product "msets 5 2" "permutations 3".',
        )
    return parts, names[0] if names else None
