"""Games of two players whose payoffs add up to a constant: what each can secure, by one linear program."""

import numpy as np

from swapregret.arrays import Floats, Vector
from swapregret.games.generated_program import solve_program


def minimax(table: Floats) -> tuple[float, Vector, Vector]:
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
