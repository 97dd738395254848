"""Games and joint policies of OpenSpiel (extra ``openspiel``): normal-form games, and plays to certify.

OpenSpiel's objects are known by their methods, so that nothing of it is imported unless a game is asked for by name.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.normal_form import check_profiles, profiles
from swapregret.games.payoffs import read_numbers
from swapregret.games.trees.openspiel_tree import sequential_from_openspiel
from swapregret.games.trees.sequential_game import SequentialGame
from swapregret.policy import FinitePolicy

_UNITS = 2**40
"""Probabilities of joint policies are rounded to multiples of 1 in this."""
_SUM = 1e-6


def from_openspiel(game: Any) -> MatrixGame | SequentialGame:
    """Read a game of OpenSpiel.

    Parameters
    ----------
    game : pyspiel.Game or str
        A game, or the name of one, e.g. ``"matrix_rps"``, ``"kuhn_poker"`` or ``"blotto(players=2,coins=5,fields=3)"``.

    Returns
    -------
    MatrixGame or SequentialGame
        A table where all players move once, at the same time; actions are named as OpenSpiel names them, in the order of its legal
        actions. With turns or chance a sequential game, whose actions are plans.

    Raises
    ------
    TooLarge
        If a table has more than 200,000 joint actions, or a tree more than a million states.
    """
    loaded = _load(game)
    has_turns = hasattr(loaded, "get_type") and not _is_over_at_once(loaded)
    return sequential_from_openspiel(loaded) if has_turns else _table(loaded)


def _is_over_at_once(game: Any) -> bool:
    """Tell whether all players move once, at the same time."""
    state = game.new_initial_state()
    if state.is_simultaneous_node():
        state.apply_actions([state.legal_actions(player)[0] for player in range(game.num_players())])
    return bool(state.is_terminal())


def _table(game: Any) -> MatrixGame:
    """Return the table of a game in which all move once."""
    loaded, start = _start(game)
    moves = [list(start.legal_actions(player)) for player in range(loaded.num_players())]
    check_profiles(moves, "Use a game of this library, which needs no list: sr.games.BlottoGame, RoutingGame, ...")
    tables = np.empty((len(moves), *map(len, moves)))
    for places, chosen in profiles(moves):
        state = loaded.new_initial_state()
        state.apply_actions(list(chosen))
        if not state.is_terminal():
            raise _not_normal(loaded)
        for player, paid in enumerate(state.returns()):
            tables[(player, *places)] = paid
    labels = [[start.action_to_string(player, move) for move in own] for player, own in enumerate(moves)]
    return MatrixGame(list(tables), labels=labels)


def play_from_openspiel(game: Any, joint: Any) -> CorrelatedPlay:
    """Read a joint policy that OpenSpiel made as a play, to sample from and to certify.

    Parameters
    ----------
    game : pyspiel.Game or str
        As of :func:`from_openspiel`.
    joint : policy, sequence or array
        One of:

        - a policy with ``action_probabilities(state, player)``, by which all draw independently;
        - one vector of probabilities per player, as ``regret_matching`` and ``replicator dynamics`` return;
        - a correlation device, a list of (probability, policy) pairs;
        - a table of joint probabilities, one axis per player, as correlated-equilibrium solvers return.

    Examples
    --------
    ``certify(play_from_openspiel("matrix_rps", [[1/3] * 3] * 2)).epsilon`` is 0.
    """
    loaded, start = _start(game)
    matrix = _table(loaded)
    counts = [actions.dimension for actions in matrix.action_sets]
    parts: list[tuple[float, list[Vector]]] = []
    if hasattr(joint, "action_probabilities"):
        parts = [(1.0, _strategies(joint, loaded, start))]
    elif _is_device(joint):
        parts = [(float(weight), _strategies(policy, loaded, start)) for weight, policy in joint]
    elif _is_vectors(joint, counts):
        parts = [(1.0, [np.asarray(each, dtype=np.float64) for each in joint])]
    else:
        table = _read_table(joint, counts)
        for places in np.argwhere(table > 0.0).tolist():
            chosen = [np.eye(count)[place] for count, place in zip(counts, places, strict=True)]
            parts.append((float(table[tuple(places)]), chosen))
    total = sum(weight for weight, _ in parts)
    if not abs(total - 1.0) <= _SUM:
        raise InvalidInput("the probabilities of `joint` must add up to 1", repr(total), "Divide them by their sum.")
    days = [round(weight / total * _UNITS) for weight, _ in parts]
    kept = [(n, vectors) for n, (_, vectors) in zip(days, parts, strict=True) if n > 0]
    policies = tuple(tuple(_policy(vector) for vector in vectors) for _, vectors in kept)
    return CorrelatedPlay(matrix, tuple(n for n, _ in kept), policies)


def _load(game: Any) -> Any:
    """Return the game itself, if its name is given."""
    if isinstance(game, str):
        require_extra("openspiel", "loading a game of OpenSpiel")
        pyspiel = import_module("pyspiel")
        try:
            game = pyspiel.load_game(game)
        except RuntimeError as error:  # pyspiel.SpielError
            raise InvalidInput(
                "`game` must be a game of OpenSpiel", str(error), "See pyspiel.registered_names()."
            ) from None
    if not all(hasattr(game, name) for name in ("new_initial_state", "num_players")):
        raise InvalidInput(
            "`game` must be a game of OpenSpiel, or its name",
            type(game).__name__,
            "Pass e.g. pyspiel.load_game('matrix_rps').",
        )
    return game


def _start(game: Any) -> tuple[Any, Any]:
    """Return the game and its first state, in which all must be about to move."""
    game = _load(game)
    start = game.new_initial_state()
    if not start.is_simultaneous_node():
        raise _not_normal(game)
    return game, start


def _not_normal(game: Any) -> InvalidInput:
    return InvalidInput(
        "`game` must be one in which all players move once, at the same time",
        f"{game}, which has turns or chance",
        "Turn it into one: pyspiel.extensive_to_tensor_game(game).",
    )


def _strategies(policy: Any, game: Any, start: Any) -> list[Vector]:
    """Return the probabilities of each player's legal actions under a policy."""
    found = []
    for player in range(game.num_players()):
        chances = policy.action_probabilities(start, player)
        found.append(np.array([chances.get(move, 0.0) for move in start.legal_actions(player)], dtype=np.float64))
    return found


