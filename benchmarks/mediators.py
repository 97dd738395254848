"""The best correlated equilibria of games from 10³ to 10⁶ joint actions: ``python benchmarks/mediators.py [--write]``.

One row per game and objective: the value, the gap to the bound, the largest swap gap in payoffs, how many joint actions entered,
and the processor time; beside it that of OpenSpiel's JPSRO solver for the largest welfare (with Clarabel) on the same tables, where
these are small enough for it. ``--write`` puts the table into docs/games.md.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from measured_block import markdown, put_block

from swapregret.games import (
    BlottoGame,
    Game,
    MatrixGame,
    ShapleyGame,
    best_correlated_equilibrium,
    normal_form,
    read_efg,
)

ROOT = Path(__file__).resolve().parents[1]
_MOST_THEIRS = 3_000
HEADINGS = ["game", "joint actions", "objective", "value", "gap", "ε, in payoffs", "entered", "s", "JPSRO, s"]


def cases() -> Iterator[tuple[str, Game, tuple[str, ...]]]:
    """Yield games with the objectives asked of them."""
    source = np.random.default_rng(0)
    yield "Kuhn poker", read_efg(ROOT / "examples/games/kuhn.efg"), ("welfare", "min", "entropy")
    yield "auction", read_efg(ROOT / "examples/games/auction.efg"), ("welfare", "min")
    yield "Shapley (9, 3)", ShapleyGame(9, 3), ("welfare", "min", "entropy")
    yield "Blotto 8 v 6, 4 fields", BlottoGame((8, 6), 4), ("welfare",)
    for shape in ((32, 32), (100, 100), (10, 10, 10, 10), (316, 316), (1000, 1000)):
        tables = source.random((len(shape), *shape))
        yield f"random {' × '.join(map(str, shape))}", MatrixGame(list(tables)), ("welfare", "min")


def theirs(game: Game) -> str:
    """Return how long OpenSpiel's solver takes for the largest welfare."""
    name = "open_spiel.python.egt.alpharank"
    sys.modules.setdefault(name, ModuleType(name))  # it asks for plots, which nothing here draws
    jpsro: Any = importlib.import_module("open_spiel.python.algorithms.jpsro")
    jpsro.DEFAULT_ECOS_SOLVER_KWARGS = {"solver": "CLARABEL"}
    tables = normal_form(game).tables
    start = time.process_time()
    jpsro._mwce(np.array(tables), [np.ones(count) for count in tables.shape[1:]])
    return f"{time.process_time() - start:.1f}"


def row(name: str, game: Game, objective: str, seconds: float) -> list[str]:
    """Solve one game for one objective."""
    start = time.process_time()
    best = best_correlated_equilibrium(game, objective, seconds=seconds)
    taken = time.process_time() - start
    beside = theirs(game) if objective == "welfare" and best.policy.size <= _MOST_THEIRS else "–"
    sizes = [f"{best.policy.size:,}", objective, f"{best.value:.6f}", f"{best.gap:.0e}", f"{best.epsilon:.0e}"]
    return [name, *sizes, f"{best.n_columns:,}", f"{taken:.1f}", beside]


def main() -> None:
    """Solve all games, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="at most, per game and objective")
    parser.add_argument("--write", action="store_true", help="rewrite the table of docs/games.md")
    options = parser.parse_args()
    best_correlated_equilibrium(ShapleyGame(3, 1))
    rows: list[list[Any]] = []
    for name, game, objectives in cases():
        for objective in objectives:
            rows.append(row(name, game, objective, options.seconds))
            print(" | ".join(rows[-1]), flush=True)
    if options.write:
        put_block(ROOT / "docs/games.md", "\n".join(markdown(HEADINGS, rows)), "mediators")


if __name__ == "__main__":
    main()
