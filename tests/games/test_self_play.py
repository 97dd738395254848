"""Self-play: what is recorded is what was played, and learners without swap regret come closer to equilibrium."""

from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.games import Checkpoint, FunctionGame, Game, ShapleyGame, certify, chicken, self_play, shapley
from swapregret.learners.baselines.follow_the_leader import follow_the_leader


def uniform(game: Game) -> list[Any]:
    """Return uniform play for all."""
    return [sr.baselines.uniform(actions) for actions in game.action_sets]


def test_every_game_can_be_played(game: Game) -> None:
    """Uniform play of every kind of game: one policy throughout, so the compressed play has the gaps of the days exactly."""
    result = self_play(game, uniform(game), 12, rng=1, windows=3, checkpoints=2)
    assert result.play.n_windows == 3
    assert sum(result.play.days) == 12
    assert [checkpoint.day for checkpoint in result.history] == [6, 12]
    if result.measure == "expected":
        for one, other in zip(result.certificate.swap, certify(result.play).swap, strict=True):
            assert one.value == pytest.approx(other.value, abs=1e-12)
    assert all(0.0 <= reward <= 1.0 for reward in result.rewards)


def test_windows_of_one_day_lose_nothing() -> None:
    """With as many windows as days the compressed play is the play: the same gaps as the ledgers of the days."""
    game = shapley()
    players = [sr.swap_combcp(actions, 200, preset="multiscale") for actions in game.action_sets]
    result = self_play(game, players, 200, rng=3, windows=200, checkpoints=1)
    for one, other in zip(result.certificate.swap, certify(result.play).swap, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-9)


def test_same_seed_same_play() -> None:
    """Two runs from one seed agree bit for bit, another seed differs; no seed records its entropy."""
    game = chicken()
    players = [
        sr.swap_combcp(game.action_sets[0], 150, preset="multiscale"),
        sr.swap_combcp(game.action_sets[1], 150, feedback="full", preset="multiscale"),
    ]
    first, again, other = (self_play(game, players, 150, rng=seed, checkpoints=1) for seed in (4, 4, 5))
    assert first.play.policies == again.play.policies
    assert first.rewards == again.rewards
    assert first.rewards != other.rewards
    drawn = self_play(game, uniform(game), 5)
    assert drawn.entropy is not None
    assert self_play(game, uniform(game), 5, rng=drawn.entropy).rewards == drawn.rewards


def test_kinds_of_feedback_can_be_mixed() -> None:
    """Bandit against semi-bandit against full feedback, each shown what it asks for."""
    seen: dict[str, Any] = {}

    def spy(player: Any, kind: str) -> Any:
        class Spy:
            actions, feedback = player.actions, kind

            def start(self, rng: Any) -> Any:
                return player.start(rng)

            def policy(self, state: Any) -> Any:
                return player.policy(state)

            def observe(self, state: Any, decision: Any, reward: Any) -> Any:
                seen[kind] = (decision.action.copy(), reward)
                return state

        return Spy()

    sets = [MSets(4, 2)] * 3
    game = FunctionGame(sets, lambda player, actions: (actions[(player + 1) % 3] + actions[(player + 2) % 3]) / 4.0)
    kinds = ["bandit", "semi-bandit", "full"]
    players = [spy(sr.baselines.uniform(actions), kind) for actions, kind in zip(sets, kinds, strict=True)]
    result = self_play(game, players, 1, rng=0)
    assert result.measure == "realised"
    plays = [seen[kind][0] for kind in kinds]
    vectors = [game.rewards(player, plays) for player in range(3)]
    assert seen["bandit"][1] == pytest.approx(float(vectors[0] @ plays[0]))
    assert seen["semi-bandit"][1].tolist() == (vectors[1] * plays[1]).tolist()
    assert seen["full"][1].tolist() == vectors[2].tolist()


def swap_learner(actions: Any, days: int) -> Any:
    """Return Swap-ComBCP on four scales that change their minds every 8 days at most: quick to step."""
    return sr.swap_combcp(
        actions, days, schedule=sr.Schedule(windows=(8, days // 16, days // 4, days)), preset="multiscale"
    )


def test_swap_learners_come_closer_than_a_single_learner() -> None:
    """Shapley's game: swap learners end with a third of the sum of swap gaps of the single external-regret learner, or less."""
    game, days = ShapleyGame(3, 1), 2048
    ours, single = (
        self_play(game, [make(actions, days) for actions in game.action_sets], days, rng=0, windows=100, checkpoints=1)
        for make in (swap_learner, sr.baselines.combcp)
    )
    assert ours.certificate.is_exact
    assert single.certificate.total > 0.2
    assert ours.certificate.total < single.certificate.total / 3


def test_an_opponent_that_answers_the_visible_history() -> None:
    """Against a best response to everything seen, which no oblivious world is, the swap learner's own gap is half or less.

    Single runs spread from .01 to .14 and from .13 to .34: the sums of three runs are compared.
    """
    game, days = ShapleyGame(3, 1), 1536
    answerer = follow_the_leader(game.action_sets[1], days, feedback="full")
    ours, single = (
        sum(
            self_play(game, [make(game.action_sets[0], days), answerer], days, rng=seed, windows=100, checkpoints=1)
            .certificate.swap[0]
            .value
            for seed in range(3)
        )
        for make in (swap_learner, sr.baselines.combcp)
    )
    assert ours < single / 2


def test_progress_is_told() -> None:
    """The callback hears every checkpoint, the last at the horizon, and gaps are those of the result."""
    heard: list[Checkpoint] = []
    game = chicken()
    result = self_play(game, uniform(game), 40, rng=0, checkpoints=3, progress=heard.append)
    assert [checkpoint.day for checkpoint in heard] == [10, 20, 40]
    assert heard[-1].swap == tuple(gap.value for gap in result.certificate.swap)
    assert tuple(heard) == result.history


def test_wrong_players_are_refused() -> None:
    """Too few players, players of another set, a measure that does not exist: refused."""
    game = chicken()
    with pytest.raises(InvalidInput, match="one per player"):
        self_play(game, uniform(game)[:1], 5)
    with pytest.raises(InvalidInput, match="must be made for its set"):
        self_play(game, [sr.baselines.uniform(MSets(3, 1))] * 2, 5)
    with pytest.raises(InvalidInput, match="measure"):
        self_play(game, uniform(game), 5, measure="guessed")
    blind = FunctionGame([MSets(2, 1)] * 2, lambda player, actions: np.asarray(actions[1 - player], dtype=float))
    with pytest.raises(InvalidInput, match="measure"):
        self_play(blind, uniform(blind), 5, measure="expected")


@pytest.mark.parametrize(
    "game", [chicken(), FunctionGame([MSets(3, 1)] * 2, lambda player, actions: actions[1 - player])]
)
def test_a_play_without_a_measure_is_the_same_play(game: Game) -> None:
    """``measure="none"`` draws and learns as any other, records nothing, and refuses what would need a record."""
    players = [sr.baselines.regret_matching(actions, 60, feedback="full") for actions in game.action_sets]
    whole, bare = (self_play(game, players, 60, rng=2, measure=measure) for measure in (None, "none"))
    assert bare.rewards == whole.rewards
    assert bare.ledgers == ()
    assert "gap" not in repr(bare)
    assert "nan" in repr(bare.history[-1])
    for ask in ("play", "certificate"):
        with pytest.raises(InvalidInput, match="recorded: got a self-play with measure='none'"):
            getattr(bare, ask)
