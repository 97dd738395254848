"""Known values of games by linear programming over their normal forms."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from swapregret.errors import InvalidInput, TooLarge
from swapregret.games import (
    BlottoGame,
    Game,
    MatrixGame,
    RankingDuel,
    SecurityGame,
    SequentialGame,
    best_correlated_equilibrium,
    chicken,
    equilibrium_payoffs,
    gibson,
    matching_pennies,
    normal_form,
    read_efg,
    shapley,
    swap_gap_by_program,
    zero_sum_value,
)

_VALUES = {
    (6, 4, 3): 1 / 3,
    (7, 6, 3): 1 / 9,
    (8, 6, 3): 2 / 9,
    (9, 6, 3): 1 / 3,
    (10, 6, 3): 7 / 18,
    (8, 4, 4): 1 / 2,
    (8, 6, 4): 1 / 4,
    (12, 8, 4): 1 / 3,
    (6, 5, 3): 4 / 27,
    (6, 3, 3): 13 / 27,
    (5, 5, 3): 0.0,
}


@pytest.mark.parametrize("case", sorted(_VALUES))
def test_blotto_values(case: tuple[int, int, int]) -> None:
    """The value of Colonel Blotto, worked out from payoff vectors alone, is the one known."""
    first, second, fields = case
    game = normal_form(BlottoGame((first, second), fields))
    assert zero_sum_value(game) == pytest.approx(_VALUES[case], abs=1e-9)


def test_blotto_is_the_same_in_both_coordinates() -> None:
    """Compact and path coordinates list the same payoffs, in another order."""
    games = [normal_form(BlottoGame((4, 3), [1.0, 2.0, 3.0], coordinates=each)) for each in ("compact", "path")]
    tables = []
    for game in games:
        orders = [np.argsort([str(name) for name in actions.labels]) for actions in game.action_sets]
        tables.append(game.tables[:, orders[0]][:, :, orders[1]])
    assert np.array_equal(tables[0], tables[1])


def test_games_are_listed_where_they_are_no_tables() -> None:
    """Programs take every game: one that is no matrix game is listed first."""
    game = BlottoGame((4, 3), 2)
    listed = normal_form(game)
    policy = np.full(listed.tables.shape[1:], 1.0 / listed.tables[0].size)
    assert zero_sum_value(game) == pytest.approx(zero_sum_value(listed))
    assert swap_gap_by_program(game, policy, 0) == pytest.approx(swap_gap_by_program(listed, policy, 0))
    assert best_correlated_equilibrium(game).welfare == pytest.approx(0.0)
    assert np.allclose(equilibrium_payoffs(game), equilibrium_payoffs(listed))


@pytest.mark.parametrize(
    "game",
    [
        BlottoGame((5, 3), [1.0, 2.0, 4.0], coordinates="path"),
        RankingDuel([4, 3, 2, 1]),
        SecurityGame([("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t")], "s", "t", 2),
        read_efg(Path(__file__).parents[2] / "examples/games/kuhn.efg"),
    ],
)
def test_values_without_a_list_are_those_of_the_list(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program over two polytopes has the value of the table of all joint actions, which is not made."""
    want = zero_sum_value(normal_form(game))
    monkeypatch.setattr("swapregret.games.programs.normal_form", None)
    assert zero_sum_value(game) == pytest.approx(want, abs=1e-9)


def test_games_that_are_not_zero_sum_are_told_without_a_list() -> None:
    """Of a bilinear game in which one player gets a little more than the other loses there is no value."""
    tree = ("move", 0, "a", [("l", ("pay", [1, -1])), ("r", ("pay", [2, -2 + 1e-6]))])
    with pytest.raises(InvalidInput, match="add up to 0"):
        zero_sum_value(SequentialGame(tree))


def test_ties_in_blotto() -> None:
    """With ties to the first, equal armies pay the first everything it wants; with ties to the second, nothing."""
    assert zero_sum_value(normal_form(BlottoGame((1, 1), 1, ties="first"))) == pytest.approx(1.0)
    assert zero_sum_value(normal_form(BlottoGame((1, 1), 1, ties="second"))) == pytest.approx(-1.0)


