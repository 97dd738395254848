"""The commands init, run and results, and the examples: what they print, and how they end."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.cli.watchers import JsonWatcher, LineWatcher, LiveWatcher, time_left, workers_table
from swapregret.experiments.experiment_spec import parse_spec
from swapregret.experiments.report.gather import gather
from swapregret.experiments.report.page import lead_of
from swapregret.experiments.runs.execute import Outcome, execute
from swapregret.experiments.runs.plan_runs import RunPlan, plan_runs
from swapregret.experiments.runs.runner import Summary
from swapregret.experiments.runs.status import WorkerReport
from swapregret.results.folder import ResultFolder

runner = CliRunner()
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
SMALL = """
horizons = [60]
replications = 2
sets = ["msets 5 2"]
environments = ["iid"]
players = ["uniform", "follow_the_leader"]
"""


def here(plan: RunPlan, folder: Path) -> None:
    """Make the runs of a plan in this process."""
    ResultFolder(folder).begin(b"", plan.resolved, {})
    for task in plan.tasks:
        outcome = execute(task, str(folder))
        assert outcome.error is None, outcome.traceback


def test_init_writes_once(tmp_path: Path) -> None:
    """The starter is written, never over a file that is there unless forced."""
    path = tmp_path / "spec.toml"
    assert runner.invoke(app, ["init", str(path)]).exit_code == 0
    assert parse_spec(path.read_text(encoding="utf-8")).name == "first"
    path.write_text("mine", encoding="utf-8")
    done = runner.invoke(app, ["init", str(path)])
    assert done.exit_code == 2
    assert "--force" in done.output
    assert path.read_text(encoding="utf-8") == "mine"
    assert json.loads(runner.invoke(app, ["init", str(path), "--force", "--json"]).stdout)["file"] == str(path)


def test_run_and_results(tmp_path: Path) -> None:
    """A spec is run by a worker; with --json every event is a line; results print a table and JSON."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    spec.write_text(SMALL, encoding="utf-8")
    dry = runner.invoke(app, ["run", str(spec), "--dry"])
    assert (dry.exit_code, dry.output.strip()) == (0, "4 runs, 240 rounds")
    done = runner.invoke(app, ["run", str(spec), "--out", str(out), "--jobs", "1", "--json"])
    assert done.exit_code == 0, done.output
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["begin", *["finished"] * 4, "end"]
    again = runner.invoke(app, ["run", str(spec), "--out", str(out)])
    assert "4 there before, 0 made" in again.output
    table = runner.invoke(app, ["results", str(out)])
    assert table.exit_code == 0
    assert "follow_the_leader" in table.output
    assert "4 of 4 runs finished" in table.output
    numbers = json.loads(runner.invoke(app, ["results", str(out), "--json"]).stdout)
    assert (numbers["finished"], len(numbers["rows"])) == (4, 2)


