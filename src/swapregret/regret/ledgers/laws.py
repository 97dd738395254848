"""Policies whose support is not listed: a few are kept exactly, the rest by sums and samples.

A law such as the uniform one over an exponential set offers ``probability`` but no list. One that is held for all of a
run (exploration) enters regrets exactly. A learner that makes a new Gibbs or Markov law every meta-day would need
unbounded memory, so only the laws held longest are kept; of the others remain the two sums that bracket what any rule φ
can make of them, and a few actions drawn from each: sampled play.
"""

import json
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import NamedArrays, Vector, array_of_text, below, frozen, text_of_array, under
from swapregret.compiled.bits import pack_rows
from swapregret.policy import Policy
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.closed_ledger import Dropped, Law
from swapregret.regret.ledgers.law_file import read_laws, write_laws
from swapregret.regret.ledgers.row_sums import answer_vectors, read_only

_KEPT = 16
_SAMPLES = 16
_SEED = 0x1E06E2
_DEPTH = 6


class LawBook:
    """The laws of a run that do not list their support. Samples come from a generator with a fixed seed: same run, same book.

    Parameters
    ----------
    actions : ActionSet
    capacity : int
        Most sampled actions with a row of their own.
    """

    def __init__(self, actions: ActionSet, capacity: int) -> None:
        self._actions, self._capacity = actions, capacity
        self._samples: ActionRows | None = None
        self._rng = np.random.default_rng(_SEED)
        self._laws: dict[int, Law] = {}
        self._copies: set[int] = set()
        self._highest = 0.0
        self._lowest = 0.0
        self._n_dropped = 0

    def enter(self, policy: Policy, vector: Vector, n_days: float) -> None:
        """Add a stretch; ``vector`` is Σ w_t R_t over it."""
        if self._copies and id(policy) not in self._laws:
            self._recognise(policy)
        held = self._laws.get(id(policy))
        if held is not None:
            vector, n_days = vector + held.value, n_days + held.days
        self._laws[id(policy)] = Law(policy, frozen(np.array(vector)), n_days)
        if len(self._laws) > _KEPT:
            shortest = min(self._laws, key=lambda key: self._laws[key].days)
            self._copies.discard(shortest)
            self._drop(self._laws.pop(shortest))

    def kept(self) -> tuple[Law, ...]:
        """Return the laws that are kept exactly."""
        return tuple(self._laws.values())

    def dropped(self) -> Dropped | None:
        """Return what remains of the others, or None if there are none."""
        table = self._samples
        if table is None:
            return None
        rows, pooled = table.lend()
        return Dropped(self._highest, self._lowest, float(self._n_dropped), pooled.split, rows)

    def dump(self) -> NamedArrays:
        """Write the book as named arrays."""
        kept = tuple(self._laws.values())
        numbers = np.array([self._highest, self._lowest, float(self._n_dropped)])
        arrays = write_laws(tuple(law.policy for law in kept), self._actions) | {"numbers": numbers}
        arrays["values"] = np.array([law.value for law in kept]).reshape(-1, self._actions.dimension)
        arrays["days"] = np.array([law.days for law in kept])
        arrays["rng"] = array_of_text(json.dumps(self._rng.bit_generator.state))
        return arrays | (under("samples", self._samples.dump()) if self._samples is not None else {})

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty book with what ``dump`` wrote; ``enter`` finds a law that was read from a file again by its contents."""
        rows = zip(read_laws(arrays, self._actions), arrays["values"], arrays["days"].tolist(), strict=True)
        self._laws = {id(policy): Law(policy, frozen(np.array(value)), days) for policy, value, days in rows}
        self._copies = set(self._laws)
        self._highest, self._lowest = arrays["numbers"][:2].tolist()
        self._n_dropped = int(arrays["numbers"][2])
        self._rng.bit_generator.state = json.loads(text_of_array(arrays["rng"]))
        if table := below(arrays, "samples"):
            self._samples = ActionRows(self._actions, self._capacity)
            self._samples.restore(table)

    def _recognise(self, policy: Policy) -> None:
        """Put a law that was read from a file under the identity of the one that is played."""
        for key in self._laws:
            if key in self._copies and is_same_law(self._laws[key].policy, policy):
                law = self._laws[key]
                renamed = {id(policy) if other == key else other: held for other, held in self._laws.items()}
                self._laws = renamed | {id(policy): Law(policy, law.value, law.days)}
                self._copies.discard(key)
                return

    def _drop(self, law: Law) -> None:
        if self._samples is None:
            self._samples = ActionRows(self._actions, self._capacity)
        highest, lowest = answer_vectors(self._actions, np.array([law.value, -law.value]))[1].tolist()
        self._highest += highest
        self._lowest -= lowest
        self._n_dropped += 1
        drawn = np.stack([law.policy.sample(self._rng) for _ in range(_SAMPLES)])
        shares = np.full(_SAMPLES, 1.0 / _SAMPLES)
        self._samples.add_law(pack_rows(read_only(drawn)), shares, np.ascontiguousarray(law.value), law.days)


def is_same_law(first: Policy, second: Policy) -> bool:
    """Tell whether two policies are one object, or of one class with the same contents.

    The exploration law of two replications is one law, although two processes hold two copies of it. Contents are what both
    objects hold; what only one holds is a value computed on demand and kept, which follows from the rest. False means "not known
    to be the same".

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_set_laws import UniformSubsets
    >>> is_same_law(UniformSubsets(40, 8), UniformSubsets(40, 8)), is_same_law(UniformSubsets(40, 8), UniformSubsets(40, 7))
    (True, False)
    """
    return _is_same(first, second, _DEPTH)


def _is_same(first: Any, second: Any, depth: int) -> bool:
    if first is second:
        return True
    if type(first) is not type(second) or depth == 0:
        return False
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(
            _is_same(one, other, depth - 1) for one, other in zip(first, second, strict=True)
        )
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_is_same(first[key], second[key], depth - 1) for key in first)
    if hasattr(first, "__dict__") and not callable(first):
        one, other = vars(first), vars(second)
        shared = one.keys() & other.keys()
        return bool(shared) and all(_is_same(one[key], other[key], depth - 1) for key in shared)
    return bool(first == second)
