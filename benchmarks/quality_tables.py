"""The tables of ``docs/adaptive.md``: played, printed, and written into the page.

    python benchmarks/quality_tables.py --cells cells.jsonl                           play and print all tables (hours)
    python benchmarks/quality_tables.py --cells cells.jsonl --write docs/adaptive.md  and put them into the page
    python benchmarks/quality_tables.py --cells cells.jsonl --only parts,guard        some of them
    python benchmarks/quality_tables.py --cells cells.jsonl --known                   play nothing; rows not yet played are left out

A table stands on the page between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``. What was played is kept in the file of
cells, a line each; cells that are in it are not played again. Seeds below were used for nothing else.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

from guard import BENIGN, BROKEN, break_pool, count_trips
from measured_block import put_block
from quality import ALL_SETS, COMPETITORS, PLAYERS, WORLDS, dominated, make_set, measure

import swapregret as sr

MINE = "adaptive"
FOUR = (MINE, "multiscale", "single", "uniform")
DOMINATED = "cells of 10 in which adaptive is dominated"
BANDIT = ("lin-ts", "lin-ucb", "epsilon-greedy")
LISTING = (*BANDIT, "exp3", "blum_mansour", "ito", "treeswap")
SMALL = ("15,1", "6,2", "10,3", "permutations 5", 'product "msets 5 2" "permutations 3"')
LARGE = ("45,8", "100,10", "permutations 8", "paths", "partitions 10 5")
LABELS = {
    "permutations 5": "permutations of 5",
    "permutations 8": "permutations of 8",
    "trees": "trees on six vertices",
    "paths": "paths, 110 edges",
    "uneven paths": "paths of 3 to 13 edges",
    "partitions 10 5": "partitions 10 → 5",
    'product "msets 5 2" "permutations 3"': "2 of 5, and permutations of 3",
    "lin-ts": "LinTS",
    "lin-ucb": "LinUCB",
    "epsilon-greedy": "ε-greedy",
    "comb-ts": "CombTS",
    "comb-ucb": "CombUCB",
    "adaptive": '`preset="adaptive"` (default)',
    "multiscale": '`preset="multiscale"`',
    "single": "single Lazy-ComBCP",
    "uniform": "uniform play",
    "paper": '`preset="paper"`',
    "swap-comband": 'Swap-ComBand, `preset="multiscale"`',
    "comband-adaptive": 'Swap-ComBand, `preset="adaptive"` (default)',
    "comband": "single Lazy-ComBand",
    "comband-sums": "Swap-ComBand, without least squares",
    "semi-bandit": "least squares",
    "semi-bandit-sums": "sums of estimates",
    "no-guarded": "without the guard",
    "no-experts": "without the experts",
    "no-swap-filter": "without the filter",
    "one-variant": "one decomposition per list",
}
LONG_RUN, MIDDLE_RUN = 100_000, 10_000
HORIZONS = {300: (16, 8), 1_000: (16, 8), MIDDLE_RUN: (4, 2), LONG_RUN: (2, 2), 1_000_000: (1, 1)}
"""Replications on small and on large sets."""
SHOWN = (LONG_RUN, "10,3")
"""Where every world has a column."""
_LISTED = 3
"""Dominated cells that are named in a row."""
SEED = 77_000
STILL, MOVING = ("iid", "near"), ("pws", "pareto", "ar", "rw", "cyc7", "outages")
PRACTICE_SETS = ("6,2", "10,3", "20,5", "permutations 5")
PRACTICE_RUNS = {100: 8, 300: 8, 1_000: 4, MIDDLE_RUN: 2, LONG_RUN: 1}
"""Replications at each horizon, in the table of what people would pick instead."""


class NotPlayedError(Exception):
    """A cell is not in the file."""


class Cells:
    """What has been played: by name, in memory and in a file."""

    def __init__(self, file: Path, *, plays: bool = True) -> None:
        self.file, self.plays, self.known = file, plays, {}
        if file.exists():
            self.known = dict(json.loads(line) for line in file.read_text("utf-8").splitlines())

    def get(self, name: str, play: Callable[[], Any]) -> Any:
        """Return what was played under a name; play it if it is new."""
        if name not in self.known and not self.plays:
            raise NotPlayedError(name)
        if name not in self.known:
            self.known[name] = play()
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps([name, self.known[name]]) + "\n")
            print(name, self.known[name], flush=True)
        return self.known[name]

    def row(
        self, place: str, horizon: int, replications: int, player: str, worlds: Iterable[str] = WORLDS
    ) -> list[dict[str, Any]]:
        """Return the cells of a player on a set, one per world."""
        seed, actions = SEED + replications, make_set(place)
        return [
            self.get(
                f"{place} | {horizon} | {replications} | {player} | {world}",
                lambda world=world: measure(actions, horizon, player, world, replications, seed, 1),
            )
            for world in worlds
        ]


def label(name: str) -> str:
    """Return what the page calls a set or a player."""
    if re.fullmatch(r"\d+,\d+", name):
        return f"m-sets ({name.replace(',', ', ')})"
    return LABELS.get(name, name.replace("no-", "without ").replace("-", " ").replace("_", " "))


def short(value: float, digits: int) -> str:
    """Return a number without its leading zero."""
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def both(cells: list[dict[str, Any]], rewards: int = 3, swaps: int = 4) -> str:
    """Return the means of reward and swap regret."""
    reward, swap = (sum(cell[key] for cell in cells) / len(cells) for key in ("reward", "swap"))
    return f"{short(reward, rewards)} / {short(swap, swaps)}"


def lost(rows: dict[str, list[dict[str, Any]]]) -> str:
    """Return in how many cells the first player is dominated, and both numbers of both players in the first few."""
    found = dominated([cell for row in rows.values() for cell in row], MINE)
    shown = [
        f"`{ours['world']}` {both([ours], swaps=3)}, {label(other['player'])} {both([other], swaps=3)}"
        for ours, other in found
    ]
    more = [f"and {len(shown) - _LISTED} more"] if len(shown) > _LISTED else []
    return f"{len(found)}" + (f": {'; '.join(shown[:_LISTED] + more)}" if shown else "")


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown; one without rows has not been played."""
    if not rows:
        raise NotPlayedError(headings[0])
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def replications(horizon: int, name: str) -> int:
    """Return how often a cell of the larger tables is played."""
    return 8 if (horizon, name) == SHOWN else HORIZONS[horizon][name in LARGE]


