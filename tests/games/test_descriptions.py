"""Descriptions of games and players: what they hold is read by the signatures of what they name."""

from typing import Any

import pytest

from swapregret.errors import InvalidInput
from swapregret.games import chicken, descriptions, make_game, make_players

_ROUTES = {"kind": "routing", "commodities": [["s", "t"]] * 2}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"kind": "blotto", "troops": [3, 2], "fields": "x"}, "`fields`"),
        ({"kind": "blotto", "troops": [3, 2]}, "'values'"),
        ({"kind": "blotto", "troops": [3, 2], "fields": 2, "colour": 1}, "'colour'"),
        (_ROUTES, "`layered`"),
        (_ROUTES | {"layered": 5}, "`layered`"),
        (_ROUTES | {"layered": [2]}, "'width'"),
        (_ROUTES | {"layered": [2, 2], "vehicles": "x"}, "`vehicles`"),
        (_ROUTES | {"layered": [2, 2], "seed": "x"}, "`seed`"),
        (_ROUTES | {"layered": [2, 2], "affine": 3}, "`affine`"),
        (_ROUTES | {"layered": [2, 2], "affine": {"constant": 1.0}}, "'slope'"),
        (_ROUTES | {"layered": [2, 2], "bpr": {"capacity": 1.0}}, "'free_flow'"),
        ({"kind": "matrix"}, "`payoffs`"),
        ({"kind": "matrix", "file": 3}, "`file`"),
        ({"kind": "sequential"}, "`tree`"),
    ],
)
def test_what_a_game_is_made_of_is_read(spec: dict[str, Any], words: str) -> None:
    """What is missing, unknown or no number is refused by its name."""
    with pytest.raises(InvalidInput) as caught:
        make_game(spec)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"step": "abc"}, "`step`"),
        ({"windows": "abc"}, "`windows`"),
        ({"learner": "single", "windows": [1, 4]}, "'windows'"),
        ({"learner": "uniform", "colour": 3}, "'colour'"),
        ({"colour": 3}, "colour"),
    ],
)
def test_options_of_players_are_read(spec: dict[str, Any], words: str) -> None:
    """What is no option, or no number, is refused by its name."""
    with pytest.raises(InvalidInput) as caught:
        make_players(chicken(), 100, [spec])
    assert words in str(caught.value)


def test_a_mistake_of_ours_is_not_taken_for_one_of_the_description(monkeypatch: pytest.MonkeyPatch) -> None:
    """A KeyError or TypeError in the body of what is called surfaces as itself."""

    def broken(actions: Any, horizon: int) -> Any:
        return {}[horizon] + actions

    monkeypatch.setitem(descriptions._PLAYERS, "uniform", broken)
    with pytest.raises(KeyError):
        make_players(chicken(), 100, [{"learner": "uniform"}])
    monkeypatch.setitem(descriptions._KINDS, "shapley", lambda: {}["shapley"])
    with pytest.raises(KeyError):
        make_game({"kind": "shapley"})
