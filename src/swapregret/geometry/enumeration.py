"""List all actions of a set known only through its oracle."""

from collections.abc import Iterator

import numpy as np

from swapregret.arrays import Action
from swapregret.geometry.oracle import LinearOracle


def enumerate_actions(oracle: LinearOracle) -> Iterator[Action]:
    """Yield every action once, by branching on the coordinates in order: in no particular but always the same order.

    Whether an action begins with given values is one question to the oracle: weights +1 on the coordinates fixed to
    one, −1 on those fixed to zero and 0 elsewhere reach the number of ones exactly if such an action exists, and
    then the answer is one. An action also answers for the branch that goes on with its own next value, so only the
    other branch is asked about. At most N·d + 1 oracle calls, no recursion; the memory held is O(d²).

    Examples
    --------
    >>> from swapregret import MSets
    >>> [action.tolist() for action in enumerate_actions(MSets(2, 1))]
    [[1, 0], [0, 1]]
    """
    d = oracle.dimension
    weights = np.zeros(d)
    pending = [(0, oracle.argmax(np.zeros(d)))]
    while pending:
        start, action = pending.pop()
        for i in range(start, d):
            weights[:i] = 2.0 * action[:i] - 1.0
            weights[i] = 1.0 - 2.0 * action[i]
            weights[i + 1 :] = 0.0
            other = oracle.argmax(weights.copy())
            if other[i] != action[i] and np.array_equal(other[:i], action[:i]):
                pending.append((i + 1, other))
        yield action