def test_symmetric_duels_have_value_0() -> None:
    """Two engines with the same items: the value is 0."""
    assert zero_sum_value(normal_form(RankingDuel([4, 3, 2, 1]))) == pytest.approx(0.0, abs=1e-9)


def test_guards_on_disjoint_paths() -> None:
    """One guard on three disjoint paths of two edges catches the evader with probability 1/3."""
    edges = [(a, b) for v in "abc" for a, b in (("s", v), (v, "t"))]
    assert zero_sum_value(normal_form(SecurityGame(edges, "s", "t", 1))) == pytest.approx(-1 / 3, abs=1e-9)


def test_best_equilibria() -> None:
    """The best correlated equilibrium of chicken pays 5.25 each, that of Shapley's game ½ each, and neither has a gap."""
    for game, pays in ((chicken(), 5.25), (shapley(), 0.5)):
        best = best_correlated_equilibrium(game)
        assert best.welfare == pytest.approx(2 * pays, abs=1e-9)
        assert max(swap_gap_by_program(game, best.policy, player) for player in (0, 1)) < 1e-9


def test_what_has_no_program_is_refused() -> None:
    """Games that are not zero-sum have no value, policies of another shape no gap, large games no normal form."""
    with pytest.raises(InvalidInput):
        zero_sum_value(chicken())
    with pytest.raises(InvalidInput):
        zero_sum_value(MatrixGame([np.zeros((2, 2, 2))] * 3))
    with pytest.raises(InvalidInput):
        swap_gap_by_program(gibson(), np.eye(3) / 3, 0)
    with pytest.raises(TooLarge):
        normal_form(BlottoGame((12, 12), 5))


def support(game: MatrixGame, direction: np.ndarray) -> float:
    """Return how far correlated equilibria pay in a direction: a program written out constraint by constraint."""
    shape = game.tables.shape[1:]
    limits = []
    for told in range(shape[0]):
        for other in range(shape[0]):
            row = np.zeros(shape)
            row[told] = game.tables[0][other] - game.tables[0][told]
            limits.append(row.ravel())
    for told in range(shape[1]):
        for other in range(shape[1]):
            row = np.zeros(shape)
            row[:, told] = game.tables[1][:, other] - game.tables[1][:, told]
            limits.append(row.ravel())
    goal = np.tensordot(direction, game.tables, axes=1).ravel()
    whole = np.ones((1, goal.size))
    found = linprog(-goal, A_ub=np.array(limits), b_ub=np.zeros(len(limits)), A_eq=whole, b_eq=[1.0], bounds=(0, None))
    return -float(found.fun)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (2, 3)])
def test_the_polygon_reaches_as_far_as_equilibria_do(seed: int, shape: tuple[int, int]) -> None:
    """In every direction the farthest corner pays what the farthest equilibrium pays, and the best sum is among them."""
    source = np.random.default_rng(seed)
    game = MatrixGame([source.random(shape), source.random(shape)])
    corners = equilibrium_payoffs(game)
    for angle in np.linspace(0.0, 2.0 * np.pi, 25):
        direction = np.array([np.cos(angle), np.sin(angle)])
        assert (corners @ direction).max() == pytest.approx(support(game, direction), abs=1e-7)
    assert corners.sum(axis=1).max() == pytest.approx(best_correlated_equilibrium(game).welfare, abs=1e-7)


def test_known_sets_of_payoffs_and_a_refusal() -> None:
    """Matching pennies pays 0 alone, Shapley's game between ⅓ and ½ each; three players have no polygon."""
    assert equilibrium_payoffs(matching_pennies()) == pytest.approx(np.zeros((1, 2)), abs=1e-9)
    assert np.sort(equilibrium_payoffs(shapley()), axis=0) == pytest.approx(np.array([[1 / 3] * 2, [1 / 2] * 2]))
    with pytest.raises(InvalidInput, match="two players"):
        equilibrium_payoffs(MatrixGame([np.zeros((2, 2, 2))] * 3))
