"""A closed ledger as named arrays, and back."""

from dataclasses import fields

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import NamedArrays, array_of_text, below, frozen, text_of_array, under
from swapregret.policy.held import held_array
from swapregret.regret.ledgers.closed_ledger import Dropped, Law, Ledger, Pooled, Rows, held_pieces, no_pools
from swapregret.regret.ledgers.law_file import read_laws, write_laws


def write_ledger(ledger: Ledger, actions: ActionSet) -> NamedArrays:
    """Write a ledger as named arrays.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.policy import FinitePolicy
    >>> from swapregret.regret.ledgers.ledger import SwapLedger
    >>> made = SwapLedger(MSets(2, 1))
    >>> made.record(FinitePolicy([[1, 0]], [1.]), np.array([0.25, 0.5]))
    >>> read_ledger(write_ledger(made.close(), MSets(2, 1)), MSets(2, 1)).values.tolist()
    [[0.25, 0.5]]
    """
    pooled, dropped = ledger.pooled, ledger.dropped
    arrays: NamedArrays = {
        "total": ledger.total,
        "earned_days": np.array([ledger.earned, ledger.n_days]),
        "capacity": np.array(ledger.capacity),
        "source": array_of_text(ledger.source),
    }
    arrays |= under("rows", _write_rows(ledger.rows))
    if pooled.n_pools:
        arrays |= {
            "pooled.n_pools": np.array(pooled.n_pools),
            "pooled.pools": pooled.pools,
            "pooled.values": pooled.values,
            "pooled.gains": pooled.gains,
            "pooled.split_pieces": np.array([pooled.split, pooled.n_pieces]),
        }
    if ledger.laws:
        arrays |= write_laws(tuple(law.policy for law in ledger.laws), actions)
        arrays["law_values"] = np.stack([law.value for law in ledger.laws])
        arrays["law_days"] = np.array([law.days for law in ledger.laws])
    if dropped is not None:
        numbers = (dropped.highest, dropped.lowest, dropped.n_laws, dropped.sample_split)
        arrays |= {"dropped.numbers": np.array(numbers)} | under("dropped.samples", _write_rows(dropped.samples))
    return arrays


def read_ledger(arrays: NamedArrays, actions: ActionSet) -> Ledger:
    """Read a ledger written by ``write_ledger``; arrays of other types, shapes or ranges are refused."""
    d = actions.dimension
    pooled = no_pools(d)
    if "pooled.n_pools" in arrays:
        part = below(arrays, "pooled")
        split, pieces = held_array(part, "split_pieces", "float64", (2,)).tolist()
        n_pools = int(held_array(part, "n_pools", "int64", (), 1))
        pools = held_array(part, "pools", "int64", (None,), 0, n_pools - 1)
        sums, gains = (
            held_array(part, name, "float64", (len(pools), *rest)) for name, rest in (("values", (d,)), ("gains", ()))
        )
        pooled = Pooled(n_pools, frozen(pools), frozen(sums), frozen(gains), split, pieces)
    laws = read_laws(arrays, actions)
    values, days = np.zeros((0, d)), np.zeros(0)
    if laws:
        values = held_array(arrays, "law_values", "float64", (len(laws), d))
        days = held_array(arrays, "law_days", "float64", (len(laws),), 0.0)
    dropped = None
    if "dropped.numbers" in arrays:
        highest, lowest, n_laws, split = held_array(arrays, "dropped.numbers", "float64", (4,)).tolist()
        dropped = Dropped(highest, lowest, n_laws, split, _read_rows(below(arrays, "dropped.samples"), d))
    earned, n_days = held_array(arrays, "earned_days", "float64", (2,)).tolist()
    return Ledger(
        rows=_read_rows(below(arrays, "rows"), d),
        pooled=pooled,
        laws=tuple(
            Law(law, frozen(value), held) for law, value, held in zip(laws, values.copy(), days.tolist(), strict=True)
        ),
        dropped=dropped,
        total=frozen(held_array(arrays, "total", "float64", (d,))),
        earned=earned,
        n_days=n_days,
        capacity=int(held_array(arrays, "capacity", "int64", (), 0)),
        source=text_of_array(arrays["source"]),
    )


def _write_rows(rows: Rows) -> NamedArrays:
    return {field.name: getattr(rows, field.name) for field in fields(rows)}


def _read_rows(arrays: NamedArrays, dimension: int) -> Rows:
    pieces = held_pieces(arrays, dimension)
    intact = held_array(arrays, "intact", "bool", (len(pieces["words"]),))
    return Rows(intact=frozen(intact), **{name: frozen(array) for name, array in pieces.items()})
