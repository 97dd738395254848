"""From a folder of results to what a report shows."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import stdtrit

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.experiments.report.elements import graph_of, put_together, rows_of
from swapregret.experiments.report.model import Curve, Ends, PlayerRuns, Scene, Shares
from swapregret.experiments.report.page import Origin
from swapregret.results import Experiment, RunDetail, RunInfo, load_cells, load_experiment, load_results
from swapregret.results.table import UNIT_COLUMNS
from swapregret.units import UNIT_REWARDS, Units

__all__ = ["gather"]

_KEY = ("set", "environment", "horizon")
_FACTS = {
    "library": "swapregret",
    "seed_entropy": "seed",
    "python": "python",
    "processor": "processor",
    "cpu_count": "cores",
    "memory_bytes": "memory",
}
"""What is said first of the machine and the versions, and how it is called; the rest follows as it comes."""


def gather(folder: str | os.PathLike[str]) -> tuple[tuple[Scene, ...], Origin]:
    """Read a folder of results: its scenes in the order of the specification, and where they came from.

    Swap regret is that of the mean ledger with its bootstrap interval, cut at 0; external regret and reward are means over
    replications with Student's 95 % interval; time is the median run's, from the fastest to the slowest.

    Parameters
    ----------
    folder : path
        What ``swapregret run SPEC.toml --out DIR`` wrote; runs that are missing are left out and counted.
    """
    experiment = load_experiment(folder)
    finished = list(experiment.finished)
    if not finished:
        raise InvalidInput(
            "the folder must hold at least one finished run",
            f"{os.fspath(folder)!r} with none of {len(experiment.runs)}",
            "Run the specification again: `swapregret run SPEC.toml --out DIR` goes on where it stopped.",
        )
    cells, rows = load_cells(folder, in_units=False), load_results(folder, in_units=False)
    scenes: dict[tuple[str, str, int], dict[str, list[RunInfo]]] = {}
    for run in finished:
        scenes.setdefault((run.set, run.environment, run.horizon), {}).setdefault(run.player, []).append(run)
    made = [
        _scene(experiment, key, players, _where(cells, _KEY, key), _where(rows, _KEY, key))
        for key, players in scenes.items()
    ]
    return tuple(made), _origin(experiment, len(finished))


def _scene(
    experiment: Experiment,
    key: tuple[str, str, int],
    players: dict[str, list[RunInfo]],
    cells: pl.DataFrame,
    rows: pl.DataFrame,
) -> Scene:
    name, environment, horizon = key
    actions = experiment.action_set(name)
    graph = graph_of(actions)
    labels, place = rows_of(actions)
    return Scene(
        actions=name,
        environment=environment,
        horizon=horizon,
        dimension=actions.dimension,
        size=actions.size,
        n_actions=actions.n_actions,
        labels=labels,
        players=tuple(
            _player(
                experiment,
                player,
                runs,
                _where(cells, ("player",), (player,)),
                _where(rows, ("player",), (player,)),
                place,
            )
            for player, runs in players.items()
        ),
        graph=graph,
        units=_units(cells),
    )


def _units(cells: pl.DataFrame) -> Units:
    """Return what the world of some cells counts."""
    unit, low, high = (cells[name][0] for name in UNIT_COLUMNS)
    return UNIT_REWARDS if unit is None else Units(low, high, is_cost=unit == "cost")


def _player(
    experiment: Experiment,
    name: str,
    runs: Sequence[RunInfo],
    cells: pl.DataFrame,
    rows: pl.DataFrame,
    place: npt.NDArray[np.int64],
) -> PlayerRuns:
    cells = cells.sort("day")
    first = experiment.detail(min(runs, key=lambda run: run.replication).id)
    low, high = (_column(cells, f"swap_{end}_per_round") for end in ("low", "high"))
    swap = _curve(cells, "swap_per_round", low, high)
    return PlayerRuns(
        name=name,
        n_runs=len(runs),
        swap=swap,
        external=_student(cells, "external_per_round", _column(cells, "external_error") / _column(cells, "day")),
        reward=_within(_student(cells, "reward", _column(cells, "reward_error"))),
        microseconds=_microseconds(rows),
        definition=str(cells["definition"][-1] or "") if swap is not None else "",
        bracket=_bracket(cells) if swap is not None else None,
        windows=first.windows or (),
        offset=first.offset or 0,
        shares=_shares(experiment, first, [run for run in runs if run.id != first.run]),
        marginals=put_together(first.marginals, place),
        marginal_days=first.days,
        ends=_ends(rows),
    )


def _ends(rows: pl.DataFrame) -> Ends | None:
    """Return reward and swap regret of every replication on the last day that all of them reached."""
    last = rows.filter(pl.col("day") == rows["day"].max()).sort("replication")
    if last.is_empty():
        return None
    return Ends(
        last["replication"].to_numpy().astype(np.int64), _column(last, "reward"), _column(last, "swap_per_round")
    )


def _bracket(cells: pl.DataFrame) -> tuple[float, float] | None:
    """Return the certified ends of the last swap regret, per round; None where they are one."""
    day, low, high = (float(_column(cells, name)[-1]) for name in ("day", "swap_lower", "swap_upper"))
    return (low / day, high / day) if high - low > 1e-9 * day else None


def _within(curve: Curve | None) -> Curve | None:
    """Cut the interval of a mean reward to [0, 1], where it must be."""
    return curve and Curve(curve.days, curve.value, np.maximum(curve.low, 0.0), np.minimum(curve.high, 1.0))


def _shares(experiment: Experiment, first: RunDetail, others: Sequence[RunInfo]) -> Shares | None:
    """Return the mean over replications of the lemma's terms at the last checkpoint, per round."""
    if first.decomposition(-1) is None:
        return None
    details = [first, *(experiment.detail(run.id) for run in others)]
    terms = [lemma for detail in details if (lemma := detail.decomposition(-1)) is not None]
    parts = np.mean([lemma.contributions / lemma.n_days for lemma in terms], axis=0)
    return Shares(parts, float(np.mean([lemma.laziness / lemma.n_days for lemma in terms])))


