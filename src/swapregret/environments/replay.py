"""Worlds of one's own: reward vectors from an array or a file, or a function of the day; and the ranges of their values."""

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Days, OneOf, checked
from swapregret.arrays import Matrix, frozen, shaped
from swapregret.environments.environment import Environment, entropy_from, noiseless, rows_of
from swapregret.environments.known_before import on_days
from swapregret.errors import InvalidInput, InvalidReward, naming
from swapregret.files.csv_file import read_csv, read_parquet
from swapregret.randomness import Seed, as_generator
from swapregret.units import UNIT_REWARDS, Range, Units, read_units


@dataclass(frozen=True)
class ElementRange:
    r"""What elements may be worth, and how a table of such values becomes one of rewards.

    With r = ±value the reward of an element, L and H the least and the largest total an action can get, and u·M = 1 for every
    action M, an element pays (r − L·u)/(H − L). Totals then lie in [0, 1] and differ as the declared values do. Where all actions
    have m elements, and where r begins at 0, that is its level in the range, divided by the size of the largest action.
    """

    actions: ActionSet
    units: Units  # the range of one element
    is_declared: bool = True  # by somebody: a play then reports in these units, otherwise on the scale [0, 1]

    @classmethod
    def read(cls, actions: ActionSet, reward_range: Range | None, cost_range: Range | None) -> "ElementRange":
        """Read which of the two ranges was declared; [0, 1] for rewards if none."""
        units = read_units(reward_range, cost_range, of_elements=True)
        return cls(actions, units, reward_range is not None or cost_range is not None)

    @property
    def reported(self) -> Units:
        """Return what a play reports in."""
        return self.totals if self.is_declared else UNIT_REWARDS

    @property
    def is_plain(self) -> bool:
        """Tell whether levels are places in the range, as where all actions have the same size or rewards begin at 0."""
        return self.actions.is_uniform or self.units.low == 0.0

    @property
    def payment(self) -> float | None:
        """Return what a level of 1 pays: 1/m, or 1 where levels are rewards already."""
        return None if self.is_plain else 1.0

    @cached_property
    def totals(self) -> Units:
        """The units of whole actions: the least and the largest total."""
        sizes = (self.actions.size, int(self.actions.argmax(-np.ones(self.actions.dimension)).sum()))
        low, high = min(self.units.low * m for m in sizes), max(self.units.high * m for m in sizes)
        return Units(low, high, self.units.is_cost)

    def levels(self, values: Matrix, *, first_day: int = 0) -> Matrix:
        """Map a table of values, or say which day and element lie outside the declared range."""
        low, high = self.units.declared
        wrong = ~((values >= low) & (values <= high))
        if wrong.any():
            day, element = np.argwhere(wrong)[0].tolist()
            raise InvalidReward(
                f"all values must be finite numbers in the declared range [{low:g}, {high:g}]",
                f"{values[day, element]} on day {day + first_day} at element {element}",
                f"Declare the true range with `{self.units.word}_range`, or mend the data.",
            )
        rewards = self.units.reward(values)
        if self.is_plain:
            return (rewards - self.units.low) / self.units.scale
        return np.asarray((rewards - self.totals.low * self.actions.constant_vector()) / self.totals.scale)


@checked
def replay(
    actions: ActionSet,
    data: npt.ArrayLike | str | Path,
    *,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
    horizon: Days | None = None,
    name: str | None = None,
    contexts: Sequence[Hashable] | None = None,
    available: Sequence[Iterable[Hashable] | None] | None = None,
) -> Environment:
    """Return the environment that pays a table of reward vectors, one row per day, without noise.

    Parameters
    ----------
    actions : ActionSet
    data : array_like or path
        Shape (T, dimension), or a file: ``.csv``, ``.parquet`` or ``.npy``. A file with a header may name its columns
        by the labels of the set, in any order. Columns ``context`` and ``available`` (labels separated by ``;``, empty for
        all) are then what is known about each day, as in a log; other columns are ignored. Without such names the columns
        must be the elements, in order.
    reward_range : (float, float), optional
        The least and the largest value an element can have, [0, 1] if neither range is given. Values are mapped so that every
        action earns a total in [0, 1]; where a range is declared, a play reports its regrets in the units of the values.
    cost_range : (float, float), optional
        The least and the largest cost of an element, instead of ``reward_range``: values are costs, the less the better.
    horizon : int, optional
        How many days to play; the data start again from the top when they end. All rows once if not given.
    name : str, optional
        The name of the file, or "replay", if not given.
    contexts, available : sequence, optional
        What is known about each day, and the elements that can be chosen on it: as of :func:`on_days`.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = replay(MSets(3, 2), [[10, 20, 30], [30, 20, 10]], reward_range=(10, 30))
    >>> world.means(0, 2)
    array([[0.  , 0.25, 0.5 ],
           [0.5 , 0.25, 0.  ]])
    """
    declared = ElementRange.read(actions, reward_range, cost_range)
    with naming(data) if isinstance(data, str | Path) else nullcontext():
        given, told = _read(Path(data), actions) if isinstance(data, str | Path) else (data, {})
        told |= {"contexts": contexts} if contexts is not None else {}
        told |= {"available": available} if available is not None else {}
        values = shaped(given, "data", 2, actions.dimension)
        if len(values) == 0:
            raise InvalidInput("`data` must have a row for each day", "none", "Pass one day or more.")
        wrong = [name for name, each in told.items() if len(each) != len(values)]
        if wrong:
            must, do = f"`{wrong[0]}` must have an entry for each of the {len(values):,} rows", "Pass one per row."
            raise InvalidInput(must, f"{len(told[wrong[0]]):,}", do)
        table = frozen(declared.levels(values))
    days = len(table) if horizon is None else horizon
    levels = rows_of(table, lambda day: day % len(table))
    world = Environment(
        name or (Path(data).name if isinstance(data, str | Path) else "replay"),
        actions,
        days,
        levels,
        0,
        declared.payment,
        noiseless,
        declared.reported,
    )
    return on_days(world, **told) if told else world


