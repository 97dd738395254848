"""Running a spec: what is finished stays, kills lose nothing, failures are told, and workers do not matter."""

import importlib.util
import os
import signal
from pathlib import Path
from types import ModuleType

import pytest

from swapregret.experiments.experiment_spec import parse_spec
from swapregret.experiments.runs.execute import execute
from swapregret.experiments.runs.plan_runs import RunPlan, plan_runs
from swapregret.experiments.runs.runner import run_plan
from swapregret.results.folder import ResultFolder


def _load(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


processes = _load("processes")

SPEC = """
horizons = [60, 10000]
sets = ["msets 5 2"]
environments = ["iid"]
players = ["uniform", "follow_the_leader"]
"""
SMALL = SPEC.replace("[60, 10000]", "60")


def plan(text: str) -> RunPlan:
    """Expand a spec."""
    return plan_runs(parse_spec(text), Path())


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of the spec, made one after the other in this process."""
    folder = tmp_path_factory.mktemp("expected")
    made = plan(SPEC)
    ResultFolder(folder).begin(SPEC.encode(), made.resolved, {})
    for task in made.tasks:
        assert execute(task, str(folder)).error is None
    return folder


def test_workers_do_not_matter(expected: Path, tmp_path: Path) -> None:
    """Three worker processes give the bytes of one; a second call makes nothing."""
    first = run_plan(plan(SPEC), SPEC.encode(), tmp_path, jobs=3)
    assert (first.n_runs, first.n_before, first.n_made, first.failures) == (4, 0, 4, [])
    assert processes.contents(tmp_path) == processes.contents(expected)
    second = run_plan(plan(SPEC), SPEC.encode(), tmp_path, jobs=3)
    assert (second.n_before, second.n_made) == (4, 0)
    assert not list((tmp_path / "status").iterdir())
    assert not list((tmp_path / "snapshots").iterdir())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_killed_goes_on(expected: Path, tmp_path: Path, how: signal.Signals) -> None:
    """Killed or interrupted in the middle of a run, the same command goes on from a snapshot and ends in the same bytes."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SPEC, encoding="utf-8")
    process = processes.start("run", spec, "--out", out, "--jobs", "1")
    processes.wait_for(lambda: list((out / "snapshots").glob("[!.]*")), process)
    process.send_signal(how)
    status, said = processes.finish(process)
    assert status == (130 if how == signal.SIGINT else -signal.SIGKILL), said
    assert len(list(out.glob("runs/*.parquet"))) < 4
    status, said = processes.finish(processes.start("run", spec, "--out", out, "--jobs", "2"))
    assert status == 0, said
    assert processes.contents(out) == processes.contents(expected)
    store = ResultFolder(out)
    timings = [store.timing(task.info.id) or {} for task in plan(SPEC).tasks]
    assert any(timing["taken_up"] for timing in timings)


def test_what_is_damaged_or_new_is_made_and_nothing_else(expected: Path, tmp_path: Path) -> None:
    """With a result cut short and one more player, that result and the runs of that player are made."""
    made = plan(SMALL)
    for task in made.tasks:
        assert execute(task, str(tmp_path)).error is None
    path = ResultFolder(tmp_path).path(made.tasks[0].info.id, "parquet")
    path.write_bytes(path.read_bytes()[:100])
    more = SMALL.replace('"uniform"', '"uniform", "combcp"')
    summary = run_plan(plan(more), more.encode(), tmp_path, jobs=1)
    assert (summary.n_runs, summary.n_before, summary.n_made) == (3, 1, 2)
    whole, found = processes.contents(expected), processes.contents(tmp_path)
    assert {name: found[name] for name in found if name in whole} == {
        name: whole[name] for name in whole if name in found
    }
    assert len(found) == 3 * 3


def test_a_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that takes its worker with it is reported; all others are made."""
    poison = tmp_path / "poison.py"
    poison.write_text(_POISON, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(str(tmp_path))
    made = plan(SMALL)
    monkeypatch.setenv("POISONED", made.tasks[1].info.id)
    monkeypatch.setattr("swapregret.experiments.runs.backends.execute", __import__("poison").execute)
    summary = run_plan(made, SMALL.encode(), tmp_path / "out", jobs=2)
    assert summary.n_made == 1
    (failure,) = summary.failures
    assert failure.info == made.tasks[1].info
    assert "died" in (failure.error or "")


_POISON = '''
"""A run that kills the process it is made in."""
import os, signal, time
from swapregret.experiments.runs.execute import execute as real
from swapregret.experiments.runs.status import Status

def execute(task, folder):
    if task.info.id == os.environ["POISONED"]:
        Status(folder, task.info).begin(0)
        os.kill(os.getpid(), signal.SIGKILL)
    return real(task, folder)
'''
