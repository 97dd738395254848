"""Microseconds per round at the doors people come in by, beside a bare round of Exp3 in NumPy in the same run.

    python benchmarks/doors.py                 all doors
    python benchmarks/doors.py --sessions      sessions, sets of one's own, measured play, games: one of them by its flag

One line per door: microseconds per round (in games all players together, ledgers included, certificate at the end), the same in
processor time, and how many bare rounds that is. Sessions also show the middle step, the slowest of a hundred and the slowest
of all. Every door is played once before it is timed, so compiling is left out.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import swapregret as sr
from games import routing  # benchmarks/games.py
from swapregret import games


class Door(NamedTuple):
    """A door: what is played, how many rounds, and a function that plays them and may return the seconds of every round."""

    name: str
    rounds: int
    play: Callable[[], Any]


def layered(layers: int, width: int) -> sr.DagPaths:
    """Return paths through fully joined layers; five of five have 110 edges."""
    return sr.DagPaths(games.layered_edges(layers, width), source="s", sink="t")


def session(name: str, player: Any, days: int, **options: Any) -> Door:
    """Return a session that is stepped, every step timed."""

    def play() -> Any:
        rewards = np.random.default_rng(0).random(days).tolist()
        seconds = np.empty(days)
        with tempfile.TemporaryDirectory() as folder:
            kept = {"journal": Path(folder) / "days.journal", **options} if options else {}
            with sr.Session(player, rng=0, **kept) as live:
                for day in range(days):
                    began = time.perf_counter()
                    live.act()
                    live.observe(rewards[day])
                    seconds[day] = time.perf_counter() - began
        return seconds

    return Door(f"session, {name}, T = {days:,}", days, play)


def session_doors(scale: float) -> Iterator[Door]:
    """Yield the sessions."""
    days = int(scale * 100_000)
    yield session("m-sets (10, 3)", sr.swap_combcp(sr.MSets(10, 3), days), days)
    yield session("m-sets (10, 3), journal", sr.swap_combcp(sr.MSets(10, 3), days), days, sync=False)
    yield session("permutations 10", sr.swap_combcp(sr.Permutations(10), days), days)
    yield session("paths, 110 edges", sr.swap_combcp(layered(5, 5), days), days)


def played(name: str, actions: sr.ActionSet, preset: str, days: int, **options: Any) -> Door:
    """Return a play in a world that stands still."""

    def play() -> None:
        player, world = sr.swap_combcp(actions, days, preset=preset), sr.environments.iid(actions, days, rng=1)
        assert sr.play(player, world, rng=0, **options).reward >= 0.0

    return Door(f"{name}, {preset}, T = {days:,}", days, play)


def own_doors(scale: float) -> Iterator[Door]:
    """Yield sets of one's own."""
    for preset in ("adaptive", "multiscale"):
        for n_actions in (3, 20, 100):
            rows = np.random.default_rng(n_actions).permuted(np.tile([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], (400, 1)), axis=1)
            chosen = np.random.default_rng(0).permutation(np.unique(rows, axis=0))[:n_actions]
            chosen = chosen[:, chosen.any(axis=0)]  # every element is in some action
            actions = sr.Explicit(chosen)
            yield played(f"Explicit, {len(chosen)} actions", actions, preset, int(scale * 20_000), measure="none")
        for dimension in (8, 50):
            inner = sr.MSets(dimension, 3)
            own = sr.OracleSet(dimension, inner.argmax)
            yield played(f"OracleSet, d = {dimension}", own, preset, int(scale * 2_000), measure="none")


def measured_doors(scale: float) -> Iterator[Door]:
    """Yield plays that are measured in different ways."""
    for d, m in ((10, 3), (45, 8), (100, 10)):
        for measure in ("none", "ledger", "bound"):
            yield played(
                f"m-sets ({d}, {m}), {measure}", sr.MSets(d, m), "multiscale", int(scale * 100_000), measure=measure
            )
    for name, actions in (
        ("permutations 6", sr.Permutations(6)),
        ("paths, 110 edges", layered(5, 5)),
        ("trees of K_6", sr.SpanningTrees([(a, b) for a in range(6) for b in range(a)])),
        ("partitions 10 → 5", sr.Partitions(10, 5)),
    ):
        for measure in ("none", "ledger"):
            yield played(f"{name}, {measure}", actions, "adaptive", int(scale * 20_000), measure=measure)


