"""From a folder of results to the cases of a report: the numbers are those of the tables."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from scipy.stats import t as student
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.errors import InvalidInput
from swapregret.experiments.report.gather import gather
from swapregret.experiments.runs.runner import read_plan, run_plan
from swapregret.results import load_experiment

_SPEC = """
name = "by night"
seed = 5
replications = 3
horizons = [24, 48]
sets = ["msets 4 2"]
environments = "cyclic"
players = [{ kind = "swap_combcp", preset = "multiscale", name = "ours" }, "uniform"]
measure = { certificate = true }
checkpoints = { first = 6 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of results."""
    home = tmp_path_factory.mktemp("experiment")
    (home / "spec.toml").write_text(_SPEC, encoding="utf-8")
    plan, spec = read_plan(home / "spec.toml")
    assert run_plan(plan, spec, home / "out", jobs=1).failures == []
    return home / "out"


def test_cases_are_set_environment_and_horizon_in_order(folder: Path) -> None:
    """Two horizons make two cases with both players each, and the page knows where they came from."""
    cases, origin = gather(folder)
    assert [case.label for case in cases] == ["msets 4 2 · cyclic · T = 24", "msets 4 2 · cyclic · T = 48"]
    assert [[runs.name for runs in case.players] for case in cases] == [["ours", "uniform"]] * 2
    assert (origin.name, origin.spec, origin.n_runs, origin.n_finished) == ("by night", _SPEC, 12, 12)
    assert next(iter(origin.facts.items())) == ("swapregret", sr.__version__)


def test_curves_are_the_columns_of_the_cells(folder: Path) -> None:
    """Swap regret is the mean ledger's with its bootstrap interval; external regret and reward have Student's."""
    ours = gather(folder)[0][1].players[0]
    rows = sr.load_cells(folder).filter(pl.col("player") == "ours", pl.col("horizon") == 48).sort("day")
    assert ours.swap is not None
    assert ours.reward is not None
    assert ours.external is not None
    assert ours.swap.days.tolist() == rows["day"].to_list()
    assert ours.swap.value.tolist() == rows["swap_per_round"].to_list()
    assert ours.swap.high.tolist() == rows["swap_high_per_round"].to_list()
    assert ours.swap.low.tolist() == [max(0.0, low) for low in rows["swap_low_per_round"].to_list()]
    last = rows.row(-1, named=True)
    width = student.ppf(0.975, 2) * last["reward_error"]
    assert ours.reward.last == pytest.approx((last["reward"], last["reward"] - width, last["reward"] + width))
    width = student.ppf(0.975, 2) * last["external_error"] / 48
    value = last["external_per_round"]
    assert ours.external.last == pytest.approx((value, value - width, value + width))


def test_the_lemma_is_the_mean_of_the_runs(folder: Path) -> None:
    """The parts add up to the lemma of the cells, and bound the swap regret; uniform play has none."""
    ours, uniform = gather(folder)[0][1].players
    rows = sr.load_cells(folder).filter(pl.col("player") == "ours", pl.col("horizon") == 48).sort("day")
    assert ours.shares is not None
    assert ours.swap is not None
    assert ours.shares.bound * 48 == pytest.approx(rows["lemma"][-1])
    assert ours.shares.laziness * 48 == pytest.approx(rows["laziness"][-1])
    assert ours.swap.last[0] <= ours.shares.laziness + 1e-9 <= ours.shares.bound + 2e-9
    assert len(ours.windows) == len(ours.shares.parts) + 1
    assert uniform.shares is None
    assert uniform.windows == ()


def test_policies_are_those_of_the_first_replication(folder: Path) -> None:
    """Marginals have a row a checkpoint and add up to the size of an action."""
    ours = gather(folder)[0][0].players[0]
    run = next(each for each in load_experiment(folder).finished if each.player == "ours" and each.replication == 0)
    detail = load_experiment(folder).detail(run)
    assert ours.policy is not None
    assert ours.policy.marginals.tolist() == detail.marginals.tolist()
    assert ours.policy.marginals.sum(axis=1) == pytest.approx([2.0] * len(detail.days))


def test_times_are_the_median_between_the_fastest_and_the_slowest(folder: Path) -> None:
    """Three runs give their middle time a round, and a band of the other two."""
    ours = gather(folder)[0][1].players[0]
    rows = sr.load_results(folder).filter(pl.col("player") == "ours", pl.col("horizon") == 48, pl.col("day") == 48)
    times = sorted((1e6 * rows["seconds"] / 48).to_list())
    assert ours.microseconds is not None
    assert ours.microseconds.last == pytest.approx((times[1], times[0], times[2]))


def test_the_command_writes_the_page_and_tells_where(folder: Path, tmp_path: Path) -> None:
    """Without --out the page is in the folder; --json gives path and size; both pages are the same."""
    runner = CliRunner()
    assert "report.html" in "".join(runner.invoke(app, ["report", str(folder)]).output.split())
    done = runner.invoke(app, ["report", str(folder), "--out", str(tmp_path / "page.html"), "--json"])
    told = json.loads(done.stdout)
    assert told["report"] == str(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_bytes()
    assert told["bytes"] == len(page)
    assert (folder / "report.html").read_bytes() == page


def test_a_run_that_is_missing_is_left_out_and_counted(folder: Path, tmp_path: Path) -> None:
    """Runs without a seal are not shown; failures are named with what they were; an empty folder is refused."""
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    experiment = load_experiment(copy)
    lost, *others = [run for run in experiment.runs if run.player == "ours" and run.horizon == 24]
    experiment.store.path(lost.id, "json").unlink()
    experiment.store.put_failure(lost.id, {"error": "NoLuck: none", "traceback": ""})
    cases, origin = gather(copy)
    assert cases[0].players[0].n_runs == len(others) == 2
    assert (origin.n_finished, origin.n_runs) == (11, 12)
    assert origin.failures == {"ours on msets 4 2, cyclic, T = 24, replication 0": "NoLuck: none"}
    for run in experiment.runs:
        experiment.store.path(run.id, "json").unlink(missing_ok=True)
    with pytest.raises(InvalidInput, match="at least one finished run"):
        gather(copy)
