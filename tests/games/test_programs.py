"""Known values of games by linear programming over their normal forms."""

import numpy as np
import pytest

from swapregret.errors import InvalidInput, TooLarge
from swapregret.games import (
    BlottoGame,
    MatrixGame,
    RankingDuel,
    SecurityGame,
    best_correlated_equilibrium,
    chicken,
    gibson,
    normal_form,
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
        assert max(swap_gap_by_program(game, best.law, player) for player in (0, 1)) < 1e-9


def test_what_has_no_program_is_refused() -> None:
    """Games that are not zero-sum have no value, laws of another shape no gap, large games no normal form."""
    with pytest.raises(InvalidInput):
        zero_sum_value(chicken())
    with pytest.raises(InvalidInput):
        zero_sum_value(MatrixGame([np.zeros((2, 2, 2))] * 3))
    with pytest.raises(InvalidInput):
        swap_gap_by_program(gibson(), np.eye(3) / 3, 0)
    with pytest.raises(TooLarge):
        normal_form(BlottoGame((12, 12), 5))
