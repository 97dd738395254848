"""What a run recorded beside its table: ledgers, marginals and the terms of the lemma at every checkpoint."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import left_without
from swapregret.arrays import Matrix, NamedArrays, Vector, below, under
from swapregret.environments.environment import DayKind, DayKinds
from swapregret.errors import InvalidInput
from swapregret.files.held import held_array
from swapregret.files.storage import Json, from_bytes, read_file, reading, to_bytes
from swapregret.files.values import read_value, write_value
from swapregret.playing.play_result import Run
from swapregret.regret.decomposition import Decomposition, ScaleShare
from swapregret.regret.laziness import LazyTotals
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger_file import read_ledger, write_ledger

_KIND = "run detail"
_SLACK = 1e-6
LEDGERS_SHARE = 2**26
"""Bytes that the ledgers of all checkpoints but the last may take together, in equal shares; the last is always kept."""


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
    source : str
        The file, as refusals name it.
    kinds : tuple of DayKind
        Of the days, where they differ in context or in what was available; ledgers are then of each kind.
    """

    run: str
    days: npt.NDArray[np.int64]
    marginals: Matrix
    windows: tuple[int, ...] | None
    offset: int | None
    actions: ActionSet
    arrays: NamedArrays
    source: str = "a detail file"
    kinds: tuple[DayKind, ...] = ()

    def __repr__(self) -> str:
        return f"RunDetail({self.run!r}, {self.actions!r}, {len(self.days)} checkpoints)"

    def ledger(self, index: int = -1) -> Ledger | None:
        """Return the ledger at a checkpoint; None if none was kept (see ``docs/how_to/run_experiments.md``)."""
        part = below(self.arrays, f"mark{index % len(self.days)}.ledger")
        with reading(self.source):
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

    def part(self, index: int, kind: int) -> "RunDetail | None":
        """Return what was recorded up to a checkpoint of the days of one kind; None if there were none yet."""
        arrays = below(self.arrays, f"mark{index % len(self.days)}.kind{kind}")
        if not arrays:
            return None
        actions = left_without(self.actions, self.kinds[kind].missing)
        return replace(self, actions=actions, arrays=under("mark0", arrays), days=self.days[[index]], kinds=())

    def decomposition(self, index: int = -1) -> Decomposition | None:
        """Return the terms of the lemma at a checkpoint; None without a certificate."""
        part = below(self.arrays, f"mark{index % len(self.days)}.lemma")
        with reading(self.source):
            return _read_lemma(part) if part else None


def pack_mark(day: int, run: Run, marginals: Vector, *, share: float, is_last: bool) -> NamedArrays:
    """Write a checkpoint as named arrays: the day, what was recorded, the marginals of the policy that plays next.

    A ledger larger than its share of bytes is kept only at the end.
    """
    arrays: NamedArrays = {"day": np.array(day), "marginals": marginals} | _pack(run, share, is_last=is_last)
    for kind, part in run.parts.items():
        arrays |= under(f"kind{kind}", _pack(part, share / len(run.parts), is_last=is_last))
    return arrays


def _pack(run: Run, share: float, *, is_last: bool) -> NamedArrays:
    arrays: NamedArrays = {}
    if run.ledger is not None:
        ledger = write_ledger(run.ledger)
        if is_last or sum(array.nbytes for array in ledger.values()) <= share:
            arrays |= under("ledger", {name: np.array(array) for name, array in ledger.items()})
    if run.lazy is not None:
        arrays["lazy"] = np.array([run.lazy.best, float(run.lazy.n_days)])
    if run.sums is not None:
        arrays |= {"total": run.sums.total, "earned": np.array(run.sums.earned)}
    if isinstance(run.decomposition, Decomposition):
        arrays |= under("lemma", _write_lemma(run.decomposition))
    return arrays


