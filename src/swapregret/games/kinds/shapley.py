r"""Shapley's game on m-sets: three groups of m elements, the first wants to match, the second to be one group ahead.

With m = 1 and three elements it is Shapley's game. Follow-the-leader dynamics go round the groups in ever longer phases; learners
with small external regret follow, and their play is far from every correlated equilibrium.
"""

import numpy as np

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arguments import checked
from swapregret.arrays import Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.games.bilinear import pair_rule
from swapregret.games.payoffs import RuledGame, spec_of


class ShapleyGame(RuledGame):
    r"""Every element of a group pays the share of the other's set that is in the group it answers.

    .. math:: u_1 = \frac{1}{m^2} \sum_g |M_1 \cap G_g|\,|M_2 \cap G_g|, \qquad
        u_2 = \frac{1}{m^2} \sum_g |M_2 \cap G_{g+1}|\,|M_1 \cap G_g|

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
    >>> game.payoffs([[1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]])
    array([0.5, 0.5])
    """

    @checked
    def __init__(self, dimension: int, size: int) -> None:
        d, m = as_integer(dimension, "dimension", 3), as_integer(size, "size", 1)
        if d < 3 * m:
            raise InvalidInput("`dimension` of ShapleyGame must be at least 3 · size", f"{d} and {m}", "Use 3 · size.")
        super().__init__([MSets(d, m), MSets(d, m)], ["matcher", "leader"])
        self._size = m
        groups = np.minimum(np.arange(d) // m, 3)  # those of the last pay nobody
        answers = np.zeros((4, 4))
        answers[:3, :3] = np.eye(3) / m**2
        ahead = np.zeros((4, 4))
        ahead[:3, :3] = np.roll(np.eye(3), 1, axis=0) / m**2
        self.rule = pair_rule([groups, groups], [answers, ahead])
        self._paid = frozen((np.arange(d) < 3 * m).astype(np.float64) / m**2)
        self.spec = spec_of("shapley", dimension=d, size=m)

    def payoff_bounds(self, player: int) -> tuple[Vector, Vector]:
        """Return 0, and 1/m on every element of the groups."""
        return np.zeros_like(self._paid), self._paid * self._size
