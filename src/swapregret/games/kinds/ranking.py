r"""Ranking duels: two search engines order the same items; a user who wants an item goes where it stands higher.

An engine's action is a permutation, (item, place); putting item i on place p wins its share of the users if the other has it
further down, loses it if further up, and splits it on a tie (Immorlica et al. 2011).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.actions.matchings.permutations import Permutations
from swapregret.arguments import checked
from swapregret.arrays import Label, Vector, frozen
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.games.bilinear import pair_rule
from swapregret.games.payoffs import RuledGame, read_numbers, spec_of


class RankingDuel(RuledGame):
    """Two engines rank n items, zero-sum.

    Parameters
    ----------
    demand : array_like, shape (n,)
        The share of users who want each item; scaled to add up to 1.
    items : sequence of hashable, optional
        What the items are called.

    Examples
    --------
    >>> duel = RankingDuel([.5, .3, .2], items="abc")
    >>> best, turned = [1,0,0, 0,1,0, 0,0,1], [0,0,1, 1,0,0, 0,1,0]
    >>> duel.payoffs([best, turned]).round(9).tolist()
    [0.0, 0.0]
    """

    @checked
    def __init__(self, demand: npt.ArrayLike, items: Sequence[Label] | None = None) -> None:
        share = read_numbers(demand)
        if share.ndim != 1 or len(share) == 0 or not (share >= 0).all() or not 0.0 < share.sum() < np.inf:
            raise InvalidInput(
                "`demand` must be non-negative numbers, not all 0, one per item",
                shown(demand),
                "Give each item a share.",
            )
        n = len(share)
        rankings = Permutations(n, row_labels=items, column_labels=[f"#{place + 1}" for place in range(n)])
        super().__init__([rankings, rankings], ["first engine", "second engine"])
        self.demand: Vector = frozen(share / share.sum())
        places = np.arange(n)
        self._wins = np.sign(places[None, :] - places[:, None]).astype(np.float64)  # [own, other]
        table = scipy.sparse.block_diag([share * self._wins for share in self.demand])
        self.rule = pair_rule([np.arange(n * n)] * 2, [table, table])
        self.spec = spec_of("ranking", demand=share, items=None if items is None else [str(each) for each in items])

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return the worst and the best that each (item, place) can do."""
        low, high = (np.outer(self.demand, self._wins.min(axis=1)), np.outer(self.demand, self._wins.max(axis=1)))
        return low.ravel(), high.ravel()
