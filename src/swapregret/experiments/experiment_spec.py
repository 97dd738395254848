"""The spec of an experiment: a TOML file, checked before anything runs.

Errors name the field, the value, what is allowed, and the nearest name. See ``docs/how_to/run_experiments.md``.
"""

import os
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from swapregret.boundary import naming
from swapregret.counts import LONGEST_HORIZON, MOST_REPLICATIONS, check_name, count_in_words, shown, time_of
from swapregret.errors import InvalidInput
from swapregret.experiments.toml_file import parse_toml, read_toml


def _whole(value: Any) -> Any:
    """Let 1e6 be a whole number, as people write horizons."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Whole = Annotated[int, BeforeValidator(_whole), Field(ge=1, lt=2**63, strict=True)]
Days = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=LONGEST_HORIZON, strict=True)]
Entry = str | dict[str, Any]
"""A kind alone, or a table with a kind and parameters."""
Entries = Annotated[list[Entry], BeforeValidator(_listed), Field(min_length=1)]


Regrets = Literal["ledger", "bound", "none"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Measure(_Strict):
    """What is recorded; as of :func:`swapregret.playing.play`."""

    regrets: Regrets = "ledger"
    realised: bool = False
    windows: list[Whole] = []
    certificate: bool = False
    capacity: Whole | None = None


class Checkpoints(_Strict):
    """When it is measured: at T, T/ratio, T/ratio², … down to ``first``, or on the days listed."""

    ratio: Annotated[float, Field(ge=1.01)] = 2.0
    first: Whole = 50
    days: list[Whole] | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        if isinstance(value, list):
            return {"days": value}
        if isinstance(value, dict) and isinstance(value.get("ratio"), int):
            return value | {"ratio": float(value["ratio"])}
        return value

    def marks(self, horizon: int) -> tuple[int, ...]:
        """Return the days of a run after which it is measured, the horizon last.

        Examples
        --------
        >>> Checkpoints(first=100).marks(1000), Checkpoints(days=[1, 20, 3000]).marks(1000)
        ((125, 250, 500, 1000), (1, 20, 1000))
        """
        if self.days is not None:
            return (*sorted({day for day in self.days if day < horizon}), horizon)
        days, power = {horizon}, self.ratio
        while horizon / power >= self.first:
            days.add(-int(-horizon // power))
            power *= self.ratio
        return tuple(sorted(days))


class Spec(_Strict):
    """An experiment: sets × environments × players × horizons × replications."""

    name: str = "experiment"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    replications: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MOST_REPLICATIONS, strict=True)] = 1
    horizons: Annotated[list[Days], BeforeValidator(_listed), Field(min_length=1)]
    sets: Annotated[list[Entry], BeforeValidator(_listed)] = []
    environments: Entries
    players: Entries
    measure: Measure = Measure()
    checkpoints: Checkpoints = Checkpoints()

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("measure"), str):
            return value | {"measure": {"regrets": value["measure"]}}
        return value


_MODELS: dict[str, type[BaseModel]] = {"": Spec, "measure": Measure, "checkpoints": Checkpoints}


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
    [1000]
    """
    content = parse_toml(data, source)
    try:
        return Spec.model_validate(content)
    except ValidationError as error:
        first, *others = {str(each): each for each in map(_problem, error.errors())}.values()
        raise InvalidInput(first.must, first.came, "\n".join([first.do, *map(str, others)])) from None


def _problem(error: Any) -> InvalidInput:
    """Turn what Pydantic found into a sentence of the house."""
    steps = [step for step in error["loc"] if not (isinstance(step, str) and ("[" in step or step in ("str", "dict")))]
    field, kind, came = _path(steps), error["type"], shown(error["input"], 120)
    try:
        if kind == "extra_forbidden":
            *above, name = error["loc"]  # as it is: a name may look like a place of Pydantic's
            owner, model = _path(above), _MODELS.get(str(above[0]) if above else "", Spec)
            check_name(name, model.model_fields, owner or "the spec", "have only the fields")
        if kind == "literal_error":
            check_name(error["input"], get_args(Regrets), field)
    except InvalidInput as found:
        return found
    if kind == "missing":
        return InvalidInput(f"`{field}` must be given", "a spec without it", f"Add e.g. {_EXAMPLES.get(field, field)}.")
    if kind == "too_short":
        return InvalidInput(f"`{field}` must have at least one entry", came, f"Write e.g. {_example(field)}.")
    if "str" in error["loc"] or str(error["loc"][-1]).startswith("dict["):  # an entry of another kind
        return InvalidInput(
            f"`{field}` must be a kind, or a table with a `kind`", came, f"Write e.g. {_example(field)}."
        )
    if kind == "less_than_equal" and field.startswith("horizons"):
        return InvalidInput(
            f"`{field}` must be at most {count_in_words(LONGEST_HORIZON)} days", came, time_of(error["input"])
        )
    words = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    return InvalidInput(f"`{field}` must be {words}", came, f"Write e.g. {_example(field)}.")


def _example(field: str) -> str:
    return _EXAMPLES.get(field.split("[")[0], "another")


_EXAMPLES = {
    "horizons": "horizons = [1000, 10_000]",
    "environments": 'environments = ["cyclic", "iid"]',
    "players": 'players = ["swap_combcp", "uniform"]',
    "sets": 'sets = ["msets 10 3"]',
    "replications": "replications = 4",
    "seed": "seed = 0",
    "name": 'name = "routing"',
    "measure.windows": "windows = [1, 100]",
    "checkpoints.ratio": "ratio = 2.0",
    "checkpoints.days": "days = [100, 1000]",
}


def _path(steps: Any) -> str:
    """Write a place in the file: players[1].kind."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text
