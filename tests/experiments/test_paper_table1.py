"""Table 1 as measurements: who runs, who is refused and why, and what is printed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from swapregret.cli import app
from swapregret.errors import InvalidInput
from swapregret.experiments import paper_table1 as module
from swapregret.experiments.paper_table1 import COMPETITORS, INSTANCES, Contender, Instance, layered_dag, measure_table1


def named(*names: str) -> list[Contender]:
    """Return competitors by the beginning of their names."""
    return [next(rival for rival in COMPETITORS if rival.name.startswith(name)) for name in names]


def test_every_cell_is_measured_or_refused() -> None:
    """On 15 actions all competitors run, Stoltz and Lugosi's through its factorised form too; regrets lie in [0, 1]."""
    table = measure_table1(horizon=100, instances=INSTANCES[:1])
    assert len(table.cells) == len(COMPETITORS)
    for cell in table.cells:
        assert (cell.refused is None) == (cell.swap_regret is not None) == (cell.microseconds is not None)
        if cell.swap_regret is not None:
            assert -1e-9 <= cell.swap_regret <= 1.0
    assert [cell.player for cell in table.cells if cell.refused is not None] == []


def test_large_sets_refuse_the_listing_competitors_only() -> None:
    """On 10⁹ actions Exp3 and Blum–Mansour are refused with time and memory; ours and uniform play run."""
    large = next(instance for instance in INSTANCES if instance.label == "46 choose 9")
    table = measure_table1(horizon=50, instances=[large], competitors=named("Swap", "uniform", "Exp3", "Blum"))
    ours, uniform, exp3, blum = table.cells
    assert ours.n_actions == 1_101_716_330
    assert ours.swap_regret is not None
    assert uniform.swap_regret is not None
    for cell in (exp3, blum):
        assert "would take" in str(cell.refused)
        assert "B" in str(cell.refused)


def test_budget_refuses_what_would_take_too_long() -> None:
    """A competitor whose pilot promises more seconds than the budget is refused with the estimate."""
    (cell,) = measure_table1(horizon=10**7, instances=INSTANCES[1:2], competitors=named("Ito"), budget=1.0).cells
    assert cell.swap_regret is None
    assert str(cell.refused).startswith("refused: would take")


def test_same_world_for_all() -> None:
    """Two uniform players on one instance measure the same swap regret: they meet the same world."""
    pair = named("uniform", "uniform")
    a, b = measure_table1(horizon=200, instances=INSTANCES[:1], competitors=pair, world="piecewise").cells
    assert a.swap_regret == b.swap_regret


def test_families_have_the_sizes_they_claim() -> None:
    """Instances go from 15 to over 10⁹ actions, with paths and permutations among them; labels are unique."""
    assert layered_dag(3, 4).n_actions == 81
    assert {instance.family for instance in INSTANCES} == {"m-sets", "paths", "permutations"}
    counts = [instance.make().n_actions for instance in INSTANCES if instance.family == "m-sets"]
    assert counts[0] == 15
    assert counts[-1] is not None
    assert counts[-1] > 10**9
    assert len({(instance.family, instance.label) for instance in INSTANCES}) == len(INSTANCES)


def test_unknown_worlds_and_budgets_are_refused() -> None:
    """A world that does not exist and a budget of nothing are refused by name."""
    with pytest.raises(InvalidInput, match="world"):
        measure_table1(world="flat")
    with pytest.raises(InvalidInput, match="budget"):
        measure_table1(budget=0.0)


def test_command_prints_tables_json_and_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints a table a family with the theory beside it, the same as JSON, and two figures a family."""
    few: tuple[Instance, ...] = (INSTANCES[0],)
    some = tuple(named("Swap-ComBCP paper", "uniform", "Stoltz, all"))
    monkeypatch.setattr(module, "INSTANCES", few)
    monkeypatch.setattr(module, "COMPETITORS", some)
    monkeypatch.setattr(
        module, "measure_table1", lambda **options: measure_table1(instances=few, competitors=some, **options)
    )
    page = tmp_path / "figure.html"
    options = ["table1", "--horizon", "100", "--jobs", "1"]
    shown = CliRunner().invoke(app, [*options, "--html", str(page)], env={"COLUMNS": "300"})
    assert shown.exit_code == 0
    assert "T log(d log T)/log T" in shown.stdout
    assert page.read_text(encoding="utf-8").count('class="plot"') == 2
    rows = json.loads(CliRunner().invoke(app, [*options, "--json"]).stdout)["cells"]
    assert [row["player"] for row in rows] == [rival.name for rival in some]
