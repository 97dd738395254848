"""Whole runs of ComBand on a list of actions, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.kernels.exponential import exponential_weights
from swapregret.kernels.listed_steps import ListedLog, listed_shares, listed_totals, note_law, play_listed

__all__ = ["listed_weights", "run_comband"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def listed_weights(columns: Floats, scores: Floats, rate: float, exploration: float, explore: Floats) -> Floats:
    """Return (1 − γ) softmax(η S·M) + γ μ over the list."""
    weights = exponential_weights(listed_totals(columns, scores), rate, 0.0)
    for a in range(weights.size):
        weights[a] = (1.0 - exploration) * weights[a] + exploration * explore[a]
    return weights


@kernel
def listed_moment(shares: Floats, first: Integers, places: Integers, rank: int) -> Floats:
    """Return Σ on independent coordinates: action a has ``places[first[a]:first[a+1]]`` of them. Sums are exact."""
    sigma = np.zeros((rank, rank))
    for a in range(shares.size):
        weight = shares[a]
        for p in range(first[a], first[a + 1]):
            row = sigma[places[p]]
            for q in range(first[a], first[a + 1]):
                row[places[q]] += weight
    return sigma


@kernel
def run_comband(
    rng: np.random.Generator,
    rewards: Floats,
    columns: Floats,
    begin: int,
    coordinates: Integers,
    first: Integers,
    places: Integers,
    explore: Floats,
    rate: float,
    exploration: float,
    least: float,
    is_new: bool,
    scores: Floats,
    log: ListedLog,
) -> tuple[int, bool]:
    """Play from row ``begin`` of ``rewards`` on; ``scores``, one an element, are changed in place.

    ``is_new`` tells whether the law of the first day is to be noted. Returns how many rows are done, and whether all of
    them have been learnt from: if not, Σ of the law was singular to working precision on the last.
    """
    shares = listed_shares(listed_weights(columns, scores, rate, exploration, explore), least)
    for index in range(begin, len(rewards)):
        if is_new:
            note_law(log, index, shares)
        chosen, reward = play_listed(rng, columns, rewards[index], shares, log, index)
        is_new = reward != 0.0  # a day that pays nothing changes nothing
        if is_new:
            factor, is_definite = cholesky(listed_moment(shares, first, places, coordinates.size))
            if not is_definite:
                return index + 1, False
            right = np.empty(coordinates.size)
            for j in range(coordinates.size):
                right[j] = columns[coordinates[j], chosen]
            part = cholesky_solve(factor, right)
            for j in range(coordinates.size):
                scores[coordinates[j]] += reward * part[j]
            shares = listed_shares(listed_weights(columns, scores, rate, exploration, explore), least)
    log.filled[1] = 0 if is_new else 1
    return len(rewards), True
