"""What the examples share: finding their files, the average reward so far beside that of the best fixed action, the regrets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.arrays import Vector
from swapregret.learners.player import Player


def find_files(folder: Path, names: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return where the files are, in a folder or in one of its own folders, and the names of those that are missing."""
    for place in (folder, *sorted(child for child in folder.glob("*") if child.is_dir())):
        if all((place / name).is_file() for name in names):
            return [place / name for name in names], []
    return [], [name for name in names if not (folder / name).is_file()]


def print_curves(
    world: sr.environments.Environment, players: dict[str, Player[Any]], seed: int, points: int = 8
) -> None:
    """Play to each of several days, and print the average reward so far beside that of the best fixed action."""
    marks = np.unique(np.geomspace(world.horizon / 2 ** (points - 1), world.horizon, points).astype(int))
    means = world.means(0, world.horizon)
    print(f"{'days':>9} {'best fixed':>11} " + " ".join(f"{name:>16}" for name in players))
    earned = {name: np.cumsum(rewards(player, world, seed)) for name, player in players.items()}
    for mark in marks:
        total = means[:mark].sum(axis=0)
        best = float(world.actions.argmax(total) @ total) / mark
        shown = " ".join(f"{curve[mark - 1] / mark:>16.4f}" for curve in earned.values())
        print(f"{mark:>9,} {best:>11.4f} {shown}")
    print("\nregret a day, from policies   external      swap")
    for name, player in players.items():
        result = sr.play(player, world, rng=seed)
        print(f"{name:>28} {result.external_regret.per_round:>10.4f} {result.swap_regret.per_round:>9.4f}")


def rewards(player: Player[Any], world: sr.environments.Environment, seed: int) -> Vector:
    """Play once with a session, as a user would, and return the reward of every day."""
    session = sr.Session(player, rng=seed)
    received = np.empty(world.horizon)
    for start in range(0, world.horizon, 4096):
        for day, row in enumerate(world.rewards(start, min(start + 4096, world.horizon)), start):
            decision = session.act()
            received[day] = row @ decision.action
            seen = {"bandit": received[day], "semi-bandit": row * decision.action, "full": row}
            session.observe(seen[session.player.feedback])
    return received
