"""From a folder of results to what a report shows."""

import os
from collections.abc import Sequence

import numpy as np
import polars as pl

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, Vector
from swapregret.counts import bytes_in_words
from swapregret.errors import InvalidInput
from swapregret.experiments.report.model import Case, Curve, Ends, MarginalsByDay, Origin, PlayerRuns, Shares
from swapregret.notebook import label_text
from swapregret.regret.measure import student_factor
from swapregret.results import Experiment, RunDetail, RunInfo, load_cells, load_experiment, load_results
from swapregret.results.run_rows import UNIT_COLUMNS
from swapregret.units import Range, Units

_FACTS = {
    "library": "swapregret",
    "seed_entropy": "seed",
    "python": "python",
    "processor": "processor",
    "cpu_count": "cores",
    "memory_bytes": "memory",
}
"""What is said first of the machine and the versions, and how it is called; the rest follows as it comes."""


def gather(folder: str | os.PathLike[str]) -> tuple[tuple[Case, ...], Origin]:
    """Read a folder of results: its cases in the order of the specification, and where they came from.

    Swap regret is that of the mean ledger with its bootstrap interval, cut at 0; external regret and reward are means over
    replications with Student's 95 % interval; time is the median run's, from the fastest to the slowest. Runs that are missing
    are left out and counted.
    """
    experiment = load_experiment(folder)
    finished = list(experiment.finished)
    if not finished:
        raise InvalidInput(
            "the folder must hold at least one finished run",
            f"{os.fspath(folder)!r} with none of {len(experiment.runs)}",
            "Run the specification again: `swapregret run SPEC.toml --out DIR` goes on where it stopped.",
        )
    frames = load_cells(folder, in_units=False), load_results(folder, in_units=False)
    cases: dict[tuple[str, str, int], dict[str, list[RunInfo]]] = {}
    for run in finished:
        cases.setdefault((run.set, run.environment, run.horizon), {}).setdefault(run.player, []).append(run)
    made = [_case(experiment, key, players, *frames) for key, players in cases.items()]
    return tuple(made), _origin(experiment, len(finished))


def _case(
    experiment: Experiment,
    key: tuple[str, str, int],
    players: dict[str, list[RunInfo]],
    cells: pl.DataFrame,
    rows: pl.DataFrame,
) -> Case:
    name, environment, horizon = key
    actions = experiment.action_set(name)
    here = {"set": name, "environment": environment, "horizon": horizon}
    unit, low, high = (cells.filter(**here)[column][0] for column in UNIT_COLUMNS)
    return Case(
        actions=name,
        environment=environment,
        horizon=horizon,
        dimension=actions.dimension,
        size=actions.size,
        n_actions=actions.n_actions,
        labels=row_names(actions),
        players=tuple(
            _player(experiment, runs, cells.filter(**here, player=player), rows.filter(**here, player=player), actions)
            for player, runs in players.items()
        ),
        network=actions.network(),
        units=Units(low, high, is_cost=unit == "cost"),
    )


