"""An oracle that is not asked where the answer is certain."""

from typing import Any

import numpy as np

from swapregret.arrays import Action, Floats, Integers, Vector
from swapregret.compiled.kernel import kernel

__all__ = ["SparingOracle", "heaviest"]

_MOST_MET = 2**15
_ROUNDING = 1e-9


@kernel
def heaviest(weights: Floats, size: int) -> tuple[Integers, bool]:
    """Return the heaviest elements, and whether they are heavier than the others by more than rounding."""
    top = np.full(size + 1, -np.inf)  # falling; the last is the heaviest that is left out
    total = 1.0
    for value in weights:
        total += abs(value)
        at = size
        while at >= 0 and value > top[at]:
            if at < size:
                top[at + 1] = top[at]
            top[at] = value
            at -= 1
    action = np.zeros(weights.size, dtype=np.int64)
    for i in range(weights.size):
        if weights[i] >= top[size - 1]:
            action[i] = 1
    return action, bool(top[size - 1] - top[size] > _ROUNDING * total)


class SparingOracle:
    """The oracle of a set, asked only where the answer is not certain.

    If all actions have m elements, and the m heaviest ones are an action that was met before, then it is the only best action: no
    question is needed, and the answer is the one the oracle would give. What was met before decides who answers, not what.

    Parameters
    ----------
    inner : ActionSet

    Examples
    --------
    >>> from swapregret.actions.own_sets.oracle_set import OracleSet
    >>> asked = []
    >>> def one_of_two(w):
    ...     asked.append(w.tolist())
    ...     return (np.arange(2) == np.argmax(w)).astype(int)
    >>> oracle = SparingOracle(OracleSet(2, one_of_two))
    >>> asked.clear()
    >>> [oracle.argmax(np.array(w)).tolist() for w in ([1., 0.], [3., 2.], [1., 1.])]
    [[1, 0], [1, 0], [1, 0]]
    >>> asked
    [[1.0, 0.0], [1.0, 1.0]]
    """

    def __init__(self, inner: Any) -> None:
        self.inner, self.dimension = inner, int(inner.dimension)
        self._met: set[bytes] = set()

    def argmax(self, weights: Vector) -> Action:
        """Return the best action; ask for it if need be."""
        if self.inner.is_uniform:
            certain, is_apart = heaviest(weights, self.inner.size)
            if is_apart and certain.tobytes() in self._met:
                return certain
        answer: Action = self.inner.argmax(weights)
        if len(self._met) == _MOST_MET:
            self._met.clear()
        self._met.add(answer.tobytes())
        return answer
