"""Actions that a world is built from: three that overlap as little as possible, or one at random.

On m-sets with 3m ≤ d the three are disjoint groups of m elements under randomly permuted labels. On any other set they
are actions of the set found by its oracle.
"""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, Matrix, Vector

_TRIES = 8


def random_action(actions: ActionSet, rng: np.random.Generator) -> Action:
    """Return the best action for independent uniform weights: on m-sets, a uniformly random one."""
    return actions.argmax(rng.random(actions.dimension))


def three_groups(actions: ActionSet, rng: np.random.Generator) -> Actions:
    """Find three actions that overlap as little as a greedy search by the oracle can make them.

    Each next action avoids the elements used before, with random weights between equals; of up to eight such triples
    the one with the fewest repeated elements is kept, the first of them on a tie.
    """
    best, fewest = np.zeros((3, actions.dimension), dtype=np.int64), np.inf
    for _ in range(_TRIES):
        used = np.zeros(actions.dimension)
        groups = []
        for _ in range(3):
            groups.append(actions.argmax(rng.random(actions.dimension) - 2.0 * actions.dimension * used))
            used += groups[-1]
        repeated = float(np.maximum(used - 1.0, 0.0).sum())
        if repeated < fewest:
            best, fewest = np.array(groups), repeated
        if fewest == 0.0:
            break
    return best


def group_levels(groups: Actions, values: Matrix) -> Matrix:
    """Write values of groups as levels of elements: an element of several groups has the largest of their values.

    Groups have shape (k, dimension), values (n, k), one row for each situation; the levels then have shape (n, dimension).
    """
    levels: Vector = (values[:, :, None] * groups[None, :, :]).max(axis=1)
    return levels