def _is_device(joint: Any) -> bool:
    return isinstance(joint, Sequence) and all(
        isinstance(each, tuple) and len(each) == 2 and hasattr(each[1], "action_probabilities") for each in joint
    )


def _is_vectors(joint: Any, counts: Sequence[int]) -> bool:
    try:
        return (
            len(joint) == len(counts)
            and all(np.shape(each) == (count,) for each, count in zip(joint, counts, strict=True))
            and np.allclose([np.sum(each) for each in joint], 1.0)
        )
    except (TypeError, ValueError):
        return False


def _read_table(joint: Any, counts: Sequence[int]) -> npt.NDArray[np.float64]:
    table = read_numbers(joint)
    if table.shape != tuple(counts) or not (table >= 0.0).all():
        raise InvalidInput(
            f"`joint` must be a policy, {len(counts)} vectors, a list of (chance, policy), or a table of shape {tuple(counts)}",
            f"{type(joint).__name__} of shape {table.shape}" if table.size else type(joint).__name__,
            "Pass what an algorithm of OpenSpiel returned for this game.",
        )
    return table


def _policy(chances: Vector) -> FinitePolicy:
    """Return the policy of one player over one-hot actions; small errors of the sum are mended."""
    if not (chances >= 0.0).all() or abs(float(chances.sum()) - 1.0) > _SUM:
        raise InvalidInput(
            "the probabilities of a player's actions must be at least 0 and add up to 1",
            repr(float(chances.sum())),
            "Check the policy.",
        )
    return FinitePolicy(np.eye(len(chances), dtype=np.int64), chances / chances.sum())
