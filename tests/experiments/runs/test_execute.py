"""One run: the same numbers as `play`, the same bytes however often it was interrupted."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.experiments.catalogue import ENVIRONMENT_KINDS, PLAYER_KINDS
from swapregret.experiments.experiment_spec import parse_spec
from swapregret.experiments.runs.execute import execute
from swapregret.experiments.runs.plan_runs import RunTask, plan_runs
from swapregret.experiments.runs.status import Status
from swapregret.results.folder import ResultFolder

DAYS = 600
PARAMETERS: dict[str, dict[str, Any]] = {
    "replay": {"file": "days.npy"},
    "mixture": {"parts": [{"kind": "iid"}, {"kind": "spiral"}]},
    "concatenation": {"parts": [{"kind": "iid"}, {"kind": "spiral"}]},
    "by_context": {"parts": [{"kind": "iid", "context": "mobile"}, {"kind": "spiral"}], "shares": [0.25, 0.75]},
    "shortages": {"of": {"kind": "iid"}, "masks": 2},
    "on_days": {"of": {"kind": "iid"}, "contexts": ["a", "b"], "without": [[], [1]]},
    "shortcut_dag": {"length": 2},
    "shortcut_partitions": {"total": 3, "parts": 2},
    "extensive_form": {"rounds": 1, "depth": 2},
    "stoltz": {"limit": 100},
}


def tasks_of(folder: Path, player: str, world: str = "cyclic", days: int = DAYS, **more: Any) -> tuple[RunTask, ...]:
    """Return the runs of a small spec."""
    spec = {
        "horizons": days,
        "sets": "msets 5 2",
        "environments": {"kind": world} | PARAMETERS.get(world, {}),
        "players": {"kind": player} | PARAMETERS.get(player, {}),
    }
    text = "\n".join(f"{key} = {_toml(value)}" for key, value in (spec | more).items())
    return plan_runs(parse_spec(text), folder).tasks


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value)


def files(folder: Path, run: str) -> dict[str, bytes]:
    """Return the files of a run that must not depend on how it was made."""
    return {kind: ResultFolder(folder).path(run, kind).read_bytes() for kind in ("parquet", "detail", "json")}


def make(tasks: tuple[RunTask, ...], folder: Path) -> None:
    """Make runs here, and have them all succeed."""
    ResultFolder(folder).begin(b"", {"name": "t", "runs": [vars(task.info) for task in tasks], "sets": {}}, {})
    for task in tasks:
        outcome = execute(task, str(folder))
        assert outcome.error is None, outcome.traceback
        assert ResultFolder(folder).is_finished(task.info.id)


@pytest.mark.parametrize("player", PLAYER_KINDS)
def test_every_player_can_be_run(player: str, tmp_path: Path) -> None:
    """A run of every kind of player ends in a whole result."""
    make(tasks_of(tmp_path, player, days=60), tmp_path)
    frame = sr.load_results(tmp_path)
    assert frame["day"].to_list() == [60]
    assert frame["swap"][0] >= frame["external"][0] - 1e-9


@pytest.mark.parametrize("world", ENVIRONMENT_KINDS)
def test_every_environment_can_be_run(world: str, tmp_path: Path) -> None:
    """A run on every kind of environment ends in a whole result."""
    np.save(tmp_path / "days.npy", np.random.default_rng(0).random((20, 5)))
    player = "combcp" if world in ("by_context", "on_days", "shortages") else "uniform"
    make(tasks_of(tmp_path, player, world, days=60), tmp_path)
    assert 0.0 <= sr.load_results(tmp_path)["reward"][0] <= 1.0


def test_a_run_is_what_play_gives(tmp_path: Path) -> None:
    """Two replications measured from a folder equal those of `play` with the same seed, ledgers averaged included."""
    player = {"kind": "swap_combcp", "preset": "multiscale"}
    tasks = tasks_of(tmp_path, "uniform", players=player, replications=2, seed=5, measure={"certificate": True})
    make(tasks, tmp_path)
    actions = sr.MSets(5, 2)
    world = sr.environments.cyclic(actions, DAYS, rng=5)
    ours = sr.swap_combcp(actions, DAYS, preset="multiscale")
    played = sr.play(ours, world, rng=5, replications=2, certificate=True)
    frame = sr.load_results(tmp_path)
    last = frame.filter(frame["day"] == DAYS)
    assert last["reward"].to_list() == pytest.approx([run.reward for run in played.runs], abs=1e-12)
    assert last["lemma"].to_list() == pytest.approx([part.bound for part in played.decompositions], abs=1e-9)
    experiment = sr.results.load_experiment(tmp_path)
    ledgers = [
        sr.results.RunDetail.ledger(read, -1)
        for read in (_detail(experiment, run, actions) for run in experiment.finished)
    ]
    assert [ledger.earned for ledger in ledgers if ledger] == pytest.approx([each.earned for each in played.ledgers])


def _detail(experiment: sr.results.Experiment, run: sr.results.RunInfo, actions: sr.ActionSet) -> sr.results.RunDetail:
    from swapregret.results.detail import read_detail

    return read_detail(experiment.store.path(run.id, "detail"), actions)


class _Crash(BaseException):
    """A power cut."""


@pytest.mark.parametrize(
    ("player", "measure"),
    [
        ({"kind": "swap_combcp", "preset": "multiscale"}, {}),
        ({"kind": "swap_combcp", "preset": "adaptive"}, {}),
        ({"kind": "swap_combcp", "preset": "multiscale"}, {"certificate": True, "windows": [10]}),
        ("exp3", {"realised": True}),
    ],
)
def test_interruptions_leave_no_trace(
    player: Any, measure: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped dead on several days, one of them while a snapshot is damaged, a run ends in the bytes of one that was not."""
    monkeypatch.setenv("SWAPREGRET_SNAPSHOT_SECONDS", "0")
    days = 2100
    (task,) = tasks_of(tmp_path, "uniform", players=player, days=days, measure=measure)
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    make((task,), calm)
    go_on, store = Status.advance, ResultFolder(rough)
    for stop in (400, 900, 1500):

        def count(self: Status, n_days: int, stop: int = stop) -> None:
            go_on(self, n_days)
            if self._day > stop:
                raise _Crash

        monkeypatch.setattr(Status, "advance", count)
        with pytest.raises(_Crash):
            execute(task, str(rough))
        assert not store.is_finished(task.info.id)
        data = store.snapshot(task.info.id)
        assert data is not None
        if stop == 900:
            store.put_snapshot(task.info.id, data[:-7])
    monkeypatch.setattr(Status, "advance", go_on)
    make((task,), rough)
    assert files(calm, task.info.id) == files(rough, task.info.id)
    timing = store.timing(task.info.id)
    assert timing is not None
    assert timing["taken_up"], "the last attempt must have gone on from a snapshot"
    assert max(timing["taken_up"]) > 900


