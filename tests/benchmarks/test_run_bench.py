"""What `make bench-speed` measures, on sets so small that it takes a moment; no seconds are asserted."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import bench_speed
import numpy as np
import pytest
from speed import cases, doors, peers, run_bench
from speed.timing import StartRow, bare_exp3

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.experiments.timing import measure
from swapregret.playing.play import play


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave one small set and one learner to be measured."""
    case = cases.Case("m-sets (6, 2)", lambda: MSets(6, 2))
    few = [replace(door, rounds=50) for door in doors.DOORS if "m-sets (10, 3), multiscale" in door.name]
    monkeypatch.setattr(run_bench, "DOORS", (replace(doors.DOORS[0], rounds=50), *few))
    monkeypatch.setattr(run_bench, "measure_starts", lambda: [StartRow("a first run", 2.0)])
    monkeypatch.setattr(run_bench, "ROUNDS", (case,))
    monkeypatch.setattr(run_bench, "PRESET_CASES", (cases.Case("m-sets (6, 2)", lambda: MSets(6, 2), wanted=5.0),))
    monkeypatch.setattr(run_bench, "LEARNERS", {"multiscale": cases.LEARNERS["multiscale"]})
    monkeypatch.setattr(peers, "_OURS", ((6, 2),))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.mark.usefixtures("small")
def test_the_script_prints_the_numbers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Rates are positive, learners are counted in bare Exp3, missing peers say so."""
    bench_speed.main(["--json", "--seconds", "0.005"])
    numbers = json.loads(capsys.readouterr().out)
    rows = numbers["rounds"]
    assert [(row["case"], row["state"]) for row in rows] == [("m-sets (6, 2)", state) for state in cases.STATES]
    assert all(row["ours"] > 0.0 for row in rows)
    (learner,) = numbers["learners"]
    assert learner["in_exp3"] == pytest.approx(learner["ours"] / numbers["exp3"])
    session, ledger, bound = numbers["doors"]
    assert session["p99"] <= session["slowest"]
    assert (session["over"], ledger["p99"], bound["calls"]) == (None, None, None)
    assert min(ledger["over"], bound["over"]) > 0.0
    assert session["in_exp3"] == pytest.approx(1e-6 * session["microseconds"] * numbers["exp3"])
    assert numbers["starts"] == [{"name": "a first run", "seconds": 2.0, "aim": ""}]
    assert all(peer["microseconds"] or peer["remark"] for peer in numbers["peers"])


@pytest.mark.usefixtures("small")
def test_the_script_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The tables name what was measured, in eighty columns; a quick run compiles nothing anew."""
    bench_speed.main(["--quick", "--seconds", "0.005"])
    printed = capsys.readouterr().out
    for words in (
        "session, m-sets (10, 3)",
        "p99",
        "× none",
        "K = 3, H = 10",
        "m-sets (6, 2)",
        "actions N",
    ):
        assert words in printed
    assert "a first run" not in printed
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.usefixtures("small")
def test_the_script_rewrites_a_page(tmp_path: Path) -> None:
    """The tables that are printed are those of the page."""
    page = tmp_path / "page.md"
    page.write_text("<!-- measured: begin --><!-- measured: end -->", encoding="utf-8")
    bench_speed.main(["--write", str(page), "--seconds", "0.005"])
    text = page.read_text(encoding="utf-8")
    assert "| session, m-sets (10, 3) |" in text
    assert "| a first run | 2 | – |" in text


@pytest.mark.parametrize("case", [case for case in cases.ROUNDS if not case.is_long], ids=lambda case: case.name)
def test_every_case_can_be_made(case: cases.Case) -> None:
    """Names state the dimensions, worlds are bounded by 1, and concentrated worlds pay one action everything."""
    actions = case.make()
    best = cases.level(actions, "concentrated")
    assert best.astype(np.int64) in actions
    assert cases.world(actions, 3, "concentrated").rewards(0, 3).sum() == pytest.approx(3.0 * best.sum() / actions.size)
    digits = [
        int(word) for word in case.name.replace("(", " ").replace(",", " ").replace(")", " ").split() if word.isdigit()
    ]
    assert digits


@pytest.mark.parametrize("state", list(cases.STATES))
def test_states_are_what_they_are_called(state: str) -> None:
    """A spread player stays near the start, a concentrated one comes near the action that pays."""
    actions = MSets(10, 3)
    run = play(cases.round_player(actions, state), cases.world(actions, 1000, state), rng=0)
    assert run.reward == pytest.approx(0.5) if state == "spread" else run.reward > 0.45


def test_the_fastest_stretch_counts() -> None:
    """The function is called with growing numbers of rounds until they take long enough."""
    asked: list[int] = []

    def run(rounds: int) -> None:
        asked.append(rounds)
        sum(range(1000 * rounds))

    rate = measure(run, seconds=0.02)
    assert rate.rounds == asked[-1] == max(asked)
    assert rate.microseconds == pytest.approx(1e6 / rate.rounds_per_second)


def test_bare_exp3_learns() -> None:
    """The unit of comparison is a working Exp3: it earns more than the mean of its arms."""
    assert bare_exp3(4000) > 4000 * 0.52


def test_a_peer_that_fails_is_a_remark() -> None:
    """A module whose interface is another ends as words in the table."""

    def broken(n_arms: int) -> Callable[[int], object]:
        raise AttributeError("no Exp3")

    assert "no Exp3" in peers.measure_peer(peers.Peer("x", "json", broken), 0.01).remark
