r"""Plans for a decision tree, in sequence form.

Each round nature shows one of several observations and the player makes one of several choices, ``rounds`` times. A
plan says what to choose at every point that the plan itself can reach. Its elements are the sequences (o₁, c₁, …, o_k,
c_k) it plays: with O observations and C choices there are :math:`\sum_k (OC)^k` sequences, every plan has
:math:`\sum_k O^k` of them, and the number of plans is :math:`f_1^O` with :math:`f_k = C f_{k+1}^O`, :math:`f_{rounds}
= C`.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, as_integer, as_vector, check_memory


class DecisionTree(ActionSet):
    """All plans of a player who observes and chooses in turn.

    Parameters
    ----------
    rounds, observations, choices : int
        How often, among how many observations, among how many choices.

    Notes
    -----
    The oracle is one pass from the leaves to the root, O(d); ties go to the lowest choice. Labels are the sequences, as tuples
    (o₁, c₁, …).

    Examples
    --------
    >>> plans = DecisionTree(rounds=1, observations=2, choices=3)
    >>> plans.n_actions, plans.dimension, plans.size
    (9, 6, 2)
    >>> plans.elements(plans.argmax([0., 1., 0., 0., 0., 1.]))
    ((0, 1), (1, 2))
    """

    def __init__(self, rounds: int, observations: int, choices: int) -> None:
        self.rounds = as_integer(rounds, "rounds", 1)
        self.observations = as_integer(observations, "observations", 1)
        self.choices = as_integer(choices, "choices", 1)
        pair = self.observations * self.choices
        check_memory(pair ** min(self.rounds, 64) * (1 if pair > 1 else self.rounds), "a decision tree")
        self._sizes = [pair**depth for depth in range(1, self.rounds + 1)]
        self._starts = np.concatenate([[0], np.cumsum(self._sizes)])
        labels: Iterator[tuple[int, ...]] = (
            tuple(value for move in moves for value in move)
            for depth in range(1, self.rounds + 1)
            for moves in product(product(range(self.observations), range(self.choices)), repeat=depth)
        )
        size = sum(self.observations**depth for depth in range(1, self.rounds + 1))
        super().__init__(int(self._starts[-1]), size, tuple(labels))

    @property
    def n_actions(self) -> int:
        """Return the exact number of plans."""
        count = self.choices
        for _ in range(self.rounds - 1):
            count = self.choices * count**self.observations
        return int(count**self.observations)

    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Return the best plan: at every point the choice of largest value, its own weight and all that follows."""
        w = as_vector(weights, self.dimension, "weights")
        below = np.zeros(self._sizes[-1])
        best: list[npt.NDArray[np.int64]] = []
        for depth in reversed(range(self.rounds)):
            start = int(self._starts[depth])
            values = (w[start : start + self._sizes[depth]] + below).reshape(-1, self.choices)
            best.append(values.argmax(axis=1))
            below = values.max(axis=1).reshape(-1, self.observations).sum(axis=1)
        plan = np.zeros(self.dimension, dtype=np.int64)
        reached = np.array([0])  # sequences played so far, as numbers within their depth; the empty one to begin with
        for depth, chosen in enumerate(reversed(best)):
            points = (reached[:, None] * self.observations + np.arange(self.observations)).ravel()
            reached = points * self.choices + chosen[points]
            plan[int(self._starts[depth]) + reached] = 1
        return plan

    def __repr__(self) -> str:
        return f"DecisionTree(rounds={self.rounds}, observations={self.observations}, choices={self.choices})"
