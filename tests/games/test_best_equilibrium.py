"""Best correlated equilibria: against the whole program, written out, against OpenSpiel's solvers, and by their own certificate."""

import dataclasses
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import entr

from swapregret.errors import InvalidInput, NotConverged, TooLarge
from swapregret.games import (
    BlottoGame,
    Game,
    MatrixGame,
    ShapleyGame,
    best_correlated_equilibrium,
    certify,
    chicken,
    joint_policy,
    normal_form,
    read_efg,
    shapley,
    swap_gap_by_program,
)


def constraints(tables: np.ndarray) -> np.ndarray:
    """Return what every exchange of one action for another gains in every joint action, one by one."""
    shape, rows = tables.shape[1:], []
    for player, count in enumerate(shape):
        for told in range(count):
            for other in set(range(count)) - {told}:
                row = np.zeros(shape)
                here: list[Any] = [slice(None)] * len(shape)
                there = list(here)
                here[player], there[player] = told, other
                row[tuple(here)] = tables[player][tuple(there)] - tables[player][tuple(here)]
                rows.append(row.ravel())
    return np.array(rows)


def whole_program(tables: np.ndarray, goals: np.ndarray) -> float:
    """Return the largest mean of a goal, or of the least of several, by the program with all joint actions and exchanges."""
    limits, n = constraints(tables), tables[0].size
    found = linprog(
        np.r_[np.zeros(n), -1.0],
        A_ub=np.block([[limits, np.zeros((len(limits), 1))], [-goals.reshape(-1, n), np.ones((len(goals), 1))]]),
        b_ub=np.zeros(len(limits) + len(goals)),
        A_eq=np.r_[np.ones(n), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return -float(found.fun)


def first_less_second(pays: np.ndarray) -> np.ndarray:
    """Return a function of payoffs that is neither of those with a name."""
    return np.asarray(pays[0] - 0.5 * pays[1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(2, 2), (4, 5), (9, 9), (3, 2, 4), (2, 2, 2, 2)])
def test_values_are_those_of_the_whole_program(seed: int, shape: tuple[int, ...]) -> None:
    """Columns and rows that enter reach what all together reach; nothing is gained by leaving the advice; the bound is met."""
    tables = np.random.default_rng(seed).normal(size=(len(shape), *shape))
    game = MatrixGame(list(tables))
    goals: dict[Any, np.ndarray] = {
        "welfare": tables.sum(axis=0)[None],
        "min": tables,
        first_less_second: first_less_second(tables)[None],
    }
    for objective, goal in goals.items():
        best = best_correlated_equilibrium(game, objective)
        assert best.value == pytest.approx(whole_program(tables, goal), abs=1e-8)
        assert best.gap <= 1e-8
        assert certify(best.play).epsilon <= 1e-8
        assert np.abs(joint_policy(best.play) - best.policy).max() <= 1e-11


@pytest.mark.parametrize("low", [0.0, 1e6])
@pytest.mark.parametrize(("seed", "shape"), [(32, (8, 8)), (3, (3, 3, 3)), (5, (2, 2, 2, 2)), (1, (5, 4))])
def test_players_may_be_paid_in_units_of_their_own(seed: int, shape: tuple[int, ...], low: float) -> None:
    """One player's payoffs times 10³, another's from 10⁶ on: the value is that of the whole program with even payoffs."""
    even = np.random.default_rng(seed).normal(size=(3, len(shape), *shape))[2]
    tables = even.copy()
    tables[0] *= 1e3
    tables[1] += low
    best = best_correlated_equilibrium(MatrixGame(list(tables)))
    goal = even[0] + 1e-3 * even[1:].sum(axis=0)
    assert 1e-3 * (best.value - low) == pytest.approx(whole_program(even, goal[None]), abs=1e-8)
    assert abs(best.gap) <= 1e-5
    assert certify(best.play).epsilon <= 1e-8


def test_a_value_above_the_bound_is_shown() -> None:
    """What players gain up to rounding can lift the value above the bound: the gap is then below 0, never cut off."""
    best = best_correlated_equilibrium(chicken())
    assert dataclasses.replace(best, bound=best.value - 0.25).gap == -0.25


def test_every_kind_of_game_has_a_mediator(game: Game) -> None:
    """Of every kind of game, listed, the best equilibrium is that of the whole program, and its play pays what it says."""
    best, tables = best_correlated_equilibrium(game), normal_form(game).tables
    scale = np.abs(tables).max()
    assert best.value == pytest.approx(whole_program(tables, tables.sum(axis=0)[None]), abs=1e-8 * scale)
    assert best.play.payoffs == pytest.approx(best.payoffs, abs=1e-9 * scale)
    assert certify(best.play).epsilon <= 1e-8
    assert all(
        one.payoff >= one.other_payoff - 1e-7 for player in range(game.n_players) for one in best.reasons(player)
    )


def test_a_game_of_100_000_joint_actions_is_solved_to_the_bound() -> None:
    """With 316 actions each the program would have 10¹¹ entries; far fewer joint actions enter, and the bound is met."""
    source = np.random.default_rng(4)
    game = MatrixGame(list(source.random((2, 316, 316))))
    best = best_correlated_equilibrium(game)
    assert best.gap <= 1e-8
    assert best.n_columns < 10_000
    assert max(swap_gap_by_program(game, best.policy, player) for player in (0, 1)) < 1e-7


def test_shapley_pays_a_half_on_a_large_set() -> None:
    """With 84 groups each, the best equilibrium of Shapley's game pays ½ each, and the least of both cannot be more."""
    for objective, value in (("welfare", 1.0), ("min", 0.5)):
        assert best_correlated_equilibrium(ShapleyGame(9, 3), objective).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_entropy_is_that_of_a_cone_program(seed: int) -> None:
    """The dual's entropy is that of another solver on the primal, and within its own bound."""
    cvxpy = pytest.importorskip("cvxpy")
    tables = np.random.default_rng(seed).normal(size=(3, 3, 2, 3)) if seed else np.array(chicken().tables)
    policy = cvxpy.Variable(tables[0].size)
    rules = [constraints(tables) @ policy <= 0, cvxpy.sum(policy) == 1]
    cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(cvxpy.entr(policy))), rules).solve(solver="CLARABEL")
    theirs = float(entr(np.maximum(policy.value, 0.0)).sum())
    best = best_correlated_equilibrium(MatrixGame(list(tables)), "entropy")
    assert best.value == pytest.approx(theirs, abs=1e-4)
    assert -1e-6 <= best.bound - best.value + best.epsilon <= 1e-4


