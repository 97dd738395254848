r"""A cheap upper bound on swap regret: one oracle call per meta-day, and no ledger.

While a component p of the policy stays fixed, no rule φ can do better on its share than the best fixed action of those
days (Proposition "Swap Regret is upper bounded by External Regret for time-invariant policies"):

.. math:: \mathrm{SwapReg} \le \sum_{\text{stretches}} \max_{M}\Big(\sum_{t} w_t R_t\Big)\cdot M
    - \mathbb E\Big[\sum_t R_t\cdot M_t\Big].

For the master this is the first step of the decomposition lemma.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Flags, Matrix, NamedArrays, Vector, frozen
from swapregret.policy import Policy
from swapregret.regret.ledgers.stretches import Left, Stretches
from swapregret.regret.ledgers.tape_reader import TapeReader
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.notions import external_regret


@dataclass(frozen=True, eq=False)
class LazyTotals:
    """What the best action of every stretch would have earned; what was earned, Σ R, days and source as of ``Ledger``."""

    best: float
    earned: float
    total: Vector
    n_days: int
    source: str = "policies"


class LazinessLedger:
    """Adds up the bound while a run goes on; memory for a few vectors, whatever is played."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self._stretches = Stretches(actions.dimension)
        self._best = 0.0
        self._earned = 0.0
        self._waiting: list[Vector] = []
        self._carried: dict[int, Vector] = {}
        self._open: dict[int, Vector] = {}

    def record(self, policy: Policy, rewards: Vector, n_days: int = 1) -> None:
        """Enter a stretch of days played with one policy; ``rewards`` is the sum of their reward vectors."""
        if self._waiting:
            self._adopt(policy)
        self._enter(self._stretches.record(policy, rewards, n_days))

    def record_days(self, policy: Policy, days: Matrix) -> None:
        """Enter days played with one policy, one reward vector per row."""
        if self._waiting:
            self._adopt(policy)
        self._enter(self._stretches.record_days(policy, days))

    def record_tape(self, reader: TapeReader) -> None:
        """Enter what is on a tape; the policies in its slots at the end stay open, and so does exploration."""
        tape, n = reader.tape, reader.n_laws
        explorer = tape.shares.shape[1] - 1
        before, vectors = self._open, reader.vectors.copy()
        goes_on = {int(tape.slots[e]): int(e) for e in np.flatnonzero(tape.begins[:n] < 0)} | {explorer: n}
        for slot, e in goes_on.items():
            vectors[e] += before.pop(slot, 0.0)
        is_met: Flags = np.any(vectors != 0.0, axis=1)  # on this tape, or on the one before
        stays = {slot: e for slot, e in enumerate(reader.last[:-1].tolist()) if e >= 0} | {explorer: n}
        self._open = {slot: vectors[e] for slot, e in stays.items()}
        is_met[list(stays.values())] = False
        self._best += self._reach_all([*before.values(), *vectors[is_met]])
        self._earned += reader.earned
        self._stretches.add_left(self._stretches.total + reader.total, reader.n_days)

    def _reach_all(self, vectors: list[Vector]) -> float:
        if not vectors:
            return 0.0
        table = np.array(vectors)
        return float((table * self._actions.argmax_many(table)).sum())

    def close(self) -> LazyTotals:
        """Return the totals of all days so far, as if every stretch ended here; recording may go on."""
        total, n_days, vectors, earned = self._now()
        best = self._best + sum(self._reach(vector) for vector in vectors) + self._reach_all(list(self._open.values()))
        return LazyTotals(best, earned, frozen(total), n_days)

    def _now(self) -> tuple[Vector, int, list[Vector], float]:
        """Return Σ R, days, what each open stretch has met so far, and what was earned."""
        stretches, earned = self._stretches, self._earned
        vectors = list(self._waiting)
        for policy, vector in stretches.holding():
            earned += float(policy.marginals() @ vector)
            vectors.append(vector + self._carried[id(policy)] if id(policy) in self._carried else vector)
        return stretches.total + stretches.open_total, stretches.n_days + stretches.open_days, vectors, earned

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays; open stretches stay open."""
        total, n_days, vectors, earned = self._now()
        held = np.array(vectors).reshape(-1, self._actions.dimension)
        slots = np.array(list(self._open), dtype=np.int64)
        open_ = np.array(list(self._open.values())).reshape(-1, self._actions.dimension)
        numbers = np.array([self._best, earned, float(n_days)])
        return {"total": total, "held": held, "numbers": numbers, "slots": slots, "open": open_}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; the next policy continues its open stretches, in order."""
        self._best, self._earned, n_days = arrays["numbers"].tolist()
        self._waiting = list(np.array(arrays["held"]))
        self._open = dict(zip(arrays["slots"].tolist(), np.array(arrays["open"]), strict=True))
        self._stretches.restore(arrays["total"], int(n_days))

    def _adopt(self, policy: Policy) -> None:
        """Let the components of a policy continue the stretches of a file; if their number differs, those stretches end."""
        parts = self._stretches.parts_of(policy)
        if len(parts) == len(self._waiting):
            self._carried = {id(part): vector for part, vector in zip(parts, self._waiting, strict=True)}
        else:
            self._best += sum(self._reach(vector) for vector in self._waiting)
        self._waiting = []

    def _enter(self, left: list[Left]) -> None:
        for policy, vector, _ in left:
            before = self._carried.pop(id(policy), None)
            self._best += self._reach(vector if before is None else vector + before)
            self._earned += float(policy.marginals() @ vector)

    def _reach(self, vector: Vector) -> float:
        return float(vector @ self._actions.argmax(vector))


def laziness_bound(actions: ActionSet, runs: Sequence[LazyTotals]) -> Regret:
    """Return swap regret as a bracket: external regret below, the laziness bound above; the value is the upper end.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> ledger = LazinessLedger(MSets(2, 1))
    >>> ledger.record(FinitePolicy([[1, 0]], [1.]), np.array([0., 3.]), 3)
    >>> ledger.record(FinitePolicy([[1, 0]], [1.]), np.array([2., 0.]), 2)
    >>> laziness_bound(MSets(2, 1), [ledger.close()]).bracket
    (1.0, 3.0)
    """
    parts = list(runs)
    each = [part.best - part.earned for part in parts]
    upper, external = float(np.mean(each)), external_regret(actions, parts)
    definition = (
        "upper bound on swap regret from laziness (best action of every stretch of constant policy), no ledger kept;"
        " the lower end is external regret"
    )
    return Regret(upper, min(external.value, upper), upper, standard_error(each), external.n_days, definition)
