"""An experiment on disk, as a value: its spec, what it came to, which runs are there."""

import os
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.errors import InvalidInput
from swapregret.files.storage import Json, read_file, reading
from swapregret.files.values import read_value
from swapregret.results.detail import RunDetail, read_detail
from swapregret.results.folder import ResultFolder, read_json

_LONGEST = 64
_Kind = TypeVar("_Kind", list[object], Json)


@dataclass(frozen=True)
class RunInfo:
    """One run: its identity, and which player met which environment on which set, over how many days, in which replication."""

    id: str
    set: str
    environment: str
    player: str
    horizon: int
    replication: int

    def __str__(self) -> str:
        return f"{self.player} on {self.set}, {self.environment}, T = {self.horizon:,}, replication {self.replication}"


@dataclass(frozen=True)
class Experiment:
    """A folder of results: all runs of its spec, finished or not, in its order, and what the spec came to."""

    folder: Path
    name: str
    runs: tuple[RunInfo, ...]
    resolved: Json

    def __repr__(self) -> str:
        return f"Experiment({self.name!r}, {len(self.finished)} of {len(self.runs)} runs finished, in {str(self.folder)!r})"

    @property
    def store(self) -> ResultFolder:
        """Return the files."""
        return ResultFolder(self.folder)

    @property
    def spec(self) -> str:
        """Return the spec as it was given."""
        return read_file(self.folder / "spec.toml").decode()

    @property
    def environment(self) -> Json:
        """Return versions, hardware and seed."""
        return read_json(self.folder / "environment.json")

    @cached_property
    def finished(self) -> tuple[RunInfo, ...]:
        """Return the runs that are there and whole."""
        return tuple(run for run in self.runs if self.store.is_finished(run.id))

    @property
    def failures(self) -> dict[str, Json]:
        """Return what is known of runs that failed, by identity: ``error`` and ``traceback``."""
        found = {run.id: self.store.failure(run.id) for run in self.runs}
        return {run: failure for run, failure in found.items() if failure is not None}

    def action_set(self, label: str) -> ActionSet:
        """Return a set of the spec, made again from the folder alone."""
        sets = self._sets
        if label not in sets:
            raise InvalidInput(f"`label` must be one of {sorted(sets)}", repr(label), "Take it from `runs`.")
        return sets[label]

    @cached_property
    def _sets(self) -> dict[str, ActionSet]:
        with reading(f"{os.fspath(self.folder / 'resolved.json')!r}"):
            sets = _listed(self.resolved, "sets", dict)
            found = {label: read_value(_listed(sets, label, dict).get("config")) for label in sets}
            for label, actions in found.items():
                if not isinstance(actions, ActionSet):
                    raise InvalidInput(f"{label!r:.80} must be a set", f"{actions!r:.80}", "Run the spec again.")
            return found

    def detail(self, run: str | RunInfo) -> RunDetail:
        """Return what a finished run recorded beside its table."""
        known = {each.id: each for each in self.runs}
        name = run.id if isinstance(run, RunInfo) else run
        if name not in known:
            raise InvalidInput("`run` must be a run of this experiment", repr(name), "Take one from `finished`.")
        return read_detail(self.store.path(name, "detail"), self.action_set(known[name].set))


@checked
def load_experiment(folder: str | os.PathLike[str]) -> Experiment:
    """Open a folder of results.

    Parameters
    ----------
    folder : path
        What ``swapregret run SPEC.toml --out DIR`` wrote.
    """
    resolved = ResultFolder(folder).resolved()
    with reading(f"{os.fspath(Path(folder) / 'resolved.json')!r}"):
        runs = tuple(map(_read_run, _listed(resolved, "runs", list)))
        if len({run.id for run in runs}) != len(runs) or type(resolved.get("name")) is not str:
            raise InvalidInput("an experiment must have a name, and each run once", "others", "Run the spec again.")
        return Experiment(Path(folder), resolved["name"], runs, resolved)


def _listed(content: Json, name: str, kind: type[_Kind]) -> _Kind:
    """Return a field of a description that is a list or a table."""
    found = content.get(name)
    if not isinstance(found, kind):
        raise InvalidInput(f"`{name:.80}` must be a {kind.__name__}", f"{found!r:.80}", "Run the spec again.")
    return found


def _read_run(given: object) -> RunInfo:
    """Read a run; one whose name could lead out of the folder, or whose fields are of other types, is refused."""
    names = {field.name for field in fields(RunInfo)}
    if not isinstance(given, dict) or set(given) != names:
        raise InvalidInput(f"a run must have just the fields {sorted(names)}", f"{given!r:.200}", "Run the spec again.")
    run = RunInfo(**given)
    are_words = all(type(word) is str for word in (run.id, run.set, run.environment, run.player))
    are_counts = all(type(count) is int and 0 <= count < 2**63 for count in (run.horizon, run.replication))
    if not are_words or not are_counts or not run.id.isalnum() or not run.id.isascii() or len(run.id) > _LONGEST:
        raise InvalidInput("a run must have a name of letters and digits", f"{run!r:.200}", "Run the spec again.")
    return run
