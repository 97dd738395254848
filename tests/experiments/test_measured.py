"""What was measured, and how it is read between its points."""

import dataclasses
import math

import pytest

import swapregret as sr
from swapregret.experiments.measured import Measurement, expected_swap_regret, measurements
from swapregret.learners.ingredients import PRESETS


def cell(spec: str, d: int, m: int, horizon: int, swap: float, error: float = 0.0, world: str = "w") -> Measurement:
    """Return a measurement of the multiscale preset."""
    return Measurement("MSets", spec, d, m, horizon, "multiscale", world, swap, error, 0.0, 0.5, 4, 0)


GRID = [
    cell("msets 10 2", 10, 2, 1_000, 0.4, 0.03),
    cell("msets 10 2", 10, 2, 100_000, 0.1, 0.04),
    cell("msets 20 4", 20, 4, 1_000, 0.9),
]


def test_a_measured_point_is_read_as_it_is() -> None:
    """At a set and horizon of the grid the reading is the measurement, error included."""
    found = expected_swap_regret(sr.MSets(10, 2), 1_000, "multiscale", GRID)
    assert found is not None
    assert found.is_measured
    assert (found.worst.swap_regret, found.worst.standard_error) == (0.4, 0.03)
    assert found.source == "msets 10 2 measured at T = 1,000; 4 replications per world"


def test_between_horizons_the_reading_is_linear_in_log_t() -> None:
    """Half-way in log T lies half-way in swap regret, and errors add as those of independent runs."""
    found = expected_swap_regret(sr.MSets(10, 2), 10_000, "multiscale", GRID)
    assert found is not None
    assert not found.is_measured
    assert found.mean == pytest.approx(0.25)
    assert found.best.standard_error == pytest.approx(0.025)
    assert "linearly in log T" in found.source


@pytest.mark.parametrize(("horizon", "value"), [(250, 0.4), (249, None), (400_000, 0.1), (400_001, None)])
def test_beyond_the_grid_the_end_holds_for_a_factor_of_four(horizon: int, value: float | None) -> None:
    """The nearest horizon answers within a factor of 4, and nothing does further off."""
    found = expected_swap_regret(sr.MSets(10, 2), horizon, "multiscale", GRID)
    assert (None if found is None else found.mean) == value


@pytest.mark.parametrize(("d", "m", "value"), [(12, 2, 0.4), (14, 3, 0.9), (18, 4, 0.9), (6, 2, None), (10, 4, None)])
def test_a_set_near_a_measured_one_stands_for_it(d: int, m: int, value: float | None) -> None:
    """Within a factor of 1.5 in dimension and size the nearest set answers and is named; further off none does."""
    found = expected_swap_regret(sr.MSets(d, m), 1_000, "multiscale", GRID)
    assert (None if found is None else found.mean) == value
    assert found is None or (found.source.startswith("the nearest set measured, msets") and not found.is_measured)


def test_other_classes_and_presets_have_no_measurement() -> None:
    """A set of another class with the same numbers, and a preset not measured, get no answer."""
    actions = sr.Explicit(sr.MSets(10, 2).enumerate())
    assert expected_swap_regret(actions, 1_000, "multiscale", GRID) is None
    assert expected_swap_regret(sr.MSets(10, 2), 1_000, "adaptive", GRID) is None


def test_the_file_is_whole() -> None:
    """Cells differ, numbers are finite, all sets, horizons and presets have the same worlds; the ladder has no plan."""
    rows = measurements()
    keys = [(row.preset, row.set_spec, row.horizon, row.world) for row in rows]
    assert len(set(keys)) == len(keys)
    worlds = {row.world for row in rows}
    assert len(keys) == len(worlds) * len({key[:3] for key in keys})
    assert {row.preset for row in rows} == set(PRESETS) - {"ladder"}
    for row in rows:
        assert row.replications >= 2
        assert all(math.isfinite(value) for value in dataclasses.astuple(row) if isinstance(value, float))
        assert -1e-9 <= row.swap_regret <= 1.0
        assert row.external_regret <= row.swap_regret + 1e-9


def test_the_file_tells_what_a_run_gives() -> None:
    """A cell played again, as the script plays it, is the number in the file, four standard errors allowed for rounding."""
    row = next(
        r
        for r in measurements()
        if (r.preset, r.set_spec, r.horizon, r.world) == ("multiscale", "msets 6 2", 1_000, "iid")
    )
    actions = sr.MSets(row.dimension, row.size)
    world = sr.environments.iid(actions, row.horizon, rng=row.seed)
    player = sr.swap_combcp(actions, row.horizon, preset=row.preset)
    result = sr.play(player, world, rng=row.seed, replications=row.replications)
    assert result.swap_regret.per_round == pytest.approx(row.swap_regret, abs=4 * row.standard_error)
