r"""Truncated permutations: give each of k rows a column of its own, out of m.

The top k positions of a ranking of m items, each item shown at most once; or k workers and m ≥ k tasks of which m − k are left.
"""

from collections.abc import Sequence

import numpy.typing as npt

from swapregret.actions.matchings.matching_set import MatchingSet, item_names
from swapregret.arrays import Label, as_integer
from swapregret.errors import InvalidInput, Unsupported
from swapregret.policy import Policy


class TruncatedPermutations(MatchingSet):
    r"""All ways to give each of ``rows`` rows a column of its own out of ``columns``.

    Parameters
    ----------
    rows : int
        k, at least 1.
    columns : int
        m, at least k. For k = m these are the permutations.
    labels : sequence of hashable, optional
        Names of the m items of which k are ranked; the same as ``column_labels``.
    row_labels, column_labels : sequence of hashable, optional
        Names; coordinate i·m + j is called (row i, column j), rows counted from 0 where they have no names.

    Notes
    -----
    =========== =================================================== ======================
    operation   how                                                 cost
    =========== =================================================== ======================
    argmax      Jonker–Volgenant, rectangular                       O(k²m)
    kl_project  sweeps, then Newton on the prices of wanted columns O(km) – O(k³) per step
    decompose   matchings covering rows and full columns, ≤ rank    O(m) – O(km) per term
    uniform     closed form, λ_min = (m−k)/(m(m−1)) for k < m       O(m) per draw
    gibbs       none: refused
    =========== =================================================== ======================

    Dimension km, size k, m!/(m−k)! actions, rank km − k + 1 for k < m.

    Examples
    --------
    >>> actions = TruncatedPermutations(2, 3, labels="abc")
    >>> actions.elements(actions.argmax([5., 4., 0., 5., 1., 0.])), actions.choice([0, 1, 0, 1, 0, 0])
    (((0, 'b'), (1, 'a')), ('b', 'a'))
    >>> actions.n_actions, actions.rank
    (6, 5)
    >>> import numpy as np
    >>> actions.kl_project(np.log([8., 1., 1., 2., 1., 1.])).point.reshape(2, 3).sum(axis=0).round(6)
    array([1. , 0.5, 0.5])
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        labels: Sequence[Label] | None = None,
        *,
        row_labels: Sequence[Label] | None = None,
        column_labels: Sequence[Label] | None = None,
    ) -> None:
        k = as_integer(rows, "rows", 1)
        m = as_integer(columns, "columns", 1)
        if k > m:
            raise InvalidInput(
                "`rows` of TruncatedPermutations must not exceed `columns`",
                f"{k} rows and {m} columns",
                "Exchange the two, or leave out rows: every row needs a column of its own.",
            )
        super().__init__(k, m, row_labels, item_names(labels, column_labels))

    @property
    def rows(self) -> int:
        """Return k, the number of rows."""
        return self._rows

    @property
    def columns(self) -> int:
        """Return m, the number of columns."""
        return self._columns

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Refuse: the normalisation of exp(scores·M) is a sum over matchings, in general as hard as a permanent.

        Raises
        ------
        Unsupported
            Always.
        """
        square = " Permutations(n) has one for n ≤ 14." if self._rows == self._columns else ""
        raise Unsupported(
            "an exact Gibbs policy must have a normalisation that can be computed in polynomial time",
            f"{self!r}, where it is a sum over matchings, in general as hard as a permanent",
            f"Use swap_combcp, which needs only a projection.{square}",
        )

    def __repr__(self) -> str:
        return f"TruncatedPermutations({self._rows}, {self._columns})"
