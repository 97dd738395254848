"""The table of cells: replications put together, ledgers averaged before the maximum over rules."""

import hashlib
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.environments.environment import DayKinds
from swapregret.extras import require_extra
from swapregret.files.storage import Json, write_file
from swapregret.playing.kinds_result import by_kind
from swapregret.playing.play_result import PlayResult, Run
from swapregret.regret.laziness import LazyTotals, laziness_bound
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.notions import external_regret, internal_regret, swap_regret
from swapregret.regret.two_sided import two_sided_swap
from swapregret.results.detail import RunDetail
from swapregret.results.experiment import Experiment, RunInfo, load_experiment
from swapregret.results.run_rows import UNIT_COLUMNS, into_units, load_results, parquet_bytes

if TYPE_CHECKING:
    import polars as pl

CELL = ("set", "environment", "player", "horizon")
_PER_ROUND = ("external", "external_error", "internal", "swap", "swap_error", "swap_split", "swap_low", "swap_high")
_MEANS = ("reward", "expected", "realised_swap", "laziness", "lemma", "rounds_per_second")
_VERSION = 2


@checked
def load_cells(folder: str | os.PathLike[str], *, in_units: bool = True) -> "pl.DataFrame":
    """Put replications together: one row per set, environment, player, horizon and checkpoint.

    ``swap`` is the paper's: the ledgers of all finished replications are averaged, then the maximum over rules is taken
    (deviation D16). With two replications or more, ``swap_error`` is its standard error, ``swap_split`` the estimate by
    sample splitting (too low in expectation where ``swap`` is too high), and ``swap_low``, ``swap_high`` a 95 % bootstrap
    interval, the one that tables and reports show; it does not reach below 0. ``swap_lower`` and ``swap_upper`` are the
    certified bracket. Regrets are totals up to ``day``; columns that end in ``_per_round`` are divided by it.
    ``swap_per_run`` is the mean of each run's own maximum.

    Parameters
    ----------
    folder : path
        What ``swapregret run SPEC.toml --out DIR`` wrote.
    in_units : bool
        Whether numbers are in what each world counts, as of :func:`load_results`, or on the scale [0, 1].
    """
    require_extra("experiments", "`load_cells`", only="polars")
    frame = _load_cells(folder)
    return into_units(frame) if in_units and len(frame) else frame


def _load_cells(folder: str | os.PathLike[str]) -> "pl.DataFrame":
    """Return the table on the scale [0, 1]; it is kept beside the results until another run is finished."""
    import polars as pl

    experiment = load_experiment(folder)
    cache = experiment.folder / "cells" / f"{_fingerprint(experiment)}.parquet"
    if cache.is_file():
        return pl.read_parquet(cache)
    cells: dict[tuple[object, ...], list[RunInfo]] = {}
    for run in experiment.finished:
        cells.setdefault(tuple(getattr(run, name) for name in CELL), []).append(run)
    results = load_results(folder, in_units=False)
    rows = [row for runs in cells.values() for row in _rows_of(experiment, runs, results)]
    if not rows:
        return pl.DataFrame()
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame = frame.with_columns(
        (pl.col(name).cast(pl.Float64) / pl.col("day")).alias(f"{name}_per_round") for name in _PER_ROUND
    )
    cache.parent.mkdir(exist_ok=True)
    for old in cache.parent.glob("*.parquet"):
        old.unlink(missing_ok=True)
    write_file(cache, parquet_bytes(frame))
    return frame


