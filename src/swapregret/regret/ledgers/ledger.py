r"""The ledger of a run: for every action played, the rewards of the world while it was.

.. math:: V[M] = \sum_t p_t(M)\,R_t \in \mathbb R^d

It is fed from policies, not from samples. Each component of a mixture is followed by its identity for as long as it
stays in the mixture, and entered once, when it leaves: a lazy scale costs one update per meta-day and an exploration policy
one per run, however often their weights change.
"""

import json

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import (
    Actions,
    Matrix,
    NamedArrays,
    Vector,
    array_of_text,
    as_integer,
    frozen,
    summed,
    text_of_array,
)
from swapregret.compiled.bits import pack_rows
from swapregret.errors import InvalidInput
from swapregret.files.values import is_same
from swapregret.policy import Policy
from swapregret.regret.ledgers.action_rows import ActionRows
from swapregret.regret.ledgers.closed_ledger import Dropped, Ledger, Unlisted
from swapregret.regret.ledgers.ledger_file import read_ledger, write_ledger
from swapregret.regret.ledgers.row_sums import answer_vectors, dot_each, read_only
from swapregret.regret.ledgers.stretches import Left, Stretches, TapeReader, add_products, empty_products

_MEMORY = 2**28
_KEPT_POLICIES, _SAMPLES, _SEED = 16, 16, 0x1E06E2


