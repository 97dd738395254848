"""Any function that maximises linear rewards, as a full action set."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Label, Matrix, Vector, as_integer, as_vector, check_memory, frozen
from swapregret.errors import InvalidInput, OracleFault

_REMEMBERED = 64
_ROUNDING = 1e-9


class OracleSet(ActionSet):
    """The set whose actions are the answers of a user's oracle.

    Parameters
    ----------
    dimension : int
        d, the number of coordinates.
    argmax : callable
        Takes a float vector w of shape (d,), returns a 0/1 vector M of shape (d,) that maximises w·M over the set. It
        gets a copy of w and may change it.
    labels : sequence of hashable, optional
        What the user calls each coordinate.

    Raises
    ------
    OracleFault
        Whenever an answer is not a 0/1 vector of shape (d,), or is worse than an action the oracle returned before.

    Notes
    -----
    Span and spanner are the generic ones of ``geometry``; projection and decomposition begin with actions that are known, and ask
    only where the answer is not certain. :meth:`argmax` always asks. The sizes of the largest and the
    smallest action are found by asking for weights 1 and −1. Each answer is compared with the last 64 different ones:
    that catches most oracles that do not maximise, not all.

    Examples
    --------
    >>> two_of_three = OracleSet(3, lambda w: (np.argsort(np.argsort(-w, kind="stable")) < 2).astype(int))
    >>> two_of_three.size, two_of_three.is_uniform, two_of_three.rank
    (2, True, 3)
    """

    def __init__(
        self, dimension: int, argmax: Callable[[Vector], npt.ArrayLike], labels: Sequence[Label] | None = None
    ) -> None:
        if not callable(argmax):
            raise InvalidInput(
                "`argmax` of OracleSet must be a function of a weight vector",
                type(argmax).__name__,
                "Pass a callable that returns a 0/1 vector.",
            )
        self._ask = argmax
        self._dimension = as_integer(dimension, "dimension", 1)
        check_memory(self._dimension, "a set", 1000)
        self._seen: OrderedDict[bytes, int] = OrderedDict()  # an answer, and its row in the table
        self._table: Matrix = np.zeros((_REMEMBERED, self._dimension))
        largest = int(self.argmax(np.ones(self._dimension)).sum())
        smallest = int(self.argmax(-np.ones(self._dimension)).sum())
        if largest == 0:
            raise InvalidInput(
                "the set must contain an action other than the zero vector",
                "an oracle that answers zero to weights of ones",
                "Leave out sets in which nothing can be chosen.",
            )
        super().__init__(self._dimension, largest, labels)
        self.is_uniform = largest == smallest

    def argmax(self, weights: npt.ArrayLike) -> Action:
        """Ask the user's oracle, and check its answer."""
        w = as_vector(weights, self.dimension, "weights")
        action = self._checked(self._ask(w.copy()))
        self._compare(action, w)
        return action

    def _checked(self, answer: npt.ArrayLike) -> Action:
        """Read an answer as an action, or say what is wrong with it."""
        try:
            array = np.asarray(answer)
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.shape != (self.dimension,) or array.dtype.kind not in "biuf":
            raise OracleFault(
                f"`argmax` of OracleSet must return a numeric vector of shape ({self.dimension},)",
                f"{type(answer).__name__} of shape {array.shape} and dtype {array.dtype}",
                "Return one 0 or 1 for each coordinate.",
            )
        if array.dtype.kind == "i" and not (array >> 1).any():  # 0 or 1: the common case, quickly
            return frozen(array.astype(np.int64))
        wrong = ~((array == 0) | (array == 1))
        if wrong.any():
            where = int(np.argmax(wrong))
            raise OracleFault(
                "`argmax` of OracleSet must return only 0 and 1",
                f"{array[where]} at coordinate {where}",
                "Return the indicator vector of the chosen elements.",
            )
        return frozen(array.astype(np.int64))

    def _compare(self, action: Action, w: Vector) -> None:
        """Refuse an answer that an earlier answer beats, and remember it."""
        values = self._table[: len(self._seen)] @ w
        best, value = float(values[values.argmax()]) if len(values) else -np.inf, float(action @ w)
        if best > value and best > value + _ROUNDING * (1.0 + float(np.abs(w).sum())):
            raise OracleFault(
                "`argmax` of OracleSet must return an action of largest value",
                f"one of value {value!r}, although an earlier answer has value {best!r}",
                "Correct the oracle: it must maximise exactly, for weights of any sign.",
            )
        key = action.tobytes()
        if key not in self._seen:
            full = len(self._seen) == _REMEMBERED
            row = self._seen.popitem(last=False)[1] if full else len(self._seen)
            self._seen[key], self._table[row] = row, action
        self._seen.move_to_end(key)