def _fingerprint(experiment: Experiment) -> str:
    """Return what the table of cells depends on: the finished runs, by their seals and times."""
    parts = [str(_VERSION)]
    for run in experiment.finished:
        parts += [repr(run), experiment.store.path(run.id, "json").read_text(encoding="utf-8")]
        parts.append(repr(experiment.store.timing(run.id)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _rows_of(experiment: Experiment, runs: Sequence[RunInfo], results: "pl.DataFrame") -> list[Json]:
    import polars as pl

    details = [experiment.detail(run) for run in runs]
    actions = experiment.action_set(runs[0].set)
    table = results.filter(pl.col("run").is_in([run.id for run in runs]))
    rows = []
    for index, day in enumerate(details[0].days.tolist()):
        here = table.filter(pl.col("day") == day)
        row: Json = {name: getattr(runs[0], name) for name in CELL} | {"day": day, "n_replications": len(runs)}
        row |= {name: _mean(here[name].to_list()) for name in _MEANS}
        row["reward_error"] = _known(standard_error(here["reward"].to_list()))
        row |= {name: here[name][0] for name in UNIT_COLUMNS}
        row["swap_per_run"] = _mean(here["swap"].to_list())
        rows.append(row | _regrets(actions, details, index))
    return rows


def _regrets(actions: ActionSet, details: Sequence[RunDetail], index: int) -> Json:
    names = ("external", "internal", "swap", "swap_lower", "swap_upper", "swap_split", "swap_low", "swap_high")
    row: Json = dict.fromkeys((*names, "external_error", "internal_error", "swap_error", "definition"))
    if details[0].kinds:
        return row | _regrets_of_kinds(actions, details, index)
    sums = [detail.sums(index) for detail in details]
    if all(each is not None for each in sums):
        day = int(details[0].days[index])
        parts = [LazyTotals(math.nan, each[1], each[0], day) for each in sums if each is not None]
        external = external_regret(actions, parts)
        row |= {"external": external.value, "external_error": _known(external.standard_error)}
    ledgers = [ledger for detail in details if (ledger := detail.ledger(index)) is not None]
    lazy = [bound for detail in details if (bound := detail.lazy(index)) is not None]
    if len(ledgers) == len(details):
        answers = answer(actions, ledgers)
        internal = internal_regret(answers)
        row |= {"internal": internal.value, "internal_error": _known(internal.standard_error)}
        if len(ledgers) > 1:
            both = two_sided_swap(answers)
            row |= _swap(both.plug_in) | {"swap_split": both.sample_split.value}
            row |= {"swap_low": both.interval[0], "swap_high": both.interval[1]}
        else:
            row |= _swap(swap_regret(answers))
    elif len(lazy) == len(details):
        row |= _swap(laziness_bound(actions, lazy))
    return row


def _regrets_of_kinds(actions: ActionSet, details: Sequence[RunDetail], index: int) -> Json:
    """Return the regrets against rules that may look at what is known before a day, where the ledgers of all kinds were kept."""
    kinds, runs = details[0].kinds, []
    for detail in details:
        found = {kind: detail.part(index, kind) for kind in range(len(kinds))}
        parts = {
            kind: Run(math.nan, part.ledger(), part.lazy(), None, (), None)
            for kind, part in found.items()
            if part is not None
        }
        runs.append(Run(math.nan, None, None, None, (), None, parts))
    each = [part for run in runs for part in run.each]
    measure = "bound" if all(part.lazy is not None for part in each) else "ledger"
    if any(part.sums is None for part in each):
        return {}
    result = by_kind(PlayResult(actions, tuple(runs), measure, 0), DayKinds(kinds, np.zeros(1, dtype=np.int64)))
    row = {"external": result.external_regret.value, "external_error": _known(result.external_regret.standard_error)}
    row |= _swap(result.swap_regret)
    if measure == "ledger":
        internal = result.internal_regret
        row |= {"internal": internal.value, "internal_error": _known(internal.standard_error)}
        row |= dict(zip(("swap_low", "swap_high"), result.swap_interval, strict=True)) if len(runs) > 1 else {}
    return row


def _swap(regret: Regret) -> Json:
    return {
        "swap": regret.value,
        "swap_lower": regret.lower,
        "swap_upper": regret.upper,
        "swap_error": _known(regret.standard_error),
        "definition": regret.definition,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