def test_a_failing_run_is_shown_and_the_rest_go_on(tmp_path: Path) -> None:
    """A player that cannot list a set fails with its traceback and status 1; the others are there."""
    spec, out = tmp_path / "spec.toml", tmp_path / "out"
    wide = SMALL.replace('["msets 5 2"]', '["msets 30 10", "msets 5 2"]').replace('"follow_the_leader"', '"exp3"')
    spec.write_text(wide.replace("replications = 2", ""), encoding="utf-8")
    done = runner.invoke(app, ["run", str(spec), "--out", str(out), "--jobs", "1"])
    assert done.exit_code == 1, done.output
    assert "Traceback" in done.output
    assert "TooLarge" in done.output
    assert "4 runs: 3 made, 1 failed" in done.output
    assert "3 of 4 runs finished, 1 failed" in runner.invoke(app, ["results", str(out)]).output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nowhere.toml"], "swapregret init"),
        (["run", "SPEC", "--cluster", "moon"], "tls://HOST:PORT"),
        (["results", "nowhere"], "swapregret run"),
    ],
)
def test_bad_input_ends_with_a_sentence(arguments: list[str], words: str, tmp_path: Path) -> None:
    """Status 2 and what to do, without a traceback."""
    spec = tmp_path / "spec.toml"
    spec.write_text(SMALL, encoding="utf-8")
    done = runner.invoke(app, [str(spec) if word == "SPEC" else word for word in arguments])
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_short_and_run(path: Path, tmp_path: Path) -> None:
    """Every example has under 40 lines, and runs from end to end with its grid shrunken to one short run of each player."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 40
    whole = parse_spec(text)
    assert len(plan_runs(whole, path.parent).tasks) > 8
    world = whole.environments[0]
    first = world if isinstance(world, str) else {key: _one(value) for key, value in world.items()}
    shrunken = replace(whole, horizons=(40,), replications=1, environments=(first,), sets=whole.sets[:1])
    plan = plan_runs(shrunken, path.parent)
    here(plan, tmp_path)
    numbers = json.loads(runner.invoke(app, ["results", str(tmp_path), "--json"]).stdout)
    assert numbers["finished"] == numbers["runs"] == len(plan.tasks)


def _one(value: object) -> object:
    return value[0] if isinstance(value, list) else value


def test_examples_cover_what_they_promise() -> None:
    """There is an example for m-sets, routing, ranking, trees and Blotto."""
    assert {path.stem for path in EXAMPLES} >= {"m_sets", "routing", "ranking", "trees", "blotto"}


def test_progress_is_told_in_three_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bars, lines and JSON survive the same course of events, and show the speed and the swap regret of a worker."""
    plan = plan_runs(parse_spec(SMALL), tmp_path)
    report = WorkerReport("w", plan.tasks[0].info.id, "ours | iid", 30, 60, 1234.0, 0.25)
    for watcher in (LiveWatcher(), LineWatcher(every=0.0), JsonWatcher()):
        watcher.begin(plan, plan.tasks)
        watcher.tick([report])
        failed = Outcome(plan.tasks[1].info, 1.0, "Boom: no", "Traceback")
        watcher.finished(Outcome(plan.tasks[0].info, 1.0))
        watcher.finished(failed)
        watcher.end(Summary(tmp_path, 4, 0, 1, [failed]))
    said = capsys.readouterr()
    assert re.search(r"0/4 runs, 1,234 rounds/s, \d+:\d\d left", said.err)
    assert re.search(r"2/4 runs", said.err)
    assert '"event": "failed"' in said.out
    table = workers_table([report])
    assert [column.header for column in table.columns] == ["worker", "day", "rounds/s", "swap/T"]
    assert list(table.columns[2].cells) == ["1,234"]
    assert list(table.columns[3].cells) == ["0.2500"]
    assert time_left(1, 3, 3700.0) == "2:03:20 left"


def test_the_table_and_the_report_show_one_interval(tmp_path: Path) -> None:
    """Both take it from the table of cells, and neither end is negative: a swap regret never is."""
    text = SMALL.replace("= 2", "= 3").replace('"follow_the_leader"', '"combcp"')
    here(plan_runs(parse_spec(text), tmp_path), tmp_path)
    rows = json.loads(runner.invoke(app, ["results", str(tmp_path), "--json"]).stdout)["rows"]
    (case,), _ = gather(tmp_path)
    printed = runner.invoke(app, ["results", str(tmp_path)], env={"COLUMNS": "120"}).stdout
    for width in (40, 60, 80):  # narrower, cells are folded and none is cut
        narrow = runner.invoke(app, ["results", str(tmp_path)], env={"COLUMNS": str(width)}).stdout
        assert max(map(len, narrow.splitlines())) <= width
        assert "…" not in narrow
        for row in rows:
            assert width == 40 or f"{row['reward']:.4f}" in narrow
    for row, runs in zip(rows, case.players, strict=True):
        assert runs.swap is not None
        _, low, high = runs.swap.last
        assert (row["swap_low_per_round"], row["swap_high_per_round"]) == (low, high)
        assert 0.0 <= low <= high
        assert f"[{low:.4f}, {high:.4f}]" in printed


def test_costs_are_shown_as_costs(tmp_path: Path) -> None:
    """A world of costs has a column of costs, the least in bold; the page says what its scale stands for."""
    (tmp_path / "times.csv").write_text("a,b,c\n" + "10,20,30\n" * 50, encoding="utf-8")
    world = '[[environments]]\nkind = "replay"\nfile = "times.csv"\ncost_range = [0, 40]\n'
    text = f'horizons = 50\nsets = "msets 3 1"\nplayers = "uniform"\n{world}'
    here(plan_runs(parse_spec(text), tmp_path), tmp_path / "out")
    (row,) = json.loads(runner.invoke(app, ["results", str(tmp_path / "out"), "--json"]).stdout)["rows"]
    printed = runner.invoke(app, ["results", str(tmp_path / "out")], env={"COLUMNS": "120"}).stdout
    assert 10.0 <= -row["reward"] <= 30.0
    assert f" {-row['reward']:.4f} " in printed
    assert "cost" in printed
    assert "reward" not in printed
    (case,), origin = gather(tmp_path / "out")
    assert case.units.declared == (0.0, 40.0)
    assert "0 is a cost of 40, 1 is one of 0; a regret of 0.01 is 0.4." in lead_of([case], origin)
