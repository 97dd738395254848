"""How much a learner holds: the bytes of all arrays its state reaches, its set and its configuration apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.compiled.vectors import action_total
from swapregret.experiments.bench.cases import level, round_player
from swapregret.experiments.paper_table1 import layered_dag
from swapregret.learners.player import Decision, Player, draw_action, hold_policy
from swapregret.learners.presets import swap_combcp


@dataclass(frozen=True)
class Holding:
    """What a state held after some days, and how many numbers K·d and r² are."""

    name: str
    horizon: int
    days: int
    bytes: int
    scales_by_dimension: int
    rank_squared: int


def held_bytes(*roots: object) -> int:
    """Return the bytes of all arrays that objects reach, each counted once; action sets are left out.

    Examples
    --------
    >>> x = np.zeros(10)
    >>> held_bytes({"a": x, "b": [x, x[2:]]}, np.zeros(2, dtype=np.int8))
    82
    """
    seen: set[int] = set()
    total, todo = 0, list(roots)
    while todo:
        thing: Any = todo.pop()
        while isinstance(thing, np.ndarray) and isinstance(thing.base, np.ndarray):
            thing = thing.base
        if id(thing) in seen or isinstance(thing, ActionSet | type | str | bytes | int | float):
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            total += int(thing.nbytes)
        elif isinstance(thing, dict):
            todo.extend(thing.values())
        elif isinstance(thing, list | tuple | set | frozenset):
            todo.extend(thing)
        elif type(thing).__module__.startswith("swapregret"):
            todo.extend(vars(thing).values() if hasattr(thing, "__dict__") else ())
            todo.extend(getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ()))
    return total


def _days(player: Player[Any], actions: ActionSet, days: int) -> Any:
    rng = np.random.default_rng(0)
    state, means = player.start(rng), level(actions, "concentrated") / actions.size
    for day in range(days):
        held = hold_policy(player, state)
        action = draw_action(player, state, rng)
        state = player.observe(state, Decision(day, action, actions, held), action_total(means, action))
    return state


def measure_memory(days: tuple[int, ...] = (10, 400)) -> list[Holding]:
    """Play some days of several learners and count what their states hold."""
    found = []
    small, wide = MSets(20, 5), MSets(2000, 200)
    cases: list[tuple[str, ActionSet, int, Any]] = [
        ("m-sets (20, 5), multiscale", small, 10_000, swap_combcp(small, 10_000, preset="multiscale")),
        ("m-sets (20, 5), multiscale", small, 10_000_000, swap_combcp(small, 10_000_000, preset="multiscale")),
        ("m-sets (100, 10), a round", MSets(100, 10), 1000, None),
        ("permutations 10, a round", Permutations(10), 1000, None),
        ("m-sets (2000, 200), a round", wide, 1000, None),
        ("paths, 920 edges, a round", layered_dag(10, 10), 1000, None),
    ]
    for name, actions, horizon, given in cases:
        player: Any = given if given is not None else round_player(actions, "concentrated")
        for count in days:
            holds = held_bytes(_days(player, actions, count))
            by_dimension = player.n_scales * actions.dimension
            found.append(Holding(name, horizon, count, holds, by_dimension, actions.rank**2))
    return found
