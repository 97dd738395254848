"""Audit a saved correlated play of a matrix game without the library that made it.

Run with ``python benchmarks/audit_play.py PLAY``. Reads the file by its documented layout, checks its checksum, lists the joint
policy over the normal form, and prints each player's swap and external gap in payoffs. Where OpenSpiel is installed, the same
policy goes through its ``ce_dist`` and ``cce_dist``; the difference to the sum of gaps is printed. Needs NumPy only.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

_MAGIC = b"swapregret file\n"


def read(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return metadata and arrays of a file."""
    data = Path(path).read_bytes()
    if not data.startswith(_MAGIC) or hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise SystemExit("not a file of this kind, or altered")
    start = len(_MAGIC) + 8
    (length,) = struct.unpack("<Q", data[len(_MAGIC) : start])
    header = json.loads(data[start : start + length])
    arrays, position = {}, start + length
    for entry in header["arrays"]:
        dtype, count = np.dtype(entry["dtype"]), int(np.prod(entry["shape"], dtype=np.int64))
        arrays[entry["name"]] = np.frombuffer(data, dtype, count, position).reshape(entry["shape"])
        position += dtype.itemsize * count
    return header["metadata"], arrays


def joint_policy(arrays: dict[str, Any], counts: tuple[int, ...]) -> Any:
    """Return the probability of every pure profile of a matrix game."""
    days = arrays["days"].astype(float)
    policy = np.zeros(counts)
    for window, weight in enumerate(days / days.sum()):
        joint: Any = np.array(weight)
        for player, count in enumerate(counts):
            first = arrays[f"first_{player}"]
            here = slice(first[window], first[window + 1])
            rows = np.unpackbits(arrays[f"atoms_{player}"], axis=1, count=count, bitorder="little")
            share = arrays[f"spread_{player}"][window]
            own = np.full(count, share / count)  # exploration of a one-hot set is uniform
            own += (1.0 - share) * (arrays[f"weight_{player}"][here] @ rows[arrays[f"atom_{player}"][here]])
            joint = np.multiply.outer(joint, own)
        policy += joint
    return policy


def gaps(tables: Any, policy: Any) -> list[tuple[float, float]]:
    """Return (swap gap, external gap) of each player, in payoffs."""
    found = []
    for player, table in enumerate(tables):
        told = np.moveaxis(policy, player, 0).reshape(policy.shape[player], -1)
        pays = np.moveaxis(table, player, 0).reshape(policy.shape[player], -1)
        worth = told @ pays.T  # [told, played]
        earned = float(np.trace(worth))
        found.append((float(worth.max(axis=1).sum()) - earned, max(0.0, float(worth.sum(axis=0).max()) - earned)))
    return found


def with_open_spiel(tables: Any, policy: Any) -> tuple[float, float] | None:
    """Return ce_dist and cce_dist of the same policy, or None where OpenSpiel is not installed."""
    try:
        import pyspiel  # type: ignore[import-not-found]
    except ImportError:
        return None
    if len(tables) == 2:
        rows, columns = ([str(i) for i in range(count)] for count in policy.shape)
        simultaneous = pyspiel.create_matrix_game(
            "audit", "audit", rows, columns, tables[0].tolist(), tables[1].tolist()
        )
    else:
        simultaneous = pyspiel.create_tensor_game([table.ravel().tolist() for table in tables], list(policy.shape))
    game = pyspiel.convert_to_turn_based(simultaneous)
    device = []
    for cell in np.argwhere(policy > 0):
        device.append((float(policy[tuple(cell)]), _pure(pyspiel, game, cell.tolist())))
    return float(pyspiel.ce_dist(game, device).dist_value), float(pyspiel.cce_dist(game, device).dist_value)


def _pure(pyspiel: Any, game: Any, cell: list[int]) -> Any:
    """Return the joint policy that plays one pure profile."""
    table, stack = {}, [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        actions = state.legal_actions()
        wanted = cell[state.current_player()]
        table[state.information_state_string()] = [(action, 1.0 if action == wanted else 0.0) for action in actions]
        stack.extend(state.child(action) for action in actions)
    return pyspiel.TabularPolicy(table)


def main() -> None:
    """Audit the play named on the command line."""
    metadata, arrays = read(sys.argv[1])
    if (metadata["game"] or {}).get("kind") != "matrix":
        raise SystemExit("this script audits plays of matrix games; list the normal form of others first")
    tables = np.array(metadata["game"]["payoffs"], dtype=float)
    policy = joint_policy(arrays, tables.shape[1:])
    found = gaps(tables, policy)
    for name, (swap, external) in zip(metadata["players"], found, strict=True):
        sys.stdout.write(f"{name}: swap gap {swap:.12g}, external gap {external:.12g} in payoffs\n")
    theirs = with_open_spiel(tables, policy)
    if theirs is None:
        sys.stdout.write("OpenSpiel is not installed here\n")
        return
    total, coarse = sum(swap for swap, _ in found), sum(external for _, external in found)
    sys.stdout.write(f"ce_dist {theirs[0]:.12g} (difference {theirs[0] - total:.2g}), ")
    sys.stdout.write(f"cce_dist {theirs[1]:.12g} (difference {theirs[1] - coarse:.2g})\n")


if __name__ == "__main__":
    main()