def worlds_of_one_set(cells: Cells) -> str:
    """Return every world at m-sets (10, 3) over a long run."""
    found = {player: cells.row(SHOWN[1], LONG_RUN, replications(*SHOWN), player) for player in FOUR}
    for player in BANDIT:
        with suppress(NotPlayedError):
            found[player] = cells.row(SHOWN[1], LONG_RUN, replications(*SHOWN), player)
    rows = [[label(player), *(both([cell], 2, 3) for cell in row), both(row)] for player, row in found.items()]
    best = [cell["best"] for cell in found[MINE]]
    rows.append(["best fixed action", *(short(value, 2) for value in best), short(sum(best) / len(best), 3)])
    times = replications(*SHOWN)
    options = f"--sets {SHOWN[1]} --players {','.join(found)} --seed {SEED + times} --replications {times} --dominated"
    note = f"Cells of 10 in which `adaptive` is dominated: {lost(found)}."
    made = table(["player: reward / swap regret", *WORLDS, "mean"], rows)
    return f"`python benchmarks/quality.py {options}`\n\n{made}\n\n{note}"


def means(cells: Cells) -> str:
    """Return every set at every horizon."""
    rows = []
    for horizon, name in product(HORIZONS, ALL_SETS.split("/")):
        if horizon <= LONG_RUN or name == "10,3":
            with suppress(NotPlayedError):
                found = {player: cells.row(name, horizon, replications(horizon, name), player) for player in FOUR}
                rows.append([f"{horizon:,}", label(name), *(both(row) for row in found.values()), lost(found)])
    made = table(["T", "set", "adaptive", "multi-scale", "single", "uniform", DOMINATED], rows)
    times = ", ".join(f"{small} / {large} at {horizon:,}" for horizon, (small, large) in HORIZONS.items())
    large = "; ".join(map(label, LARGE))
    notes = f"Replications on small / large sets: {times}. Large are {large}. Seeds are {SEED:,} and the replications."
    return f"{made}\n\n{notes}"


def everyone(cells: Cells) -> str:
    """Return all players on sets of at most 500 actions; over long runs the four, and the best known of the others."""
    rows = []
    for horizon, name in product((300, 1_000, MIDDLE_RUN, LONG_RUN), SMALL):
        with suppress(NotPlayedError):
            players = (*FOUR, *LISTING) if horizon == LONG_RUN else (*PLAYERS, *COMPETITORS, *BANDIT)
            found = {player: cells.row(name, horizon, HORIZONS[horizon][0], player) for player in players}
            others = [player for player in players if player != MINE]
            richest = max(others, key=lambda player: sum(cell["reward"] for cell in found[player]))
            least = min(others, key=lambda player: sum(cell["swap"] for cell in found[player]))
            shown = [f"{label(player)} {both(found[player])}" for player in (richest, least)]
            rows.append([f"{horizon:,}", label(name), both(found[MINE]), *shown, lost(found)])
    headings = ["T", "set", "adaptive", "most reward of the others", "least swap regret of the others", DOMINATED]
    return table(headings, rows)


