"""A set given by the list of its actions: the definition every other set is compared with."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull, basis_of
from swapregret.actions.labelled import SpecValues
from swapregret.actions.own_sets.explicit_hull import ListedRows, explicit_hull
from swapregret.arrays import Action, Actions, Integers, Label, Matrix, as_vector, frozen
from swapregret.compiled.bits import pack_rows
from swapregret.errors import InvalidInput
from swapregret.files.csv_file import read_csv
from swapregret.geometry.caratheodory import norms_of
from swapregret.geometry.rows import elements_of_rows
from swapregret.policy import FinitePolicy, Policy


class Explicit(ActionSet):
    """The set of exactly the actions listed.

    Parameters
    ----------
    actions : array_like, shape (N, d)
        Rows of zeros and ones, all different.
    labels : sequence of hashable, optional
        What the user calls each coordinate.

    Notes
    -----
    The oracle tries every action, O(N d); the first in canonical order wins a tie.

    Examples
    --------
    >>> actions = Explicit([[1, 0, 1], [0, 1, 1]])
    >>> actions.argmax([.2, .3, 0.]), actions.rank, [1, 1, 1] in actions
    (array([0, 1, 1]), 2, False)
    """

    spec_options = ("actions", "labels")
    has_uniform = True
    has_gibbs = True

    def __init__(self, actions: npt.ArrayLike, labels: Sequence[Label] | None = None) -> None:
        given = _read(actions)
        order = np.lexsort(given.T)
        rows = given[order]
        same = (rows[1:] == rows[:-1]).all(axis=1)
        if same.any():
            first = int(np.argmax(same))
            pair = sorted((int(order[first]), int(order[first + 1])))
            raise InvalidInput(
                "`actions` of Explicit must all be different",
                f"the same action in rows {pair[0]} and {pair[1]}",
                "Leave out one of the two.",
            )
        sizes = rows.sum(axis=1)
        if sizes.max() == 0:
            raise InvalidInput(
                "`actions` of Explicit must contain an action other than the zero vector",
                "the zero vector alone",
                "Leave out sets in which nothing can be chosen.",
            )
        super().__init__(rows.shape[1], int(sizes.max()), labels)
        self.is_uniform = bool(sizes.min() == sizes.max())
        self._rows: Actions = frozen(np.ascontiguousarray(rows))
        self._table: Matrix = frozen(rows.astype(np.float64))

    @classmethod
    def from_spec(cls, values: SpecValues, folder: Path) -> "Explicit":
        """Make the set of a table's ``actions``, or of a CSV file with one column of 0 and 1 for each element."""
        if "actions" in values:
            return cls(values["actions"], labels=values.get("labels"))
        if "file" not in values:
            raise InvalidInput("a set of explicit must have `file` or `actions`", f"{sorted(values)}", "Add one.")
        table = read_csv(folder / str(values["file"]))
        for line, cells in table.rows:
            for label, value in zip(table.header, cells, strict=True):
                if value not in ("0", "1"):
                    raise InvalidInput(
                        f"line {line}, column {label!r} of {table.name!r} must be 0 or 1",
                        repr(value),
                        "Write one action per line.",
                    )
        return cls([[int(cell) for cell in cells] for _, cells in table.rows], labels=list(table.header))

    @property
    def n_actions(self) -> int:
        """Return N, the number of actions listed."""
        return len(self._rows)

    def part_on(self, kept: Integers) -> "Explicit":
        """Return the rows that have no other elements."""
        rows = self._rows[self._rows.sum(axis=1) == self._rows[:, kept].sum(axis=1)]
        return Explicit(rows[:, kept], [self.labels[index] for index in kept])

    def _is_action(self, vector: Action) -> bool:
        """Tell whether a vector is one of the actions listed."""
        return vector.tobytes() in self._known

    @cached_property
    def _known(self) -> frozenset[bytes]:
        return frozenset(row.tobytes() for row in self._rows)

    def _actions(self) -> Iterator[Action]:
        return iter(self._rows)

    def uniform_policy(self) -> FinitePolicy:
        """Return the uniform policy over the actions."""
        return FinitePolicy(self._rows, np.full(len(self._rows), 1.0 / len(self._rows)))

    def gibbs(self, scores: npt.ArrayLike) -> FinitePolicy:
        """Return the policy p(M) ∝ exp(scores · M), by listing; weights below 2⁻⁵² are dropped."""
        totals = self._table @ as_vector(scores, self.dimension, "scores")
        mass = np.exp(totals - totals.max())
        return FinitePolicy(self._rows, mass / mass.sum())

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: all actions are tried, Newton's method on the list, least squares; Gibbs weights of all."""
        norms, basis = norms_of(range(variants), self.dimension), np.zeros((0, 0)) if mu is None else basis_of(self)
        return explicit_hull(self._data._replace(norms=norms, orthonormal=basis))

    @cached_property
    def _data(self) -> ListedRows:
        none = np.zeros((0, 0))
        return ListedRows(*elements_of_rows(self._table.copy()), np.array(pack_rows(self._rows)), none, none)

    def __repr__(self) -> str:
        return f"Explicit({len(self._rows)} actions, dimension={self.dimension}, size={self.size})"


def _read(actions: npt.ArrayLike) -> Actions:
    """Read a table of zeros and ones, or say which row is wrong."""
    try:
        table = np.asarray(actions)
    except ValueError:
        table = np.empty(0, dtype=object)
    if table.dtype == object or table.ndim != 2 or table.size == 0:
        raise InvalidInput(
            "`actions` of Explicit must be a non-empty list of rows of the same length",
            f"an array of shape {table.shape}" if table.dtype != object else "rows that do not make a table",
            "Pass one row of zeros and ones for each action.",
        )
    binary = (table == 0) | (table == 1)
    if table.dtype.kind not in "biuf" or not binary.all():
        row = int(np.argmin(binary.all(axis=1))) if table.dtype.kind in "biuf" else 0
        raise InvalidInput(
            "`actions` of Explicit must contain only 0 and 1",
            f"row {row}: {table[row].tolist()}",
            "An action marks each coordinate as chosen (1) or not (0).",
        )
    return table.astype(np.int64)
