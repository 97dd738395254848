"""The one thing the generic algorithms know of an action set, how compiled code asks it, and how it lists all actions."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from swapregret.arrays import Action, Floats, Integers, Vector, Words
from swapregret.compiled.address import Callback, call_python, floats_at, integers_at, settle
from swapregret.compiled.bits import hash_row, is_same_row, pack_action
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements

_MET, _TRIES = 2**16, 8
_ANSWERS = 1024
_ROUNDING = 1e-9


class LinearOracle(Protocol):
    """A set of 0/1 vectors known by maximising linear functions over it."""

    @property
    def dimension(self) -> int:
        """Number of coordinates."""

    def argmax(self, weights: Vector) -> Action:
        """Return an action M that maximises weights·M."""


class _Address(NamedTuple):
    address: int
    size: int
    met: Words


class AskedOracle(_Address):
    """Any oracle as compiled code asks it (:func:`ask`), and only where the answer is not certain.

    If all actions have m elements, and the m heaviest ones are an action that was met before, then it is the only best action: no
    question is needed, and the answer is the one the oracle would give. What was met before decides who answers, not what.
    The same question, of several members at the end of a window, is asked once.

    Attributes
    ----------
    address : int
        Of the callback that asks.
    size : int
        m, if all actions have m elements; 0 if they have not, or if every question shall be asked.
    met : uint64 array, shape (2¹⁶ or 0, W)
        Actions that were met, each at one of eight places that its hash decides.
    inner : LinearOracle
    dimension : int
    callback : Callback
    """

    inner: LinearOracle
    dimension: int
    callback: Callback

    @classmethod
    def of(cls, inner: LinearOracle, size: int = 0) -> "AskedOracle":
        """Return an oracle so that compiled code can ask it; ``size`` is m where all actions have as many elements."""
        if isinstance(inner, cls):
            return inner
        d, answers = inner.dimension, dict[bytes, Action]()

        def answer(given: int, target: int) -> int:
            weights = floats_at(given, d)
            key = weights.tobytes()
            if key not in answers:
                if len(answers) >= _ANSWERS:
                    answers.clear()
                answers[key] = inner.argmax(weights.copy())
            integers_at(target, d)[:] = answers[key]
            return 0

        callback = Callback(answer)
        made = cls(callback.address, size, np.zeros((_MET if size else 0, (d + 63) // 64), dtype=np.uint64))
        made.inner, made.dimension, made.callback = inner, d, callback
        return made

    def argmax(self, weights: Vector) -> Action:
        """Return the best action; ask for it if need be."""
        answer = ask(self, np.array(weights, dtype=np.float64))
        settle([self.callback])
        return answer

    def __reduce__(self) -> tuple[Callable[..., "AskedOracle"], tuple[object, ...]]:
        return AskedOracle.of, (self.inner, self.size)


@kernel
def heaviest(weights: Floats, size: int) -> tuple[Integers, bool]:
    """Return the heaviest elements, and whether they are heavier than the others by more than rounding."""
    action, lightest, left_out, total = top_elements(weights, size), np.inf, -np.inf, 1.0
    for i in range(weights.size):
        total += abs(weights[i])
        if action[i]:
            lightest = min(lightest, weights[i])
        else:
            left_out = max(left_out, weights[i])
    return action, bool(lightest - left_out > _ROUNDING * total)


@kernel
def ask(oracle: AskedOracle, weights: Floats) -> Integers:
    """Return the best action, or nothing where the oracle has raised an error (``compiled.address``)."""
    met = oracle.met
    row = np.zeros(met.shape[1], dtype=np.uint64)
    if met.shape[0]:
        certain, is_apart = heaviest(weights, oracle.size)
        if is_apart:
            pack_action(certain, row)
            if is_same_row(met[_place_of(met, row)], row):
                return certain
    action = np.empty(weights.size, dtype=np.int64)
    if call_python(oracle.address, weights, action) < 0:
        return action[:0].copy()
    if met.shape[0]:
        pack_action(action, row)
        met[_place_of(met, row)] = row
    return action


@kernel
def _place_of(met: Words, row: Words) -> int:
    """Return where an action is, or where it goes: the first of its places that is free, or the first of all."""
    first = hash_row(row) & (_MET - 1)
    for k in range(_TRIES):
        at = (first + k) & (_MET - 1)
        if is_same_row(met[at], row) or not met[at].any():
            return at
    return first


def enumerate_actions(oracle: LinearOracle) -> Iterator[Action]:
    """Yield every action once, by branching on the coordinates in order: in no particular but always the same order.

    Whether an action begins with given values is one question to the oracle: weights +1 on the coordinates fixed to
    one, −1 on those fixed to zero and 0 elsewhere reach the number of ones exactly if such an action exists, and
    then the answer is one. An action also answers for the branch that goes on with its own next value, so only the
    other branch is asked about. At most N·d + 1 oracle calls, no recursion; the memory held is O(d²).
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
