"""Plays: certificates against linear programs, files, samples, known values."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidAction, InvalidInput, Unsupported
from swapregret.games import (
    CorrelatedPlay,
    FunctionGame,
    Game,
    MatrixGame,
    certify,
    chicken,
    gibson,
    joint_policy,
    normal_form,
    product_play,
    shapley,
    swap_gap_by_program,
)
from swapregret.policy import FinitePolicy, mix


def pure(count: int, index: int) -> FinitePolicy:
    """Return the policy that always plays one of ``count`` actions."""
    return FinitePolicy(np.eye(count, dtype=np.int64)[[index]], [1.0])


def from_joint(game: MatrixGame, cells: dict[tuple[int, ...], int]) -> CorrelatedPlay:
    """Return the play with these weights on pure profiles."""
    shape = game.tables.shape[1:]
    rows = [tuple(pure(k, i) for k, i in zip(shape, cell, strict=True)) for cell in cells]
    return CorrelatedPlay(game, tuple(cells.values()), tuple(rows))


def test_gaps_equal_linear_programs_over_the_normal_form(game: Game, make_play: Any) -> None:
    """Swap gaps of random plays in every kind of game equal HiGHS over all rules of the enumerated normal form, to 1e-9."""
    play = make_play(game, 11)
    listed, policy = normal_form(game), joint_policy(play)
    assert policy.sum() == pytest.approx(1.0, abs=1e-12)
    certificate = certify(play)
    assert certificate.is_exact
    for player in range(game.n_players):
        gap = play.swap_gap(player)
        assert gap.in_payoffs == pytest.approx(swap_gap_by_program(listed, policy, player), abs=1e-9)
        pays = float((listed.tables[player] * policy).sum())
        assert play.payoffs[player] == pytest.approx(pays, abs=1e-10)
        rest = policy.sum(axis=player)
        fixed = np.moveaxis(listed.tables[player], player, 0).reshape(policy.shape[player], -1) @ rest.ravel()
        assert play.external_gap(player).in_payoffs == pytest.approx(max(0.0, fixed.max() - pays), abs=1e-9)
        assert gap.value >= play.internal_gap(player).value - 1e-12
        assert gap.value >= play.external_gap(player).value - 1e-12
        assert certificate.swap[player].value == gap.value
    assert play.welfare == pytest.approx(float((listed.tables.sum(axis=0) * policy).sum()), abs=1e-9)


def test_gibson() -> None:
    """Gibson's play has external gap 0 and swap gap ¼ in payoffs, and the rule is told in words."""
    play = from_joint(gibson(), {(0, 0): 2, (1, 1): 1, (2, 1): 1})
    assert play.external_gap(0).in_payoffs == pytest.approx(0.0, abs=1e-12)
    assert play.swap_gap(0).in_payoffs == pytest.approx(0.25, abs=1e-12)
    assert play.internal_gap(0).in_payoffs == pytest.approx(0.25, abs=1e-12)
    assert "when you chose {C}, {B} would have earned" in str(play.best_deviation(0, limit=1))


def test_chicken() -> None:
    """¼, ¼, ½ in chicken is a correlated equilibrium that pays 5.25 each."""
    play = from_joint(chicken(), {(0, 1): 1, (1, 0): 1, (1, 1): 2})
    assert play.payoffs.tolist() == [5.25, 5.25]
    assert certify(play).epsilon == pytest.approx(0.0, abs=1e-12)


def test_shapley() -> None:
    """Uniform play of Shapley's game pays ⅓, 1/6 on the six paying cells pays ½; both are correlated equilibria."""
    third = FinitePolicy(np.eye(3, dtype=np.int64), np.full(3, 1 / 3))
    uniform = product_play(shapley(), [third, third])
    assert np.allclose(uniform.payoffs, 1 / 3, atol=1e-12)
    paying = {(i, j): 1 for i in range(3) for j in range(3) if (j - i) % 3 != 2}
    six = from_joint(shapley(), paying)
    assert np.allclose(six.payoffs, 0.5, atol=1e-12)
    assert max(certify(uniform).epsilon, certify(six).epsilon) < 1e-12


def test_a_bad_play_is_not_certified() -> None:
    """Both daring in chicken has a gap of 2 in payoffs for each."""
    play = from_joint(chicken(), {(0, 0): 1})
    assert [play.swap_gap(i).in_payoffs for i in (0, 1)] == pytest.approx([2.0, 2.0])
    assert certify(play).epsilon == pytest.approx(2 / 7)