def practice(cells: Cells) -> str:
    """Return ours beside what people would pick instead, where the world stands still and where it moves."""
    rows = []
    for players in (
        (MINE, "lin-ts", "lin-ucb", "epsilon-greedy", "single"),
        ("semi-bandit", "comb-ts", "comb-ucb"),
    ):
        feedback = "bandit" if players[0] == MINE else "semi-bandit"
        for (horizon, times), (word, worlds) in product(PRACTICE_RUNS.items(), (("still", STILL), ("moving", MOVING))):
            with suppress(NotPlayedError):
                found = {
                    player: [cell for name in PRACTICE_SETS for cell in cells.row(name, horizon, times, player, worlds)]
                    for player in players
                }
                n_lost = len(dominated([cell for row in found.values() for cell in row], players[0]))
                others = [f"{label(player)} {both(found[player])}" for player in players[1:]]
                counted = f"{n_lost} of {len(worlds) * len(PRACTICE_SETS)}"
                rows.append(
                    [
                        feedback,
                        f"{horizon:,}",
                        word,
                        both(found[players[0]]),
                        *others,
                        *[""] * (5 - len(players)),
                        counted,
                    ]
                )
    headings = ["feedback", "T", "worlds", "ours", "", "", "", "", "cells in which ours is dominated"]
    notes = (
        f"Still: {', '.join(STILL)}; moving: {', '.join(MOVING)}. Sets: {'; '.join(map(label, PRACTICE_SETS))}. "
        f"Replications: {', '.join(f'{times} at {horizon:,}' for horizon, times in PRACTICE_RUNS.items())}. "
        "Of each of the others the best of four memories stands in a cell, chosen by its reward there."
    )
    return f"{table(headings, rows)}\n\n{notes}"


def compare(cells: Cells, players: tuple[str, ...], sets: tuple[str, ...]) -> str:
    """Return the means of some players on some sets."""
    rows = []
    for player in players:
        with suppress(NotPlayedError):
            rows.append([label(player), *(both(cells.row(name, MIDDLE_RUN, 2, player)) for name in sets)])
    return table(["reward / swap regret", *map(label, sets)], rows)


def parts(cells: Cells) -> str:
    """Return the preset with one ingredient off at a time."""
    switches = ("trackers", "least-squares", "learned-weights", "swap-filter", "pooling", "guarded")
    players = (MINE, *(f"no-{name}" for name in switches), "one-variant", "multiscale")
    return compare(cells, players, ("10,3", "20,5", "permutations 8"))


def semi_bandit(cells: Cells) -> str:
    """Return least squares of what each element paid, and sums of estimates."""
    return compare(cells, ("semi-bandit", "semi-bandit-sums"), ("6,2", "20,5", "permutations 5"))


def comband(cells: Cells) -> str:
    """Return Swap-ComBand with the same master, and others."""
    players = ("comband-adaptive", "comband-sums", "adaptive", "swap-comband", "comband", "single", "uniform")
    return compare(cells, players, ("10,3", "20,5", "trees"))


def guard(cells: Cells) -> str:
    """Return what the guard does in a world that breaks the pool, and in the worlds of the suite."""
    seeds = range(SEED, SEED + 4)
    rows = []
    for name, options in (
        ("adaptive", {}),
        ("no-experts", {"experts": False}),
        ("multiscale", {"preset": "multiscale"}),
    ):
        reward, swap, trips = cells.get(
            f"guard | {name}",
            lambda options=options: break_pool(sr.swap_combcp(BROKEN, MIDDLE_RUN, **options), MIDDLE_RUN, seeds),
        )
        rows.append([label(name), short(reward, 3), short(swap, 4), f"{trips} of 4" if name != "multiscale" else "–"])
    trips = {repr(a): cells.get(f"guard | {a!r}", lambda a=a: count_trips(a, MIDDLE_RUN, seeds[:2])) for a in BENIGN}
    n_runs = len(BENIGN) * len(WORLDS) * 2
    note = f"On the worlds of the suite, at {', '.join(trips)}, it trips in {sum(trips.values())} of {n_runs} runs."
    return table(["player", "reward", "swap regret", "runs in which the guard trips"], rows) + "\n\n" + note


TABLES: dict[str, Callable[[Cells], str]] = {
    "worlds": worlds_of_one_set,
    "parts": parts,
    "semi-bandit": semi_bandit,
    "comband": comband,
    "guard": guard,
    "everyone": everyone,
    "means": means,
    "practice": practice,
}


def main() -> None:
    """Parse, play, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, required=True, help="a file of cells, made or continued")
    parser.add_argument("--only", default=",".join(TABLES), help="names of tables, separated by commas")
    parser.add_argument("--write", type=Path, default=None, help="the page whose blocks are rewritten")
    parser.add_argument("--known", action="store_true", help="play nothing; leave out rows with cells not in the file")
    given = parser.parse_args()
    cells = Cells(given.cells, plays=not given.known)
    for name in given.only.split(","):
        try:
            made = TABLES[name](cells)
        except NotPlayedError as missing:
            print(f"\n{name}: left as it is, {missing} is not in the file", flush=True)
            continue
        print(f"\n{name}\n{made}", flush=True)
        if given.write is not None:
            put_block(given.write, made, name)


if __name__ == "__main__":
    main()
