"""Reading a log of plays from a file, cell by cell; a cell that cannot be read is named by its row and column.

Columns, all named in the header:

* the action, in exactly one of three ways: ``action`` (labels separated by ``;``, or a list in a frame), ``indices`` (positions
  from 0, likewise), or one column ``action:LABEL`` of 0 and 1 for each element;
* ``reward:LABEL`` for each element, or ``cost:LABEL`` where costs are read; or ``reward``, ``cost``, where only the total was seen;
* optionally ``range``, the least and the largest total of the column ``reward``, as ``0;1``: totals are then read in the units of
  who reads them, as the log of the service has it;
* optionally ``probability``, of the action of the row;
* optionally ``round``, the day of the row, where several rows list the policy of one day; a total stands in the row that was drawn,
  and the cell is empty in the others;
* optionally ``context``, what was known about the day, and ``available``, the labels that could be chosen, separated by ``;``, or
  nothing where all could;
* optionally ``policy``, the policy that drew the action, as this library writes it; an empty cell is that of the row above.

Other columns are left alone. Nothing is guessed.
"""

import math
import os
from collections.abc import Sequence

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Label, Matrix, Vector, is_iterable
from swapregret.counts import shown
from swapregret.errors import InvalidInput, naming
from swapregret.files.csv_file import read_csv, read_parquet
from swapregret.logs.log import LISTED, Frame, Log
from swapregret.policy import Policy
from swapregret.regret.ledgers.policy_file import read_policy_cell
from swapregret.regret.ledgers.read_plays import read_chances, read_drawn, read_listed, read_plays, read_policies
from swapregret.units import UNIT_REWARDS, Units

_LONGEST = 18
_Path = str | os.PathLike[str]
_Cell = str | int | float | bool | None


def read_log(source: _Path | Frame, actions: ActionSet, units: Units = UNIT_REWARDS) -> Log:
    """Read a CSV or Parquet file of plays, by its ending, or a data frame with its columns.

    Parameters
    ----------
    source : path, or Polars or pandas frame
    actions : ActionSet
    units : Units
        What is counted, rewards or costs; totals with a column ``range`` are written in these units.

    Raises
    ------
    InvalidInput
        Naming the row (counted from 1, below the header) and the column of the first cell that cannot be read.
    """
    if not isinstance(source, str | os.PathLike):
        return _Reader(actions, units, *_frame(source)).read()
    with naming(source):
        return _Reader(actions, units, *_file(os.fspath(source))).read()


def _frame(frame: Frame) -> tuple[list[str], Sequence[Sequence[_Cell]]]:
    """Return the header and the rows of a data frame."""
    rows: Sequence[Sequence[_Cell]]
    rows = frame.rows() if hasattr(frame, "rows") else list(frame.itertuples(index=False, name=None))  # type: ignore[attr-defined]
    return [str(name) for name in frame.columns], rows


def _file(name: str) -> tuple[list[str], Sequence[Sequence[_Cell]]]:
    """Return the header and the rows of a file."""
    if not os.path.isfile(name):
        raise InvalidInput("the log must be a file", repr(name), "Give the path of a CSV or Parquet file.")
    rows: Sequence[Sequence[_Cell]]
    if name.lower().endswith((".parquet", ".pq")):
        frame = read_parquet(name, "the log", "Or write the log as CSV.")
        header, rows = frame.columns, frame.rows()
    elif name.lower().endswith((".csv", ".txt")):
        table = read_csv(name)
        header, rows = list(table.header), [cells for _, cells in table.rows]
    else:
        raise InvalidInput("the log must end in .csv, .txt, .parquet or .pq", repr(name), "Rename or convert it.")
    return header, rows


