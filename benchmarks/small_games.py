"""Distance to correlated equilibrium in nine small games, beside Blum–Mansour's: ``python benchmarks/small_games.py``.

    python benchmarks/small_games.py                      T = 1,000, 10,000 and 100,000, two seeds (some minutes)
    python benchmarks/small_games.py --write docs/games.md        and put the table into the page
    python benchmarks/small_games.py --players adaptive,ladder --rounds 10000 --games shapley,chicken --seeds 8

Each player meets itself, with bandit feedback, and is made for the rounds it plays. A number is ε of the play day by day, in
rewards: the mean over seeds. Random games are the same in every run, seeds are of the play. In brackets: ε of the first player
named, over that of the last one.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from measured_block import markdown, put_block
from quality import COMPETITORS, PLAYERS, VARIANTS

from swapregret import games


def random_game(seed: int, *counts: int, is_zero_sum: bool = False) -> games.Game:
    """Return a game with uniform payoffs."""
    tables = np.random.default_rng(seed).random((len(counts), *counts))
    return games.MatrixGame([tables[0], 1.0 - tables[0]] if is_zero_sum else list(tables))


def rock_paper_scissors() -> games.Game:
    """Return the game with a win of 1, a tie of 0 and a loss of −1."""
    first = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    return games.MatrixGame([first, -first])


GAMES: dict[str, Any] = {
    "random-5x5": lambda: random_game(1, 5, 5),
    "random-10x10": lambda: random_game(2, 10, 10),
    "random-3x3x3": lambda: random_game(3, 3, 3, 3),
    "random-2x2x2x2": lambda: random_game(5, 2, 2, 2, 2),
    "zero-sum-5x5": lambda: random_game(4, 5, 5, is_zero_sum=True),
    "rock-paper-scissors": rock_paper_scissors,
    "shapley": games.shapley,
    "chicken": games.chicken,
    "blotto-5-3": lambda: games.BlottoGame((5, 5), 3),
}


def epsilon(game: games.Game, make: Any, rounds: int, seed: int) -> float:
    """Return ε of a self-play."""
    players = [make(actions, rounds) for actions in game.action_sets]
    return games.self_play(game, players, rounds, rng=seed, windows=1, checkpoints=1).certificate.epsilon


def main() -> None:
    """Play, and print a table for each number of rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="adaptive,ladder,blum_mansour")
    parser.add_argument("--rounds", default="1000,10000,100000")
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=300)
    parser.add_argument("--write", type=Path, default=None, help="a page with a block called small games")
    given = parser.parse_args()
    makers = PLAYERS | COMPETITORS | VARIANTS
    players, names = given.players.split(","), given.games.split(",")
    lengths = [int(rounds) for rounds in given.rounds.split(",")]
    page: dict[str, list[str]] = {name: [] for name in [*names, "mean"]}
    for rounds in lengths:
        started, table = time.perf_counter(), []
        print(f"\nT = {rounds:,}, {given.seeds} seeds" + "".join(f"{player:>14}" for player in players), flush=True)
        for name in names:
            game = GAMES[name]()
            row = [
                np.mean([epsilon(game, makers[each], rounds, given.first_seed + s) for s in range(given.seeds)])
                for each in players
            ]
            table.append(row)
            print(
                f"{name:20}   " + "".join(f"{each:14.4f}" for each in row) + f"   ({row[0] / row[-1]:.2f})", flush=True
            )
            page[name] += [f"{each:.4f}".removeprefix("0") for each in row]
        means = np.mean(table, axis=0)
        page["mean"] += [f"{each:.4f}".removeprefix("0") for each in means]
        print(f"{'mean':20}   " + "".join(f"{each:14.4f}" for each in means) + f"   ({means[0] / means[-1]:.2f})")
        print(f"{time.perf_counter() - started:.0f} s", flush=True)
    if given.write:
        heads = [f"`{player}`, T = {rounds:,}" for rounds in lengths for player in players]
        lines = markdown(["game", *heads], [[name, *cells] for name, cells in page.items()])
        put_block(given.write, "\n".join(lines), "small games")


if __name__ == "__main__":
    main()
