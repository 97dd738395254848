"""Microseconds per round where people come in: a session, a game, a set of their own, a measured run.

Sessions are timed by the clock, step by step, because a step that waits is what their users feel; all others by processor time.
Every door is played for a short while first, and the faster of two plays counts, so compiling and loading are left out.
"""

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import swapregret as sr
from speed.timing import time_steps
from swapregret.arrays import Vector
from swapregret.experiments.paper_table1 import layered_dag

MULTISCALE = ", multiscale"
"""What the names of doors end in that are not played with the adaptive preset, the default."""


class Seen(NamedTuple):
    """What a door shows besides its time: seconds of every step, or questions to an oracle per day."""

    steps: Vector | None = None
    calls: float | None = None


PlayOnce = Callable[[], object]
"""Plays once; returns what it saw, if that is a ``Seen``."""
Start = Callable[[int], PlayOnce]


@dataclass(frozen=True)
class Door:
    """A way to come in."""

    name: str
    rounds: int  # how many are played, and the horizon of the learners
    start: Start  # `start(rounds)` makes the players and returns what plays them once
    aim: str = ""  # what is asked of it, in words: microseconds per round; what is shown besides
    players: int = 1  # by how many the time of a round is divided
    unmeasured: Start | None = None  # the same play without a measure, to compare with


@dataclass(frozen=True)
class DoorRow:
    """What a door took; None where a number has no meaning."""

    name: str
    rounds: int
    microseconds: float
    in_exp3: float
    p99: float | None  # microseconds of single steps of a session
    slowest: float | None
    over: float | None  # the time over that of unmeasured play
    calls: float | None  # questions to a user's oracle per day
    aim: str


def time_door(door: Door, exp3: float, share: float = 1.0) -> DoorRow:
    """Play a share of the rounds of a door, in units of a bare Exp3 that plays ``exp3`` rounds per second."""
    rounds = max(2, int(share * door.rounds))
    seconds, seen = _time(door.start, rounds)
    over = None if door.unmeasured is None else seconds / _time(door.unmeasured, rounds)[0]
    p99 = slowest = None
    if seen.steps is not None:
        seconds = float(seen.steps.sum())
        p99, slowest = 1e6 * float(np.percentile(seen.steps, 99)), 1e6 * float(seen.steps.max())
    each = seconds / (rounds * door.players)
    return DoorRow(door.name, rounds, 1e6 * each, each * exp3, p99, slowest, over, seen.calls, door.aim)


