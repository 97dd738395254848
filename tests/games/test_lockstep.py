"""Lockstep and stepping are the same play: the same actions, rewards and states, bit for bit, and the same ledgers."""

from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.compiled.address import call_act
from swapregret.games import (
    BlottoGame,
    CongestionGame,
    FunctionGame,
    Game,
    MatchingMarket,
    MatrixGame,
    RankingDuel,
    RoutingGame,
    SecurityGame,
    ShapleyGame,
    affine_costs,
    bpr_costs,
    certify,
    self_play,
    shapley,
)
from swapregret.games.lockstep import Lockstep
from swapregret.games.windows import Windows
from swapregret.learners.doubling import anytime
from swapregret.regret.ledgers.ledger import SwapLedger

DAYS, CUT = 90, 37
DIAMOND = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
DRAWN = np.random.default_rng(1)
GAMES: dict[str, Game] = {
    "matrix": shapley(),
    "three": MatrixGame(list(DRAWN.normal(size=(3, 2, 3, 2)))),
    "shapley": ShapleyGame(6, 2),
    "congestion": CongestionGame([sr.MSets(6, 2)] * 2, DRAWN.random((6, 2)).cumsum(axis=1)),
    "routing": RoutingGame(DIAMOND, affine_costs(DRAWN.random(6), DRAWN.random(6), 3), [("s", "t")] * 3),
    "blotto": BlottoGame((3, 2), 2, coordinates="path"),
}


def master(actions: Any, preset: str = "multiscale", feedback: str = "bandit", **options: Any) -> Any:
    """Return a master whose windows end often."""
    schedule = sr.Schedule((2, 6, 18, 54))
    return sr.swap_combcp(
        actions, DAYS, preset=preset, feedback=feedback, schedule=schedule, **{"variants": 2, **options}
    )


MAKERS: dict[str, Any] = {
    "multiscale": master,
    "adaptive": lambda actions: master(actions, "adaptive"),
    "semi-bandit": lambda actions: master(actions, feedback="semi-bandit"),
    "full": lambda actions: master(actions, feedback="full"),
    "matching": lambda actions: sr.baselines.regret_matching(actions, DAYS, feedback="full"),
    "blum_mansour": lambda actions: sr.baselines.blum_mansour(actions, DAYS, feedback="full"),
    "exp3": lambda actions: sr.baselines.exp3(actions, DAYS),
    "combexp": lambda actions: sr.baselines.combexp(actions, DAYS),
    "uniform": sr.baselines.uniform,
}
CASES = [(name, mix) for name in GAMES for mix in (["multiscale"], ["adaptive"], ["adaptive", "multiscale"])]
CASES += [("shapley", ["full", "semi-bandit"]), ("shapley", ["adaptive", "matching"]), ("three", ["full"])]
CASES += [
    ("matrix", ["matching"]),
    ("matrix", ["blum_mansour", "full"]),
    ("three", ["uniform", "adaptive", "matching"]),
    ("shapley", ["exp3", "combexp"]),
]


class Stepped:
    """A player that Python steps: it is not known as one with compiled days."""

    def __init__(self, player: Any) -> None:
        self._player = player

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)


def told(game: Game) -> FunctionGame:
    """Return the same game told by functions."""
    ranges = [game.payoff_range(player) for player in range(game.n_players)]
    return FunctionGame(game.action_sets, game.payoff_vector, ranges=ranges, expected=game.expected_payoff_vector)


def play(
    game: Any, mix: list[str], *, is_expected: bool = True, length: int = 7, kind: Any = lambda player: player
) -> tuple[Any, Any, Any]:
    """Play a game with players of some kinds in turn."""
    players = [kind(MAKERS[mix[p % len(mix)]](actions)) for p, actions in enumerate(game.action_sets)]
    sources = np.random.default_rng(3).spawn(game.n_players)
    books = [SwapLedger(actions) for actions in game.action_sets]
    windows = [Windows(actions, length) for actions in game.action_sets]
    course = Lockstep(game, players, sources, books, windows, is_expected=is_expected)
    for stop in (1, CUT, DAYS):
        course.advance(stop)
    for each in windows:
        each.close()
    states = [player.dump(state) for player, state in zip(players, course.states, strict=True)]
    return course, states, ([book.close() for book in books], windows)


