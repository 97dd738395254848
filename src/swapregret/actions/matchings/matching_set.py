r"""What permutations and truncated permutations share: every row gets a column of its own.

.. math:: \mathcal A = \{M \in \{0,1\}^{k \times m} : \sum_j M_{ij} = 1, \; \sum_i M_{ij} \le 1\}, \qquad k \le m.

The hull is the same with :math:`M \in [0,1]^{k \times m}` (Birkhoff, von Neumann); for k = m column sums are 1 as well.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import permutations

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.hull import Hull
from swapregret.actions.listed_policy import fixed_orders
from swapregret.actions.matchings.matching_hull import Matchings, matching_hull, matching_span_part
from swapregret.actions.matchings.permutation_policies import UniformMatchings, columns_of
from swapregret.arrays import Action, Integers, Label, Matrix, as_labels, as_vector, check_memory
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations
from swapregret.geometry.span import Span
from swapregret.policy import Policy

_UNITS = 2**44
_OUTSIDE = 1e-8
_ORDER_SEED = 0x5EED


class MatchingSet(ActionSet):
    """All ways to give each of k rows one of m ≥ k columns; coordinates are (row, column) pairs, named by the two labels."""

    has_uniform = True

    spec_options = ("labels", "row_labels", "column_labels")

    @classmethod
    def least_dimension(cls, given: Mapping[str, int]) -> int:
        """Return the number of pairs."""
        return given.get("n", given.get("rows", 1)) * given.get("n", given.get("columns", 1))

    def __init__(
        self,
        rows: int,
        columns: int,
        row_labels: Sequence[Label] | None = None,
        column_labels: Sequence[Label] | None = None,
    ) -> None:
        check_memory(rows * columns, "a set")
        across = as_labels(row_labels, rows, "row_labels")
        down = as_labels(column_labels, columns, "column_labels")
        super().__init__(rows * columns, rows, [(row, column) for row in across for column in down])
        self._rows, self._columns = rows, columns
        self._row_names, self._column_names = None if row_labels is None else across, down

    @property
    def n_actions(self) -> int:
        """Return m!/(m−k)!, exact."""
        return math.perm(self._columns, self._rows)

    @property
    def rank(self) -> int:
        """Return km − k + 1 for k < m, (n−1)² + 1 for k = m = n."""
        k, m = self._rows, self._columns
        return k * m - k + 1 if k < m else (m - 1) ** 2 + 1

    def _table(self, values: npt.ArrayLike, name: str) -> Matrix:
        """Read a vector as a fresh (rows, columns) table."""
        return np.array(as_vector(values, self.dimension, name)).reshape(self._rows, self._columns)

    def _is_action(self, vector: Action) -> bool:
        """Tell whether every row has one column and no column two rows."""
        return columns_of(vector, self._rows, self._columns) is not None

    def choice(self, action: npt.ArrayLike) -> tuple[Label, ...] | dict[Label, Label]:
        """Read an action as a ranking, the items (columns) in order; where rows have names, as {row: column}.

        Examples
        --------
        >>> from swapregret import Permutations
        >>> Permutations(3, labels="abc").choice([0, 0, 1, 1, 0, 0, 0, 1, 0])
        ('c', 'a', 'b')
        """
        chosen = np.flatnonzero(self._read_action(action)) % self._columns
        items = tuple(self._column_names[column] for column in chosen.tolist())
        return items if self._row_names is None else dict(zip(self._row_names, items, strict=True))

    def _actions(self) -> Iterator[Action]:
        offsets = self._columns * np.arange(self._rows)
        for chosen in permutations(range(self._columns), self._rows):  # one by one: there may be very many
            row = np.zeros(self.dimension, dtype=np.int64)
            row[offsets + np.array(chosen)] = 1
            yield row

    def hull_equations(self) -> HullEquations:
        """Return the hull (Birkhoff, von Neumann): each row adds up to 1, and each column to 1 or at most 1."""
        k, m = self._rows, self._columns
        rows, columns = np.repeat(np.eye(k), m, axis=1), np.tile(np.eye(m), k)
        if k == m:
            return HullEquations.of(np.arange(k * m), np.vstack([rows, columns]), np.ones(2 * k))
        return HullEquations.of(np.arange(k * m), rows, np.ones(k), columns, np.ones(m))

    @cached_property
    def span(self) -> Span:
        """All matrices with equal row sums (and, for k = m, the same column sums), in closed form.

        The first row whole and the other rows but for the last column determine everything (for k = m also without
        the last row).
        """
        k, m = self._rows, self._columns
        n_kept = k if k < m else max(k - 1, 1)
        index = np.arange(k * m).reshape(k, m)
        J = np.concatenate([index[0], index[1:n_kept, : m - 1].reshape(-1)])
        return Span(J, lambda: self._lift(J, n_kept), self._basis, lambda vector: matching_span_part(vector, k, m))

    def _lift(self, J: npt.NDArray[np.int64], n_kept: int) -> Matrix:
        """Give every entry from those in J by the sums of rows and columns."""
        k, m = self._rows, self._columns
        index = np.arange(k * m).reshape(k, m)
        L = np.zeros((k * m, len(J)))
        L[J, np.arange(len(J))] = 1.0
        one = L[index[0]].sum(axis=0)
        for i in range(1, n_kept):
            L[index[i, -1]] = one - L[index[i, :-1]].sum(axis=0)
        if n_kept < k:
            L[index[-1]] = one - L[index[:-1].reshape(-1)].reshape(k - 1, m, -1).sum(axis=0)
        return L

    def _basis(self) -> npt.NDArray[np.int64]:
        """Return independent actions, as many as the rank: few moves away from row i ↦ column i."""
        k, m = self._rows, self._columns
        moves: list[dict[int, int]] = [{}]
        if k == m:  # transpositions, and the three-cycles through 0
            moves += [{i: j, j: i} for i in range(m) for j in range(i + 1, m)]
            moves += [{0: i, i: j, j: 0} for i in range(1, m) for j in range(i + 1, m)]
        else:  # one row to a free column, or in the place of another row that goes to a free column
            moves += [{i: j} for i in range(k) for j in range(k, m)]
            moves += [{i: j, j: k} for i in range(k) for j in range(k) if i != j]
        rows = np.zeros((len(moves), k, m), dtype=np.int64)
        for table, move in zip(rows, moves, strict=True):
            chosen = np.arange(k)
            for row, column in move.items():
                chosen[row] = column
            table[np.arange(k), chosen] = 1
        return rows.reshape(len(moves), -1)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns."""
        return self._rows, self._columns

    def orders(self, count: int) -> tuple[Integers, ...]:
        """Return the fixed orders of rows and of columns, one for each variant of a decomposition."""
        return fixed_orders(_ORDER_SEED, count, self._rows, self._columns)

    def hull(self, mu: Policy | None = None, *, variants: int = 1) -> Hull:
        """Return the operations: Jonker and Volgenant's method, Sinkhorn and Newton, stripping in whole numbers.

        The gap of a projection is certified by the relaxation of the oracle in which rows choose freely once prices are taken off.
        """
        (k, m), (across, down) = self.shape, self.orders(variants)
        data = Matchings(k, m, _UNITS, across, down, _OUTSIDE)
        return matching_hull(data, is_uniform=mu is self._uniform, has_gibbs=self.has_gibbs)

    def uniform_policy(self) -> Policy:
        """Return the uniform policy over all matchings, in closed form."""
        return self._uniform

    @cached_property
    def _uniform(self) -> UniformMatchings:
        return UniformMatchings(self._rows, self._columns)


def item_names(labels: Sequence[Label] | None, column_labels: Sequence[Label] | None) -> Sequence[Label] | None:
    """Return the names of the items: ``labels`` is the short way to give ``column_labels``."""
    if labels is not None and column_labels is not None:
        raise InvalidInput(
            "`labels` and `column_labels` must not both be given", "both", "They name the same things: keep one."
        )
    return column_labels if labels is None else labels
