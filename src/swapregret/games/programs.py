r"""Linear programs over a normal form (HiGHS): gaps of a joint law, the best correlated equilibrium, the value of a zero-sum game.

They share nothing with the ledgers that certificates are read off, which is what makes them a check.

May touch: ``errors``, ``arrays``, SciPy, ``games.matrix``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Vector, frozen
from swapregret.errors import InvalidInput, NotConverged
from swapregret.games.matrix import MatrixGame

__all__ = ["BestEquilibrium", "best_correlated_equilibrium", "swap_gap_by_program", "zero_sum_value"]

Joint = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BestEquilibrium:
    """A correlated equilibrium that maximises the sum of payoffs: its joint law, payoffs and their sum."""

    law: Joint
    payoffs: Vector
    welfare: float


def _solve(**program: Any) -> Any:
    found = scipy.optimize.linprog(method="highs", **program)
    if found.status != 0:
        raise NotConverged("the linear program must be solved", str(found.message), "Check that payoffs are moderate.")
    return found


def swap_gap_by_program(game: MatrixGame, law: Joint, player: int) -> float:
    r"""Return a player's swap gap under a joint law, in payoffs, by a linear program over all rules.

    .. math:: \max_{\phi \ge 0,\ \sum_b \phi(a, b) = 1}\ \sum_{a, b} \phi(a, b) \sum_{a_{-i}} \sigma(a, a_{-i})
        \big(u_i(b, a_{-i}) - u_i(a, a_{-i})\big)

    Examples
    --------
    >>> from swapregret.games.classics import gibson
    >>> swap_gap_by_program(gibson(), np.array([[.5, 0.], [0., .25], [0., .25]]), 0)
    0.25
    """
    joint = np.asarray(law, dtype=np.float64)
    if joint.shape != game.tables.shape[1:]:
        raise InvalidInput(f"`law` must have shape {game.tables.shape[1:]}", str(joint.shape), "One entry a profile.")
    told = np.moveaxis(joint, player, 0).reshape(joint.shape[player], -1)
    pays = np.moveaxis(game.tables[player], player, 0).reshape(joint.shape[player], -1)
    gains = told @ pays.T
    gains = gains - np.diagonal(gains)[:, None]
    n = len(gains)
    rows = np.repeat(np.arange(n), n)
    sums = scipy.sparse.csr_matrix((np.ones(n * n), (rows, np.arange(n * n))), shape=(n, n * n))
    found = _solve(c=-gains.ravel(), A_eq=sums, b_eq=np.ones(n), bounds=(0, None))
    return float(-found.fun)


def best_correlated_equilibrium(game: MatrixGame) -> BestEquilibrium:
    """Return a correlated equilibrium of largest welfare.

    Examples
    --------
    >>> from swapregret.games.classics import chicken
    >>> best_correlated_equilibrium(chicken()).payoffs.round(9).tolist()
    [5.25, 5.25]
    """
    shape = game.tables.shape[1:]
    places = np.arange(int(np.prod(shape))).reshape(shape)
    blocks = []
    for player, count in enumerate(shape):
        cells = np.moveaxis(places, player, 0).reshape(count, -1)
        pays = np.moveaxis(game.tables[player], player, 0).reshape(count, -1)
        for told in range(count):
            gains = np.delete(pays - pays[told], told, axis=0)
            rows = np.repeat(np.arange(len(gains)), cells.shape[1])
            columns = np.tile(cells[told], len(gains))
            blocks.append(scipy.sparse.coo_matrix((gains.ravel(), (rows, columns)), shape=(len(gains), places.size)))
    welfare = game.tables.sum(axis=0).ravel()
    limits = scipy.sparse.vstack(blocks).tocsr()
    everything = scipy.sparse.csr_matrix(np.ones((1, places.size)))
    found = _solve(
        c=-welfare, A_ub=limits, b_ub=np.zeros(limits.shape[0]), A_eq=everything, b_eq=[1.0], bounds=(0, None)
    )
    law = frozen(np.asarray(found.x).reshape(shape))
    payoffs = np.array([float((table * law).sum()) for table in game.tables])
    return BestEquilibrium(law, frozen(payoffs), float(payoffs.sum()))


def zero_sum_value(game: MatrixGame) -> float:
    """Return the value of a game of two players whose payoffs add up to 0: what the first can secure.

    Examples
    --------
    >>> from swapregret.games.classics import matching_pennies
    >>> abs(zero_sum_value(matching_pennies())) < 1e-9
    True
    """
    if game.n_players != 2 or np.abs(game.tables.sum(axis=0)).max() > 1e-9:
        raise InvalidInput(
            "`game` must have two players whose payoffs add up to 0", repr(game), "Others have no one value."
        )
    table = game.tables[0]
    n, m = table.shape
    found = _solve(
        c=np.r_[np.zeros(n), -1.0],
        A_ub=np.c_[-table.T, np.ones(m)],
        b_ub=np.zeros(m),
        A_eq=np.r_[np.ones(n), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return float(found.x[-1])
