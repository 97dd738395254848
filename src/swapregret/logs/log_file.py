"""Reading a log of plays from a file, cell by cell; a cell that cannot be read is named by its row and column.

Columns, all named in the header:

* the action, in exactly one of three ways: ``action`` (labels separated by ``;``), ``indices`` (positions from 0,
  separated by ``;``), or one column ``action:LABEL`` of 0 and 1 for each element;
* ``reward:LABEL`` for each element, or ``cost:LABEL`` where costs are read; or ``reward``, ``cost``, where only the total was seen;
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
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Label, Matrix, Vector
from swapregret.counts import shown
from swapregret.errors import InvalidAction, InvalidInput, naming
from swapregret.files.csv_file import read_csv, read_parquet
from swapregret.policy import Policy
from swapregret.regret.ledgers.policy_file import read_policy_cell
from swapregret.regret.ledgers.read_plays import no_policies

_LONGEST = 18
_Path = str | os.PathLike[str]
_Cell = str | int | float | bool | None


@dataclass(frozen=True, eq=False)
class LoggedPlay:
    """A log as arrays.

    Attributes
    ----------
    plays : Actions, shape (n, dimension)
    rewards : Matrix, shape (n, dimension), or Vector, shape (n,)
        Reward vectors; or totals, NaN in rows that were not drawn.
    policies : tuple of Policy or None
    probabilities : Vector or None
    rounds : array or None
    contexts : tuple of str or None
    available : tuple or None
        The labels of the elements that could be chosen, of each row; None where all could.
    ignored : tuple of str
        Columns that were left alone.
    """

    plays: Actions
    rewards: Matrix | Vector
    policies: tuple[Policy, ...] | None
    probabilities: Vector | None
    rounds: npt.NDArray[np.str_] | None
    contexts: tuple[str, ...] | None
    available: tuple[tuple[Label, ...] | None, ...] | None
    ignored: tuple[str, ...]


class Frame(Protocol):
    """A data frame: Polars' or pandas'."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


