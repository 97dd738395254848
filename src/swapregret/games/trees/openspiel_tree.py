"""Sequential games of OpenSpiel, as trees."""

from typing import Any

from swapregret.errors import InvalidInput, TooLarge
from swapregret.games.trees.sequential_game import SequentialGame

_MOST_NODES = 1_000_000


def sequential_from_openspiel(game: Any) -> SequentialGame:
    """Read a game of OpenSpiel with turns, chance, or moves at the same time, state by state.

    Information sets are called by ``information_state_string``. Where players move at the same time they do so one after the other,
    and do not see it.
    """
    if not game.get_type().provides_information_state_string:
        raise InvalidInput(
            "`game` must say what players know (information_state_string)", str(game), "Ask for a game that does."
        )
    return SequentialGame(_Reader(game.num_players()).node(game.new_initial_state()))


class _Reader:
    def __init__(self, n_players: int) -> None:
        self._n_players, self._n_nodes = n_players, 0

    def node(self, state: Any) -> Any:
        """Return a state and all that follows it."""
        self._n_nodes += 1
        if self._n_nodes > _MOST_NODES:
            raise TooLarge(f"a game must have at most {_MOST_NODES:,} states", "more", "Take a smaller game.")
        if state.is_terminal():
            return "pay", list(state.returns())
        if state.is_chance_node():
            return "chance", [(chance, self.node(state.child(move))) for move, chance in state.chance_outcomes()]
        if state.is_simultaneous_node():
            return self._together(state, [])
        player = state.current_player()
        moves = [(state.action_to_string(player, move), self.node(state.child(move))) for move in state.legal_actions()]
        return "move", player, state.information_state_string(player), moves

    def _together(self, state: Any, chosen: list[int]) -> Any:
        """Return a state in which some of the players who move at the same time have moved."""
        player = len(chosen)
        if player == self._n_players:
            after = state.clone()
            after.apply_actions(chosen)
            return self.node(after)
        moves = state.legal_actions(player)
        if not moves:
            return self._together(state, [*chosen, 0])
        parts = [(state.action_to_string(player, move), self._together(state, [*chosen, move])) for move in moves]
        return "move", player, state.information_state_string(player), parts