def test_files_give_the_same_play_back(game: Game, make_play: Any, tmp_path: Path) -> None:
    """A saved play loads with the same days, atoms and weights, and the same certificate, bit for bit."""
    play = make_play(game, 7)
    path = tmp_path / "play"
    play.save(path)
    if game.spec is None and isinstance(game, FunctionGame):
        with pytest.raises(InvalidInput, match="`game` must be given"):
            CorrelatedPlay.load(path)
        again = CorrelatedPlay.load(path, game)
    elif game.spec is None:
        again = CorrelatedPlay.load(path, game)
    else:
        again = CorrelatedPlay.load(path)
    assert again.days == play.days
    assert again.policies == play.policies
    assert [gap.value for gap in certify(again).swap] == [gap.value for gap in certify(play).swap]
    with pytest.raises(InvalidInput, match="must be the one"):
        CorrelatedPlay.load(path, MatrixGame([np.eye(11)] * 2))


def test_files_hold_exploration_policies(tmp_path: Path) -> None:
    """A share of an exploration policy too large to list is kept, the gap is exact, and foreign policies are refused."""
    actions = MSets(40, 8)
    game = FunctionGame(
        [actions] * 2,
        lambda player, plays: plays[1 - player] / 8.0,
        expected=lambda player, marginals: marginals[1 - player] / 8.0,
        ranges=[(0.0, 1.0)] * 2,
    )
    wide = actions.uniform_policy()
    point = FinitePolicy([[1] * 8 + [0] * 32], [1.0])
    policy = mix([point, wide], [0.75, 0.25])
    play = CorrelatedPlay(game, (3, 2), ((policy, policy), (wide, policy)))
    play.save(tmp_path / "play")
    again = CorrelatedPlay.load(tmp_path / "play", game)
    assert play.swap_gap(0).is_exact
    assert again.swap_gap(0).value == pytest.approx(play.swap_gap(0).value, abs=1e-14)
    foreign = CorrelatedPlay(game, (1,), ((actions.gibbs(np.arange(40.0)), policy),))
    with pytest.raises(Unsupported):
        foreign.save(tmp_path / "other")


def test_samples_follow_the_joint_policy(make_play: Any) -> None:
    """2,000 joint draws agree with the enumerated joint policy by chi-square at false-alarm rate 1e-6."""
    play = make_play(chicken(), 2)
    policy = joint_policy(play).ravel()
    rng = np.random.default_rng(0)
    counts = np.zeros(policy.size)
    for _ in range(2000):
        first, second = play.sample(rng)
        counts[2 * int(first[1]) + int(second[1])] += 1
    seen = policy > 0
    assert counts[~seen].sum() == 0
    statistic = float(((counts[seen] - 2000 * policy[seen]) ** 2 / (2000 * policy[seen])).sum())
    assert statistic < chi2.ppf(1 - 1e-6, int(seen.sum()) - 1)


def test_marginals_are_those_of_the_joint_policy(game: Game, make_play: Any) -> None:
    """The marginals of a player equal Σ σ(profile) M over the enumerated profiles."""
    play = make_play(game, 5)
    policy = joint_policy(play)
    for player, actions in enumerate(game.action_sets):
        own = policy.sum(axis=tuple(other for other in range(game.n_players) if other != player))
        assert np.allclose(play.marginals(player), own @ actions.enumerate(), atol=1e-12)


def test_windows_that_do_not_fit_are_refused() -> None:
    """Days and rows in step, a policy a player, of the right dimension: anything else is refused."""
    policy = pure(2, 0)
    fair = ((policy, policy),)
    for days, rows in [((1,), ()), ((0,), fair), ((1.5,), fair), ((math.nan,), fair), ((1,), ((policy,),))]:
        with pytest.raises(InvalidInput):
            CorrelatedPlay(chicken(), days, rows)
    with pytest.raises(InvalidInput, match="of dimensions"):
        CorrelatedPlay(chicken(), (1,), ((policy, pure(3, 0)),))


def test_policies_outside_the_set_are_refused() -> None:
    """Who plays both actions at once, or none, has no gap to speak of: such a play is not certified, nor in a mixture."""
    policy, outside = pure(2, 0), FinitePolicy([[1, 1], [0, 1]], [0.5, 0.5])
    for wrong in (outside, mix([policy, outside], [0.5, 0.5])):
        with pytest.raises(InvalidAction, match="the policies of player 1 must play actions of the set"):
            CorrelatedPlay(chicken(), (2, 1), ((policy, policy), (policy, wrong)))
