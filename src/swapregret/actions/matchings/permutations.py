r"""Permutations: match n rows with n columns one to one.

:math:`\mathcal A` is the set of permutation matrices, its hull the doubly stochastic matrices (the Birkhoff polytope):
workers and tasks, items and positions.
"""

from collections.abc import Sequence

import numpy.typing as npt

from swapregret.actions.matchings.matching_set import MatchingSet, item_names
from swapregret.actions.matchings.permutation_policies import GIBBS_LIMIT, GibbsPermutations
from swapregret.arrays import Label, as_integer
from swapregret.errors import Unsupported
from swapregret.policy import Policy


class Permutations(MatchingSet):
    r"""All ways to match n rows with n columns one to one.

    Parameters
    ----------
    n : int
        How many rows and columns, at least 1.
    labels : sequence of hashable, optional
        Names of the n items that are ranked: rows are then positions from 0, columns are items, and coordinate i·n + j is
        called (i, item j). The same as ``column_labels``.
    row_labels, column_labels : sequence of hashable, optional
        Names, where rows are not positions; coordinate i·n + j is called (row i, column j).

    Notes
    -----
    ============== ==================================================== ==================
    operation      how                                                  cost
    ============== ==================================================== ==================
    argmax         Jonker–Volgenant                                     O(n³)
    kl_project     Sinkhorn sweeps, then Newton on the column prices    O(n²) – O(n³) per step
    decompose      Birkhoff in whole numbers, ≤ n²−2n+2 permutations    O(n) – O(n²) per term
    uniform        closed form, λ_min = 1/(n−1)                         O(n) per draw
    gibbs          recursion over subsets, n ≤ 14                       O(n 2ⁿ)
    ============== ==================================================== ==================

    Dimension n², size n, n! actions, rank (n−1)² + 1.

    Examples
    --------
    >>> actions = Permutations(2, row_labels=["Ann", "Bob"], column_labels=["dig", "sow"])
    >>> actions.elements(actions.argmax([1., 2., 3., 3.]))
    (('Ann', 'sow'), ('Bob', 'dig'))
    >>> actions.choice([0, 1, 1, 0]), Permutations(2, labels=["tea", "milk"]).choice([0, 1, 1, 0])
    ({'Ann': 'sow', 'Bob': 'dig'}, ('milk', 'tea'))
    >>> import numpy as np
    >>> x = actions.kl_project(np.log([1., 2., 3., 4.])).point
    >>> abs(x[0] - 2 / (2 + 6**.5)) < 1e-12
    np.True_
    >>> actions.decompose([.25, .75, .75, .25]).weights
    array([0.75, 0.25])
    """

    def __init__(
        self,
        n: int,
        labels: Sequence[Label] | None = None,
        *,
        row_labels: Sequence[Label] | None = None,
        column_labels: Sequence[Label] | None = None,
    ) -> None:
        count = as_integer(n, "n", 1)
        super().__init__(count, count, row_labels, item_names(labels, column_labels))
        self.has_gibbs = count <= GIBBS_LIMIT

    @property
    def n(self) -> int:
        """Return the number of rows and of columns."""
        return self._rows

    def gibbs(self, scores: npt.ArrayLike) -> Policy:
        """Return the policy p(M) ∝ exp(scores·M), exact, for n ≤ 14.

        Raises
        ------
        Unsupported
            For larger n: the normalisation is a permanent, for which no polynomial algorithm is known.
        """
        table = self._table(scores, "scores")
        if not self.has_gibbs:
            raise Unsupported(
                f"an exact Gibbs policy of permutations must have n ≤ {GIBBS_LIMIT}",
                f"n = {self.n}, whose normalisation is a permanent over 2^{self.n} subsets",
                "Use swap_combcp, which needs only a projection and works for any n.",
            )
        return GibbsPermutations(table)

    def __repr__(self) -> str:
        return f"Permutations({self.n})"
