"""How a correlated play is written: atoms once, and for each window which of them, with what weight.

Header: kind ``correlated play``; metadata with the description of the game, names and labels. NamedArrays: ``days``; for player i
``atoms_i`` (bits of 0/1 rows, little end first), ``first_i`` (where each window begins), ``atom_i``, ``weight_i`` (adding up
to 1 in each window), ``spread_i`` (the probability, in each window, of the set's own exploration policy instead of the atoms).
"""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, NamedArrays, Vector
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.held import held_array
from swapregret.files.storage import from_bytes, read_file, reading, to_bytes, write_file
from swapregret.files.values import is_same
from swapregret.games.descriptions import make_game
from swapregret.games.payoffs import Game
from swapregret.policy import FinitePolicy, Mixture, Policy, mix

_KIND = "correlated play"
_ABOUT = ("game", "players", "labels", "ranges")


def split_policy(policy: Policy, spread: Policy) -> tuple[Actions, Vector, float]:
    """Read a policy as atoms, their weights and a share of the exploration policy, or refuse.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_set_policies import UniformSubsets
    >>> point, wide = FinitePolicy([[1] * 8 + [0] * 32], [1.]), UniformSubsets(40, 8)
    >>> split_policy(mix([point, wide], [.75, .25]), wide)[1:]
    (array([1.]), 0.25)
    """
    parts: list[tuple[Policy, float]] = [(policy, 1.0)]
    if isinstance(policy, Mixture) and not policy.has_atoms:
        parts = list(zip(policy.components, policy.component_weights.tolist(), strict=True))
    listed = [(part, weight) for part, weight in parts if part.has_atoms]
    for part, _ in parts:
        if not part.has_atoms and not is_same(part, spread):
            raise Unsupported(
                "policies of a play in a file must be atoms and a share of the set's exploration policy",
                f"{part!r}",
                "Let self_play record the play: it lists policies or draws from them.",
            )
    if not listed:
        return np.zeros((0, policy.dimension), dtype=np.int64), np.zeros(0), 1.0
    total = sum(weight for _, weight in listed)
    alike = mix([part for part, _ in listed], [weight / total for _, weight in listed]).finite()
    return alike.atoms, alike.weights, sum(weight for part, weight in parts if not part.has_atoms)


def join_policy(atoms: Actions, weights: Vector, share: float, spread: Policy) -> Policy:
    """Put a policy together again."""
    if len(atoms) == 0:
        return spread
    listed = FinitePolicy(atoms, weights)
    return mix([listed, spread], [1.0 - share, share]) if share > 0.0 else listed


def write_play(
    path: str | os.PathLike[str], game: Game, days: Sequence[int], policies: Sequence[Sequence[Policy]]
) -> None:
    """Write a play to a file."""
    arrays: NamedArrays = {"days": np.array(days, dtype=np.int64)}
    for player, actions in enumerate(game.action_sets):
        arrays |= _write_player(actions, player, [row[player] for row in policies])
    write_file(path, to_bytes(_KIND, _about(game), arrays))


def _about(game: Game) -> dict[str, Any]:
    """Return what a file says of a game."""
    return {
        "game": dict(game.spec) if game.spec is not None else None,
        "players": list(game.names),
        "labels": [[str(label) for label in actions.labels] for actions in game.action_sets],
        "ranges": [list(game.payoff_range(player)) for player in range(game.n_players)],
    }


def _write_player(actions: ActionSet, player: int, policies: Sequence[Policy]) -> NamedArrays:
    spread = actions.exploration_policy()
    atoms, weights, shares = zip(*(split_policy(policy, spread) for policy in policies), strict=True)
    packed = np.packbits(np.concatenate(atoms).astype(np.uint8), axis=1, bitorder="little")
    rows, atom = np.unique(packed, axis=0, return_inverse=True)
    return {
        f"atoms_{player}": rows,
        f"first_{player}": np.cumsum([0, *map(len, weights)], dtype=np.int64),
        f"atom_{player}": atom.astype(np.int32),
        f"weight_{player}": np.concatenate(weights),
        f"spread_{player}": np.array(shares, dtype=np.float64),
    }


def read_play(path: str | os.PathLike[str], game: Game | None) -> tuple[Game, list[int], list[tuple[Policy, ...]]]:
    """Read a play from a file, with the game it was played in."""
    metadata, arrays = from_bytes(_KIND, read_file(path), os.fspath(path))
    with reading(os.fspath(path)):
        if set(metadata) != set(_ABOUT) or not isinstance(metadata["game"], dict | None):
            raise InvalidInput(f"a play must have {', '.join(_ABOUT)}", f"{metadata!r:.80}", "Restore it from a copy.")
        if game is None and metadata["game"] is None:
            raise InvalidInput(
                "`game` must be given for a play of a game that has no description in the file", "None", "Hand it over."
            )
        played = make_game(metadata["game"] or {}) if game is None else game
        for key, value in _about(played).items():
            if key != "game" and metadata[key] != value:
                raise InvalidInput(
                    "`game` must be the one the play was recorded in",
                    f"a file with other {key}",
                    "Hand over that game.",
                )
        days = held_array(arrays, "days", "int64", (None,), 1, 2**62)
        policies = [
            _read_player(actions, player, arrays, len(days)) for player, actions in enumerate(played.action_sets)
        ]
        return played, days.tolist(), list(zip(*policies, strict=True))


def _read_player(actions: ActionSet, player: int, arrays: NamedArrays, n_windows: int) -> list[Policy]:
    width = (actions.dimension + 7) // 8
    packed = held_array(arrays, f"atoms_{player}", "uint8", (None, width), 0, 255)
    rows = np.unpackbits(packed, axis=1, count=actions.dimension, bitorder="little").astype(np.int64)
    if not all(row in actions for row in rows):
        raise InvalidInput(f"`atoms_{player}` must be actions of the player", "others", "Restore the file from a copy.")
    weight = held_array(arrays, f"weight_{player}", "float64", (None,), 0.0, 1.0)
    atom = held_array(arrays, f"atom_{player}", "int32", weight.shape, 0, len(rows) - 1)
    first = held_array(arrays, f"first_{player}", "int64", (n_windows + 1,), 0, len(atom))
    shares = held_array(arrays, f"spread_{player}", "float64", (n_windows,), 0.0, 1.0)
    if first[0] != 0 or first[-1] != len(atom) or (np.diff(first) < 0).any():
        raise InvalidInput(f"`first_{player}` must say where each window begins", f"{first!r:.80}", "Restore it.")
    spread = actions.exploration_policy()
    return [
        join_policy(rows[atom[begin:end]], weight[begin:end], share, spread)
        for begin, end, share in zip(first[:-1], first[1:], shares.tolist(), strict=True)
    ]
