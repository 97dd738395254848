"""What a run recorded beside its table: ledgers, marginals and the terms of the lemma at every checkpoint."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Matrix, NamedArrays, Vector, below, under
from swapregret.play_result import Run
from swapregret.regret.decomposition import Decomposition, ScaleShare
from swapregret.regret.laziness import LazyTotals
from swapregret.regret.ledgers.entries import Ledger
from swapregret.regret.ledgers.ledger_file import read_ledger, write_ledger
from swapregret.storage import from_bytes, read_file, to_bytes

__all__ = ["Mark", "RunDetail", "pack_mark", "read_detail", "write_detail"]

_KIND = "run detail"
LEDGERS_SHARE = 2**26
"""Bytes that the ledgers of all checkpoints but the last may take together, in equal shares; the last is always kept."""


@dataclass(frozen=True, eq=False)
class Mark:
    """One checkpoint: the day, what was recorded up to it, and the marginals of the policy that plays next."""

    day: int
    run: Run
    marginals: Vector


@dataclass(frozen=True, eq=False)
class RunDetail:
    """What a run recorded beside its table.

    Attributes
    ----------
    run : str
        Identity of the run.
    days : int64 array, shape (n,)
        Days played at each checkpoint.
    marginals : Matrix, shape (n, dimension)
        How likely each element was to be chosen on the day after each checkpoint.
    windows : tuple of int or None
        L_0, …, L_K of the calendar; None for players without scales.
    offset : int or None
        Day 0 is day ``offset`` of the first windows.
    actions : ActionSet
    arrays : dict
        Everything as it is in the file.
    """

    run: str
    days: npt.NDArray[np.int64]
    marginals: Matrix
    windows: tuple[int, ...] | None
    offset: int | None
    actions: ActionSet
    arrays: NamedArrays

    def __repr__(self) -> str:
        return f"RunDetail({self.run!r}, {self.actions!r}, {len(self.days)} checkpoints)"

    def ledger(self, index: int = -1) -> Ledger | None:
        """Return the ledger at a checkpoint; None if none was kept (see ``docs/how_to/run_experiments.md``)."""
        part = below(self.arrays, f"mark{index % len(self.days)}.ledger")
        return read_ledger(part, self.actions) if part else None

    def sums(self, index: int = -1) -> tuple[Vector, float] | None:
        """Return Σ R and the expected reward up to a checkpoint: all that external regret depends on."""
        name = f"mark{index % len(self.days)}"
        if f"{name}.total" not in self.arrays:
            return None
        return self.arrays[f"{name}.total"], float(self.arrays[f"{name}.earned"])

    def lazy(self, index: int = -1) -> LazyTotals | None:
        """Return what the laziness bound is made of; None unless measured with "bound"."""
        sums, numbers = self.sums(index), self.arrays.get(f"mark{index % len(self.days)}.lazy")
        if sums is None or numbers is None:
            return None
        return LazyTotals(float(numbers[0]), sums[1], sums[0], int(numbers[1]))

    def decomposition(self, index: int = -1) -> Decomposition | None:
        """Return the terms of the lemma at a checkpoint; None without a certificate."""
        part = below(self.arrays, f"mark{index % len(self.days)}.lemma")
        return _read_lemma(part) if part else None


def pack_mark(mark: Mark, actions: ActionSet, *, share: float, is_last: bool) -> NamedArrays:
    """Write a checkpoint as named arrays; a ledger larger than its share of bytes is kept only at the end."""
    arrays: NamedArrays = {"day": np.array(mark.day), "marginals": mark.marginals}
    if mark.run.ledger is not None:
        ledger = write_ledger(mark.run.ledger, actions)
        if is_last or sum(array.nbytes for array in ledger.values()) <= share:
            arrays |= under("ledger", {name: np.array(array) for name, array in ledger.items()})
        arrays |= _write_sums(mark.run.ledger.total, mark.run.ledger.earned)
    if mark.run.lazy is not None:
        lazy = mark.run.lazy
        arrays |= {"lazy": np.array([lazy.best, float(lazy.n_days)])} | _write_sums(lazy.total, lazy.earned)
    if mark.run.decomposition is not None:
        arrays |= under("lemma", _write_lemma(mark.run.decomposition))
    return arrays


def write_detail(run: str, marks: Sequence[NamedArrays], windows: Sequence[int] | None, offset: int | None) -> bytes:
    """Write a run's checkpoints, packed, as the bytes of one file."""
    arrays: NamedArrays = {}
    for index, mark in enumerate(marks):
        arrays |= under(f"mark{index}", mark)
    about: dict[str, Any] = {"run": run, "n_marks": len(marks), "windows": windows and list(windows), "offset": offset}
    return to_bytes(_KIND, about, arrays)


def read_detail(path: str | os.PathLike[str], actions: ActionSet) -> RunDetail:
    """Read a file that ``write_detail`` made; ``actions`` is the set of the run."""
    about, arrays = from_bytes(_KIND, read_file(path), f"detail file {os.fspath(path)!r}")
    indices = range(about["n_marks"])
    return RunDetail(
        run=about["run"],
        days=np.array([int(arrays[f"mark{index}.day"]) for index in indices], dtype=np.int64),
        marginals=np.stack([arrays[f"mark{index}.marginals"] for index in indices]),
        windows=tuple(about["windows"]) if about["windows"] is not None else None,
        offset=about["offset"],
        actions=actions,
        arrays=arrays,
    )


def _write_sums(total: Vector, earned: float) -> NamedArrays:
    return {"total": total, "earned": np.array(earned)}


def _write_lemma(lemma: Decomposition) -> NamedArrays:
    shares = lemma.scales
    windows = [(share.scale, share.update_every, share.restart_every, len(share.starts)) for share in shares]
    return {
        "windows": np.array(windows, dtype=np.int64),
        "numbers": np.array([(share.meta_best, share.interval_best, share.earned) for share in shares]),
        "starts": np.concatenate([share.starts for share in shares]),
        "regrets": np.concatenate([share.regrets for share in shares]),
        "n_days": np.array(lemma.n_days),
    }


def _read_lemma(arrays: NamedArrays) -> Decomposition:
    shares, first = [], 0
    for (scale, update, restart, count), numbers in zip(
        arrays["windows"].tolist(), arrays["numbers"].tolist(), strict=True
    ):
        here = slice(first, first + count)
        meta_best, interval_best, earned = numbers
        starts, regrets = arrays["starts"][here], arrays["regrets"][here]
        shares.append(ScaleShare(scale, update, restart, meta_best, interval_best, earned, starts, regrets))
        first += count
    return Decomposition(tuple(shares), int(arrays["n_days"]))
