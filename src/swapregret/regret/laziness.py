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
from swapregret.arrays import Flags, Matrix, NamedArrays, Vector, frozen, summed
from swapregret.policy import Policy
from swapregret.regret.ledgers.stretches import Left, Stretches, TapeReader, add_products, empty_products
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.notions import external_regret


@dataclass(frozen=True, eq=False)
class LazyTotals:
    """What the best action of every stretch would have earned; the rest as of ``Ledger``."""

    best: float
    earned: float
    total: Vector
    n_days: int
    source: str = "policies"
    products: Matrix | None = None


class LazinessLedger:
    """Adds up the bound while a run goes on; memory for a few vectors, whatever is played."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self._stretches = Stretches(actions.dimension)
        self._open: dict[int, Vector] = {}  # of the slots of a tape
        self._best = self._earned = 0.0
        self._total, self._n_days = np.zeros(actions.dimension), 0
        self._products = empty_products(actions.dimension)

    def record(self, policy: Policy, rewards: Vector | Matrix, n_days: int | None = None) -> None:
        """Enter days played with one policy: one reward vector per row; or one vector, the sum of ``n_days`` of them."""
        rows = np.atleast_2d(rewards)
        n = len(rows) if n_days is None else n_days
        self._end(self._stretches.record(policy, rows, n))
        self._total = summed(self._total, rows)
        self._n_days += n

    def record_tape(self, reader: TapeReader) -> None:
        """Enter what is on a tape; the policies in its slots at the end stay open, and so does exploration."""
        tape, n = reader.tape, reader.n_policies
        explorer = tape.shares.shape[1] - 1
        before, vectors = self._open, reader.vectors.copy()
        goes_on = {int(tape.slots[e]): int(e) for e in np.flatnonzero(tape.begins[:n] < 0)} | {explorer: n}
        for slot, e in goes_on.items():
            vectors[e] += before.pop(slot, 0.0)
        is_met: Flags = np.any(vectors != 0.0, axis=1)  # on this tape, or on the one before
        stays = {slot: e for slot, e in enumerate(reader.last[:-1].tolist()) if e >= 0} | {explorer: n}
        self._open = {slot: vectors[e] for slot, e in stays.items()}
        is_met[list(stays.values())] = False
        self._best += self._reach([*before.values(), *vectors[is_met]])
        reader.add_products(self._products)
        self._earned += reader.earned
        self._total += reader.total
        self._n_days += reader.n_days

    def close(self) -> LazyTotals:
        """Return the totals of all days so far, as if every stretch ended here; recording may go on."""
        products = None if self._products is None else self._products.copy()
        best, earned = self._ended(self._stretches.so_far(), products)
        best += self._reach(list(self._open.values()))
        totals = frozen(self._total.copy()), self._n_days, "policies", None if products is None else frozen(products)
        return LazyTotals(self._best + best, self._earned + earned, *totals)

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays. The stretches of a tape stay open, those of policies end here."""
        self._end(self._stretches.flush())
        slots = np.array(list(self._open), dtype=np.int64)
        open_ = np.array(list(self._open.values())).reshape(-1, self._actions.dimension)
        numbers = np.array([self._best, self._earned, float(self._n_days)])
        arrays = {"total": self._total, "numbers": numbers, "slots": slots, "open": open_}
        return arrays if self._products is None else arrays | {"products": self._products.copy()}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote."""
        self._best, self._earned, n_days = arrays["numbers"].tolist()
        self._total, self._n_days = np.array(arrays["total"]), int(n_days)
        self._products = np.array(arrays["products"]) if "products" in arrays else None
        self._open = dict(zip(arrays["slots"].tolist(), np.array(arrays["open"]), strict=True))

    def _end(self, left: list[Left]) -> None:
        best, earned = self._ended(left, self._products)
        self._best += best
        self._earned += earned

    def _ended(self, left: list[Left], products: Matrix | None) -> tuple[float, float]:
        """Return what the best action of each of some stretches would have earned, and what was earned; add up Σ R xᵀ."""
        for policy, vector, _ in left:
            add_products(products, vector, policy.marginals())
        earned = sum(float(policy.marginals() @ vector) for policy, vector, _ in left)
        return self._reach([vector for _, vector, _ in left]), earned

    def _reach(self, vectors: list[Vector]) -> float:
        if not vectors:
            return 0.0
        table = np.array(vectors)
        return float((table * self._actions.argmax_many(table)).sum())


def laziness_bound(actions: ActionSet, runs: Sequence[LazyTotals]) -> Regret:
    """Return swap regret as a bracket: external regret or 0 below, the laziness bound above; the value is the upper end."""
    parts = list(runs)
    each = [part.best - part.earned for part in parts]
    upper, external = float(np.mean(each)), external_regret(actions, parts)
    definition = (
        "upper bound on swap regret from laziness (best action of every stretch of constant policy), no ledger kept;"
        " the lower end is external regret, or 0"
    )
    return Regret(upper, min(max(external.value, 0.0), upper), upper, standard_error(each), external.n_days, definition)