def bare_exp3(rounds: int, n_actions: int = 10) -> None:
    """Play Exp3 as one would write it in NumPy: the yardstick."""
    rng = np.random.default_rng(0)
    rewards, scores, step = rng.random((rounds, n_actions)), np.zeros(n_actions), 0.01
    for row in rewards:
        weights = np.exp(step * (scores - scores.max()))
        law = weights / weights.sum()
        action = int(rng.choice(n_actions, p=law))
        scores[action] += row[action] / law[action]


def self_play(name: str, game: games.Game, preset: str, rounds: int, **options: Any) -> Door:
    """Return a game of equal learners with its certificate."""
    players = [sr.swap_combcp(actions, rounds, preset=preset) for actions in game.action_sets]
    return listed(f"{name}, {preset}", game, players, rounds, **options)


def listed(name: str, game: games.Game, players: list[Any], rounds: int, **options: Any) -> Door:
    """Return a game of some learners with its certificate."""

    def play() -> None:
        assert games.self_play(game, players, rounds, rng=0, **options).certificate.epsilon >= 0.0

    return Door(f"{name}, T = {rounds:,}", rounds, play)


def game_doors(scale: float) -> Iterator[Door]:
    """Yield the games."""
    for preset in ("adaptive", "multiscale"):
        for rounds in (10_000, 100_000):
            yield self_play("3×3 matrix game", games.shapley(), preset, int(scale * rounds))
        yield self_play("Shapley (6,2)", games.ShapleyGame(6, 2), preset, int(scale * 100_000))
        yield self_play("routing, 10 commodities, 100 edges", routing(), preset, int(scale * 20_000), checkpoints=1)
    rounds, source = int(scale * 2_000), np.random.default_rng(0)
    wide = games.MatrixGame([source.random((66, 66)) for _ in range(2)])
    for learner in (sr.baselines.regret_matching, sr.baselines.blum_mansour):
        players = [learner(actions, rounds, feedback="full") for actions in wide.action_sets]
        yield listed(f"66×66 matrix game, {learner.__name__}", wide, players, rounds, checkpoints=1)
    if find_spec("open_spiel") is not None:
        from open_spiel.python.algorithms.regret_matching import regret_matching

        def peer() -> None:
            regret_matching(np.array(wide.tables), iterations=rounds)

        yield Door(f"66×66 matrix game, regret matching of OpenSpiel, no ledger, T = {rounds:,}", rounds, peer)


DOORS: dict[str, Callable[[float], Iterator[Door]]] = {
    "sessions": session_doors,
    "own": own_doors,
    "measured": measured_doors,
    "games": game_doors,
}


def timed(play: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return seconds by the clock and of the processor, and what was played."""
    wall, spent = time.perf_counter(), time.process_time()
    result = play()
    return time.perf_counter() - wall, time.process_time() - spent, result


def main() -> None:
    """Time the doors that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in DOORS:
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--only", default="", help="part of the name of a door")
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual number of rounds")
    given = vars(parser.parse_args())
    wanted = [name for name in DOORS if given[name]] or list(DOORS)
    bare = timed(lambda: bare_exp3(20_000))[1] / 20_000
    sys.stdout.write(f"bare Exp3 in NumPy: {1e6 * bare:.1f} µs per round\n")
    for name in wanted:
        for door in DOORS[name](given["scale"]):
            if given["only"] not in door.name:
                continue
            door.play()
            wall, spent, steps = timed(door.play)
            sys.stdout.write(
                f"{door.name}: {1e6 * wall / door.rounds:.1f} µs per round, {1e6 * spent / door.rounds:.1f} µs of the processor, "
                f"{spent / door.rounds / bare:.2g} bare rounds, {wall:.2f} s in all\n"
            )
            if steps is not None:
                middle, late, later = 1e6 * np.percentile(steps, [50, 99, 99.9])
                sys.stdout.write(
                    f"  per step: p50 {middle:.1f}, p99 {late:.0f}, p99.9 {later:.0f}, max {1e6 * steps.max():.0f} µs\n"
                )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