def _time(start: Start, rounds: int) -> tuple[float, Seen]:
    """Return the seconds of the processor of the faster of two plays, and what it showed."""
    start(max(2, rounds // 10))()
    run = start(rounds)
    return min(_once(run), _once(run), key=lambda pair: pair[0])


def _once(run: PlayOnce) -> tuple[float, Seen]:
    began = time.process_time()
    seen = run()
    return time.process_time() - began, seen if isinstance(seen, Seen) else Seen()


def _session(make: Callable[[], sr.ActionSet], has_journal: bool, days: int) -> PlayOnce:
    player = sr.swap_combcp(make(), days)
    rewards = np.random.default_rng(0).random(days)

    def run() -> Seen:
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder) / "days.journal" if has_journal else None
            with sr.Session(player, rng=0, journal=journal, sync=False) as session:
                return Seen(time_steps(session, rewards))

    return run


def _play(make: Callable[[], sr.ActionSet], preset: str, measure: Any, days: int) -> PlayOnce:
    actions = make()
    player, world = sr.swap_combcp(actions, days, preset=preset), sr.environments.iid(actions, days, rng=1)
    return lambda: sr.play(player, world, rng=0, measure=measure)


def _read(make: Callable[[], sr.ActionSet], preset: str, days: int) -> PlayOnce:
    """Play with a ledger, and ask for the swap regret."""
    run: Any = _play(make, preset, "ledger", days)
    return lambda: run().swap_regret


def _oracle(dimension: int, preset: str, days: int) -> PlayOnce:
    """Play four runs of a quarter of the days each: how often an oracle is asked differs from run to run."""
    inner, calls, horizon = sr.MSets(dimension, 3), itertools.count(), max(1, days // 4)

    def argmax(weights: Vector) -> Any:
        next(calls)
        return inner.argmax(weights)

    def run() -> Seen:
        n_asked = 0
        for seed in range(4):
            actions = sr.OracleSet(dimension, argmax)  # a new set: one remembers its answers
            player = sr.swap_combcp(actions, horizon, preset=preset)
            before = next(calls)
            sr.play(player, sr.environments.iid(actions, horizon, rng=1 + seed), rng=seed, measure="none")
            n_asked += next(calls) - before - 1
        return Seen(calls=n_asked / (4 * horizon))

    return run


def _game(
    make: Callable[[], sr.games.Game],
    learner: Callable[[sr.ActionSet, int], Any],
    rounds: int,
    measure: str | None = None,
) -> PlayOnce:
    game = make()
    players = [learner(actions, rounds) for actions in game.action_sets]

    def run() -> Any:
        result = sr.games.self_play(game, players, rounds, rng=0, checkpoints=1, measure=measure)
        return result.payoffs if measure == "none" else result.certificate

    return run


def _openspiel(rounds: int) -> PlayOnce:
    theirs, tables = import_module("open_spiel.python.algorithms.regret_matching"), np.array(_wide_game().tables)
    return lambda: theirs.regret_matching(tables, iterations=rounds)


def _listed(n_actions: int) -> sr.Explicit:
    """Return some of the triples of ten elements, always the same ones."""
    triples = np.array([np.isin(range(10), chosen) for chosen in itertools.combinations(range(10), 3)], dtype=np.int64)
    chosen = np.random.default_rng(0).permutation(triples)[:n_actions]
    return sr.Explicit(chosen[:, chosen.any(axis=0)])  # every element is in some action


def _wide_game() -> sr.games.MatrixGame:
    source = np.random.default_rng(0)
    return sr.games.MatrixGame([source.random((66, 66)) for _ in range(2)])


def routing() -> sr.games.Game:
    """Return ten commodities on a layered graph of 100 edges, affine costs drawn once."""
    edges = sr.games.layered_edges(4, 5)
    edges += [(f"{layer}.{j}", f"{layer + 2}.{j}") for layer in range(2) for j in range(5)]
    edges += [("s", f"1.{j}") for j in range(5)]
    source = np.random.default_rng(0)
    costs = sr.games.affine_costs(source.uniform(0, 1, len(edges)), source.uniform(0, 1, len(edges)), 10)
    return sr.games.RoutingGame(edges, costs, [("s", "t")] * 5 + [("0.0", "t")] * 2 + [("s", "3.1")] * 3)


_PRESETS = {"": "adaptive", MULTISCALE: "multiscale"}
_K6 = tuple(itertools.combinations(range(6), 2))
_STEPPED: tuple[tuple[str, Callable[[], sr.ActionSet], bool, str], ...] = (
    ("m-sets (10, 3)", lambda: sr.MSets(10, 3), False, "20; 200"),
    ("m-sets (10, 3), journal", lambda: sr.MSets(10, 3), True, "40; 300"),
    ("permutations 10", lambda: sr.Permutations(10), False, "40; 1,000"),
    ("paths, 110 edges", lambda: layered_dag(5, 5), False, "40; 1,000"),
)
_PLAYED: tuple[tuple[str, Callable[[], sr.games.Game], int, str, int], ...] = (
    ("3×3 game", sr.games.shapley, 100_000, "10", 1),
    ("Shapley (6, 2) game", partial(sr.games.ShapleyGame, 6, 2), 100_000, "30", 1),
    ("routing game, per player", routing, 20_000, "55", 10),
)
_MEASURED: tuple[tuple[str, Callable[[], sr.ActionSet], str, str, int, str], ...] = (
    ("ledger, m-sets (10, 3), multiscale", lambda: sr.MSets(10, 3), "multiscale", "ledger", 100_000, ""),
    ("bound, m-sets (10, 3), multiscale", lambda: sr.MSets(10, 3), "multiscale", "bound", 100_000, "< ledger"),
    ("ledger, m-sets (45, 8), multiscale", lambda: sr.MSets(45, 8), "multiscale", "ledger", 100_000, "1.4×"),
    ("ledger, m-sets (100, 10), multiscale", lambda: sr.MSets(100, 10), "multiscale", "ledger", 100_000, "1.4×"),
    ("ledger, permutations 6", lambda: sr.Permutations(6), "adaptive", "ledger", 20_000, "1.4×"),
    ("ledger, paths, 110 edges", lambda: layered_dag(5, 5), "adaptive", "ledger", 20_000, "1.4×"),
    ("ledger, trees of K₆", lambda: sr.SpanningTrees(_K6), "adaptive", "ledger", 20_000, "1.4×"),
    ("ledger, forests of K₆", lambda: sr.Forests(_K6, 3), "adaptive", "ledger", 20_000, "1.4×"),
    ("ledger, partitions 10 → 5", lambda: sr.Partitions(10, 5), "adaptive", "ledger", 20_000, "1.4×"),
)


def _doors() -> Iterator[Door]:
    for name, make, has_journal, aim in _STEPPED:
        yield Door(f"session, {name}", 100_000, partial(_session, make, has_journal), aim)
    for name, game, rounds, aim, players in _PLAYED:
        for words, preset in _PRESETS.items():
            played = partial(_game, game, partial(sr.swap_combcp, preset=preset))
            yield Door(name + words, rounds, played, aim, players)
    for learner in (sr.baselines.regret_matching, sr.baselines.blum_mansour, sr.baselines.exp3):
        wide: Any = partial(_game, _wide_game, partial(learner, feedback="full"))
        bare: Any = partial(wide, measure="none")
        yield Door(f"66×66 game, {learner.__name__}", 2_000, wide, unmeasured=bare)
    yield Door("66×66 game, exp3, no ledger", 2_000, bare)
    if find_spec("open_spiel") is not None:
        yield Door("66×66 game, OpenSpiel, no ledger", 2_000, _openspiel)
    for n_actions, (words, preset) in itertools.product((3, 100), _PRESETS.items()):
        listed = partial(_play, partial(_listed, n_actions), preset, "none")
        yield Door(f"Explicit, {n_actions} actions{words}", 20_000, listed, "50")
    for dimension, (words, preset) in itertools.product((8, 50), _PRESETS.items()):
        own = partial(_oracle, dimension, preset)
        yield Door(f"OracleSet, d = {dimension}{words}", 8_000, own, "1,000; 4")
    for name, make, preset, measure, rounds, aim in _MEASURED:
        plain = partial(_play, make, preset, "none")
        yield Door(name, rounds, partial(_play, make, preset, measure), aim, unmeasured=plain)
        if preset == "multiscale" and aim == "1.4×":  # many actions: to answer each takes longer than play
            yield Door(name.replace("ledger", "regret"), rounds, partial(_read, make, preset), unmeasured=plain)


DOORS = tuple(_doors())
"""Every door, with what is asked of it; that of OpenSpiel where it is installed."""
