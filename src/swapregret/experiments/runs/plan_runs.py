"""What a spec comes to: every set, environment and player made once, and every run with its identity."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from swapregret import __version__
from swapregret.actions.action_set import ActionSet
from swapregret.actions.set_specs import make_set, set_parameters
from swapregret.counts import MOST_RUNS
from swapregret.errors import InvalidInput, NotConverged, OracleFault, ProtocolError, TooLarge, Unsupported, naming
from swapregret.experiments import catalogue
from swapregret.experiments.combinations import Choice, expand
from swapregret.experiments.experiment_spec import Spec
from swapregret.files.storage import Json
from swapregret.files.values import write_value
from swapregret.registry import FORMS
from swapregret.results.experiment import RunInfo
from swapregret.results.folder import FORMAT

_MOST_CUTS = 64
_DAYS_A_CUT = 250
_CAPACITY = 2**26
_FEWEST = 1000
_LATER = (ProtocolError, OracleFault, Unsupported, TooLarge, NotConverged)
"""What only some set cannot do: its own runs fail."""


@dataclass(frozen=True)
class RunTask:
    """One run, as plain data that any process can take over: everything its result depends on, and its identity."""

    info: RunInfo  # labels, horizon, replication, identity
    set_config: Json | None  # as `files.values` writes it; None where the environment has its own
    environment: tuple[str, Json]  # kind and parameters
    player: tuple[str, Json]
    files: str | None  # checksum of the file the environment replays
    seed: int
    measure: Json  # `measure`, `realised`, `windows`, `certificate` and `capacity` of `play`
    marks: tuple[int, ...]  # days after which to measure; the last is the horizon
    folder: str  # where files named in the spec lie; not part of the identity

    def identified(self) -> "RunTask":
        """Return the task with its identity: a hash of all the above, the library's version and the format of results."""
        content = asdict(self) | {"library": __version__, "format": FORMAT, "cuts": cuts_of(self.info.horizon)}
        del content["folder"]
        about = content.pop("info")
        content |= {"horizon": about["horizon"], "replication": about["replication"]}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]
        return replace(self, info=replace(self.info, id=digest))


def cuts_of(horizon: int) -> tuple[int, ...]:
    """Return the days between which a run may be interrupted and taken up again: at most 64 stretches, not too short.

    Examples
    --------
    >>> cuts_of(1000), len(cuts_of(10**6))
    ((250, 500, 750), 63)
    """
    n = min(_MOST_CUTS, max(1, horizon // _DAYS_A_CUT))
    return tuple(sorted({horizon * part // n for part in range(1, n)} - {0}))


@dataclass(frozen=True)
class RunPlan:
    """All runs of a spec, and what they are made of as files hold it."""

    tasks: tuple[RunTask, ...]
    resolved: Json


@dataclass(frozen=True)
class _Set:
    """A set of the spec, made: what was written, the set, and how files hold it."""

    label: str
    spec: object
    actions: ActionSet
    config: Json


def plan_runs(spec: Spec, folder: Path) -> RunPlan:
    """Expand a spec into runs; files it names are looked for in ``folder``.

    Everything is made once on the smallest set, so that a parameter out of range is refused now and not at night. What only
    some set cannot do fails later, in its own runs.
    """
    sets = list(_sets(spec, folder))
    worlds = expand(spec.environments, "environments", catalogue.ENVIRONMENT_KINDS, catalogue.parameters_of)
    players = expand(spec.players, "players", catalogue.PLAYER_KINDS, catalogue.parameters_of)
    if not sets and any(world.kind not in catalogue.OWN_SET for world in worlds):
        raise InvalidInput("`sets` must be given", "none", 'Add e.g. sets = ["msets 10 3"].')
    n_sets = max(1, len(sets))
    n_runs = len(set(spec.horizons)) * len(worlds) * n_sets * len(players) * spec.replications
    if n_runs > MOST_RUNS:
        raise InvalidInput(
            f"a spec must come to at most {MOST_RUNS:,} runs",
            f"{n_runs:,}: {len(set(spec.horizons))} horizons, {len(worlds)} environments, {n_sets} sets, "
            f"{len(players)} players, {spec.replications:,} replications",
            "Divide it into several specs.",
        )
    smallest = min(sets, key=lambda each: each.actions.dimension).actions if sets else None
    own = [_try_world(world, smallest, spec, folder) for world in worlds]
    for player in players:
        with suppress(*_LATER), naming(player.place):
            catalogue.make_player(player.kind, player.values, smallest or own[0], min(spec.horizons))
    measure = asdict(spec.measure)
    measure["measure"], own_capacity = measure.pop("regrets"), measure.pop("capacity")
    tasks, used = [], {}
    for horizon in dict.fromkeys(spec.horizons):
        marks = spec.checkpoints.marks(horizon)
        for world, own_set in zip(worlds, own, strict=True):
            replayed = (folder / str(world.values["file"])).read_bytes() if world.kind == "replay" else None
            files = None if replayed is None else hashlib.sha256(replayed).hexdigest()
            for each in [_made(f"set of {world.label}", None, own_set)] if world.kind in catalogue.OWN_SET else sets:
                used[each.label] = {"spec": each.spec, "config": each.config}
                capacity = own_capacity or max(_FEWEST, _CAPACITY // (8 * each.actions.dimension))
                for player in players:
                    for replication in range(spec.replications):
                        task = RunTask(
                            info=RunInfo("", each.label, world.label, player.label, horizon, replication),
                            set_config=None if world.kind in catalogue.OWN_SET else each.config,
                            environment=(world.kind, world.values),
                            player=(player.kind, player.values),
                            files=files,
                            seed=spec.seed,
                            measure=measure | {"capacity": capacity},
                            marks=marks,
                            folder=str(folder.absolute()),
                        )
                        tasks.append(task.identified())
    resolved = {
        "library": __version__,
        "name": spec.name,
        "seed": spec.seed,
        "replications": spec.replications,
        "horizons": list(dict.fromkeys(spec.horizons)),
        "measure": measure,
        "checkpoints": asdict(spec.checkpoints),
        "sets": used,
        "environments": {world.label: {"kind": world.kind, "parameters": world.values} for world in worlds},
        "players": {player.label: {"kind": player.kind, "parameters": player.values} for player in players},
        "runs": [asdict(task.info) for task in tasks],
    }
    return RunPlan(tuple(tasks), resolved)


def _sets(spec: Spec, folder: Path) -> Iterator[_Set]:
    lines = {f"sets[{index}]": entry for index, entry in enumerate(spec.sets)}  # as written
    for choice in expand(spec.sets, "sets", FORMS, set_parameters):
        table = {"kind": choice.kind} | choice.values if choice.kind else lines[choice.field]
        with naming(choice.place):
            made = make_set(table, folder)
        yield _made(choice.label, table, made)


def _made(label: str, spec: object, actions: ActionSet) -> _Set:
    return _Set(label, spec, actions, json.loads(json.dumps(write_value(actions))))


def _try_world(world: Choice, smallest: ActionSet | None, spec: Spec, folder: Path) -> ActionSet:
    options = world.kind, world.values, smallest, min(spec.horizons), spec.seed, folder
    try:
        with naming(world.place):
            return catalogue.make_environment(*options).actions
    except _LATER:
        assert smallest is not None, "an environment with a set of its own takes no set that could refuse it"
        return smallest