def rows_of(game: Game, player: int, ledger: Any) -> Any:
    """Return Σ p(M) R for all actions of a player, in the order of ``enumerate``."""
    listed = {tuple(row): index for index, row in enumerate(game.action_sets[player].enumerate().tolist())}
    table = np.zeros((len(listed), game.action_sets[player].dimension))
    for atom, value in zip(ledger.actions.tolist(), ledger.values, strict=True):
        table[listed[tuple(atom)]] += value
    return table


@pytest.mark.parametrize(("name", "mix"), CASES)
def test_lockstep_is_stepping(name: str, mix: list[str]) -> None:
    """States and rewards are the same bits; ledgers and windows the same up to the order in which numbers are added."""
    game = GAMES[name]
    one, states, (books, windows) = play(game, mix)
    other, others, (theirs, cut) = play(told(game), mix, kind=Stepped)
    assert (one._stepped, other._seated) == ([], [])
    between = play(told(game), mix)
    assert between[0].earned.tolist() == one.earned.tolist()
    assert [book.earned for book in between[2][0]] == pytest.approx([book.earned for book in books], rel=1e-12)
    assert one.earned.tolist() == other.earned.tolist()
    for mine, yours in zip(states, others, strict=True):
        assert mine.keys() == yours.keys()
        assert [key for key in mine if not np.array_equal(mine[key], yours[key])] == []
    for player, (mine, yours) in enumerate(zip(books, theirs, strict=True)):
        assert mine.n_days == yours.n_days
        assert mine.earned == pytest.approx(yours.earned, rel=1e-12)
        assert mine.total == pytest.approx(yours.total, rel=1e-12)
        assert rows_of(game, player, mine) == pytest.approx(rows_of(game, player, yours), abs=1e-10)
    for mine, yours in zip(windows, cut, strict=True):
        assert mine.days == yours.days
        for policy, same in zip(mine.policies(), yours.policies(), strict=True):
            assert policy.marginals() == pytest.approx(same.marginals(), abs=1e-12)


def test_no_compiled_player_is_stepped() -> None:
    """Masters and competitors have seats in the loop; a player without compiled days does not."""
    game = GAMES["three"]
    assert play(game, ["adaptive", "matching", "uniform"])[0]._stepped == []
    game = GAMES["shapley"]
    players = [MAKERS["blum_mansour"](game.action_sets[0]), anytime(sr.swap_combcp, game.action_sets[1])]
    books = [SwapLedger(actions) for actions in game.action_sets]
    sources = np.random.default_rng(3).spawn(2)
    course = Lockstep(game, players, sources, books, [Windows(each, 7) for each in game.action_sets], is_expected=True)
    assert course._stepped == [1]


def test_no_policy_is_made_where_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``measure="none"`` a player that is stepped draws without making its policy, and earns what it does otherwise."""
    game = told(GAMES["shapley"])
    players = [Stepped(MAKERS["adaptive"](actions)) for actions in game.action_sets]
    rewards = self_play(game, players, DAYS, rng=2, checkpoints=1).rewards

    def refuse(view: Any) -> None:
        raise AssertionError("a policy was made")

    monkeypatch.setattr("swapregret.learners.round.running.View.policy", refuse)
    assert self_play(game, players, DAYS, rng=2, checkpoints=1, measure="none").rewards == rewards


def test_realised_rewards_are_recorded_as_met() -> None:
    """With ``measure="realised"`` ledgers hold what the actions of the others made, in both ways of playing."""
    game = GAMES["shapley"]
    ways = [(game, lambda player: player), (game, Stepped), (told(game), lambda player: player)]
    found = [play(each, ["adaptive"], is_expected=False, kind=kind)[2][0] for each, kind in ways]
    for mine, *others in zip(*found, strict=True):
        for yours in others:
            assert mine.total == pytest.approx(yours.total, rel=1e-12)
            assert mine.earned == pytest.approx(yours.earned, rel=1e-12)


def test_lists_that_outgrow_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy whose list does not fit is given room in the middle of a round, and the play is the same."""
    game = GAMES["shapley"]
    wide = play(game, ["adaptive", "multiscale"])
    for module in ("multiscale.swap_master", "adaptive.adaptive_master"):
        monkeypatch.setattr(f"swapregret.learners.{module}.room_for_lists", lambda actions, variants: 1)
    narrow = play(game, ["adaptive", "multiscale"])
    rooms = [state.state.policies.chances.shape[1] for state in narrow[0].states]
    assert min(rooms) > 1
    assert narrow[0].earned.tolist() == wide[0].earned.tolist()
    for mine, yours in zip(narrow[2][0], wide[2][0], strict=True):
        assert mine.total == pytest.approx(yours.total, rel=1e-12)


