r"""Linear programs (HiGHS): gaps of joint policies, payoffs of equilibria, zero-sum values.

Games other than matrix games are listed first, but for values of those whose sets have few equations. The programs share nothing
with the ledgers that certificates are read off, which is what makes them a check.
"""

import numpy as np
import numpy.typing as npt
import scipy

from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput, Unsupported
from swapregret.games.generated_program import gains_of, incentives, solve_program
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import normal_form
from swapregret.games.payoffs import Game, RuledGame
from swapregret.geometry.hull_equations import HullEquations, equations_of

Joint = npt.NDArray[np.float64]
_ZERO = 1e-9


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
    gains = gains_of(tables, joint, player)
    n = len(gains)
    rows = np.repeat(np.arange(n), n)
    sums = scipy.sparse.csr_matrix((np.ones(n * n), (rows, np.arange(n * n))), shape=(n, n * n))
    found = solve_program(c=-gains.ravel(), A_eq=sums, b_eq=np.ones(n), bounds=(0, None))
    return float(-found.fun)


@checked
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
    tables, shape = listed.reshape(2, -1), listed.shape[1:]
    rows = [(i, a, b) for i, count in enumerate(shape) for a in range(count) for b in range(count) if a != b]
    limits, everything = incentives(listed, np.arange(tables.shape[1]), rows), np.ones((1, tables.shape[1]))
    program = {"A_ub": limits, "b_ub": np.zeros(len(rows)), "A_eq": everything, "b_eq": [1.0], "bounds": (0, None)}
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


def minimax(table: Joint) -> tuple[float, Vector, Vector]:
    """Return the value of a table, and what the first, who wants much, and the second, who wants little, do to secure it.

    Examples
    --------
    >>> value, first, second = minimax(np.array([[3.0, -1.0], [-1.0, 1.0]]))
    >>> round(value, 9), first.round(9).tolist(), second.round(9).tolist()
    (0.333333333, [0.333333333, 0.666666667], [0.333333333, 0.666666667])
    """
    own, their = (HullEquations.of(np.arange(count), np.ones((1, count)), [1.0]) for count in table.shape)
    return _saddle(own, their, table, np.zeros(len(table)))


def _saddle(own: HullEquations, their: HullEquations, pays: Joint, base: Vector) -> tuple[float, Vector, Vector]:
    """Solve the program of :func:`zero_sum_value`: the value, x, and y as the prices of its rows."""
    n, q, r = len(own.used), len(their.right), len(their.limit)
    table = -pays[np.ix_(own.used, their.used)].T
    found = solve_program(
        c=np.r_[-base[own.used], -their.right, their.limit],
        A_ub=scipy.sparse.bmat([[table, their.equal.T, -their.below.T], [own.below, None, None]], format="csr"),
        b_ub=np.r_[np.zeros(len(their.used)), own.limit],
        A_eq=scipy.sparse.hstack([own.equal, scipy.sparse.csr_array((len(own.right), q + r))], format="csr"),
        b_eq=own.right,
        bounds=[(0, None)] * n + [(None, None)] * q + [(0, None)] * r,
    )
    return float(-found.fun), found.x[:n], np.maximum(-found.ineqlin.marginals[: len(their.used)], 0.0)


def zero_sum_value(game: Game) -> float:
    r"""Return the value of a game of two players whose payoffs add up to 0: what the first can secure.

    Where the hulls of both sets have few equations (m-sets, permutations, paths, plans), nothing is listed. With payoffs
    :math:`x \cdot (Ay + b)` and mean plays :math:`\{y \ge 0 : Fy = f,\ Gy \le g\}` of the second, by duality the value is (for
    plans, Koller, Megiddo and von Stengel 1994)

    .. math:: \max_{x,\ q,\ r \ge 0}\ b \cdot x + f \cdot q - g \cdot r \quad\text{where}\quad F^T q - G^T r \le A^T x .

    Examples
    --------
    >>> from swapregret.games import BlottoGame, matching_pennies
    >>> abs(zero_sum_value(matching_pennies())) < 1e-9
    True
    >>> round(zero_sum_value(BlottoGame((20, 15), 5, coordinates="path")), 9)  # 10,626 and 3,876 actions
    0.244444444
    """
    refusal = InvalidInput(
        "`game` must have two players whose payoffs add up to 0", repr(game), "Others have no one value."
    )
    if game.n_players != 2:
        raise refusal
    found = _described(game)
    if not found:
        return zero_sum_value(normal_form(game))  # one of a list is described
    (own, first, base), (their, second, other) = found
    rows, columns = (actions.span.basis for actions in game.action_sets)  # what is 0 on them is 0 everywhere
    paid = rows @ (first + second.T) @ columns.T + (rows @ base)[:, None] + columns @ other
    if np.abs(paid).max() > _ZERO * max(1.0, game.scale(0)):
        raise refusal
    return _saddle(own, their, first, base)[0]


def _described(game: Game) -> list[tuple[HullEquations, Joint, Vector]]:
    """Return for both players the equations of its hull, A and b: its payoff vector is Ay + b. empty where a list is needed."""
    if not isinstance(game, RuledGame):
        return []
    found = []
    for player, actions in enumerate(game.action_sets):
        try:
            equations = equations_of(actions)
        except Unsupported:
            return []
        whole, other = [np.zeros(each.dimension) for each in game.action_sets], 1 - player
        base = game.expected_payoff_vector(player, whole)
        columns = np.empty((whole[other].size, len(base)))
        for place, row in enumerate(columns):
            whole[other][:] = 0.0
            whole[other][place] = 1.0
            row[:] = game.expected_payoff_vector(player, whole) - base
        found.append((equations, columns.T, base))
    return found
