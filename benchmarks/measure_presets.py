"""Measure swap regret of the presets on a grid, and write the file that ``swapregret plan`` reads.

    python benchmarks/measure_presets.py            the cells not yet in the file (some minutes in all)
    python benchmarks/measure_presets.py --again    all cells, from nothing
    python benchmarks/measure_presets.py --check 5  play five random cells of the file again; within four standard errors

A cell is one preset on one set in one world over one horizon. Every number is per round, from policies and mean rewards;
replications are averaged in the ledger before the maximum over φ. The file is written after every cell.
"""

import argparse
import json
import math
import platform
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import swapregret as sr
from swapregret.actions.set_specs import make_set
from swapregret.experiments.measured import Measurement

FILE = Path(sr.__file__).parent / "experiments" / "measured.json"
SEED = 2026
_ERRORS, _ROUNDING = 4.0, 1e-6
WORLDS = ("cyclic", "spiral", "iid", "piecewise", "tree")
GRID: list[tuple[str, list[str], list[int], int]] = [
    ("multiscale", ["msets 6 2", "msets 10 3", "msets 20 5"], [1_000, 10_000, 100_000], 4),
    ("adaptive", ["msets 6 2", "msets 10 3", "msets 20 5"], [1_000, 10_000, 100_000], 4),
    ("paper", ["msets 6 2", "msets 10 3"], [1_000, 10_000], 4),
    ("paper", ["msets 20 5"], [1_000], 4),
    ("multiscale", ["msets 6 2", "msets 10 3", "msets 20 5"], [1_000_000], 4),
    ("adaptive", ["msets 6 2", "msets 10 3", "msets 20 5"], [1_000_000], 2),
    ("adaptive", ["permutations 4", "permutations 6"], [1_000, 10_000], 4),
    ("multiscale", ["permutations 4", "permutations 6"], [1_000, 10_000, 100_000], 4),
    ("multiscale", ["partitions 6 3"], [1_000, 10_000], 4),
]
"""Preset, sets, horizons, replications."""


def cells() -> Iterator[tuple[str, str, int, str, int]]:
    """Yield preset, set, horizon, world and replications of every cell."""
    for preset, sets, horizons, replications in GRID:
        for horizon in horizons:
            for spec in sets:
                for world in WORLDS:
                    yield preset, spec, horizon, world, replications


def measure(preset: str, spec: str, horizon: int, world: str, replications: int, seed: int = SEED) -> Measurement:
    """Play one cell."""
    actions = make_set(spec)
    environment = getattr(sr.environments, world)(actions, horizon, rng=seed)
    player = sr.swap_combcp(actions, horizon, preset=preset)
    result = sr.play(player, environment, rng=seed, replications=replications)
    swap = result.swap_regret
    return Measurement(
        type(actions).__name__,
        spec,
        actions.dimension,
        actions.size,
        horizon,
        preset,
        world,
        swap.per_round,
        swap.standard_error / horizon,
        result.external_regret.per_round,
        result.reward,
        replications,
        seed,
    )


def write(rows: list[Measurement]) -> None:
    """Write the file: what it is, by what, and the cells, a line each."""
    head = {
        "what": "swap regret per round of swap_combcp, maximum over φ outside the expectation, from policies and mean rewards",
        "by": "python benchmarks/measure_presets.py",
        "versions": {"swapregret": sr.__version__, "python": platform.python_version(), "machine": platform.machine()},
    }
    lines = ",\n".join("  " + json.dumps(asdict(row)) for row in rows)
    FILE.write_text(json.dumps(head, indent=1, ensure_ascii=False)[:-2] + f',\n "cells": [\n{lines}\n ]\n}}\n', "utf-8")


def read() -> list[Measurement]:
    """Return the cells already in the file."""
    return [Measurement(**row) for row in json.loads(FILE.read_text("utf-8"))["cells"]] if FILE.exists() else []


def _cell(row: Measurement) -> tuple[str, str, int, str, int]:
    return row.preset, row.set_spec, row.horizon, row.world, row.replications


def main() -> None:
    """Parse, play, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--check", type=int, default=None, metavar="N")
    options = parser.parse_args()
    wanted = set(cells())
    rows = [] if options.again else [row for row in read() if _cell(row) in wanted]
    if options.check is not None:
        for row in random.sample(rows, options.check):
            again = measure(row.preset, row.set_spec, row.horizon, row.world, row.replications, row.seed)
            off = abs(again.swap_regret - row.swap_regret)
            print(f"{row.preset} {row.set_spec} {row.horizon} {row.world}: {row.swap_regret:.9f}, off by {off:.1e}")
            if off > _ERRORS * math.hypot(row.standard_error, again.standard_error) + _ROUNDING:
                sys.exit("The file is not what this version of the library gives: measure --again.")
        return
    known = {_cell(row) for row in rows}
    for cell in cells():
        if cell not in known:
            started = time.perf_counter()
            rows.append(measure(*cell))
            write(rows)
            row = rows[-1]
            spent = time.perf_counter() - started
            print(
                f"{row.preset:11}{row.set_spec:15}{row.horizon:>9,} {row.world:10}"
                f"{row.swap_regret:.4f} ± {row.standard_error:.4f}  {spent:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