def test_a_failure_is_kept_with_its_traceback_and_forgotten_on_success(tmp_path: Path) -> None:
    """A run that cannot be made says why; made later, the failure is gone."""
    (task,) = tasks_of(tmp_path, "uniform")
    broken = RunTask(**{**vars(task), "player": ("uniform", {"colour": 1})})
    outcome = execute(broken, str(tmp_path))
    assert outcome.error is not None
    assert "colour" in outcome.error
    assert "Traceback" in outcome.traceback
    failure = ResultFolder(tmp_path).failure(task.info.id)
    assert failure is not None
    assert failure["error"] == outcome.error
    make((task,), tmp_path)
    assert ResultFolder(tmp_path).failure(task.info.id) is None


def test_two_writers_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers that make the same run at the same time, snapshots included, leave the bytes of one."""
    monkeypatch.setenv("SWAPREGRET_SNAPSHOT_SECONDS", "0")
    (task,) = tasks_of(tmp_path, "follow_the_leader", days=2000)
    alone, both = tmp_path / "alone", tmp_path / "both"
    make((task,), alone)
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda _: execute(task, str(both)), range(2)))
    assert [outcome.error for outcome in outcomes] == [None, None]
    assert files(alone, task.info.id) == files(both, task.info.id)
    assert not list((both / "snapshots").iterdir())


def test_large_ledgers_are_kept_at_the_end_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger above its share of bytes is left out at checkpoints before the last, and the table says null there."""
    monkeypatch.setattr("swapregret.experiments.runs.execute.LEDGERS_SHARE", 8)
    text = 'horizons = 200\nsets = "msets 5 2"\nenvironments = "iid"\nplayers = "uniform"\nreplications = 2'
    plan = plan_runs(parse_spec(text), tmp_path)
    ResultFolder(tmp_path).begin(text.encode(), plan.resolved, {})
    for task in plan.tasks:
        assert execute(task, str(tmp_path)).error is None
    cells = sr.load_cells(tmp_path)
    assert [value is None for value in cells["swap"]] == [True, True, False]
    assert all(value is not None for value in cells["external"])