def test_the_play_that_is_most_even_is_uniform_where_that_is_an_equilibrium() -> None:
    """In Shapley's game uniform play is a correlated equilibrium, so it has the largest entropy."""
    assert best_correlated_equilibrium(shapley(), "entropy").policy == pytest.approx(np.full((3, 3), 1 / 9))


def test_kuhn_poker_pays_its_value() -> None:
    """In a zero-sum game every correlated equilibrium pays the value, whatever is maximised."""
    game = read_efg(Path(__file__).parents[2] / "examples/games/kuhn.efg")
    for objective in ("welfare", lambda pays: pays[0], "min"):
        best = best_correlated_equilibrium(game, objective)
        assert best.payoffs == pytest.approx([-1 / 18, 1 / 18], abs=1e-8)
        assert certify(best.play).epsilon <= 1e-9


@pytest.mark.parametrize("shape", [(6, 7), (3, 4, 3)])
def test_openspiel_finds_the_same_welfare(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver of JPSRO for the correlated equilibrium of largest welfare reaches the same."""
    pytest.importorskip("pyspiel")
    pytest.importorskip("cvxpy")
    name = "open_spiel.python.egt.alpharank"  # which asks for plots
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    jpsro = importlib.import_module("open_spiel.python.algorithms.jpsro")
    monkeypatch.setattr(jpsro, "DEFAULT_ECOS_SOLVER_KWARGS", {"solver": "CLARABEL"})  # which need not be installed
    for seed in range(3):
        tables = np.random.default_rng(seed).normal(size=(len(shape), *shape))
        policy, _ = jpsro._mwce(tables, [np.ones(count) for count in shape])
        best = best_correlated_equilibrium(MatrixGame(list(tables)))
        assert best.value == pytest.approx(float((tables * policy).sum()), abs=1e-5)


def test_what_cannot_be_found_is_said() -> None:
    """Unknown objectives, functions of another shape, large games and no time are refused."""
    with pytest.raises(
        InvalidInput, match=r"`objective` must be a function of payoffs, or one of entropy, min, welfare"
    ):
        best_correlated_equilibrium(chicken(), "wealth")
    with pytest.raises(InvalidInput, match=r"an array of shape \(2, 2\)"):
        best_correlated_equilibrium(chicken(), lambda pays: pays.sum())
    with pytest.raises(InvalidInput, match="`seconds` must be above 0"):
        best_correlated_equilibrium(chicken(), seconds=0.0)
    with pytest.raises(TooLarge, match="at most 4,000,000 joint actions"):
        best_correlated_equilibrium(BlottoGame((30, 30), 10))
    source = np.random.default_rng(0)
    with pytest.raises(NotConverged, match="must be found within"):
        best_correlated_equilibrium(MatrixGame(list(source.random((2, 60, 60)))), "entropy", seconds=1e-9)
