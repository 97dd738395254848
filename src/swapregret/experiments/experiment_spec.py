"""The spec of an experiment: a TOML file, checked before anything runs.

Errors name the field, the value, what is allowed, and the nearest name. See ``docs/how_to/run_experiments.md``.
"""

import os
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Annotated, TypeVar, get_origin

from swapregret.arguments import Between, Count, OneOf, read_fields
from swapregret.counts import LONGEST_HORIZON, MOST_REPLICATIONS, check_name, shown
from swapregret.errors import InvalidInput, naming
from swapregret.experiments.toml_file import parse_toml, read_toml
from swapregret.files.storage import Json
from swapregret.playing.play_result import MEASURES

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = str | dict[str, object]
"""A kind alone, or a table with a kind and parameters."""
_Kind = TypeVar("_Kind", bound="DataclassInstance")
_EXAMPLES = {
    "horizons": "[1000, 10_000]",
    "environments": '["cyclic", "iid"]',
    "players": '["swap_combcp", "uniform"]',
    "sets": '["msets 10 3"]',
}
"""Of fields of a spec; all but sets must be given."""


@dataclass(frozen=True)
class Measure:
    """What is recorded; as of :func:`swapregret.playing.play`."""

    regrets: Annotated[str, OneOf(*MEASURES)] = "ledger"
    realised: bool = False
    windows: tuple[Count, ...] = ()
    certificate: bool = False
    capacity: Count | None = None


@dataclass(frozen=True)
class Checkpoints:
    """When it is measured: at T, T/ratio, T/ratio², … down to ``first``, or on the days listed."""

    ratio: Annotated[float, Between(1.01)] = 2.0
    first: Count = 50
    days: tuple[Count, ...] | None = None

    def marks(self, horizon: int) -> tuple[int, ...]:
        """Return the days of a run after which it is measured, the horizon last."""
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

    horizons: tuple[Annotated[int, Between(1, LONGEST_HORIZON)], ...]
    environments: tuple[Entry, ...]
    players: tuple[Entry, ...]
    sets: tuple[Entry, ...] = ()
    name: str = "experiment"
    seed: Annotated[int, Between(0)] = 0
    replications: Annotated[int, Between(1, MOST_REPLICATIONS)] = 1
    measure: Measure = Measure()
    checkpoints: Checkpoints = Checkpoints()


def read_spec(path: str | os.PathLike[str]) -> tuple[Spec, bytes]:
    """Read a spec from a file; also return the file as it is."""
    data = read_toml(path, "`swapregret init spec.toml` writes one to start from.")
    with naming(path):
        return parse_spec(data, os.fspath(path)), data


def parse_spec(data: bytes | str, source: str = "the spec") -> Spec:
    r"""Check a spec."""
    return _read(Spec, parse_toml(data, source), "the spec")


def _read(kind: type[_Kind], table: Json, owner: str) -> _Kind:
    """Read a table; all that is wrong with it is told at once."""
    known, found, wrong = {field.name: field for field in fields(kind)}, Json(), list[InvalidInput]()
    missing = [name for name, field in known.items() if field.default is MISSING and name not in table]
    for name in (*missing, *table):
        place = name if kind is Spec else f"{owner}.{name}"
        try:
            check_name(name, known, owner, "have only the fields")
            value = _value(known[name].type, table.get(name), place)
            found |= read_fields(kind, {name: value}, place.removesuffix(name))
        except InvalidInput as error:
            wrong.append(error)
    if wrong:
        first, *others = wrong
        raise InvalidInput(first.must, first.came, "\n".join([first.do, *map(str, others)]))
    return kind(**found)


def _value(hint: object, value: object, place: str) -> object:
    """Return a value as a field takes it: a value alone is a list of one; regrets are a measure, and days are checkpoints."""
    if hint is Measure or hint is Checkpoints:
        short, kind = ("regrets", str) if hint is Measure else ("days", list)
        table = {short: value} if isinstance(value, kind) else value
        if not isinstance(table, dict):
            raise InvalidInput(f"`{place}` must be a table", shown(value, 120), f"Write e.g. [{place}].")
        return _read(Measure, table, place) if hint is Measure else _read(Checkpoints, table, place)
    if place in _EXAMPLES and place != "sets" and (value is None or value == []):
        must, came = ("be given", "a spec without it") if value is None else ("have at least one entry", "[]")
        raise InvalidInput(f"`{place}` must {must}", came, f"Write e.g. {place} = {_EXAMPLES[place]}.")
    is_list = get_origin(hint) is tuple or place.endswith("days")
    return [value] if is_list and not isinstance(value, list) else value
