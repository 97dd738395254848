r"""Shapley's game on m-sets: three groups of m elements, the first wants to match, the second to be one group ahead.

With m = 1 and three elements it is Shapley's game. Follow-the-leader dynamics go round the groups in ever longer phases; learners
with small external regret follow, and their play is far from every correlated equilibrium.

May touch: ``errors``, ``arrays``, ``actions.m_sets``, ``games.base``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swapregret.actions.m_sets import MSets
from swapregret.arrays import Action, Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.games.base import Game

__all__ = ["ShapleyGame"]


class ShapleyGame(Game):
    r"""The first is paid :math:`|M_1 \cap M_2|/m`, the second :math:`|M_2 \cap s(M_1)|/m` with s the shift to the next group.

    Parameters
    ----------
    dimension : int
        d ≥ 3m; elements beyond 3m pay nobody.
    size : int
        m; element i belongs to group ⌊i/m⌋.

    Examples
    --------
    >>> game = ShapleyGame(6, 2)
    >>> game.payoffs([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0]])
    array([0., 1.])
    """

    def __init__(self, dimension: int, size: int) -> None:
        d, m = as_integer(dimension, "dimension", 3), as_integer(size, "size", 1)
        if d < 3 * m:
            raise InvalidInput("`dimension` of ShapleyGame must be at least 3 · size", f"{d} and {m}", "Use 3 · size.")
        super().__init__([MSets(d, m), MSets(d, m)], ["matcher", "evader"])
        self._size = m
        self._paid = frozen((np.arange(d) < 3 * m).astype(np.float64) / m)
        ahead = np.arange(d)
        ahead[: 3 * m] = (ahead[: 3 * m] - m) % (3 * m)
        self._shift = frozen(ahead)  # entry i of s(M) is entry ahead[i] of M
        self.spec: dict[str, Any] = {"kind": "shapley", "dimension": d, "size": m}

    def payoff_vector(self, player: int, actions: Sequence[Action]) -> Vector:
        """Return 1/m on the other's elements, or on those one group ahead."""
        return self._paid * (actions[1] if player == 0 else actions[0][self._shift])

    def expected_payoff_vector(self, player: int, marginals: Sequence[Vector]) -> Vector:
        """Return the same with the other's marginals."""
        return self._paid * (marginals[1] if player == 0 else marginals[0][self._shift])

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return 0 and 1/m on every element of the groups."""
        return np.zeros_like(self._paid), self._paid
