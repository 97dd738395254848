r"""Matching markets: agencies send their workers to posts; a post takes the worker of the agency it likes best.

An agency's action gives each of its workers a post of its own. Worker w at post s earns value(w, s) unless an agency that s likes
better sends somebody there too. Under independent policies the chance that nobody better comes is a product over those agencies.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapregret.actions.matchings.truncated_permutations import TruncatedPermutations
from swapregret.arguments import checked
from swapregret.arrays import Floats, Integers, Vector, frozen
from swapregret.errors import InvalidInput
from swapregret.games.payoffs import Numbers, RuledGame, pay, read_numbers, spec_of


class MarketRule(NamedTuple):
    """What each (worker, post) of all agencies earns; and [post, agency, rival]: whether the post likes the rival better."""

    values: Floats
    is_better: npt.NDArray[np.bool_]


class MatchingMarket(RuledGame):
    """Several agencies compete for posts.

    Parameters
    ----------
    values : sequence of array_like, each of shape (workers of the agency, posts)
        What each worker earns at each post, non-negative.
    priority : array_like, shape (posts, agencies)
        How much each post likes each agency: larger is better, ties go to the agency that comes first.
    names : sequence of str, optional

    Examples
    --------
    >>> market = MatchingMarket([[[3., 1.]], [[2., 1.]]], [[0, 1], [1, 0]])
    >>> market.payoffs([[1, 0], [1, 0]])
    array([0., 2.])
    """

    rule: MarketRule

    @checked
    def __init__(
        self, values: Sequence[npt.ArrayLike], priority: npt.ArrayLike, names: Sequence[str] | None = None
    ) -> None:
        tables, liking = [read_numbers(each) for each in values], read_numbers(priority)
        posts = len(liking) if liking.ndim else 0
        if (
            not tables
            or liking.shape != (posts, len(tables))
            or any(table.ndim != 2 or table.shape[1] != posts for table in tables)
            or any(not np.isfinite(table).all() or (table < 0).any() for table in tables)
        ):
            raise InvalidInput(
                "`values` must be tables of non-negative numbers with one column per post, `priority` one row per post",
                f"tables of shapes {[table.shape for table in tables]}, priority of shape {liking.shape}",
                "Give every agency a table with as many columns as there are posts.",
            )
        super().__init__([TruncatedPermutations(len(table), posts) for table in tables], names)
        self.values = tuple(frozen(table) for table in tables)
        rank = np.argsort(np.argsort(-liking, axis=1, kind="stable"), axis=1)  # 0 is liked best
        better = rank[:, None, :] < rank[:, :, None]
        self.rule = MarketRule(frozen(np.concatenate([table.ravel() for table in tables])), frozen(better))
        listed = [table.tolist() for table in tables]
        self.spec = spec_of("matching", values=listed, priority=liking, names=list(self.names))

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return 0 where a rival is liked better, else the value; and the value."""
        rivals = [rival for rival in range(self.n_players) if rival != player]
        contested = self.rule.is_better[:, player, :][:, rivals].any(axis=1)
        return (self.values[player] * ~contested).ravel(), self.values[player].ravel()


@pay.of(MarketRule)
def pay_market(rule: MarketRule, profile: Numbers, starts: Integers, first: int, last: int, vectors: Floats) -> None:
    """Write each value times the chance that nobody better comes."""
    n_posts, n = rule.is_better.shape[0], rule.is_better.shape[1]
    comes = np.zeros((n, n_posts))
    for rival in range(n):
        for i in range(starts[rival], starts[rival + 1]):
            comes[rival, (i - starts[rival]) % n_posts] += profile[i]
    for player in range(first, last):
        free = np.ones(n_posts)
        for post in range(n_posts):
            for rival in range(n):
                if rule.is_better[post, player, rival]:
                    free[post] *= 1.0 - comes[rival, post]
        for i in range(starts[player], starts[player + 1]):
            vectors[i] = rule.values[i] * free[(i - starts[player]) % n_posts]
