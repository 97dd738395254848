"""What every game must satisfy, by enumeration."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.errors import InvalidInput, TooLarge, Unsupported
from swapregret.games import (
    BlottoGame,
    CongestionGame,
    FunctionGame,
    Game,
    MatchingMarket,
    MatrixGame,
    RankingDuel,
    SecurityGame,
    chicken,
)
from swapregret.policy import FinitePolicy


def test_rewards_are_payoffs_mapped_to_the_unit_interval(game: Game) -> None:
    """On every profile, rewards·M is (payoff − least)/(largest − least) and lies in [0, 1]."""
    rng = np.random.default_rng(0)
    lists = [actions.enumerate() for actions in game.action_sets]
    for _ in range(60):
        profile = [rows[rng.integers(len(rows))] for rows in lists]
        pays = game.payoffs(profile)
        for player, rows in enumerate(lists):
            rewards = rows @ game.rewards(player, profile)
            assert rewards.min() >= -1e-12
            assert rewards.max() <= 1.0 + 1e-12
            mine = float(profile[player] @ game.rewards(player, profile))
            assert game.payoff(player, mine) == pytest.approx(pays[player], abs=1e-12)


def test_own_entry_does_not_matter(game: Game) -> None:
    """Payoff vectors of a player are the same whatever action of its own is in the profile."""
    rng = np.random.default_rng(1)
    lists = [actions.enumerate() for actions in game.action_sets]
    profile = [rows[rng.integers(len(rows))] for rows in lists]
    for player, rows in enumerate(lists):
        others = [game.payoff_vector(player, [*profile[:player], row, *profile[player + 1 :]]) for row in rows[:5]]
        assert all(np.allclose(others[0], each, rtol=0, atol=1e-14) for each in others)


def test_expected_vectors_are_sums_over_profiles(game: Game, make_play: Any) -> None:
    """E[v] from marginals equals Σ P(profile) v(profile) over the product of supports, to 1e-12."""
    if not game.has_expectation:
        with pytest.raises(Unsupported):
            game.expected_payoff_vector(0, [])
        return
    policies: tuple[FinitePolicy, ...] = make_play(game, 3, windows=1).policies[0]
    marginals = [policy.marginals() for policy in policies]
    for player in range(game.n_players):
        total = np.zeros(game.action_sets[player].dimension)
        for places in product(*(range(len(policy.weights)) for policy in policies)):
            chance = np.prod([policy.weights[place] for policy, place in zip(policies, places, strict=True)])
            total += chance * game.payoff_vector(
                player, [policy.atoms[p] for policy, p in zip(policies, places, strict=True)]
            )
        assert np.allclose(game.expected_payoff_vector(player, marginals), total, rtol=0, atol=1e-12)


def test_ranges_are_reached_in_small_matrix_games() -> None:
    """The derived range of a matrix game is its least and largest payoff."""
    tables = np.random.default_rng(2).normal(size=(2, 3, 4))
    game = MatrixGame(list(tables))
    assert game.payoff_range(1) == (tables[1].min(), tables[1].max())


def test_constant_payoffs_are_fine() -> None:
    """A player whose payoff never changes has reward 0 and scale 1."""
    game = MatrixGame([np.full((2, 2), 3.0), np.eye(2)])
    assert game.scale(0) == 1.0
    assert game.rewards(0, [[1, 0], [1, 0]]).tolist() == [0.0, 0.0]
    assert game.payoff(0, 0.0) == 3.0


def test_a_set_with_the_zero_action_has_no_constant() -> None:
    """Where the zero vector is an action, no linear function is 1 on all actions, and the sentence says so."""
    any_subset = OracleSet(2, lambda weights: (np.asarray(weights) > 0).astype(np.int64))
    any_subset.is_uniform = False
    with pytest.raises(InvalidInput, match="1 on every action"):
        any_subset.constant_vector()


def test_function_games_check_their_range() -> None:
    """A declared range is held against every payoff vector; without one, too many profiles are refused."""
    game = FunctionGame([MSets(2, 1)] * 2, lambda player, actions: 2.0 * actions[1 - player], ranges=[(0, 1)] * 2)
    with pytest.raises(InvalidInput, match="must lie in"):
        game.payoffs([[1, 0], [1, 0]])
    large = FunctionGame([MSets(40, 8)] * 2, lambda player, actions: actions[1 - player] / 8)
    with pytest.raises(TooLarge):
        large.payoff_range(0)


@pytest.mark.parametrize("bad", [[[1, 0]], [[1, 1], [1, 0]], [[1, 0, 0], [1, 0]]])
def test_bad_profiles_are_refused(bad: list[list[int]]) -> None:
    """A profile of the wrong length, or with something that is not an action, is refused."""
    with pytest.raises(InvalidInput):
        chicken().payoffs(bad)


def test_bad_games_are_refused() -> None:
    """Tables of wrong shapes, things that are no sets, and names that do not fit are refused."""
    with pytest.raises(InvalidInput):
        MatrixGame([[1, 2], [3, 4]])
    with pytest.raises(InvalidInput):
        MatrixGame([np.eye(2), np.eye(2)], names=["one"])
    with pytest.raises(InvalidInput):
        FunctionGame([], lambda player, actions: [0.0])


@pytest.mark.parametrize(
    ("shape", "make"),
    [
        ((3,), lambda table: BlottoGame((3, 2), table)),
        ((2, 2), lambda table: CongestionGame([MSets(2, 1)] * 2, table)),
        ((2, 2), lambda table: MatchingMarket([table, table], table)),
        ((2, 2, 2), MatrixGame),
        ((3,), RankingDuel),
        ((1,), lambda table: SecurityGame([("s", "t")], "s", "t", 1, worth=table, toll=table)),
    ],
    ids=["blotto", "congestion", "matching", "matrix", "ranking", "security"],
)
def test_the_arrays_of_the_caller_stay_the_callers(shape: tuple[int, ...], make: Any) -> None:
    """A game keeps numbers of its own: the caller may write into the array it was made of, and the game does not notice."""
    table = np.ones(shape)
    game = make(table)
    before = game.payoffs([actions.enumerate()[0] for actions in game.action_sets])
    table += 1.0
    assert np.array_equal(game.payoffs([actions.enumerate()[0] for actions in game.action_sets]), before)


def test_actions_are_described_as_people_say_them() -> None:
    """Routes are stops, rankings what stands at each place."""
    security = SecurityGame([("s", "a"), ("a", "t"), ("s", "t")], "s", "t", 1)
    assert security.describe(1, np.array([1, 1, 0])) == "s → a → t"
    duel = RankingDuel([0.5, 0.3, 0.2])
    assert duel.describe(0, np.eye(3, dtype=np.int64).ravel()) == "#1 | #2 | #3"
