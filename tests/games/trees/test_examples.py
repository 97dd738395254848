"""The examples of sequential games: each is read as the command reads it, played, and is the game it says."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from swapregret.games import best_correlated_equilibrium, make_game, make_players, self_play

EXAMPLES = Path(__file__).parents[3] / "examples/games"
PLANS = {
    "kuhn": [27, 64],
    "auction": [27, 27],
    "signalling": [4, 4],
    "goofspiel": None,
    "leduc": [6.3e44, 4.9e87],
}
OF_OPENSPIEL = {"goofspiel", "leduc"}


def described(name: str) -> dict[str, Any]:
    """Return the description of an example."""
    return tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))


def test_every_sequential_example_is_tried() -> None:
    """No example is left out here."""
    found = {path.stem for path in EXAMPLES.glob("*.toml") if described(path.stem)["game"]["kind"] == "sequential"}
    assert found == set(PLANS)


@pytest.mark.parametrize("name", sorted(PLANS))
def test_an_example_is_played(name: str) -> None:
    """It has as many plans as are known, and its players learn: ε is below that of the first days."""
    if name in OF_OPENSPIEL:
        pytest.importorskip("pyspiel")
    whole = described(name)
    game = make_game(whole["game"], EXAMPLES)
    if PLANS[name] is not None:
        assert [float(actions.n_actions or 0) for actions in game.action_sets] == pytest.approx(PLANS[name], rel=0.02)
    rounds = 40 if name == "leduc" else 400
    players = make_players(game, rounds, whole["players"])
    result = self_play(game, players, rounds, rng=0, checkpoints=4)
    assert max(result.history[-1].swap) < max(result.history[0].swap)
    assert result.certificate.epsilon < 0.2


def test_what_a_mediator_can_reach_in_the_examples() -> None:
    """In the auction the best is to bid low and share ties; in beer and quiche both guests order the same."""
    auction = best_correlated_equilibrium(make_game(described("auction")["game"], EXAMPLES))
    assert auction.value == pytest.approx(13 / 9)
    guest = best_correlated_equilibrium(make_game(described("signalling")["game"], EXAMPLES))
    assert guest.payoffs == pytest.approx([2.9, 0.9])
