"""Self-play on poker beside OpenSpiel's CFR and CFR+: ``python benchmarks/sequential_games.py [--write] [GAME:FEEDBACK:ROUNDS …]``.

Each row says what play of that many rounds reached: ε of the normal-form correlated equilibrium and of the coarse one, in rewards,
and the exploitability of the mean plans, in payoffs. Beside it stand CFR, CFR+ and, where plans can be listed, regret matching over
them, each with the same processor time, at most ``--most`` seconds. ``--write`` puts the rows into docs/games.md, in place of those
of the same game, feedback and rounds. ``--speed`` only times a round of self-play, and an iteration of CFR and of CFR+.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import pyspiel
from measured_block import block, markdown, put_block

import swapregret as sr
from swapregret.games import from_openspiel, nash_gaps, self_play

PAGE = Path(__file__).resolve().parents[1] / "docs/games.md"
NAMES = {"kuhn_poker": "Kuhn", "leduc_poker": "Leduc"}
HEADINGS = [
    "game and feedback",
    "rounds",
    "µs per round",
    "ε",
    "coarse ε",
    "exploitability",
    "CFR",
    "CFR+",
    "regret matching",
]
ROWS = [
    "kuhn_poker:full:1000",
    "kuhn_poker:full:10000",
    "kuhn_poker:full:100000",
    "kuhn_poker:bandit:100000",
    "leduc_poker:full:1000",
    "leduc_poker:full:10000",
    "leduc_poker:full:100000",
    "leduc_poker:bandit:1000",
    "leduc_poker:bandit:10000",
]
_WARM, _MOST_PLANS = 50, 2_000


def exploitability(game: Any, play: Any) -> float:
    """Return how much of the value the mean plans of both players can lose."""
    points = [play.marginals(player) for player in range(2)]
    return sum(nash_gaps(game, points)) / 2.0


def timed(game: Any, players: list[Any], rounds: int) -> tuple[Any, float]:
    """Play, and return the result and the processor time, without that of compiling."""
    self_play(game, players, min(rounds, _WARM), rng=0, checkpoints=1)
    start = time.process_time()
    result = self_play(game, players, rounds, rng=1, windows=50, checkpoints=1)
    return result, time.process_time() - start


def of_solver(solver: Any, name: str, seconds: float) -> str:
    """Return what a solver of OpenSpiel reaches in some processor time."""
    theirs = pyspiel.load_game(name)
    at_work, start = solver(theirs), time.process_time()
    while time.process_time() - start < seconds:
        at_work.evaluate_and_update_policy()
    return f"{pyspiel.exploitability(theirs, at_work.average_policy()):.2g}"


def of_regret_matching(game: Any, rounds: int, seconds: float) -> str:
    """Return what regret matching over listed plans reaches in some processor time, as full feedback allows."""
    if max(actions.n_actions for actions in game.action_sets) > _MOST_PLANS:
        return "–"

    def players(horizon: int) -> list[Any]:
        return [sr.baselines.regret_matching(actions, horizon, feedback="full") for actions in game.action_sets]

    _, taken = timed(game, players(_WARM), _WARM)
    rounds = max(1, int(seconds / taken * _WARM))
    return f"{exploitability(game, timed(game, players(rounds), rounds)[0].play):.2g}"


def measure(given: str, most: float) -> list[str]:
    """Return the row of GAME:FEEDBACK:ROUNDS."""
    name, feedback, rounds = given.split(":")
    game, n = from_openspiel(name), int(rounds)
    result, seconds = timed(game, [sr.swap_combcp(own, n, feedback=feedback) for own in game.action_sets], n)
    found = result.certificate
    gaps = [f"{found.epsilon:.4f}", f"{found.coarse_epsilon:.4f}", f"{exploitability(game, result.play):.2g}"]
    beside = ["–"] * 3
    if feedback == "full":
        shared = min(seconds, most)
        beside = [of_solver(solver, name, shared) for solver in (pyspiel.CFRSolver, pyspiel.CFRPlusSolver)]
        beside.append(of_regret_matching(game, n, shared))
    return [f"{NAMES[name]}, {feedback}", f"{n:,}", f"{1e6 * seconds / n:,.0f}", *gaps, *beside]


def iteration(solver: Any, name: str, count: int) -> float:
    """Return the processor time of an iteration of a solver of OpenSpiel, in µs: the least of three."""
    at_work, times = solver(pyspiel.load_game(name)), []
    for _ in range(3):
        start = time.process_time()
        for _ in range(count):
            at_work.evaluate_and_update_policy()
        times.append(time.process_time() - start)
    return 1e6 * min(times) / count


def speeds() -> None:
    """Print what a round and an iteration take."""
    for name, rounds, count in (("kuhn_poker", 20_000, 5_000), ("leduc_poker", 500, 50)):
        game = from_openspiel(name)
        for feedback in ("full", "bandit"):
            players = [sr.swap_combcp(own, rounds, feedback=feedback) for own in game.action_sets]
            taken = min(timed(game, players, rounds)[1] for _ in range(3))
            print(f"{NAMES[name]}, {feedback}: {1e6 * taken / rounds:,.1f} µs per round with ledgers", flush=True)
        for solver in (pyspiel.CFRSolver, pyspiel.CFRPlusSolver):
            print(
                f"{NAMES[name]}, {solver.__name__}: {iteration(solver, name, count):,.1f} µs per iteration", flush=True
            )


def main() -> None:
    """Measure the rows that were asked for, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", default=ROWS)
    parser.add_argument("--most", type=float, default=60.0, help="most seconds for each of the others")
    parser.add_argument("--write", action="store_true", help="rewrite rows of the table of docs/games.md")
    parser.add_argument("--speed", action="store_true", help="time rounds and iterations only")
    options = parser.parse_args()
    if options.speed:
        speeds()
        return
    for given in options.rows:
        row = measure(given, options.most)
        print(" | ".join(row), flush=True)
        if options.write:
            lines = [line for line in block(PAGE, "sequential").strip().split("\n")[2:] if line]
            held = {tuple(cells[:2]): cells for line in lines if (cells := line.strip("| ").split(" | "))}
            held[tuple(row[:2])] = row
            order = sorted(
                held.values(),
                key=lambda cells: (cells[0].split(",")[0], "bandit" in cells[0], int(cells[1].replace(",", ""))),
            )
            put_block(PAGE, "\n".join(markdown(HEADINGS, order)), "sequential")


if __name__ == "__main__":
    main()
