"""Rounds per second against an older revision, in one run.

    python benchmarks/against.py                        every row, against b5b39e6
    python benchmarks/against.py --only "permutations"  rows whose name contains a word
    python benchmarks/against.py --revision main~20 --turns 5

The older source is taken out of git into a folder that is removed again, and runs with the libraries installed here. Both play
the block rates and the learners of ``make bench-speed`` and measured play off m-sets (a ledger, adaptive and multi-scale), in
turns, one after the other, each in a process of its own; the best of the turns counts. The table shows thousands of rounds per
second of processor time, and the ratio. Compiling is left out.

Random streams differ between revisions, and where policies come near an action a day costs more or less as the draws fall: on
partitions 20 → 10 seeds differ by a factor of 1.7. So both sources play the same number of days, under seeds 0 to 7.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_HERE = Path(__file__).resolve().parents[1]

_ROWS = """
import json, sys, time
import swapregret as sr
try:  # an older source has its own
    from swapregret.experiments.bench.cases import LEARNERS, PRESET_CASES, ROUNDS, STATES, round_player, world
    from swapregret.experiments.bench.timing import measure
except ImportError:
    from speed.cases import LEARNERS, PRESET_CASES, ROUNDS, STATES, round_player, world
    from swapregret.experiments.timing import measure

only, seconds, days = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])
rates = {}


def note(name, rate):
    if any(word in name for word in only.split(";")):
        rates[name] = rate()
        print(name, f"{rates[name]:.4g}", file=sys.stderr, flush=True)


def unmeasured(name, player, state):
    run = lambda rounds, seed=0: sr.play(player, world(player.actions, rounds, state), rng=seed, measure="none")
    rounds = days.setdefault(name, measure(run, seconds).rounds)
    began = time.process_time()
    for seed in range(8):
        run(rounds, seed)
    return 8 * rounds / (time.process_time() - began)


def measured(actions, preset, rounds=20_000):
    player = sr.swap_combcp(actions, rounds, preset=preset)
    world = sr.environments.iid(actions, rounds, rng=0)
    sr.play(player, world, rng=1, replications=1)
    began = time.process_time()
    sr.play(player, world, rng=2, replications=1)
    return rounds / (time.process_time() - began)


for case in ROUNDS:
    for state in STATES:
        name = f"{case.name}, {state}"
        note(name, lambda: unmeasured(name, round_player(case.make(), state, case.learner), state))
for case in PRESET_CASES:
    for learner, make in LEARNERS.items():
        name = f"{case.name}, {learner}"
        note(name, lambda: unmeasured(name, make(case.make(), 1_000_000), "concentrated"))

layers = [["s"], *([f"{layer}{node}" for node in range(5)] for layer in range(5)), ["t"]]
edges = [(a, b) for left, right in zip(layers, layers[1:]) for a in left for b in right]
k6 = [(a, b) for a in range(6) for b in range(a)]
for name, make in {
    "paths, 110 edges": lambda: sr.DagPaths(edges, source="s", sink="t"),
    "permutations 5": lambda: sr.Permutations(5),
    "permutations 8": lambda: sr.Permutations(8),
    "trees of K_6": lambda: sr.SpanningTrees(k6),
    "forests of K_6, 3 edges": lambda: sr.Forests(k6, size=3),
    "partitions 10 -> 5": lambda: sr.Partitions(10, 5),
}.items():
    for preset in ("multiscale", "adaptive"):
        note(f"measured: {name}, {preset}", lambda: measured(make(), preset))
print(json.dumps([rates, days]))
"""

_Rows = dict[str, float]


def rates_of(source: Path, only: str, seconds: float, days: _Rows) -> tuple[_Rows, _Rows]:
    """Return the rates of one source, by row, and how many days each was played for: those given, where some are."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = os.environ | threads | {"PYTHONPATH": f"{source}{os.pathsep}{_HERE / 'benchmarks'}"}
    command = [sys.executable, "-c", _ROWS, only, str(seconds), json.dumps(days)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rates, played = json.loads(done.stdout)
    return rates, played


def take_out(revision: str, folder: Path) -> Path:
    """Write the sources of a revision into a folder and return where they are."""
    packed = subprocess.run(["git", "archive", revision, "src"], cwd=_HERE, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def main() -> None:
    """Measure both and print the table."""
    parser = argparse.ArgumentParser(description="Rounds per second against an older revision, in one run.")
    parser.add_argument("--revision", default="b5b39e6", help="the older revision")
    parser.add_argument(
        "--only", default="", help="rows whose name contains this, or one of several words with ; between them"
    )
    parser.add_argument("--turns", type=int, default=2, help="how often both are measured")
    parser.add_argument("--seconds", type=float, default=0.4, help="processor time for each figure")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = {"before": take_out(asked.revision, Path(folder)), "now": _HERE / "src"}
        best: dict[str, _Rows] = {name: {} for name in sources}
        days: _Rows = {}
        for _ in range(asked.turns):
            for name, source in sources.items():
                rates, days = rates_of(source, asked.only, asked.seconds, days)
                for row, rate in rates.items():
                    best[name][row] = max(rate, best[name].get(row, 0.0))
    width = max(len(row) for row in best["now"])
    print(f"{'thousand rounds per second':{width}} {asked.revision:>10} {'now':>10} {'ratio':>7}")
    for row, now in best["now"].items():
        before = best["before"][row]
        print(f"{row:{width}} {before / 1e3:10.2f} {now / 1e3:10.2f} {now / before:7.2f}")


if __name__ == "__main__":
    main()