def write_detail(
    run: str,
    marks: Sequence[NamedArrays],
    windows: Sequence[int] | None,
    offset: int | None,
    kinds: DayKinds | None = None,
) -> bytes:
    """Write a run's checkpoints, packed, as the bytes of one file."""
    arrays: NamedArrays = {}
    for index, mark in enumerate(marks):
        arrays |= under(f"mark{index}", mark)
    about: Json = {"run": run, "n_marks": len(marks), "windows": windows and list(windows), "offset": offset}
    if kinds is not None:
        about["kinds"] = [[write_value(context), list(missing)] for context, missing in kinds.listed]
    return to_bytes(_KIND, about, arrays)


def read_detail(path: str | os.PathLike[str], actions: ActionSet) -> RunDetail:
    """Read a file that ``write_detail`` made; ``actions`` is the set of the run."""
    source = f"detail file {os.fspath(path)!r}"
    about, arrays = from_bytes(_KIND, read_file(path), source)
    with reading(source):
        if set(about) - {"kinds"} != {"run", "n_marks", "windows", "offset"} or not isinstance(about["run"], str):
            raise _wrong("a run, its number of checkpoints, windows and offset", f"{about!r:.80}")
        n_marks, windows, offset = about["n_marks"], about["windows"], about["offset"]
        if type(n_marks) is not int or not 1 <= n_marks <= len(arrays):
            raise _wrong("two arrays or more for each checkpoint", f"{n_marks!r:.80} checkpoints")
        if windows is not None and not (isinstance(windows, list) and windows and _are_days(windows, 1)):
            raise _wrong("days or nothing as windows", f"{windows!r:.80}")
        if offset is not None and not _are_days([offset], 0):
            raise _wrong("a day or nothing as offset", f"{offset!r:.80}")
        kinds = tuple(_read_kind(each, actions.dimension) for each in about.get("kinds", ()))
        marks = [_read_mark(below(arrays, f"mark{index}"), actions.dimension) for index in range(n_marks)]
        days, marginals = np.array([day for day, _ in marks], dtype=np.int64), np.stack([share for _, share in marks])
        if (np.diff(days) <= 0).any():
            raise _wrong("days in order", f"{days!r:.80}")
    return RunDetail(
        run=about["run"],
        days=days,
        marginals=marginals,
        windows=tuple(windows) if windows is not None else None,
        offset=offset,
        actions=actions,
        arrays=arrays,
        source=source,
        kinds=kinds,
    )


def _read_kind(given: Any, dimension: int) -> DayKind:
    """Read a context and the elements that were missing."""
    context, missing = given
    if not all(type(index) is int and 0 <= index < dimension for index in missing):
        raise _wrong("elements of the set missing", f"{missing!r:.80}")
    return DayKind(read_value(context), tuple(missing))


def _read_mark(arrays: NamedArrays, dimension: int) -> tuple[int, Vector]:
    """Return the day and the marginals of a checkpoint; its sums are checked too."""
    if "total" in arrays:
        held_array(arrays, "total", "float64", (dimension,))
        held_array(arrays, "earned", "float64", ())
    if "lazy" in arrays:
        held_array(arrays, "lazy", "float64", (2,))
    marginals = held_array(arrays, "marginals", "float64", (dimension,), -_SLACK, 1.0 + _SLACK)
    return int(held_array(arrays, "day", "int64", (), 1)), marginals


def _are_days(values: list[object], least: int) -> bool:
    return all(type(value) is int and least <= value < 2**63 for value in values)


def _wrong(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"the detail of a run must have {must}", came, "Run the spec again.")


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
    windows = held_array(arrays, "windows", "int64", (None, 4), 0)
    terms = held_array(arrays, "numbers", "float64", (len(windows), 3))
    total = sum(windows[:, 3].tolist())
    starts, regrets = (
        held_array(arrays, "starts", "int64", (total,), 0),
        held_array(arrays, "regrets", "float64", (total,)),
    )
    n_days = int(held_array(arrays, "n_days", "int64", (), 1))
    shares, first = [], 0
    for (*windowed, count), numbers in zip(windows.tolist(), terms.tolist(), strict=True):
        here = slice(first, first + count)
        fields: list[Any] = [*windowed, *numbers, starts[here], regrets[here]]
        shares.append(ScaleShare(*fields))
        first += count
    return Decomposition(tuple(shares), n_days)
