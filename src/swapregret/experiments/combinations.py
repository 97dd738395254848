"""From entries of a spec to all their combinations: any list is a grid."""

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from swapregret.counts import MOST_CHOICES, check_name
from swapregret.errors import InvalidInput
from swapregret.files.storage import Json

_DEPTHS = {
    "sets": {"edges": 2, "actions": 2, "labels": 1, "row_labels": 1, "column_labels": 1, "sets": 1, "names": 1},
    "environments": dict.fromkeys(("reward_range", "cost_range", "weights", "shares", "parts", "contexts"), 1)
    | {"available": 2, "without": 2},
    "players": {"schedule": 1},
}
"""Parameters that are lists themselves, and how deep, by the field of the spec."""


@dataclass(frozen=True)
class Choice:
    """One combination of an entry: its label, kind and parameters, and where in the spec it stands."""

    label: str
    kind: str
    values: Json
    field: str

    @property
    def place(self) -> str:
        """Return how a refusal of its values names it."""
        return f"`{self.field}` ({self.label})"


def expand(
    entries: Sequence[str | Json],
    field: str,
    kinds: Iterable[str],
    parameters: Callable[[str], Sequence[str]],
) -> list[Choice]:
    """Return every combination of the parameters of every entry, in the order of the file.

    An entry, which stands in ``field`` of the spec, is a kind, or a table with ``kind``, an optional ``name`` and
    ``parameters(kind)``. A list is a grid, unless its parameter is itself a list. A set may also be a line of text, which
    has no kind here.

    Examples
    --------
    >>> found = expand([{"kind": "cyclic", "phases": [7, 31]}], "environments", ["cyclic"], lambda kind: ["phases"])
    >>> [choice.label for choice in found]
    ['cyclic phases=7', 'cyclic phases=31']
    """
    found: list[Choice] = []
    for index, entry in enumerate(entries):
        place = f"{field}[{index}]"
        if field == "sets" and isinstance(entry, str):
            line = " ".join(entry.split())
            found.append(Choice(line, "", {"line": line}, place))
            continue
        table = {"kind": entry} if isinstance(entry, str) else dict(entry)
        if "kind" not in table:
            must = f"`{place}` must have a `kind`"
            raise InvalidInput(must, f"only {sorted(table)}", f"Choose one of {', '.join(kinds)}.")
        words, name = table.pop("kind"), table.pop("name", None)
        for word in words if isinstance(words, list) else [words]:
            kind = check_name(word, kinds, f"{place}.kind")
            known = [*parameters(kind), "kind", "name"]
            for parameter in table:
                check_name(parameter, known, place, f"have only the parameters of {kind}:")
            found += _combinations(kind, table, place, name, _DEPTHS.get(field, {}))
    return _unique(found)


def _combinations(kind: str, table: Json, place: str, name: str | None, depths: Mapping[str, int]) -> list[Choice]:
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


def _axis(key: str, value: object, place: str, depth: int) -> list[object]:
    if not isinstance(value, list) or _depth(value) <= depth:
        return [value]
    if not value:
        raise InvalidInput(f"`{place}.{key}` must not be an empty list", "[]", "Give a value, or leave it out.")
    return list(value)


def _depth(value: object) -> int:
    return 1 + max((_depth(item) for item in value), default=0) if isinstance(value, list) else 0


def _short(value: object) -> str:
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


def _unique(choices: list[Choice]) -> list[Choice]:
    """Refuse what comes twice; tell apart what only looks alike."""
    made: list[Choice] = []
    labels: dict[str, int] = {}
    seen: dict[str, Choice] = {}
    for choice in choices:
        written = json.dumps([choice.kind, choice.values], sort_keys=True, default=str)
        content = json.dumps(json.loads(written, parse_int=float))  # 1 and 1.0 are one value
        other = seen.setdefault(content, choice)
        if other is not choice:
            raise InvalidInput(
                f"`{choice.field}` must differ from `{other.field}`", f"{choice.label!r} twice", "Leave one out."
            )
        labels[choice.label] = count = labels.get(choice.label, 0) + 1
        label = choice.label if count == 1 else f"{choice.label} #{count}"
        made.append(Choice(label, choice.kind, choice.values, choice.field))
    return made
