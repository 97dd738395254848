"""Entering laws over one list of actions into the rows of a ledger, compiled."""

from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import dot
from swapregret.regret.ledgers.kernels.row_sums import accumulate_law

__all__ = ["record_listed"]


@kernel
def record_listed(
    values: Floats,
    days: Floats,
    scores: Floats,
    rows: Integers,
    columns: Floats,
    shares: Floats,
    edges: Integers,
    rewards: Floats,
    total: Floats,
    earned: float,
) -> float:
    """Enter laws one after the other: law e, with the weights ``shares[e]``, was played on days edges[e]..edges[e+1]−1.

    ``rows`` are those of the listed actions, ``columns`` the actions themselves, element by element. Adds in the order in
    which the laws would be entered one by one. Rewards go to ``total``; ``earned`` is returned with what was earned added.
    """
    d = rewards.shape[1]
    for e in range(shares.shape[0]):
        vector = rewards[edges[e]].copy()
        for day in range(edges[e] + 1, edges[e + 1]):
            for i in range(d):
                vector[i] += rewards[day, i]
        for i in range(d):
            total[i] += vector[i]
        law = shares[e]
        gained = 0.0
        for i in range(d):
            gained += dot(columns[i], law) * vector[i]  # marginals are sums on a grid, exact in any order
        earned += gained
        accumulate_law(values, days, scores, rows, law, vector, float(edges[e + 1] - edges[e]))
    return earned
