r"""Linear programs over a normal form (HiGHS): gaps of joint policies, payoffs of equilibria, zero-sum values.

Games other than matrix games are listed first. The programs share nothing with the ledgers that certificates are read off, which
is what makes them a check.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.games.generated_program import solve_program
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import normal_form
from swapregret.games.payoffs import Game

Joint = npt.NDArray[np.float64]


def _tables(game: Game) -> Joint:
    """Return the payoffs of all players, one axis per player after the first."""
    listed = game if isinstance(game, MatrixGame) else normal_form(game)
    return listed.tables


def swap_gap_by_program(game: Game, policy: Joint, player: int) -> float:
    r"""Return a player's swap gap under a joint policy, in payoffs, by a linear program over all rules.

    .. math:: \max_{\phi \ge 0,\ \sum_b \phi(a, b) = 1}\ \sum_{a, b} \phi(a, b) \sum_{a_{-i}} \sigma(a, a_{-i})
        \big(u_i(b, a_{-i}) - u_i(a, a_{-i})\big)

    Examples
    --------
    >>> from swapregret.games import gibson
    >>> swap_gap_by_program(gibson(), np.array([[.5, 0.], [0., .25], [0., .25]]), 0)
    0.25
    """
    joint, tables = np.asarray(policy, dtype=np.float64), _tables(game)
    if joint.shape != tables.shape[1:]:
        raise InvalidInput(f"`policy` must have shape {tables.shape[1:]}", str(joint.shape), "One entry per profile.")
    told = np.moveaxis(joint, player, 0).reshape(joint.shape[player], -1)
    pays = np.moveaxis(tables[player], player, 0).reshape(joint.shape[player], -1)
    gains = told @ pays.T
    gains = gains - np.diagonal(gains)[:, None]
    n = len(gains)
    rows = np.repeat(np.arange(n), n)
    sums = scipy.sparse.csr_matrix((np.ones(n * n), (rows, np.arange(n * n))), shape=(n, n * n))
    found = solve_program(c=-gains.ravel(), A_eq=sums, b_eq=np.ones(n), bounds=(0, None))
    return float(-found.fun)


def equilibrium_payoffs(game: Game) -> Joint:
    """Return the corners of the set of payoffs that correlated equilibria of a two-player game have, counter-clockwise.

    The set is the image of a polytope, so it is a polygon. Between two corners the program is solved once more in the direction
    that is normal to their edge, until no direction leads further out.

    Examples
    --------
    >>> from swapregret.games import chicken
    >>> equilibrium_payoffs(chicken()).round(9).tolist()
    [[2.0, 7.0], [3.6, 3.6], [7.0, 2.0], [5.25, 5.25]]
    """
    if game.n_players != 2:
        raise InvalidInput("`game` must have two players", f"{game.n_players}", "Their payoffs are then a plane.")
    listed = _tables(game)
    program, tables = _equilibria(listed), listed.reshape(2, -1)
    width = float(np.ptp(tables)) or 1.0

    def farthest(direction: Vector) -> Vector:
        return np.asarray(tables @ solve_program(c=-(direction @ tables), **program).x)

    def between(one: Vector, other: Vector) -> list[Vector]:
        edge = other - one
        if float(np.hypot(*edge)) < 1e-9 * width:
            return []
        normal = np.array([edge[1], -edge[0]]) / float(np.hypot(*edge))
        found = farthest(normal)
        if float(normal @ (found - one)) < 1e-9 * width:
            return []
        return [*between(one, found), found, *between(found, other)]

    starts = [farthest(np.array(direction)) for direction in ((-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0))]
    corners: list[Vector] = []
    for one, other in zip(starts, [*starts[1:], starts[0]], strict=True):
        corners += [one, *between(one, other)]
    kept: list[Vector] = []
    for corner in corners:
        if all(float(np.hypot(*(corner - each))) > 1e-7 * width for each in kept):
            kept.append(corner)
    return np.array(kept)


def _equilibria(tables: Joint) -> dict[str, Any]:
    """Return the constraints of the program over all correlated equilibria, for ``linprog``."""
    shape = tables.shape[1:]
    places = np.arange(int(np.prod(shape))).reshape(shape)
    blocks = []
    for player, count in enumerate(shape):
        cells = np.moveaxis(places, player, 0).reshape(count, -1)
        pays = np.moveaxis(tables[player], player, 0).reshape(count, -1)
        for told in range(count):
            gains = np.delete(pays - pays[told], told, axis=0)
            rows = np.repeat(np.arange(len(gains)), cells.shape[1])
            columns = np.tile(cells[told], len(gains))
            blocks.append(scipy.sparse.coo_matrix((gains.ravel(), (rows, columns)), shape=(len(gains), places.size)))
    limits = scipy.sparse.vstack(blocks).tocsr()
    everything = scipy.sparse.csr_matrix(np.ones((1, places.size)))
    return {"A_ub": limits, "b_ub": np.zeros(limits.shape[0]), "A_eq": everything, "b_eq": [1.0], "bounds": (0, None)}


def minimax(table: Joint) -> tuple[float, Vector, Vector]:
    """Return the value of a table, and what the first, who wants much, and the second, who wants little, do to secure it.

    Examples
    --------
    >>> value, first, second = minimax(np.array([[3.0, -1.0], [-1.0, 1.0]]))
    >>> round(value, 9), first.round(9).tolist(), second.round(9).tolist()
    (0.333333333, [0.333333333, 0.666666667], [0.333333333, 0.666666667])
    """
    n, m = table.shape
    found = solve_program(
        c=np.r_[np.zeros(n), -1.0],
        A_ub=np.c_[-table.T, np.ones(m)],
        b_ub=np.zeros(m),
        A_eq=np.r_[np.ones(n), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return float(found.x[-1]), np.asarray(found.x[:n]), np.maximum(-found.ineqlin.marginals, 0.0)


def zero_sum_value(game: Game) -> float:
    """Return the value of a game of two players whose payoffs add up to 0: what the first can secure.

    Examples
    --------
    >>> from swapregret.games import matching_pennies
    >>> abs(zero_sum_value(matching_pennies())) < 1e-9
    True
    """
    tables = _tables(game)
    if len(tables) != 2 or np.abs(tables.sum(axis=0)).max() > 1e-9:
        raise InvalidInput(
            "`game` must have two players whose payoffs add up to 0", repr(game), "Others have no one value."
        )
    return minimax(tables[0])[0]