class _Reader:
    """Knows which column means what, and reads rows."""

    def __init__(self, actions: ActionSet, units: Units, header: list[str], rows: Sequence[Sequence[_Cell]]) -> None:
        self._actions, self._units, self._header, self._rows = actions, units, header, rows
        self._labels = {str(label): index for index, label in enumerate(actions.labels)}
        paid = "reward" if {"range", "reward"} <= set(header) else units.word
        self._total = header.index(paid) if paid in header and not self._has(f"{paid}:") else None
        self._rewards = self._by_label(f"{paid}:") if self._total is None else []
        marks = self._has("action:")
        ways = [way for way in ("action", "indices") if way in header] + (["action:LABEL"] if marks else [])
        if len(ways) != 1:
            raise InvalidInput(
                "the log must give the action in one way: column `action`, column `indices`, or columns `action:LABEL`",
                f"{ways or 'none of them'}",
                "Keep exactly one.",
            )
        self._way = ways[0]
        self._marks = self._by_label("action:") if marks else []
        used = {self._way, "probability", "round", "policy", "context", "available", "range"}
        used |= {paid} if self._total is not None else set()
        self._ignored = [
            column for column in header if column not in used and not column.startswith((f"{paid}:", "action:"))
        ]

    def _has(self, prefix: str) -> bool:
        return any(column.startswith(prefix) for column in self._header)

    def _by_label(self, prefix: str) -> list[int]:
        """Return where the column of each element stands."""
        found = {
            column.removeprefix(prefix): index for index, column in enumerate(self._header) if column.startswith(prefix)
        }
        if not found:
            paid = prefix.removesuffix(":")
            other = "cost" if paid == "reward" else "reward"
            do = f"Add one, or say that they are {other}s: `{other}_range`." if other in self._header else "Add one."
            must = f"the log must have a column `{paid}`, the total, or columns {prefix}LABEL, one per element"
            raise InvalidInput(must, f"columns {shown(self._header)}", do)
        missing = [label for label in self._labels if label not in found]
        unknown = [label for label in found if label not in self._labels]
        if missing or unknown:
            raise InvalidInput(
                f"the log must have one column {prefix}LABEL for each of the {len(self._labels)} elements",
                f"missing {missing[:5]}, unknown {unknown[:5]}",
                f"Known labels are e.g. {list(self._labels)[:5]}.",
            )
        return [found[label] for label in self._labels]

    def read(self) -> Log:
        if not self._rows:
            raise InvalidInput("the log must have at least one row", "a header alone", "Write one row per day.")
        n, d = len(self._rows), self._actions.dimension
        plays, rewards = np.zeros((n, d), dtype=np.int64), np.zeros((n, d) if self._total is None else n)
        is_told = "policy" in self._header or "round" not in self._header  # then every row was drawn
        for index, row in enumerate(self._rows):
            for element, column in enumerate(self._rewards):
                rewards[index, element] = self._number(index, column)
            if self._total is not None:
                is_drawn = is_told or not _is_empty(row[self._total])
                rewards[index] = self._number(index, self._total) if is_drawn else math.nan
            plays[index] = self._action(index)
        plays = read_plays(self._actions, plays, f"column {self._way!r} of the log")
        listed, here = self._contexts(), self._available(plays)
        days, policies, told = self._drawn(plays, rewards)
        contexts, available = tuple(listed[day] for day in days), tuple(here[day] for day in days)
        return Log(
            actions=self._actions,
            plays=plays[days],
            rewards=self._in_units(rewards[days]),
            policies=None if policies is None else tuple(policies),
            told=told,
            units=self._units,
            contexts=contexts if any(each is not None for each in contexts) else None,
            available=available if any(available) else None,
            notes=(f"Columns left alone: {', '.join(self._ignored)}.",) if self._ignored else (),
        )

    def _drawn(self, plays: Actions, rewards: Matrix | Vector) -> tuple[list[int], list[Policy] | None, str]:
        """Return in which row each day stands, its policy, and how it is known."""
        n, policies = len(plays), self._policies()
        chances = read_chances(self._numbers("probability"), n)
        rounds = self._cells("round", "name the day")
        if policies is not None or (rounds is None and (self._total is not None or chances is None)):
            return [*range(n)], policies, "unknown" if policies is None else "logged"
        if rounds is None:
            is_sure = bool(np.all(chances == 1.0))
            return [*range(n)], read_policies(self._actions, plays, "constant") if is_sure else None, "logged"
        if self._total is None:
            return *read_listed(plays, rewards, rounds, chances), LISTED
        return *read_drawn(plays, rewards, rounds, chances), "logged"

    def _in_units(self, totals: Matrix | Vector) -> Matrix | Vector:
        """Return totals of a range that the log states in the units of who reads them."""
        if "range" not in self._header or self._total is None:
            return totals
        column = self._header.index("range")
        low, high = (self._parsed(0, column, part) for part in [*_parts(self._rows[0][column]), "", ""][:2])
        wrong = [index for index, row in enumerate(self._rows) if row[column] != self._rows[0][column]]
        if wrong or not low < high:
            raise self._fault(
                wrong[0] if wrong else 0, column, "hold the range of all totals, as 0;1", self._rows[0][column]
            )
        units = self._units
        return units.reward(units.low + (totals - low) / (high - low) * units.scale)

    def _numbers(self, name: str) -> list[float] | None:
        if name not in self._header:
            return None
        return [self._number(index, self._header.index(name)) for index in range(len(self._rows))]

    def _cells(self, name: str, must: str = "") -> list[str] | None:
        """Return a column as text; if none may be empty, ``must`` says what they do."""
        if name not in self._header:
            return None
        column = self._header.index(name)
        for index, row in enumerate(self._rows):
            if must and _is_empty(row[column]):
                raise self._fault(index, column, must, row[column])
        return ["" if _is_empty(row[column]) else str(row[column]).strip() for row in self._rows]

    def _contexts(self) -> list[str | None]:
        return [text or None for text in self._cells("context") or [""] * len(self._rows)]

    def _available(self, plays: Actions) -> list[tuple[Label, ...] | None]:
        """Return what was available, of each row; nothing where all was."""
        if "available" not in self._header:
            return [None] * len(self._rows)
        column, found = self._header.index("available"), []
        for index, row in enumerate(self._rows):
            places = [self._labelled(name, index, column) for name in _parts(row[column])]
            here = tuple(self._actions.labels[place] for place in places) or None
            gone = [] if here is None else [name for name in self._actions.elements(plays[index]) if name not in here]
            if gone:
                raise self._fault(index, column, "hold what was chosen", gone[0])
            found.append(here)
        return found

    def _action(self, index: int) -> Actions:
        play = np.zeros(self._actions.dimension, dtype=np.int64)
        if self._marks:
            for element, column in enumerate(self._marks):
                value = self._number(index, column)
                if value not in (0.0, 1.0):
                    raise self._fault(index, column, "be 0 or 1", self._rows[index][column])
                play[element] = int(value)
            return play
        column = self._header.index(self._way)
        cell = self._rows[index][column]
        parts = _parts(cell)
        if not parts:
            raise self._fault(index, column, "name the elements of an action", cell)
        for part in parts:
            place = self._place(part, index, column)
            if play[place]:
                raise self._fault(index, column, "name each element once", cell)
            play[place] = 1
        return play

    def _place(self, name: str, index: int, column: int) -> int:
        if self._way == "indices":
            if not name.isdecimal() or len(name) > _LONGEST or int(name) >= self._actions.dimension:
                raise self._fault(index, column, f"hold positions in 0..{self._actions.dimension - 1}", name)
            return int(name)
        return self._labelled(name, index, column)

    def _labelled(self, name: str, index: int, column: int) -> int:
        if name not in self._labels:
            raise self._fault(index, column, f"hold labels such as {list(self._labels)[:5]}", name)
        return self._labels[name]

    def _number(self, index: int, column: int) -> float:
        return self._parsed(index, column, self._rows[index][column])

    def _parsed(self, index: int, column: int, cell: _Cell) -> float:
        try:
            value = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise self._fault(index, column, "be a number", cell) from None
        if not math.isfinite(value):
            raise self._fault(index, column, "be finite", cell)
        return value

    def _policies(self) -> list[Policy] | None:
        if "policy" not in self._header:
            return None
        column, last = self._header.index("policy"), ""
        policies: list[Policy] = []
        for index, text in enumerate(self._cells("policy") or ()):
            if not policies and not text:
                raise self._fault(index, column, "hold a policy, as there is none above it", self._rows[index][column])
            if text in ("", last):
                policies.append(policies[-1])
                continue
            with naming(f"row {index + 1}, column 'policy'"):
                policies.append(read_policy_cell(text, self._actions))
            last = text
        return policies

    def _fault(self, index: int, column: int, must: str, came: _Cell | Label) -> InvalidInput:
        return InvalidInput(
            f"row {index + 1}, column {self._header[column]!r} of the log must {must}", repr(came), "Correct that cell."
        )


def _parts(cell: object) -> list[str]:
    """Return the names in a cell: a text with ; between them, or a list in a frame."""
    if not isinstance(cell, str) and is_iterable(cell):
        return [str(each) for each in cell]
    return [] if _is_empty(cell) else [part.strip() for part in str(cell).split(";")]


def _is_empty(cell: object) -> bool:
    return cell is None or cell != cell or str(cell).strip() == ""  # pandas marks what is missing by NaN