def test_cells_average_ledgers_first(tmp_path: Path) -> None:
    """The swap regret of a cell is that of `play`, below the mean of each run's own; a frame in pandas has the same rows."""
    text = 'horizons = 300\nsets = "msets 5 2"\nenvironments = "cyclic"\nplayers = "exp3"\nreplications = 4\nseed = 3'
    plan = plan_runs(parse_spec(text), tmp_path)
    ResultFolder(tmp_path).begin(text.encode(), plan.resolved, {})
    for task in plan.tasks:
        assert execute(task, str(tmp_path)).error is None
    actions = sr.MSets(5, 2)
    world = sr.environments.cyclic(actions, 300, rng=3)
    played = sr.play(sr.baselines.exp3(actions, 300), world, rng=3, replications=4)
    row = sr.load_cells(tmp_path).to_dicts()[-1]
    assert row["swap"] == pytest.approx(played.swap_regret.value, abs=1e-8)
    assert row["swap_error"] == pytest.approx(played.swap_regret.standard_error, abs=1e-8)
    assert row["swap_split"] == pytest.approx(played.two_sided.sample_split.value, abs=1e-8)
    assert row["external"] == pytest.approx(played.external_regret.value, abs=1e-8)
    assert row["swap"] <= row["swap_per_run"] + 1e-9
    assert sr.load_cells(tmp_path).to_dicts()[-1] == row, "kept on disk"
    assert len(sr.load_results(tmp_path).to_pandas()) == 4 * 3
    os.remove(ResultFolder(tmp_path).path(plan.tasks[0].info.id, "json"))
    assert sr.load_cells(tmp_path)["n_replications"].to_list() == [3, 3, 3]


@pytest.mark.parametrize("measure", ["ledger", "bound"])
def test_days_of_several_kinds_come_back_as_play_measures_them(tmp_path: Path, measure: str) -> None:
    """A run cut into stretches and put together by kinds of days has the regrets of `play`, and says against which rules."""
    text = f'horizons = 3000\nsets = "msets 5 2"\nplayers = "swap_combcp"\nreplications = 2\nmeasure = "{measure}"\n'
    text += 'environments = {kind = "by_context", parts = [{kind = "iid", context = "mobile"}, '
    text += '{kind = "shortages", context = "desktop", masks = 3, of = {kind = "iid"}}]}\n'
    plan = plan_runs(parse_spec(text), tmp_path)
    ResultFolder(tmp_path).begin(text.encode(), plan.resolved, {})
    for task in plan.tasks:
        assert execute(task, str(tmp_path)).error is None
    actions = sr.MSets(5, 2)
    parts = [sr.environments.iid(actions, 3000, rng=seed) for seed in (0, 1)]
    parts[1] = sr.environments.shortages(parts[1], masks=3, rng=1)
    world = sr.environments.by_context(dict(zip(("mobile", "desktop"), parts, strict=True)), rng=0)
    played = sr.play(sr.swap_combcp(actions, 3000), world, rng=0, replications=2, measure=measure)
    last = sr.load_cells(tmp_path).to_dicts()[-1]
    for kind in ("external", "swap") if measure == "bound" else ("external", "swap", "internal"):
        assert last[kind] == pytest.approx(getattr(played, f"{kind}_regret").value, abs=1e-8)
    assert last["definition"] == played.swap_regret.definition
    assert "against rules that may look at the context and at what is available" in last["definition"]
    assert sr.load_results(tmp_path)["reward"][-1] == pytest.approx(played.runs[-1].reward, abs=1e-12)


def test_costs_of_a_spec_come_back_as_costs(tmp_path: Path) -> None:
    """A replay of costs is reported in its units by both tables, as `play` reports it, and on [0, 1] where that is asked for."""
    times = np.random.default_rng(0).uniform(0.0, 15.0, (60, 5))
    np.save(tmp_path / "days.npy", times)
    text = 'horizons = 60\nsets = "msets 5 2"\nplayers = "uniform"\nreplications = 2\n'
    text += 'environments = {kind = "replay", file = "days.npy", cost_range = [0, 15]}\n'
    plan = plan_runs(parse_spec(text), tmp_path)
    ResultFolder(tmp_path).begin(text.encode(), plan.resolved, {})
    for task in plan.tasks:
        assert execute(task, str(tmp_path)).error is None
    actions = sr.MSets(5, 2)
    played = sr.play(sr.baselines.uniform(actions), sr.environments.replay(actions, times, cost_range=(0, 15)), rng=0)
    for load in (sr.load_results, sr.load_cells):
        last, plain = load(tmp_path).to_dicts()[-1], load(tmp_path, in_units=False).to_dicts()[-1]
        assert (last["unit"], last["unit_low"], last["unit_high"]) == ("cost", -30.0, 0.0)
        assert last["external"] == pytest.approx(played.external_regret.value)
        assert last["external_per_round"] == pytest.approx(played.external_regret.per_round)
        assert last["external"] == pytest.approx(30.0 * plain["external"])
        assert -30.0 < last["reward"] < 0.0 < plain["reward"] < 1.0
        assert load(tmp_path).to_dicts()[-1]["swap"] == last["swap"], "kept on disk"
