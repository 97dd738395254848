"""How long a step of a session with a journal takes: the median, the tail and the worst.

    python benchmarks/journal.py --steps 1000000

A step is ``act`` and ``observe``, two events of the journal. The worst steps are those that start the journal anew from a
snapshot, every 10,000 events, and those that wait for the machine; run it where nothing else runs.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from speed import timing

import swapregret as sr
from swapregret.arrays import Vector


def time_steps(steps: int, *, has_journal: bool, sync: bool, folder: Path) -> Vector:
    """Return the seconds of each step of a session on m-sets (10, 3), the first 1,000 left out."""
    player = sr.swap_combcp(sr.MSets(10, 3), max(steps, 1000))
    path = folder / "steps.journal" if has_journal else None
    rewards = np.random.default_rng(0).random(steps + 1000)
    with sr.Session(player, rng=1, journal=path, sync=sync) as session:
        taken = timing.time_steps(session, rewards)
    if path is not None:
        path.unlink()
    return taken[1000:]


def main() -> None:
    """Time sessions without a journal, with one, and with one that waits for the disk."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--sync-steps", type=int, default=None, help="with sync; as many as --steps if not given")
    chosen = parser.parse_args()
    print("| journal | steps | p50 | p99 | p99.9 | max |\n| --- | --- | --- | --- | --- | --- |")
    for name, has_journal, sync in (("none", False, False), ("yes", True, False), ("`sync=True`", True, True)):
        steps = chosen.sync_steps if sync and chosen.sync_steps is not None else chosen.steps
        with tempfile.TemporaryDirectory(dir=".") as folder:
            taken = time_steps(steps, has_journal=has_journal, sync=sync, folder=Path(folder)) * 1e3
        cells = [f"{np.quantile(taken, share):.3f} ms" for share in (0.5, 0.99, 0.999)]
        print(f"| {name} | {steps:,} | {' | '.join(cells)} | {taken.max():.1f} ms |", flush=True)


if __name__ == "__main__":
    main()
