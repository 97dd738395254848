"""Gambit's files in normal form, in both bodies."""

from pathlib import Path

import numpy as np
import pytest

from swapregret.errors import InvalidInput
from swapregret.games import parse_nfg, read_nfg

_PAYOFFS = """NFG 1 R "Two by three" { "Row" "Column" }
{ { "up" "down" } { "l" "m" "r" } }
"a comment with } in it"

1 10 2 20 3 30 4 40 5 50 6 60
"""
_OUTCOMES = """NFG 1 R "Outcomes" { "A" "B" "C" } { { "1" "2" } { "1" "2" } { "1" "2" } }
""
{
{ "first" 1, 2, 3 }
{ "second" 4, 5/2, -6e-1 }
}
1 2 0 1 2 2 0 1
"""


def test_payoffs_run_over_the_first_player_fastest() -> None:
    """Cell k holds the payoffs of all players, the first player's action running fastest."""
    game = parse_nfg(_PAYOFFS)
    assert game.names == ("Row", "Column")
    assert game.tables[0].tolist() == [[1, 3, 5], [2, 4, 6]]
    assert game.tables[1].tolist() == [[10, 30, 50], [20, 40, 60]]
    assert game.action_sets[1].labels == ("l", "m", "r")


def test_outcomes_are_looked_up_and_0_pays_nothing() -> None:
    """Cells name outcomes counted from 1; 0 pays everybody 0; fractions and exponents are numbers."""
    game = parse_nfg(_OUTCOMES)
    flat = [[table.ravel(order="F").tolist() for table in game.tables][player] for player in range(3)]
    assert flat[0] == [1, 4, 0, 1, 4, 4, 0, 1]
    assert flat[1] == [2, 2.5, 0, 2, 2.5, 2.5, 0, 2]
    assert flat[2] == [3, -0.6, 0, 3, -0.6, -0.6, 0, 3]


def test_files_are_read(tmp_path: Path) -> None:
    """A file gives the game of its text; one that is not there is named."""
    path = tmp_path / "game.nfg"
    path.write_text(_PAYOFFS)
    assert np.array_equal(read_nfg(path).tables, parse_nfg(_PAYOFFS).tables)
    with pytest.raises(InvalidInput, match="can be read"):
        read_nfg(tmp_path / "none.nfg")


@pytest.mark.parametrize(
    "text",
    [
        "EFG 2 R",
        'NFG 1 R "x" { "a" "b" } { 2 2 } 1 2 3',
        'NFG 1 R "x" { "a" "b" } { 2 2 } 1 2 3 4 5 6 7 8 9',
        'NFG 1 R "x" { "a" "b" } { 2 } 1 2 3 4',
        'NFG 1 R "x" { "a" "b" } { 2 2 } 1 2 3 4 5 6 7 eight',
        'NFG 1 R "x" { "a" "b" } { 2 2 } { { "o" 1 2 } } 1 1 1 2',
        'NFG 1 R "x" { "a" "b" } { 2 2 } { { "o" 1 } } 1 1 1 1',
        'NFG 1 R x { "a" "b" } { 2 2 } 1 2 3 4 5 6 7 8',
        'NFG 1 R "x" { "a" "b" } { 1000000000000 2 } 1 2 3 4 5 6 7 8',
        'NFG 1 R "x" { "a" "b" } { 8 8 } 1 2 3 4 5 6 7 8',
        'NFG 1 R "x" { "a" "b" } { 2 2.5 } 1 2 3 4 5 6 7 8',
        'NFG 1 R "x" { "a" "b" } { 2 2 } 1e400 2 3 4 5 6 7 8',
    ],
)
def test_what_is_no_game_is_refused(text: str) -> None:
    """Other files, too few or too many numbers, words for numbers, outcomes that do not exist: refused."""
    with pytest.raises(InvalidInput):
        parse_nfg(text)


def test_names_that_come_twice_become_numbers() -> None:
    """Players or actions of one name cannot be told apart, so they are numbered."""
    game = parse_nfg('NFG 1 D "x" { "a" "a" } { { "s" "s" } { "" "t" } } "" 1 2 3 4 5 6 7 8')
    assert game.names == ("player 0", "player 1")
    assert [actions.labels for actions in game.action_sets] == [("1", "2"), ("", "t")]