def read_log(
    source: _Path | Frame, actions: ActionSet, *, is_cost: bool = False, needs_policies: bool = True
) -> LoggedPlay:
    """Read a CSV or Parquet file of plays, by its ending, or a data frame with its columns.

    Parameters
    ----------
    source : path, or Polars or pandas frame
    actions : ActionSet
    is_cost : bool
        Whether columns are ``cost:LABEL`` or ``cost``.
    needs_policies : bool
        Whether a log of totals without the policies that drew the actions is refused.

    Raises
    ------
    InvalidInput
        Naming the row (counted from 1, below the header) and the column of the first cell that cannot be read.
    """
    paid = "cost" if is_cost else "reward"
    if not isinstance(source, str | os.PathLike):
        header, rows = _frame(source)
        return _Reader(actions, header, paid, needs_policies).read(rows)
    with naming(source):
        header, rows = _file(os.fspath(source))
        return _Reader(actions, header, paid, needs_policies).read(rows)


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

    def __init__(self, actions: ActionSet, header: list[str], paid: str, needs_policies: bool) -> None:
        self._actions = actions
        self._header = header
        self._labels = {str(label): index for index, label in enumerate(actions.labels)}
        self._total = header.index(paid) if paid in header and not self._has(f"{paid}:") else None
        self._rewards = self._by_label(f"{paid}:") if self._total is None else []
        is_told = "policy" in header or {"round", "probability"} <= set(header)
        if self._total is not None and needs_policies and not is_told:
            raise no_policies(f"column {paid!r} without `policy`, or `round` and `probability`")
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
        used = {self._way, "probability", "round", "policy", "context", "available"} | (
            {paid} if self._total is not None else set()
        )
        self._ignored = tuple(
            column for column in header if column not in used and not column.startswith((f"{paid}:", "action:"))
        )

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

    def read(self, rows: Sequence[Sequence[_Cell]]) -> LoggedPlay:
        if not rows:
            raise InvalidInput("the log must have at least one row", "a header alone", "Write one row per day.")
        n, d = len(rows), self._actions.dimension
        plays, rewards = np.zeros((n, d), dtype=np.int64), np.zeros((n, d) if self._total is None else n)
        known: dict[bytes, bool] = {}
        is_told = "policy" in self._header or "round" not in self._header  # then every row was drawn
        for index, row in enumerate(rows):
            number = index + 1
            for element, column in enumerate(self._rewards):
                rewards[index, element] = self._number(row, column, number)
            if self._total is not None:
                is_drawn = is_told or not _is_empty(row[self._total])
                rewards[index] = self._number(row, self._total, number) if is_drawn else math.nan
            plays[index] = self._action(row, number)
            key = plays[index].tobytes()
            if key not in known:
                known[key] = plays[index] in self._actions
            if not known[key]:
                raise InvalidAction(
                    f"row {number}, column {self._way!r} of the log must be an action of {self._actions!r}",
                    repr(self._actions.elements(plays[index])),
                    "Correct the row or the set.",
                )
        policies = self._policies(rows)
        contexts, available = self._contexts(rows), self._available(rows)
        told = policies, self._chances(rows), self._rounds(rows), contexts, available
        return LoggedPlay(plays, rewards, *told, self._ignored)

    def _contexts(self, rows: Sequence[Sequence[_Cell]]) -> tuple[str, ...] | None:
        if "context" not in self._header:
            return None
        column = self._header.index("context")
        found = tuple("" if _is_empty(row[column]) else str(row[column]).strip() for row in rows)
        return found if any(found) else None

    def _available(self, rows: Sequence[Sequence[_Cell]]) -> tuple[tuple[Label, ...] | None, ...] | None:
        if "available" not in self._header:
            return None
        column, known = self._header.index("available"), {}
        for index, row in enumerate(rows):
            text = "" if _is_empty(row[column]) else str(row[column])
            if text not in known:
                names = [name.strip() for name in text.split(";")] if text else []
                unknown = [name for name in names if name not in self._labels]
                if unknown:
                    raise self._fault(index + 1, column, f"hold labels such as {list(self._labels)[:5]}", unknown[0])
                known[text] = tuple(self._actions.labels[self._labels[name]] for name in names) or None
        found = tuple(known["" if _is_empty(row[column]) else str(row[column])] for row in rows)
        return found if any(found) else None

    def _action(self, row: Sequence[_Cell], number: int) -> Actions:
        play = np.zeros(self._actions.dimension, dtype=np.int64)
        if self._marks:
            for element, column in enumerate(self._marks):
                value = self._number(row, column, number)
                if value not in (0.0, 1.0):
                    raise self._fault(number, column, "be 0 or 1", row[column])
                play[element] = int(value)
            return play
        column = self._header.index(self._way)
        cell = row[column]
        if _is_empty(cell):
            raise self._fault(number, column, "name the elements of an action", cell)
        for part in str(cell).split(";"):
            place = self._place(part.strip(), number, column)
            if play[place]:
                raise self._fault(number, column, "name each element once", cell)
            play[place] = 1
        return play

    def _place(self, name: str, number: int, column: int) -> int:
        if self._way == "indices":
            if not name.isdecimal() or len(name) > _LONGEST or int(name) >= self._actions.dimension:
                raise self._fault(number, column, f"hold positions in 0..{self._actions.dimension - 1}", name)
            return int(name)
        if name not in self._labels:
            raise self._fault(number, column, f"hold labels such as {list(self._labels)[:5]}", name)
        return self._labels[name]

    def _number(self, row: Sequence[_Cell], column: int, number: int) -> float:
        cell = row[column]
        try:
            value = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise self._fault(number, column, "be a number", cell) from None
        if not math.isfinite(value):
            raise self._fault(number, column, "be finite", cell)
        return value

    def _policies(self, rows: Sequence[Sequence[_Cell]]) -> tuple[Policy, ...] | None:
        if "policy" not in self._header:
            return None
        column, last = self._header.index("policy"), ""
        policies: list[Policy] = []
        for index, row in enumerate(rows):
            text = "" if _is_empty(row[column]) else str(row[column])
            if not policies and not text:
                raise self._fault(index + 1, column, "hold a policy, as there is none above it", row[column])
            if text in ("", last):
                policies.append(policies[-1])
                continue
            with naming(f"row {index + 1}, column 'policy'"):
                policies.append(read_policy_cell(text, self._actions))
            last = text
        return tuple(policies)

    def _chances(self, rows: Sequence[Sequence[_Cell]]) -> Vector | None:
        if "probability" not in self._header:
            return None
        column = self._header.index("probability")
        chances = np.array([self._number(row, column, index + 1) for index, row in enumerate(rows)])
        wrong = np.flatnonzero(~((chances > 0.0) & (chances <= 1.0)))
        if len(wrong):
            raise self._fault(int(wrong[0]) + 1, column, "be above 0 and at most 1", rows[wrong[0]][column])
        return chances

    def _rounds(self, rows: Sequence[Sequence[_Cell]]) -> npt.NDArray[np.str_] | None:
        if "round" not in self._header:
            return None
        column = self._header.index("round")
        for index, row in enumerate(rows):
            if _is_empty(row[column]):
                raise self._fault(index + 1, column, "name the day", row[column])
        return np.array([str(row[column]).strip() for row in rows])

    def _fault(self, number: int, column: int, must: str, came: _Cell | Label) -> InvalidInput:
        return InvalidInput(
            f"row {number}, column {self._header[column]!r} of the log must {must}", repr(came), "Correct that cell."
        )


def _is_empty(cell: _Cell) -> bool:
    return cell is None or cell != cell or str(cell).strip() == ""  # pandas marks what is missing by NaN