def test_short_tapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tape that is full is read in the middle of a block; windows and ledgers do not notice."""
    game = GAMES["matrix"]
    _, _, (books, windows) = play(game, ["adaptive"])
    monkeypatch.setattr("swapregret.learners.round.taping._POLICIES", 1)
    _, _, (again, cut) = play(game, ["adaptive"])
    for player, (mine, yours) in enumerate(zip(books, again, strict=True)):
        assert rows_of(game, player, mine) == pytest.approx(rows_of(game, player, yours), abs=1e-10)
    assert [policy.marginals().round(12).tolist() for each in windows for policy in each.policies()] == [
        policy.marginals().round(12).tolist() for each in cut for policy in each.policies()
    ]


def test_errors_come_out_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A projection that cannot be made raises the sentence that stepping raises."""
    game = shapley()
    players = [master(actions) for actions in game.action_sets]

    def blind(running: Any, target: Any) -> None:
        running.state.tally.prediction[:] = np.nan

    monkeypatch.setattr("swapregret.learners.round.running.Running.show_mean", blind)
    with pytest.raises(sr.errors.NotConverged, match="projection onto the convex hull"):
        self_play(game, players, 5, rng=0)


@pytest.mark.parametrize("name", ["security", "ranking", "market", "bpr", "congestion"])
def test_payoffs_are_linear_in_each_other_player(name: str) -> None:
    """Expected payoff vectors are the mean of the payoff vectors over independent draws, by enumeration."""
    rng = np.random.default_rng(2)
    games: dict[str, Any] = {
        "security": SecurityGame(DIAMOND, "s", "t", 2, worth=rng.random(6), toll=rng.random(6)),
        "ranking": RankingDuel([0.5, 0.3, 0.2]),
        "market": MatchingMarket([rng.random((2, 3)), rng.random((1, 3)), rng.random((3, 3))], rng.random((3, 3))),
        "bpr": RoutingGame(DIAMOND, bpr_costs(rng.random(6), 1.0, 0.15, 4.0, 3), [("s", "t")] * 3),
        "congestion": CongestionGame([sr.MSets(4, 2), sr.MSets(3, 1)], rng.random((5, 2)), [[4, 0, 2, 1], [1, 4, 3]]),
    }
    game = games[name]
    lists = [actions.enumerate() for actions in game.action_sets]
    policies = [rng.dirichlet(np.ones(len(rows))) for rows in lists]
    marginals = [policy @ rows for policy, rows in zip(policies, lists, strict=True)]
    for player in range(game.n_players):
        mean = np.zeros(game.action_sets[player].dimension)
        shape = tuple(1 if p == player else len(rows) for p, rows in enumerate(lists))
        for places in np.ndindex(shape):
            weight = np.prod(
                [policy[at] for p, (policy, at) in enumerate(zip(policies, places, strict=True)) if p != player]
            )
            profile = [rows[at] for rows, at in zip(lists, places, strict=True)]
            mean += weight * game.payoff_vector(player, profile)
        assert game.expected_payoff_vector(player, marginals) == pytest.approx(mean, abs=1e-12)


def test_a_subclass_with_payoffs_of_its_own_is_stepped() -> None:
    """Whoever overrides the payoffs of a game with a rule is asked for them."""

    class Doubled(ShapleyGame):
        """Shapley's game turned round."""

        def payoff_vector(self, player: int, actions: Any) -> Any:
            """Pay the others' elements backwards."""
            return super().payoff_vector(player, [action[::-1] for action in actions])

    game = Doubled(6, 2)
    assert not game.is_compiled
    assert ShapleyGame(6, 2).is_compiled
    players = [sr.baselines.uniform(actions) for actions in game.action_sets]
    assert self_play(game, players, 5, rng=0, checkpoints=1).rewards


def test_windows_of_lockstep_have_the_gaps_of_the_days() -> None:
    """With windows of one day the play read from tapes has the gaps of the ledgers read from tapes."""
    game = ShapleyGame(6, 2)
    players = [master(actions, "adaptive") for actions in game.action_sets]
    result = self_play(game, players, DAYS, rng=1, windows=DAYS, checkpoints=1)
    for one, other in zip(result.certificate.swap, certify(result.play).swap, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-9)


def test_addresses_are_called_by_compiled_code_alone() -> None:
    """From Python an address is refused: it says nothing about what is there."""
    with pytest.raises(TypeError, match="not callable"):
        call_act(0, 0)
