"""Sequential games of OpenSpiel, as trees."""

from collections.abc import Iterator
from typing import Any

from swapregret.errors import InvalidInput
from swapregret.games.trees.sequential_game import SequentialGame


def sequential_from_openspiel(game: Any) -> SequentialGame:
    """Read a game of OpenSpiel with turns, chance, or moves at the same time, state by state.

    Information sets are called by ``information_state_string``. Where players move at the same time they do so one after the other,
    and do not see it.
    """
    if not game.get_type().provides_information_state_string:
        raise InvalidInput(
            "`game` must say what players know (information_state_string)", str(game), "Ask for a game that does."
        )
    return SequentialGame(_nodes(game))


def _nodes(game: Any) -> Iterator[Any]:
    """Yield all states in order, with those who have chosen where players move at the same time."""
    open_: list[tuple[Any, list[int]]] = [(game.new_initial_state(), [])]
    while open_:
        state, chosen = open_.pop()
        if state.is_terminal():
            yield "pay", state.returns()
        elif state.is_chance_node():
            outcomes = state.chance_outcomes()
            yield "chance", [chance for _, chance in outcomes]
            open_ += [(state.child(move), []) for move, _ in reversed(outcomes)]
        elif len(chosen) == game.num_players():
            after = state.clone()
            after.apply_actions(chosen)
            open_.append((after, []))
        else:
            together = state.is_simultaneous_node()
            player = len(chosen) if together else state.current_player()
            moves = state.legal_actions(player)
            if moves:
                names = [state.action_to_string(player, move) for move in moves]
                yield "move", player, state.information_state_string(player), names
            for move in reversed(moves or [0]):  # 0 of a player who does not move
                open_.append((state, [*chosen, move]) if together else (state.child(move), []))