def _read(path: Path, actions: ActionSet) -> tuple[npt.NDArray[Any], dict[str, Any]]:
    """Read a file: its values, and what it says before each day."""
    if not os.path.isfile(path):
        raise InvalidInput("`data` must be a file that exists", str(path), "Check the path.")
    kind = path.suffix.lower()
    if kind == ".npy":
        try:
            return np.asarray(np.load(path, allow_pickle=False)), {}
        except (ValueError, OSError, EOFError, MemoryError) as error:
            raise InvalidInput(
                "`data` must be a readable .npy file", f"{path.name}: {error!s:.80}", "Write it again."
            ) from None
    if kind == ".csv":
        found = read_csv(path, has_header=None)
        return _columns(found.header, [cells for _, cells in found.rows], actions)
    if kind == ".parquet":
        frame = read_parquet(path, "`data`", "Or write the rewards as CSV.")
        return _columns(frame.columns, np.column_stack([each.to_numpy() for each in frame.get_columns()]), actions)
    raise InvalidInput("`data` must be a .csv, .parquet or .npy file", path.name, "Convert it to one of these.")


def _columns(header: Sequence[str], rows: Any, actions: ActionSet) -> tuple[Matrix, dict[str, Any]]:
    """Choose the columns named by the labels of the set, and those of what is known before a day; or take all in order."""
    labels, table, told = [str(label) for label in actions.labels], np.asarray(rows), dict[str, Any]()
    if set(labels) <= set(header) and len(table):
        if "context" in header and "context" not in labels:
            told["contexts"] = [_text(cell) for cell in table[:, header.index("context")]]
        if "available" in header and "available" not in labels:
            given = [_text(cell) for cell in table[:, header.index("available")]]
            named = dict(zip(labels, actions.labels, strict=True))
            told["available"] = [
                [named.get(part.strip(), part.strip()) for part in cell.split(";")] if cell else None for cell in given
            ]
        table = table[:, [header.index(label) for label in labels]]
    try:
        return table.astype(np.float64), told  # text of numbers, as files hold it
    except ValueError as error:
        came = str(error).replace("np.str_", "")[:80]
        raise InvalidInput("`data` must be a table of numbers, one row per day", came, "Mend the file.") from None


def _text(cell: object) -> str:
    return "" if cell is None or cell != cell else str(cell).strip()


@checked
def from_function(
    actions: ActionSet,
    horizon: Days,
    function: Callable[[int], npt.ArrayLike],
    *,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
    noise: Annotated[str, OneOf("none", "bernoulli")] = "none",
    name: str = "function",
    rng: Seed = None,
) -> Environment:
    """Return the environment whose elements pay ``function(day)``.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    function : callable
        Takes a day, 0..T−1, and returns a value for each element. It may be called in any order and more than once,
        and must then answer the same.
    reward_range, cost_range : (float, float), optional
        What values may be, rewards in [0, 1] if neither is given: as of :func:`~swapregret.environments.replay.replay`.
    noise : {"none", "bernoulli"}
        Whether the values are the rewards, or the probabilities that each element pays all or nothing.
    name : str
    rng : int, SeedSequence, Generator or None
        The noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> world = from_function(MSets(3, 1), 100, lambda day: np.arange(3) == day % 3)
    >>> world.reward_vector(1)
    array([0., 1., 0.])
    """
    declared = ElementRange.read(actions, reward_range, cost_range)
    if noise == "bernoulli" and not declared.is_plain:
        raise InvalidInput(
            "`noise` must be 'none' where actions differ in size and values do not begin at 0",
            repr(noise),
            "All or nothing has no meaning there: draw the noise in `function`.",
        )

    def levels(start: int, stop: int) -> Matrix:
        rows = np.empty((stop - start, actions.dimension))
        for day in range(start, stop):
            row = np.asarray(function(day), dtype=np.float64)
            if row.shape != (actions.dimension,):
                raise InvalidReward(
                    f"`function` must return {actions.dimension} values, one for each element",
                    f"shape {row.shape} on day {day}",
                    "Return one number per coordinate of the action set.",
                )
            rows[day - start] = row
        return declared.levels(rows, first_day=start)

    draw, entropy = noiseless if noise == "none" else None, entropy_from(as_generator(rng))
    return Environment(name, actions, horizon, levels, entropy, declared.payment, draw, declared.reported)
