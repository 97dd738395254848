"""The spec of an experiment: a TOML file, checked before anything runs.

Errors name the field, the value, what is allowed, and the nearest name. See ``docs/how_to/run_experiments.md``.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from swapregret.counts import MOST_REPLICATIONS, check_name, read_count, read_days, shown
from swapregret.errors import InvalidInput, naming
from swapregret.experiments.toml_file import parse_toml, read_toml
from swapregret.files.values import Json
from swapregret.playing.play_result import MEASURES

Entry = str | Json
"""A kind alone, or a table with a kind and parameters."""
Reader = Callable[[Any, str], Any]
"""Takes a value and the name of its field, and returns the value or says what is wrong with it."""


@dataclass(frozen=True)
class Measure:
    """What is recorded; as of :func:`swapregret.playing.play`."""

    regrets: str = "ledger"
    realised: bool = False
    windows: tuple[int, ...] = ()
    certificate: bool = False
    capacity: int | None = None


@dataclass(frozen=True)
class Checkpoints:
    """When it is measured: at T, T/ratio, T/ratio², … down to ``first``, or on the days listed."""

    ratio: float = 2.0
    first: int = 50
    days: tuple[int, ...] | None = None

    def marks(self, horizon: int) -> tuple[int, ...]:
        """Return the days of a run after which it is measured, the horizon last.

        Examples
        --------
        >>> Checkpoints(first=100).marks(1000), Checkpoints(days=(1, 20, 3000)).marks(1000)
        ((125, 250, 500, 1000), (1, 20, 1000))
        """
        if self.days is not None:
            return (*sorted({day for day in self.days if day < horizon}), horizon)
        days, power = {horizon}, self.ratio
        while horizon / power >= self.first:
            days.add(-int(-horizon // power))
            power *= self.ratio
        return tuple(sorted(days))


@dataclass(frozen=True)
class Spec:
    """An experiment: sets × environments × players × horizons × replications."""

    horizons: tuple[int, ...]
    environments: tuple[Entry, ...]
    players: tuple[Entry, ...]
    sets: tuple[Entry, ...] = ()
    name: str = "experiment"
    seed: int = 0
    replications: int = 1
    measure: Measure = Measure()
    checkpoints: Checkpoints = Checkpoints()


def read_spec(path: str | os.PathLike[str]) -> tuple[Spec, bytes]:
    """Read a spec from a file; also return the file as it is."""
    data = read_toml(path, "`swapregret init spec.toml` writes one to start from.")
    with naming(path):
        return parse_spec(data, os.fspath(path)), data


def parse_spec(data: bytes | str, source: str = "the spec") -> Spec:
    r"""Check a spec.

    Examples
    --------
    >>> parse_spec('horizons = 1e3\nsets = "msets 6 2"\nenvironments = "iid"\nplayers = "uniform"').horizons
    (1000,)
    """
    content = dict.fromkeys(("horizons", "environments", "players")) | parse_toml(data, source)
    return Spec(**_fields(content, _SPEC, "the spec"))


def _fields(table: Json, readers: Mapping[str, Reader], owner: str) -> Json:
    """Read the fields of a table."""

    def read(name: str) -> Any:
        check_name(name, readers, owner, "have only the fields")
        return readers[name](table[name], name if readers is _SPEC else f"{owner}.{name}")

    return dict(zip(table, _read_all(read, table), strict=True))


def _read_all(read: Callable[[Any], Any], given: Iterable[Any]) -> tuple[Any, ...]:
    """Read several things; all that is wrong with them is told at once."""
    found, wrong = [], []
    for each in given:
        try:
            found.append(read(each))
        except InvalidInput as error:
            wrong.append(error)
    if wrong:
        first, *others = wrong
        raise InvalidInput(first.must, first.came, "\n".join([first.do, *map(str, others)]))
    return tuple(found)


def _whole(value: Any, field: str, least: int = 1, most: int = 2**63 - 1) -> int:
    return read_count(_number(value, field), field, least, most)


def _number(value: Any, field: str) -> str:
    """Return a number as it is written; text, and true or false, are no numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"`{field}` must be a whole number", shown(value, 120), "Write e.g. 1000, without quotes.")
    return str(value)


def _ratio(value: Any, field: str) -> float:
    if isinstance(value, int | float) and value >= 1.01:
        return float(value)
    raise InvalidInput(f"`{field}` must be a number, at least 1.01", shown(value), "Write e.g. ratio = 2.0.")


def _typed(kind: Any, words: str, example: str, value: Any, field: str) -> Any:
    if isinstance(value, kind):
        return value
    raise InvalidInput(f"`{field}` must be {words}", shown(value, 120), f"Write e.g. {example}.")


def _listed(read: Reader, value: Any, field: str, example: str = "") -> tuple[Any, ...]:
    """Read a list; a value alone is a list of one. Where an example is given, there must be something in it."""
    values = value if isinstance(value, list) else [value]
    if example and (not values or value is None):
        must, came = ("be given", "a spec without it") if value is None else ("have at least one entry", "[]")
        raise InvalidInput(f"`{field}` must {must}", came, f"Write e.g. {field} = {example}.")
    return _read_all(lambda place: read(values[place], f"{field}[{place}]"), range(len(values)))


def _table(
    kind: Callable[..., Any], readers: Mapping[str, Reader], short: type, name: str, value: Any, field: str
) -> Any:
    """Read a table; a value of type ``short`` alone is its field ``name``."""
    table = {name: value} if isinstance(value, short) else _typed(dict, "a table", f"[{field}]", value, field)
    return kind(**_fields(table, readers, field))


_days: Reader = partial(_listed, _whole)
_flag: Reader = partial(_typed, bool, "true or false", "true")


def _entries(one: str, several: str = "") -> Reader:
    """Return what reads kinds; ``one`` and ``several`` are examples, the second where there must be some."""
    return partial(_listed, partial(_typed, str | dict, "a kind, or a table with a `kind`", one), example=several)


_MEASURE: dict[str, Reader] = {
    "regrets": lambda value, field: check_name(value, MEASURES, field),
    "realised": _flag,
    "windows": _days,
    "certificate": _flag,
    "capacity": _whole,
}
_SPEC: dict[str, Reader] = {
    "name": partial(_typed, str, "text", '"first try"'),
    "seed": partial(_whole, least=0),
    "replications": partial(_whole, most=MOST_REPLICATIONS),
    "horizons": partial(
        _listed, lambda value, field: read_days(_number(value, field), field), example="[1000, 10_000]"
    ),
    "sets": _entries('"msets 10 3"'),
    "environments": _entries('"iid"', '["cyclic", "iid"]'),
    "players": _entries('"uniform"', '["swap_combcp", "uniform"]'),
    "measure": partial(_table, Measure, _MEASURE, str, "regrets"),
    "checkpoints": partial(_table, Checkpoints, {"ratio": _ratio, "first": _whole, "days": _days}, list, "days"),
}
