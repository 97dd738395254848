"""A closed ledger as named arrays, and back."""

from dataclasses import fields

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import NamedArrays, array_of_text, below, frozen, under
from swapregret.files.held import held_array, held_text, held_words
from swapregret.regret.ledgers.closed_ledger import Dropped, Ledger, Pooled, Rows, Unlisted, empty_pools
from swapregret.regret.ledgers.policy_file import read_policies, write_policies


def write_ledger(ledger: Ledger) -> NamedArrays:
    """Write a ledger as named arrays."""
    dropped = ledger.dropped
    arrays: NamedArrays = {
        "total": ledger.total,
        "earned_days": np.array([ledger.earned, ledger.n_days]),
        "capacity": np.array(ledger.capacity),
        "source": array_of_text(ledger.source),
    }
    if ledger.products is not None:
        arrays["products"] = ledger.products
    arrays |= _write_table(ledger.rows, ledger.pooled)
    if ledger.policies:
        arrays |= write_policies(tuple(policy.policy for policy in ledger.policies))
        arrays["policy_values"] = np.stack([policy.value for policy in ledger.policies])
        arrays["policy_days"] = np.array([policy.days for policy in ledger.policies])
    if dropped is not None:
        arrays["dropped.numbers"] = np.array([dropped.highest, dropped.lowest, dropped.n_policies])
        arrays |= under("dropped", _write_table(dropped.samples, dropped.pooled))
    return arrays


def read_ledger(arrays: NamedArrays, actions: ActionSet) -> Ledger:
    """Read a ledger written by ``write_ledger``; arrays of other types, shapes or ranges are refused."""
    d = actions.dimension
    rows, pooled = _read_table(arrays, d)
    read = read_policies(arrays, actions)
    kept: tuple[Unlisted, ...] = ()
    if read:
        values = held_array(arrays, "policy_values", "float64", (len(read), d))
        days = held_array(arrays, "policy_days", "float64", (len(read),), 0.0).tolist()
        kept = tuple(Unlisted(*each) for each in zip(read, frozen(values.copy()), days, strict=True))
    dropped = None
    if "dropped.numbers" in arrays:
        highest, lowest, n_policies = held_array(arrays, "dropped.numbers", "float64", (3,)).tolist()
        dropped = Dropped(highest, lowest, n_policies, *_read_table(below(arrays, "dropped"), d))
    earned, n_days = held_array(arrays, "earned_days", "float64", (2,)).tolist()
    return Ledger(
        rows=rows,
        pooled=pooled,
        policies=kept,
        dropped=dropped,
        total=frozen(held_array(arrays, "total", "float64", (d,))),
        earned=earned,
        n_days=n_days,
        capacity=int(held_array(arrays, "capacity", "int64", (), 0)),
        source=held_text(arrays, "source"),
        products=frozen(held_array(arrays, "products", "float64", (d, d))) if "products" in arrays else None,
    )


def _write_table(rows: Rows, pooled: Pooled) -> NamedArrays:
    arrays = under("rows", _fields(rows))
    return arrays | (under("pooled", _fields(pooled)) if pooled.n_pools else {})


def _fields(value: Rows | Pooled) -> NamedArrays:
    return {field.name: np.asarray(getattr(value, field.name)) for field in fields(value)}


def _read_table(arrays: NamedArrays, dimension: int) -> tuple[Rows, Pooled]:
    """Return rows and pools, checked so that every piece has its vector."""
    given, pooled = below(arrays, "rows"), empty_pools(0, dimension)
    words, vectors = held_words(given, "words", dimension), held_array(given, "vectors", "float64", (None, dimension))
    rows = Rows(
        words=frozen(words),
        at=frozen(held_array(given, "at", "int32", (len(words),), 0, len(vectors) - 1)),
        shares=frozen(held_array(given, "shares", "float64", (len(words),), 0.0)),
        intact=frozen(held_array(given, "intact", "bool", (len(words),))),
        vectors=frozen(vectors),
        vector_days=frozen(held_array(given, "vector_days", "float64", (len(vectors),), 0.0)),
    )
    if given := below(arrays, "pooled"):
        values = held_array(given, "values", "float64", (None, dimension))
        gains = held_array(given, "gains", "float64", (len(values),))
        counts = held_array(given, "counts", "float64", (len(values),), 0.0)
        split = float(held_array(given, "split", "float64", ()))
        pooled = Pooled(frozen(values), frozen(gains), frozen(counts), split)
    return rows, pooled
