"""Replay of arrays and files, and environments that are functions of the day."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, InvalidReward

ACTIONS = sr.MSets(3, 2, labels=["a", "b", "c"])
ROWS = np.array([[-1.0, 0.0, 1.0], [3.0, 1.0, -1.0]])


def test_array_is_mapped_from_its_range() -> None:
    """A value in [low, high] becomes (value − low) / (high − low) / m, and rewards have no noise."""
    world = sr.environments.replay(ACTIONS, ROWS, reward_range=(-1, 3))
    expected = (ROWS + 1) / 4 / 2
    assert np.array_equal(world.means(0, 2), expected)
    assert np.array_equal(world.rewards(0, 2), expected)
    assert np.array_equal(world.with_noise(9).rewards(0, 2), expected)


def test_longer_horizons_start_again() -> None:
    """With a horizon beyond the data the rows come again from the top."""
    world = sr.environments.replay(ACTIONS, ROWS, reward_range=(-1, 3), horizon=5)
    whole = world.means(0, 5)
    assert np.array_equal(whole[4], whole[0])
    assert np.array_equal(world.means(1, 4), whole[1:4])


def test_files_agree_with_arrays(tmp_path: Path) -> None:
    """CSV with and without header and .npy give the same environment; named columns may come in any order."""
    expected = sr.environments.replay(ACTIONS, ROWS, reward_range=(-1, 3)).means(0, 2)
    (tmp_path / "plain.csv").write_text("-1,0,1\n3,1,-1\n")
    (tmp_path / "named.csv").write_text("day,c,a,b\n0,1,-1,0\n1,-1,3,1\n")
    (tmp_path / "title.csv").write_text("x,y,z\n-1,0,1\n3,1,-1\n")
    np.save(tmp_path / "rows.npy", ROWS)
    for name in ("plain.csv", "named.csv", "title.csv", "rows.npy"):
        world = sr.environments.replay(ACTIONS, tmp_path / name, reward_range=(-1, 3))
        assert np.array_equal(world.means(0, 2), expected)
        assert world.name == name


def test_parquet_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    """The columns of a Parquet file are chosen by name; a missing file is refused."""
    pl.DataFrame({"b": [0.0, 1.0], "c": [1.0, -1.0], "a": [-1.0, 3.0]}).write_parquet(tmp_path / "rows.parquet")
    world = sr.environments.replay(ACTIONS, tmp_path / "rows.parquet", reward_range=(-1, 3))
    assert np.array_equal(world.means(0, 2), (ROWS + 1) / 8)
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidInput, match="readable Parquet"):
        sr.environments.replay(ACTIONS, tmp_path / "rows.parquet")


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3.5, -1.5])
def test_values_outside_the_range_are_located(bad: float) -> None:
    """NaN, infinities and values outside the declared range are refused with day and element."""
    rows = ROWS.copy()
    rows[1, 2] = bad
    with pytest.raises(InvalidReward, match="day 1 at element 2"):
        sr.environments.replay(ACTIONS, rows, reward_range=(-1, 3))


def test_unreadable_data_are_refused(tmp_path: Path) -> None:
    """Wrong shapes, missing files, strange suffixes, ragged rows and empty ranges are refused by name."""
    (tmp_path / "ragged.csv").write_text("1,2,3\n1,2\n")
    (tmp_path / "words.csv").write_text("a,b,c\n1,2,three\n")
    (tmp_path / "rows.txt").write_text("1 2 3")
    for data in (
        [[1.0, 2.0]],
        [1.0],
        [["x", "y", "z"]],
        np.zeros((0, 3)),
        tmp_path / "none.csv",
        str(tmp_path / "rows.txt"),
    ):
        with pytest.raises(InvalidInput):
            sr.environments.replay(ACTIONS, data)
    for name in ("ragged.csv", "words.csv"):
        with pytest.raises(InvalidInput):
            sr.environments.replay(ACTIONS, tmp_path / name, reward_range=(0, 3))
    with pytest.raises(InvalidInput, match="reward_range"):
        sr.environments.replay(ACTIONS, ROWS, reward_range=(1, 1))


def test_function_of_the_day() -> None:
    """A user's function gives the rewards of any day, asked in any order."""
    world = sr.environments.from_function(ACTIONS, 50, lambda day: [day, 50 - day, 25], reward_range=(0, 50))
    assert np.allclose(world.reward_vector(10), np.array([10, 40, 25]) / 100)
    assert np.allclose(world.rewards(0, 50)[10], world.reward_vector(10))


def test_functions_that_answer_nonsense_are_refused_on_the_day() -> None:
    """Wrong shapes and values outside the range are located; so are arguments that are no functions."""
    wrong_shape = sr.environments.from_function(ACTIONS, 9, lambda day: [0.0] * (3 + (day == 5)))
    wrong_value = sr.environments.from_function(ACTIONS, 9, lambda day: [0.0, 0.0, 2.0 * (day == 5)])
    for world in (wrong_shape, wrong_value):
        world.means(0, 5)
        with pytest.raises(InvalidReward, match="day 5"):
            world.means(3, 9)
    with pytest.raises(InvalidInput):
        sr.environments.from_function(ACTIONS, 9, 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        sr.environments.from_function(ACTIONS, 9, lambda day: [0.0] * 3, noise="gaussian")


def test_a_horizon_that_is_none_is_refused() -> None:
    """A horizon of no days is refused by name."""
    with pytest.raises(InvalidInput, match="horizon"):
        sr.environments.replay(ACTIONS, ROWS, reward_range=(-1, 3), horizon=-3)