def _microseconds(rows: pl.DataFrame) -> Curve | None:
    """Return the median run's time per round so far, from the fastest to the slowest."""
    timed = rows.filter(pl.col("seconds").is_not_null())
    if timed.is_empty():
        return None
    time = 1e6 * pl.col("seconds") / pl.col("day")
    table = timed.group_by("day").agg(
        time.median().alias("median"), time.min().alias("least"), time.max().alias("most"), pl.len().alias("n")
    )
    table = table.sort("day")
    several = _column(table, "n") > 1
    low, high = (np.where(several, _column(table, name), np.nan) for name in ("least", "most"))
    return _curve(table, "median", low, high)


def _student(table: pl.DataFrame, column: str, errors: Vector) -> Curve | None:
    """Return a mean with Student's 95 % interval, NaN for single replications."""
    count = _column(table, "n_replications")
    half = np.where(count > 1, stdtrit(np.maximum(count - 1.0, 1.0), 0.975) * errors, np.nan)
    value = _column(table, column)
    return _curve(table, column, value - half, value + half)


def _curve(table: pl.DataFrame, column: str, low: Vector, high: Vector) -> Curve | None:
    value = _column(table, column)
    known = np.isfinite(value)
    if not known.any():
        return None
    days = table["day"].to_numpy().astype(np.int64)
    return Curve(days[known], value[known], low[known], high[known])


def _column(table: pl.DataFrame, name: str) -> Vector:
    return table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _where(table: pl.DataFrame, names: Sequence[str], values: Sequence[object]) -> pl.DataFrame:
    return table.filter(*(pl.col(name) == value for name, value in zip(names, values, strict=True)))


def _origin(experiment: Experiment, n_finished: int) -> Origin:
    runs = {run.id: run for run in experiment.runs}
    failures = {}
    for identity, failure in experiment.failures.items():
        run = runs[identity]
        where = f"{run.player} on {run.set}, {run.environment}, T = {run.horizon:,}, replication {run.replication}"
        failures[where] = str(failure.get("error", "unknown"))
    known = experiment.environment
    order = [*(name for name in _FACTS if name in known), *(name for name in known if name not in _FACTS)]
    facts = {_FACTS.get(name, name.replace("_", " ")): _fact(known[name]) for name in order}
    if isinstance(known.get("memory_bytes"), int):
        facts["memory"] = f"{known['memory_bytes'] / 2**30:.1f} GiB"
    return Origin(experiment.name, experiment.spec, facts, len(experiment.runs), n_finished, failures)


def _fact(value: Any) -> str:
    return ", ".join(f"{key} {inner}" for key, inner in value.items()) if isinstance(value, dict) else str(value)
