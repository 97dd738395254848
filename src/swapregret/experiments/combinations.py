"""From entries of a spec to all their combinations: any list is a grid."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from swapregret.counts import MOST_CHOICES, check_name
from swapregret.errors import InvalidInput


@dataclass(frozen=True)
class Choice:
    """One combination of an entry: its label, kind and parameters, and where in the spec it stands."""

    label: str
    kind: str
    values: dict[str, Any]
    field: str


def expand(
    entries: Sequence[str | Mapping[str, Any]],
    field: str,
    kinds: Sequence[str],
    parameters: Callable[[str], Sequence[str]],
    depths: Mapping[str, int],
) -> list[Choice]:
    """Return every combination of the parameters of every entry, in the order of the file.

    An entry, which stands in ``field`` of the spec, is a kind, or a table with ``kind``, an optional ``name`` and
    ``parameters(kind)``. A list is a grid, unless its parameter is itself a list; ``depths`` says how deep.

    Examples
    --------
    >>> found = expand([{"kind": "cyclic", "phases": [7, 31]}], "environments", ["cyclic"], lambda kind: ["phases"], {})
    >>> [choice.label for choice in found]
    ['cyclic phases=7', 'cyclic phases=31']
    """
    places = ((f"{field}[{index}]", entry) for index, entry in enumerate(entries))
    return unique([one for place, entry in places for one in expand_entry(entry, place, kinds, parameters, depths)])


def expand_entry(
    entry: str | Mapping[str, Any],
    place: str,
    kinds: Sequence[str],
    parameters: Callable[[str], Sequence[str]],
    depths: Mapping[str, int],
) -> list[Choice]:
    """Return every combination of one entry, which stands at a place of the spec such as ``players[1]``."""
    table = {"kind": entry} if isinstance(entry, str) else dict(entry)
    if "kind" not in table:
        raise InvalidInput(
            f"`{place}` must have a `kind`", f"only {sorted(table)}", f"Choose one of {', '.join(kinds)}."
        )
    words, name = table.pop("kind"), table.pop("name", None)
    found: list[Choice] = []
    for word in words if isinstance(words, list) else [words]:
        kind = check_name(word, kinds, f"{place}.kind")
        for parameter in table:
            check_name(parameter, [*parameters(kind), "kind", "name"], place, f"have only the parameters of {kind}:")
        found += _combinations(kind, table, place, name, depths)
    return found


def _combinations(
    kind: str, table: dict[str, Any], place: str, name: str | None, depths: Mapping[str, int]
) -> list[Choice]:
    axes = {key: _axis(key, value, place, depths.get(key, 0)) for key, value in table.items()}
    varied = {key for key, axis in axes.items() if len(axis) > 1}
    count = math.prod(len(axis) for axis in axes.values())
    if count > MOST_CHOICES:
        must = f"`{place}` must come to at most {MOST_CHOICES:,} combinations"
        raise InvalidInput(must, f"{count:,}", "Shorten its lists of values.")
    made = []
    for chosen in itertools.product(*axes.values()):
        values = dict(zip(axes, chosen, strict=True))
        shown = [f"{key}={_short(value)}" for key, value in values.items() if name is None or key in varied]
        made.append(Choice(" ".join([str(name or kind), *shown]), kind, values, place))
    return made


def _axis(key: str, value: Any, place: str, depth: int) -> list[Any]:
    if not isinstance(value, list) or _depth(value) <= depth:
        return [value]
    if not value:
        raise InvalidInput(f"`{place}.{key}` must not be an empty list", "[]", "Give a value, or leave it out.")
    return list(value)


def _depth(value: Any) -> int:
    return 1 + max((_depth(item) for item in value), default=0) if isinstance(value, list) else 0


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        text = ",".join(_short(item) for item in value)
        return f"[{text}]" if len(text) <= 24 else f"[{len(value)} entries]"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}={_short(item)}" for key, item in value.items()) + "}"
    return str(value)


def _key(value: Any) -> object:
    """Return what can be looked up in a table and is equal for equal values."""
    if isinstance(value, Mapping):
        return frozenset((name, _key(inner)) for name, inner in value.items())
    return tuple(map(_key, value)) if isinstance(value, list) else value


def unique(choices: list[Choice]) -> list[Choice]:
    """Refuse what comes twice; tell apart what only looks alike."""
    made: list[Choice] = []
    labels: dict[str, int] = {}
    seen: dict[object, Choice] = {}
    for choice in choices:
        other = seen.setdefault((choice.kind, _key(choice.values)), choice)
        if other is not choice:
            raise InvalidInput(
                f"`{choice.field}` must differ from `{other.field}`", f"{choice.label!r} twice", "Leave one out."
            )
        labels[choice.label] = count = labels.get(choice.label, 0) + 1
        label = choice.label if count == 1 else f"{choice.label} #{count}"
        made.append(Choice(label, choice.kind, choice.values, choice.field))
    return made