def _player(
    experiment: Experiment,
    runs: Sequence[RunInfo],
    cells: pl.DataFrame,
    rows: pl.DataFrame,
    actions: ActionSet,
) -> PlayerRuns:
    cells = cells.sort("day")
    first = experiment.detail(min(runs, key=lambda run: run.replication).id)
    low, high = (_column(cells, f"swap_{end}_per_round") for end in ("low", "high"))
    swap = _curve(cells, "swap_per_round", low, high)
    return PlayerRuns(
        name=runs[0].player,
        n_runs=len(runs),
        swap=swap,
        external=_student(cells, "external_per_round", _column(cells, "external_error") / _column(cells, "day")),
        reward=_student(cells, "reward", _column(cells, "reward_error"), (0.0, 1.0)),
        microseconds=_microseconds(rows),
        definition=str(cells["definition"][-1] or "") if swap is not None else "",
        bracket=_bracket(cells) if swap is not None else None,
        windows=first.windows or (),
        offset=first.offset or 0,
        shares=_shares(experiment, first, [run for run in runs if run.id != first.run]),
        policy=MarginalsByDay(first.days, put_together(first.marginals, actions)),
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
    """Return the certified ends of the last swap regret, per day; None where they are one."""
    day, low, high = (float(_column(cells, name)[-1]) for name in ("day", "swap_lower", "swap_upper"))
    return (low / day, high / day) if high - low > 1e-9 * day else None


def _shares(experiment: Experiment, first: RunDetail, others: Sequence[RunInfo]) -> Shares | None:
    """Return the mean over replications of the lemma's terms at the last checkpoint, per day."""
    if first.decomposition(-1) is None:
        return None
    details = [first, *(experiment.detail(run.id) for run in others)]
    terms = [lemma for detail in details if (lemma := detail.decomposition(-1)) is not None]
    parts = np.mean([lemma.contributions / lemma.n_days for lemma in terms], axis=0)
    return Shares(parts, float(np.mean([lemma.laziness / lemma.n_days for lemma in terms])))


def _microseconds(rows: pl.DataFrame) -> Curve | None:
    """Return the median run's time per day so far, from the fastest to the slowest."""
    timed = rows.filter(pl.col("seconds").is_not_null())
    if timed.is_empty():
        return None
    time = 1e6 * pl.col("seconds") / pl.col("day")
    table = timed.group_by("day").agg(median=time.median(), least=time.min(), most=time.max(), n=pl.len()).sort("day")
    several = _column(table, "n") > 1
    low, high = (np.where(several, _column(table, name), np.nan) for name in ("least", "most"))
    return _curve(table, "median", low, high)


def _student(table: pl.DataFrame, column: str, errors: Vector, within: Range = (-np.inf, np.inf)) -> Curve | None:
    """Return a mean with Student's 95 % interval, cut to the range where it must lie; NaN for single replications."""
    value, half = _column(table, column), errors * [student_factor(count) for count in table["n_replications"]]
    return _curve(table, column, np.maximum(value - half, within[0]), np.minimum(value + half, within[1]))


def _curve(table: pl.DataFrame, column: str, low: Vector, high: Vector) -> Curve | None:
    value = _column(table, column)
    known = np.isfinite(value)
    if not known.any():
        return None
    days = table["day"].to_numpy().astype(np.int64)
    return Curve(days[known], value[known], low[known], high[known])


def _column(table: pl.DataFrame, name: str) -> Vector:
    return table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _origin(experiment: Experiment, n_finished: int) -> Origin:
    runs = {run.id: run for run in experiment.runs}
    failures = {
        str(runs[identity]): str(failure.get("error", "unknown")) for identity, failure in experiment.failures.items()
    }
    known = experiment.environment
    order = [*(name for name in _FACTS if name in known), *(name for name in known if name not in _FACTS)]
    facts = {_FACTS.get(name, name.replace("_", " ")): str(known[name]) for name in order}
    if isinstance(known.get("memory_bytes"), int):
        facts["memory"] = bytes_in_words(known["memory_bytes"])
    return Origin(
        experiment.name, experiment.spec, facts, len(experiment.runs), n_finished, failures, experiment.resolved
    )


def row_names(actions: ActionSet) -> tuple[str, ...]:
    """Return how the rows of a set are called in a picture: edges by their ends, parallel ones with their number.

    Examples
    --------
    >>> from swapregret import DagPaths
    >>> row_names(DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t"))
    ('s → a', 'a → t', 's → t')
    """
    return tuple(label_text(label, actions.between) for label in actions.shown_rows()[0])


def put_together(marginals: Matrix, actions: ActionSet) -> Matrix:
    """Add up the columns of elements that share a row of the picture."""
    names, place = actions.shown_rows()
    table = np.zeros((len(marginals), len(names)))
    np.add.at(table.T, place, marginals.T)
    return table
