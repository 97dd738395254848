r"""The ledger of a run: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

It is fed from policies, not from samples. Each component of a mixture is followed by its identity for as long as it
stays in the mixture, and entered once, when it leaves: a lazy scale costs one update per meta-day and an exploration law
one per run, however often their weights change.
"""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import (
    Actions,
    Matrix,
    NamedArrays,
    Vector,
    array_of_text,
    as_integer,
    below,
    frozen,
    summed,
    text_of_array,
    under,
)
from swapregret.compiled.bits import pack_rows
from swapregret.errors import InvalidInput
from swapregret.policy import Policy
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.laws import LawBook
from swapregret.regret.ledgers.row_sums import dot_each, read_only
from swapregret.regret.ledgers.stretches import Left, Stretches
from swapregret.regret.ledgers.tape_reader import TapeReader

_MEMORY = 2**28


def default_capacity(dimension: int) -> int:
    """Return how many vectors a ledger keeps if not told: 256 MiB, at least 1,000.

    Examples
    --------
    >>> default_capacity(10), default_capacity(200)
    (3355443, 167772)
    """
    return max(1000, _MEMORY // (8 * dimension))


class SwapLedger:
    """Adds up V[M] while a run goes on; ``close`` returns it as a value.

    Parameters
    ----------
    actions : ActionSet
        Its oracle answers for what exceeds the capacity.
    capacity : int, optional
        Most reward vectors kept; as many as fit into 256 MiB if not given. An action that several policies have played has a vector
        of its own; actions that only one policy has played share that policy's vector. Regrets are exact up to the capacity and
        certified brackets past it. At most 3 · capacity · dimension floats are held, 5 while a full ledger makes room.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> ledger = SwapLedger(MSets(2, 1))
    >>> heads = FinitePolicy([[1, 0], [0, 1]], [.5, .5])
    >>> ledger.record(heads, np.array([1., 0.]))
    >>> ledger.close().values.tolist()
    [[0.5, 0.0], [0.5, 0.0]]
    """

    def __init__(self, actions: ActionSet, *, capacity: int | None = None) -> None:
        d = actions.dimension
        self._capacity = default_capacity(d) if capacity is None else as_integer(capacity, "capacity", 1)
        self._table = ActionRows(actions, self._capacity)
        self._laws = LawBook(actions, self._capacity)
        self._stretches = Stretches(d)
        self._played = np.zeros(d)
        self._n_played = 0
        self._earned = 0.0
        self._source: str | None = None

    def record(self, policy: Policy, rewards: Vector, n_days: int = 1) -> None:
        """Enter a stretch of days played with one policy; ``rewards`` is the sum of their reward vectors."""
        if self._source != "policies":
            self._from("policies")
        self._enter(self._stretches.record(policy, rewards, n_days))

    def record_days(self, policy: Policy, days: Matrix) -> None:
        """Enter days played with one policy, one reward vector per row."""
        if self._source != "policies":
            self._from("policies")
        self._enter(self._stretches.record_days(policy, days))

    def record_plays(self, plays: Actions, rewards: Matrix) -> None:
        """Enter days by the action that was drawn and the rewards it met, one row of each per day: realised play.

        A rule φ may then exploit which actions luck happened to draw, so regrets are above those from policies, the more so the
        more actions there are. A ledger holds either policies or plays, not both.
        """
        self._from("realised play")
        vectors = np.ascontiguousarray(rewards, dtype=np.float64)
        words = pack_rows(read_only(np.ascontiguousarray(plays, dtype=np.int64)))
        self._table.add_days(words, vectors)
        self._played = summed(self._played, vectors)
        earned = dot_each(vectors, words)
        self._earned = float(summed(np.array([self._earned]), earned[:, None])[0])
        self._n_played += len(vectors)

    def record_tape(self, reader: TapeReader) -> None:
        """Enter what is on a tape."""
        self._from("policies")
        reader.enter(self._table)
        for policy, vector, n_days in reader.unlisted():
            self._enter_law(policy, vector, n_days)
        self._earned += reader.earned
        self._played += reader.total
        self._n_played += reader.n_days

    def is_above(self, n_bytes: float) -> bool:
        """Tell whether the rows of a ledger that is closed now would take more than ``n_bytes``."""
        return self._table.is_above(n_bytes)

    def close(self) -> Ledger:
        """Return the ledger of all days so far; recording may go on."""
        self._enter(self._stretches.flush())
        rows, pooled = self._table.lend()
        return Ledger(
            rows=rows,
            pooled=pooled,
            laws=self._laws.kept(),
            dropped=self._laws.dropped(),
            total=frozen(self._stretches.total + self._played),
            earned=self._earned,
            n_days=float(self._stretches.n_days + self._n_played),
            capacity=self._capacity,
            source=self._source or "policies",
        )

    def dump(self) -> NamedArrays:
        """Write the ledger as named arrays, every component of a policy entered first, as ``close`` does."""
        self._enter(self._stretches.flush())
        numbers = [float(self._stretches.n_days), float(self._n_played), self._earned]
        arrays = {"stretched": self._stretches.total, "played": self._played, "numbers": np.array(numbers)}
        source = {"source": array_of_text(self._source or "")}
        return arrays | source | under("table", self._table.dump()) | under("laws", self._laws.dump())

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same capacity."""
        n_stretched, n_played, self._earned = arrays["numbers"].tolist()
        self._stretches.restore(arrays["stretched"], int(n_stretched))
        self._played, self._n_played = np.array(arrays["played"]), int(n_played)
        self._source = text_of_array(arrays["source"]) or None
        self._table.restore(below(arrays, "table"))
        self._laws.restore(below(arrays, "laws"))

    def _from(self, source: str) -> None:
        if self._source not in (None, source):
            raise InvalidInput(
                "a ledger must be fed from policies or from realised play", "both", "Keep two ledgers, one per source."
            )
        self._source = source

    def _enter(self, left: list[Left]) -> None:
        for policy, vector, n_days in left:
            self._earned += _product(policy.marginals(), vector)
            self._enter_law(policy, vector, n_days)

    def _enter_law(self, policy: Policy, vector: Vector, n_days: float) -> None:
        if policy.has_atoms:
            self._table.add_law(*policy.packed_support(), vector, n_days)
        else:
            self._laws.enter(policy, vector, n_days)


def _product(left: Vector, right: Vector) -> float:
    """Return Σ left·right, added from the first entry to the last."""
    return float(np.cumsum(left * right)[-1])
