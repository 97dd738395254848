"""What the examples share: finding their files, and printing reward and regrets beside the best fixed action."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import swapregret as sr


def find_files(folder: Path, names: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return where the files are, in a folder or in one of its own folders, and the names of those that are missing."""
    for place in (folder, *sorted(child for child in folder.glob("*") if child.is_dir())):
        if all((place / name).is_file() for name in names):
            return [place / name for name in names], []
    return [], [name for name in names if not (folder / name).is_file()]


def print_curves(world: sr.environments.Environment, players: Mapping[str, Any], seed: int, scale: float = 1.0) -> None:
    """Play, and print the mean reward so far beside that of the best fixed action, times ``scale``; then the regrets."""
    results = {name: sr.play(player, world, rng=seed) for name, player in players.items()}
    curves = [result.curve() for result in results.values()]
    days = curves[0].days
    means = world.means(0, world.horizon)
    print(f"{'days':>9} {'best fixed':>11} " + " ".join(f"{name:>16}" for name in players))
    for i, day in enumerate(days):
        best = float(world.actions.argmax(means[:day].sum(axis=0)) @ means[:day].mean(axis=0))
        shown = " ".join(f"{scale * curve.reward.value[i]:>16.4f}" for curve in curves)
        print(f"{day:>9,} {scale * best:>11.4f} {shown}")
    print("\nregret per day, from policies  external      swap")
    for name, result in results.items():
        external, swap = (scale * each.per_round for each in (result.external_regret, result.swap_regret))
        print(f"{name:>28} {external:>10.4f} {swap:>9.4f}")