def default_capacity(dimension: int) -> int:
    """Return how many vectors a ledger keeps if not told: 256 MiB, at least 1,000."""
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
    >>> from swapregret import FinitePolicy, MSets
    >>> ledger = SwapLedger(MSets(2, 1))
    >>> heads = FinitePolicy([[1, 0], [0, 1]], [.5, .5])
    >>> ledger.record(heads, np.array([1., 0.]))
    >>> ledger.close().values.tolist()
    [[0.5, 0.0], [0.5, 0.0]]
    """

    def __init__(self, actions: ActionSet, *, capacity: int | None = None) -> None:
        d = actions.dimension
        self._actions = actions
        self._capacity = default_capacity(d) if capacity is None else as_integer(capacity, "capacity", 1)
        self._table = ActionRows(actions, self._capacity)
        self._policies = PolicyBook(actions, self._capacity)
        self._stretches = Stretches(d)
        self._total, self._n_days, self._earned = np.zeros(d), 0, 0.0
        self._products = empty_products(d)
        self._source: str | None = None

    def record(self, policy: Policy, rewards: Vector | Matrix, n_days: int | None = None) -> None:
        """Enter days played with one policy: one reward vector per row; or one vector, the sum of ``n_days`` of them."""
        self._from("policies")
        rows = np.atleast_2d(rewards)
        n = len(rows) if n_days is None else n_days
        self._enter(self._stretches.record(policy, rows, n))
        self._total = summed(self._total, rows)
        self._n_days += n

    def record_plays(self, plays: Actions, rewards: Matrix) -> None:
        """Enter days by the action that was drawn and the rewards it met, one row of each per day: realised play.

        A rule φ may then exploit which actions luck happened to draw, so regrets are above those from policies, the more so the
        more actions there are. A ledger holds either policies or plays, not both.
        """
        self._from("realised play")
        vectors = np.ascontiguousarray(rewards, dtype=np.float64)
        words = pack_rows(read_only(np.ascontiguousarray(plays, dtype=np.int64)))
        self._table.add_days(words, vectors)
        self._total = summed(self._total, vectors)
        earned = dot_each(vectors, words)
        self._earned = float(summed(np.array([self._earned]), earned[:, None])[0])
        add_products(self._products, vectors, plays)
        self._n_days += len(vectors)

    def record_tape(self, reader: TapeReader) -> None:
        """Enter what is on a tape."""
        self._from("policies")
        reader.enter(self._table)
        for policy, vector, n_days in reader.unlisted():
            self._enter_policy(policy, vector, n_days)
        reader.add_products(self._products)
        self._earned += reader.earned
        self._total += reader.total
        self._n_days += reader.n_days

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
            policies=self._policies.kept(),
            dropped=self._policies.dropped(),
            total=frozen(self._total.copy()),
            earned=self._earned,
            n_days=float(self._n_days),
            capacity=self._capacity,
            source=self._source or "policies",
            products=None if self._products is None else frozen(self._products.copy()),
        )

    def dump(self) -> NamedArrays:
        """Write the ledger of all days so far as named arrays, and where its generator stands."""
        return write_ledger(self.close()) | {"rng": self._policies.dump_rng()}

    def restore(self, arrays: NamedArrays) -> None:
        """Fill an empty ledger with what ``dump`` wrote; both must have the same capacity."""
        held = read_ledger(arrays, self._actions)
        self._table.begin(held.rows, held.pooled)
        self._policies.begin(held.policies, held.dropped, arrays["rng"])
        self._total, self._n_days, self._earned = np.array(held.total), int(held.n_days), held.earned
        self._source = held.source if held.n_days else None
        self._products = None if held.products is None else np.array(held.products)

    def _from(self, source: str) -> None:
        if self._source not in (None, source):
            raise InvalidInput(
                "a ledger must be fed from policies or from realised play", "both", "Keep two ledgers, one per source."
            )
        self._source = source

    def _enter(self, left: list[Left]) -> None:
        for policy, vector, n_days in left:
            self._earned += float(np.cumsum(policy.marginals() * vector)[-1])  # from the first entry to the last
            add_products(self._products, vector, policy.marginals())
            self._enter_policy(policy, vector, n_days)

    def _enter_policy(self, policy: Policy, vector: Vector, n_days: float) -> None:
        if policy.has_atoms:
            self._table.add_policy(*policy.packed_support(), vector, n_days)
        else:
            self._policies.enter(policy, vector, n_days)


class PolicyBook:
    """The policies of a run that do not list their support: a few are kept exactly, the rest by sums and samples.

    A policy such as the uniform one over an exponential set offers ``probability`` but no list. One that is held for all of a run
    (exploration) enters regrets exactly. A learner that makes a new Gibbs or Markov policy every meta-day would need unbounded
    memory, so only the policies held longest are kept; of the others remain the two sums that bracket what any rule φ can make of
    them, and a few actions drawn from each: sampled play. The generator has a fixed seed: same run, same book. At most ``capacity``
    of the actions drawn have a vector of their own.
    """

    def __init__(self, actions: ActionSet, capacity: int) -> None:
        self._actions = actions
        self._policies: list[Unlisted] = []
        self._copies: tuple[Unlisted, ...] = ()
        self._samples = ActionRows(actions, capacity)
        self._rng = np.random.default_rng(_SEED)
        self._highest = self._lowest = 0.0
        self._n_dropped = 0

    def enter(self, policy: Policy, vector: Vector, n_days: float) -> None:
        """Add a stretch; ``vector`` is Σ w_t R_t over it. A policy that was read from a file is known by its contents."""
        for place, held in enumerate(self._policies):
            if held.policy is policy or (held in self._copies and is_same(held.policy, policy)):
                self._policies[place] = Unlisted(policy, frozen(vector + held.value), n_days + held.days)
                return
        self._policies.append(Unlisted(policy, frozen(np.array(vector)), n_days))
        if len(self._policies) > _KEPT_POLICIES:
            shortest = min(self._policies, key=lambda held: held.days)
            self._policies.remove(shortest)
            self._drop(shortest)

    def _drop(self, policy: Unlisted) -> None:
        highest, lowest = answer_vectors(self._actions, np.array([policy.value, -policy.value]))[1].tolist()
        self._highest += highest
        self._lowest -= lowest
        self._n_dropped += 1
        drawn = np.stack([policy.policy.sample(self._rng) for _ in range(_SAMPLES)])
        shares = np.full(_SAMPLES, 1.0 / _SAMPLES)
        self._samples.add_policy(pack_rows(read_only(drawn)), shares, np.ascontiguousarray(policy.value), policy.days)

    def kept(self) -> tuple[Unlisted, ...]:
        """Return the policies that are kept exactly."""
        return tuple(self._policies)

    def dropped(self) -> Dropped | None:
        """Return what remains of the others, or None if there are none."""
        if not self._n_dropped:
            return None
        return Dropped(self._highest, self._lowest, float(self._n_dropped), *self._samples.lend())

    def dump_rng(self) -> npt.NDArray[np.uint8]:
        """Write where the generator stands."""
        return array_of_text(json.dumps(self._rng.bit_generator.state))

    def begin(self, kept: tuple[Unlisted, ...], dropped: Dropped | None, rng: npt.NDArray[np.uint8]) -> None:
        """Begin with what another book had."""
        self._policies, self._copies = list(kept), kept
        self._rng.bit_generator.state = json.loads(text_of_array(rng))
        if dropped is not None:
            self._highest, self._lowest, self._n_dropped = dropped.highest, dropped.lowest, int(dropped.n_policies)
            self._samples.begin(dropped.samples, dropped.pooled)
