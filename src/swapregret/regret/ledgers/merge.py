"""Merging the ledgers of replications into their mean.

Replications are averaged entry by entry *before* the maximum over φ: that is the expectation in the paper's definition
of swap regret (deviation D16).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from swapregret.arrays import Matrix, frozen
from swapregret.errors import InvalidInput
from swapregret.files.values import is_same
from swapregret.regret.ledgers.closed_ledger import Dropped, Ledger, Pooled, Rows, Unlisted
from swapregret.regret.ledgers.row_sums import RowNumbers, pool_of


def mean_ledger(ledgers: Iterable[Ledger]) -> Ledger:
    """Average replications entry by entry: the expectation that stands inside the maximum over φ."""
    parts = _checked(ledgers)
    if len(parts) == 1:
        return parts[0]
    share = 1.0 / len(parts)
    n_pools = max(part.pooled.n_pools for part in parts)
    rows = join_rows([part.rows for part in parts], share)
    dropped = [part.dropped for part in parts if part.dropped is not None]
    return Ledger(
        rows=_with_wholes(rows, parts, n_pools),
        pooled=_merge_pools([part.pooled for part in parts], share),
        policies=_merge_policies(parts, share),
        dropped=None
        if not dropped
        else Dropped(
            share * sum(part.highest for part in dropped),
            share * sum(part.lowest for part in dropped),
            share * sum(part.n_policies for part in dropped),
            join_rows([part.samples for part in dropped], share),
            _merge_pools([part.pooled for part in dropped], share),
        ),
        total=frozen(share * np.sum([part.total for part in parts], axis=0)),
        earned=share * sum(part.earned for part in parts),
        n_days=share * sum(part.n_days for part in parts),
        capacity=max(part.capacity for part in parts),
        source=parts[0].source,
        products=mean_products([part.products for part in parts]),
    )


def mean_products(each: Sequence[Matrix | None]) -> Matrix | None:
    """Return the mean of Σ R xᵀ over some runs; None if one has none."""
    known = [products for products in each if products is not None]
    return frozen(np.mean(known, axis=0)) if len(known) == len(each) else None


def _checked(ledgers: Iterable[Ledger]) -> list[Ledger]:
    parts = list(ledgers)
    if not parts:
        raise InvalidInput("`ledgers` must not be empty", "none", "Pass the ledgers of one or more runs.")
    kinds = {(len(part.total), part.source) for part in parts}
    if len(kinds) > 1:
        raise InvalidInput(
            "`ledgers` must have one dimension and one source", f"{sorted(kinds)}", "Merge ledgers of one kind of run."
        )
    sizes = {part.pooled.n_pools for part in parts} - {0}
    if len(sizes) > 1:
        raise InvalidInput(
            "`ledgers` that reached their capacity must have had the same one",
            f"{len(sizes)} different capacities",
            "Record all replications with one `capacity`.",
        )
    return parts


def join_rows(tables: Sequence[Rows], share: float) -> Rows:
    """Return all pieces of some tables, times a share."""
    first = np.cumsum([0, *(len(table.vectors) for table in tables)])
    return Rows(
        frozen(np.concatenate([table.words for table in tables])),
        frozen(np.concatenate([table.at + np.int32(k) for table, k in zip(tables, first[:-1], strict=True)])),
        frozen(share * np.concatenate([table.shares for table in tables])),
        frozen(np.concatenate([table.intact for table in tables])),
        frozen(np.concatenate([table.vectors for table in tables])),
        frozen(np.concatenate([table.vector_days for table in tables])),
    )


def places_in(merged: Rows, tables: Sequence[Rows]) -> Iterator[RowNumbers]:
    """Return, for each of the merged tables, where its rows went."""
    first = 0
    for table in tables:
        yield merged.places[first + table.firsts]
        first += len(table.words)


def _with_wholes(rows: Rows, parts: Sequence[Ledger], n_pools: int) -> Rows:
    """Note which merged rows are whole: in every part either a whole row, or no row and an empty pool."""
    if n_pools == 0:
        return rows
    whole = np.ones(len(rows), dtype=np.bool_)
    pool = pool_of(rows.keys, n_pools)
    for part, place in zip(parts, places_in(rows, [part.rows for part in parts]), strict=True):
        here = part.pooled.counts[pool] == 0.0 if part.pooled.n_pools else np.ones(len(rows), dtype=np.bool_)
        here[place] = part.rows.whole
        whole &= here
    return replace(rows, intact=frozen(whole[rows.places]))


def _merge_pools(parts: Sequence[Pooled], share: float) -> Pooled:
    used = [part for part in parts if part.n_pools]
    if not used:
        return parts[0]
    values, gains, counts = (
        frozen(sum(share * getattr(part, name) for part in used)) for name in ("values", "gains", "counts")
    )
    return Pooled(values, gains, counts, share * sum(part.split for part in used))


def _merge_policies(parts: Sequence[Ledger], share: float) -> tuple[Unlisted, ...]:
    merged: list[Unlisted] = []
    for held in (held for part in parts for held in part.policies):
        scaled = Unlisted(held.policy, frozen(share * held.value), share * held.days)
        for index, other in enumerate(merged):
            if is_same(other.policy, held.policy):
                merged[index] = Unlisted(other.policy, frozen(other.value + scaled.value), other.days + scaled.days)
                break
        else:
            merged.append(scaled)
    return tuple(merged)
