"""The table of results: one row per run and checkpoint."""

import io
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.environments.environment import DayKinds
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.files.storage import Json
from swapregret.playing.kinds_result import by_kind
from swapregret.playing.play_result import PlayResult, Run
from swapregret.regret.interval import interval_regret
from swapregret.results.experiment import RunInfo, load_experiment
from swapregret.units import Units

if TYPE_CHECKING:
    import polars as pl


_COLUMNS: dict[str, str] = {
    **dict.fromkeys(("run", "set", "environment", "player"), "String"),
    **dict.fromkeys(("horizon", "replication"), "Int64"),
    "seed": "String",
    "day": "Int64",
    **dict.fromkeys(("reward", "expected", "external", "internal", "swap", "swap_lower", "swap_upper"), "Float64"),
    "is_exact": "Boolean",
    "n_actions": "Int64",
    **dict.fromkeys(("realised_swap", "laziness", "lemma"), "Float64"),
    "unit": "String",
    **dict.fromkeys(("unit_low", "unit_high"), "Float64"),
}
"""The columns of a run's table, in order, by Polars' names of their types; ``window_*`` follow."""
UNIT_COLUMNS = ("unit", "unit_low", "unit_high")
"""What the world counts, "reward" or "cost", and the range of rewards (minus the costs) that was mapped to [0, 1]."""
_EARNED = ("reward", "expected")
_REGRETS = ("external", "internal", "swap", "realised_swap", "laziness", "lemma", "window_", "reward_error")
PER_ROUND = ("external", "internal", "swap")


def measure_mark(
    day: int, run: Run, actions: ActionSet, measure: str, units: Units, kinds: DayKinds | None = None
) -> Json:
    """Return the numbers of one checkpoint of one run, on the scale [0, 1], and the units; what was not measured is None."""
    result = by_kind(PlayResult(actions, (run,), measure, 0), kinds)
    row: Json = dict.fromkeys(_COLUMNS)
    row |= {"day": day, "reward": run.reward}
    row |= {"unit": units.word, "unit_low": units.low, "unit_high": units.high}
    sums = [each.sums for each in run.each if each.sums is not None]
    if sums:
        swap = result.swap_regret
        row |= {
            "expected": sum(each.earned for each in sums) / day,
            "external": result.external_regret.value,
            "swap": swap.value,
            "swap_lower": swap.lower,
            "swap_upper": swap.upper,
            "is_exact": swap.is_exact,
            "laziness": swap.upper if measure == "bound" else None,
        }
    if sums and measure == "ledger":
        n_actions = sum(len(each.ledger.rows) for each in run.each if each.ledger is not None)
        row |= {"internal": result.internal_regret.value, "n_actions": n_actions}
    if run.each[0].realised is not None:
        row["realised_swap"] = result.realised_swap_regret.value
    if run.decomposition is not None:
        row |= {"laziness": run.decomposition.laziness, "lemma": run.decomposition.bound}
    for part in run.intervals:
        row[f"window_{part.window}"] = interval_regret([part]).value
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def table_bytes(info: RunInfo, seed: int, rows: Sequence[Json]) -> bytes:
    """Return the Parquet file of one run: the same bytes for the same numbers."""
    require_extra("experiments", "writing results", only="polars")
    import polars as pl

    schema = _schema(rows[0])
    about = _about(info) | {"seed": str(seed)}
    return parquet_bytes(pl.DataFrame([row | about for row in rows], schema=schema))


def parquet_bytes(frame: "pl.DataFrame") -> bytes:
    """Return a table as the bytes of a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _about(info: RunInfo) -> Json:
    """Return the columns that say which run it is."""
    about = asdict(info)
    return {"run": about.pop("id"), **about}


def _schema(names: Iterable[str]) -> Json:
    """Return the type of each column, with those of the windows among some names."""
    import polars as pl

    windows = [name for name in names if name.startswith("window_")]
    return {name: getattr(pl, kind) for name, kind in (_COLUMNS | dict.fromkeys(windows, "Float64")).items()}


def _read_table(path: Path, run: RunInfo) -> "pl.DataFrame":
    """Read the table of a run: its columns, of their types, and its own name."""
    import polars as pl

    advice = "Remove the file and run the spec again."
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InvalidInput(f"{os.fspath(path)!r} must be a Parquet file", f"{str(error)[:200]}", advice) from None
    schema = _schema(frame.columns)
    wrong = [name for name, kind in frame.schema.items() if schema.get(name) != kind]
    missing = [name for name in schema if name not in frame.columns]
    if wrong or missing or any(frame[name].null_count() for name in ("day", *UNIT_COLUMNS)) or (frame["day"] < 1).any():
        came = f"{wrong!r:.80} of another kind, {missing!r:.80} missing, days below 1, or no units"
        raise InvalidInput(f"{os.fspath(path)!r} must have the columns of a run", came, advice)
    for name, value in _about(run).items():
        if frame[name].unique().to_list() != [value]:
            raise InvalidInput(f"{os.fspath(path)!r} must be of run {run!r:.200}", f"another {name}", advice)
    return frame


def into_units(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a table of results in what each world counts: regrets times the range, rewards in it; costs are negative rewards."""
    import polars as pl

    low, scale = pl.col("unit_low"), pl.col("unit_high") - pl.col("unit_low")
    regrets = [name for name, kind in frame.schema.items() if name.startswith(_REGRETS) and kind.is_float()]
    return frame.with_columns(
        *(pl.col(name) * scale for name in regrets),
        *(pl.col(name) * scale + low for name in _EARNED),
    )


@checked
def load_results(folder: str | os.PathLike[str], *, in_units: bool = True) -> "pl.DataFrame":
    """Read the results of an experiment: a Polars frame with one row per finished run and checkpoint.

    Regrets are totals up to ``day``; ``external_per_round``, ``internal_per_round`` and ``swap_per_round`` are divided by
    it. ``swap`` is the maximum over rules for this run alone; :func:`load_cells` averages ledgers over replications first,
    as the paper does. Columns that were not measured are null. ``unit`` says what a world counts, "reward" or "cost": a replay with
    a declared range is reported in its units, and ``reward`` is minus the cost where costs are counted.

    Parameters
    ----------
    folder : path
        What ``swapregret run SPEC.toml --out DIR`` wrote.
    in_units : bool
        Whether numbers are in what each world counts, or all on the scale [0, 1] of the learners and of the bounds.

    Returns
    -------
    polars.DataFrame
        ``.to_pandas()`` works where pandas is installed (``pip install "swapregret[pandas]"``).
    """
    require_extra("experiments", "`load_results`", only="polars")
    import polars as pl

    experiment = load_experiment(folder)
    frames = []
    for run in experiment.finished:
        frame = _read_table(experiment.store.path(run.id, "parquet"), run)
        timing = experiment.store.timing(run.id) or {}
        seconds = dict(zip(timing.get("days", []), timing.get("seconds", []), strict=False))
        taken = pl.Series("seconds", [seconds.get(day) for day in frame["day"]], dtype=pl.Float64)
        frames.append(frame.with_columns(taken))
    if not frames:
        return pl.DataFrame()
    whole = pl.concat(frames, how="diagonal")
    return (into_units(whole) if in_units else whole).with_columns(
        *((pl.col(name) / pl.col("day")).alias(f"{name}_per_round") for name in PER_ROUND),
        (pl.col("day") / pl.col("seconds")).alias("rounds_per_second"),
    )
