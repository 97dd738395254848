"""Everything the package defines for others to use goes through the conformance kit; what is not in these tables fails.

To add a class: give it a row here. Rows make small instances (listed in full and compared with their list), odd ones (a
single action, rank below the dimension, actions of several sizes) and one too large to list.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.relabelling import check_relabelling

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.environments.environment import Environment
from swapregret.policy import Policy
from swapregret.testing import (
    check_action_set,
    check_environment,
    check_player,
    check_policy,
)

_UNEVEN = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
_FLAT = [
    [1, 0, 1, 0, 0],
    [0, 1, 1, 0, 0],
    [1, 0, 0, 1, 0],
    [0, 1, 0, 1, 0],
]  # rank 3 in dimension 5, one element unused
_K4 = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
_K7 = [(i, j) for j in range(7) for i in range(j)]
_LOLLIPOP = [
    ("a", "b"),
    ("b", "c"),
    ("a", "c"),
    ("c", "d"),
    ("d", "e"),
    ("c", "d"),
]  # a triangle, a double edge, a bridge
_DIAMOND = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t"), ("x", "y")]  # one edge on no path
_GRID = [
    ((i, j), (i + di, j + dj))
    for i in range(8)
    for j in range(8)
    for di, dj in ((0, 1), (1, 0))
    if i + di < 8 and j + dj < 8
]
_KUHN = [
    entry for card in "JQK" for entry in ((card, ["check", "bet"]), (f"{card}, bet", ["fold", "call"], (card, "check")))
]
_LONG = [(str(i), ["a", "b", "c"]) for i in range(6)] + [(f"{i}a", ["u", "v", "w"], (str(i), "a")) for i in range(6)]


def _two_of_five(w: np.ndarray) -> np.ndarray:
    return (np.argsort(np.argsort(-w, kind="stable")) < 2).astype(int)


def _cover(w: np.ndarray) -> np.ndarray:
    """Choose every element of positive weight, and the best one if there is none: sizes from 1 to 4."""
    chosen = (w > 0.0).astype(int)
    chosen[int(np.argmax(w))] = 1
    return chosen


SETS: dict[str, dict[str, Callable[[Any], ActionSet]]] = {
    "MSets": {
        "2 of 5": lambda cls: cls(5, 2),
        "named": lambda cls: cls(4, 3, labels="abcd"),
        "all of all": lambda cls: cls(3, 3),
        "one of one": lambda cls: cls(1, 1),
        "large": lambda cls: cls(60, 20),
    },
    "Explicit": {
        "of several sizes": lambda cls: cls(_UNEVEN),
        "of low rank": lambda cls: cls(_FLAT, labels="vwxyz"),
        "one action": lambda cls: cls([[1, 0, 1]]),
        "with the zero vector": lambda cls: cls([[0, 0], [1, 1]]),
    },
    "OracleSet": {
        "2 of 5": lambda cls: cls(5, _two_of_five),
        "of several sizes": lambda cls: cls(4, _cover),
        "one action": lambda cls: cls(3, lambda w: [1, 1, 0]),
        "large": lambda cls: cls(12, _cover),
    },
    "Permutations": {
        "of 1": lambda cls: cls(1),
        "of 2": lambda cls: cls(2),
        "of 4": lambda cls: cls(4),
        "large": lambda cls: cls(7),
    },
    "TruncatedPermutations": {
        "2 of 4": lambda cls: cls(2, 4),
        "1 of 5": lambda cls: cls(1, 5),
        "3 of 3": lambda cls: cls(3, 3),
        "large": lambda cls: cls(4, 9),
    },
    "SpanningTrees": {
        "of K4": lambda cls: cls(_K4),
        "with a bridge and a double edge": lambda cls: cls([*_LOLLIPOP], labels=range(6)),
        "one edge": lambda cls: cls([("a", "b")]),
        "large": lambda cls: cls(_K7),
    },
    "Forests": {
        "2 edges of K4": lambda cls: cls(_K4, size=2),
        "1 edge": lambda cls: cls(_K4, size=1),
        "with a bridge and a double edge": lambda cls: cls([*_LOLLIPOP], size=3, labels=range(6)),
        "large": lambda cls: cls(_K7, size=4),
    },
    "DagPaths": {
        "with a shortcut": lambda cls: cls(_DIAMOND, source="s", sink="t"),
        "one edge": lambda cls: cls([(0, 1)], source=0, sink=1),
        "large": lambda cls: cls(_GRID, source=(0, 0), sink=(7, 7)),
    },
    "Partitions": {
        "4 in 3": lambda cls: cls(4, 3),
        "2 in 2": lambda cls: cls(2, 2),
        "large": lambda cls: cls(8, 6),
    },
    "Plans": {
        "the first player of Kuhn poker": lambda cls: cls(_KUHN),
        "of several sizes": lambda cls: cls([("a", ["x", "y"]), ("b", ["u", "v", "w"], ("a", "x"))]),
        "one plan": lambda cls: cls([("a", ["x"]), ("b", ["y"], ("a", "x"))]),
        "large": lambda cls: cls(_LONG),
    },
    "Product": {
        "a route and a slate": lambda cls: cls(
            sr.DagPaths(_DIAMOND, source="s", sink="t"), sr.MSets(3, 1), names=["route", "slate"]
        ),
        "of several sizes, on no level": lambda cls: cls(sr.Explicit(_UNEVEN), sr.Explicit(_UNEVEN)),
        "known by oracles": lambda cls: cls(sr.OracleSet(3, _cover), sr.MSets(2, 2), sr.OracleSet(3, _cover)),
        "large": lambda cls: cls(sr.MSets(10, 3), sr.Permutations(4), sr.Partitions(3, 2, coordinates="compact")),
    },
}
"""For every public action set, how to make instances of it, given the class."""


def _shuffled(items: Any, order: Any) -> list[Any]:
    listed = list(items)
    return [listed[index] for index in order]


RELABELLED: dict[str, Callable[[Any, np.ndarray], ActionSet]] = {
    "Explicit": lambda cls, order: cls(np.array([*_UNEVEN, [0, 1, 1, 1]])[:, order]),
    "SpanningTrees": lambda cls, order: cls(_shuffled(_K4, order)),
    "Forests": lambda cls, order: cls(_shuffled(_K4, order), size=2),
    "DagPaths": lambda cls, order: cls(_shuffled(_DIAMOND[:6], order), source="s", sink="t"),
    "MSets": lambda cls, order: cls(len(order), 3),
    "Permutations": lambda cls, order: cls(3),
    "TruncatedPermutations": lambda cls, order: cls(2, 4),
    "Product": lambda cls, order: cls(sr.MSets(3, 1), sr.MSets(4, 2)),
}
"""The same set with its coordinates in another order, where there is a natural way to say so."""

_ORDERS: dict[str, np.ndarray] = {
    "Explicit": np.array([2, 0, 3, 1]),
    "MSets": np.array([6, 2, 4, 0, 1, 5, 3]),
    "Permutations": np.array([[2, 0, 1], [5, 3, 4], [8, 6, 7]]).T.ravel(),  # the transpose, columns turned
    "Product": np.array([2, 0, 1, 5, 6, 3, 4]),
    "TruncatedPermutations": np.array([5, 4, 7, 6, 1, 0, 3, 2]),  # rows exchanged, columns turned
}

_BANDIT = ({},)
_ANY = ({}, {"feedback": "full"})
BASELINES: dict[str, tuple[dict[str, Any], ...]] = {
    "blum_mansour": _ANY,
    "comb_ts": _BANDIT,
    "comb_ucb": _BANDIT,
    "comband": _BANDIT,
    "combcp": _BANDIT,
    "combexp": _BANDIT,
    "epsilon_greedy": _BANDIT,
    "exp3": _ANY,
    "follow_the_leader": (*_ANY, {"feedback": "semi-bandit"}),
    "ito": _BANDIT,
    "lin_ts": ({}, {"memory": 20.0}),
    "lin_ucb": ({}, {"memory": 20.0, "limit": 0}),
    "linear_swap": _BANDIT,
    "regret_matching": _ANY,
    "stoltz": _ANY,
    "treeswap": _ANY,
    "tsallis_inf": _BANDIT,
    "uniform": _BANDIT,
}
"""For every published competitor, the options to try it with."""

PLAYERS: dict[str, tuple[Callable[[Any, ActionSet], Any], ...]] = {
    "swap_combcp": (
        lambda make, actions: make(actions, 60),
        lambda make, actions: make(actions, 60, feedback="semi-bandit"),
        lambda make, actions: make(actions, 60, feedback="full"),
        lambda make, actions: make(actions, 60, preset="paper"),
        lambda make, actions: make(actions, 60, preset="multiscale"),
        lambda make, actions: make(actions, 60, preset="adaptive"),
        lambda make, actions: make(actions, 60, preset="adaptive", feedback="semi-bandit"),
        lambda make, actions: make(actions, 60, preset="adaptive", feedback="full"),
    ),
    "swap_comband": (
        lambda make, actions: make(actions, 60),
        lambda make, actions: make(actions, 60, feedback="full"),
        lambda make, actions: make(actions, 60, preset="paper"),
    ),
    "anytime": (lambda make, actions: make(sr.swap_combcp, actions, first_epoch=10),),
}
"""For every ready-made player, ways to make it, given the function and a set."""

_WORLD = sr.MSets(6, 2)


def _made(name: str, **options: Any) -> Callable[[], Environment]:
    return lambda: getattr(sr.environments, name)(_WORLD, 700, rng=1, **options)


ENVIRONMENTS: dict[str, tuple[Callable[[], Environment], ...]] = {
    "cyclic": (_made("cyclic"), _made("cyclic", phases=31)),
    "spiral": (_made("spiral"),),
    "slots": (_made("slots"),),
    "tree": (_made("tree"),),
    "iid": (_made("iid"),),
    "piecewise": (_made("piecewise"),),
    "interruptions": (_made("interruptions"),),
    "random_walk": (_made("random_walk"),),
    "replay": (lambda: sr.environments.replay(_WORLD, np.arange(60).reshape(10, 6) / 60, horizon=25),),
    "from_function": (
        lambda: sr.environments.from_function(_WORLD, 300, lambda day: np.arange(6) == day % 6),
        lambda: sr.environments.from_function(_WORLD, 300, lambda day: np.arange(6) / 6, noise="bernoulli", rng=2),
    ),
    "mixture": (lambda: sr.environments.mixture([_made("iid")(), _made("cyclic")()], [0.25, 0.75], rng=3),),
    "concatenation": (lambda: sr.environments.concatenation([_made("iid")(), _made("cyclic")()], rng=3),),
    "on_days": (lambda: sr.environments.on_days(_made("iid")(), contexts=["a", "b"], without=[[], [0]]),),
    "shortages": (lambda: sr.environments.shortages(_made("cyclic")(), rng=4),),
    "by_context": (lambda: sr.environments.by_context({"a": _made("iid")(), "b": _made("cyclic")()}, rng=5),),
    "shortcut_dag": (lambda: sr.environments.shortcut_dag(4, 300),),
    "shortcut_partitions": (lambda: sr.environments.shortcut_partitions(4, 3, 300),),
    "extensive_form": (lambda: sr.environments.extensive_form(1000, rng=0),),
}
"""For every family of environments, ways to make it."""

POLICIES: dict[str, Callable[[], Policy]] = {
    "FinitePolicy": lambda: sr.FinitePolicy(_FLAT, [0.1, 0.2, 0.3, 0.4]),
    "Mixture": lambda: sr.mix([_WORLD.uniform_policy(), _WORLD.decompose(np.full(6, 1 / 3))], [0.5, 0.5]),
}


def _defined(package: ModuleType) -> Iterator[type[ActionSet]]:
    """Yield the concrete action sets that the modules of a package define under a public name."""
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = import_module(found.name)
        for name, thing in vars(module).items():
            is_set = inspect.isclass(thing) and issubclass(thing, ActionSet) and thing.__module__ == module.__name__
            if is_set and not name.startswith("_"):
                yield thing


def _classes() -> dict[str, type[ActionSet]]:
    """Return every action set that is exported, or defined as the last of its line: a shared parent is no set of its own."""
    from swapregret import actions

    defined = {kind for package in (actions, sr.environments) for kind in _defined(package)} - {ActionSet}
    parents = {parent for kind in defined for parent in kind.__mro__[1:]}
    public = {
        thing for name in sr.__all__ if inspect.isclass(thing := getattr(sr, name)) and issubclass(thing, ActionSet)
    }
    return {kind.__name__: kind for kind in (defined - parents) | (public - {ActionSet})}


CLASSES = _classes()


def _functions(package: ModuleType, home: str) -> set[str]:
    """Return the public functions of a package that are defined below ``home``."""
    things = {name: getattr(package, name) for name in package.__all__}
    return {name for name, thing in things.items() if inspect.isfunction(thing) and thing.__module__.startswith(home)}


def test_nothing_escapes_the_tables() -> None:
    """Every public set, policy, player, competitor and environment has a row, and every row has its class or function."""
    assert set(CLASSES) == set(SETS)
    assert set(RELABELLED) <= set(SETS)
    assert set(sr.baselines.__all__) == set(BASELINES)
    sets = {"decision_tree"}
    assert _functions(sr.environments, "swapregret.environments") - sets == set(ENVIRONMENTS)
    assert _functions(sr, "swapregret.learners") <= set(PLAYERS)
    policies = {
        name for name in sr.__all__ if inspect.isclass(thing := getattr(sr, name)) and issubclass(thing, Policy)
    }
    assert policies - {"Policy"} == set(POLICIES)


def test_a_class_without_a_row_would_be_seen() -> None:
    """A new set in any module below the package is found, whether exported or not."""
    module = ModuleType("swapregret.actions.planted")
    planted = type("Planted", (sr.MSets,), {"__module__": module.__name__})
    module.Planted = planted  # type: ignore[attr-defined]
    package = ModuleType("swapregret.actions")
    package.__path__ = []  # type: ignore[attr-defined]
    assert list(_defined(package)) == []
    import sys
    from unittest.mock import patch

    spec = pkgutil.ModuleInfo(None, module.__name__, False)  # type: ignore[arg-type]
    with patch.dict(sys.modules, {module.__name__: module}), patch.object(pkgutil, "walk_packages", lambda *_: [spec]):
        assert list(_defined(package)) == [planted]


_INSTANCES = [(name, case) for name, rows in SETS.items() for case in rows]


@pytest.mark.parametrize(("name", "case"), _INSTANCES, ids=[f"{name}: {case}" for name, case in _INSTANCES])
def test_action_sets_conform(name: str, case: str) -> None:
    """Every set keeps every promise of ActionSet; small ones are compared with the list of their actions."""
    report = check_action_set(SETS[name][case](CLASSES[name]), limit=1000)
    skipped = {check for check, _ in report.skipped}
    assert ("enumeration" in skipped) == (case == "large")
    assert skipped <= {"enumeration", "uniform policy", "gibbs policy"}


@pytest.mark.parametrize("name", RELABELLED)
def test_relabelled_sets_conform(name: str) -> None:
    """Another order of the coordinates changes nothing but the order of the answers."""
    order = _ORDERS.get(name, np.array([4, 0, 5, 2, 1, 3]))
    make, kind = RELABELLED[name], CLASSES[name]
    check_relabelling(make(kind, np.arange(len(order))), make(kind, order), order)


@pytest.mark.parametrize("name", POLICIES)
def test_policies_conform(name: str) -> None:
    """Every public kind of policy tells one story about itself."""
    policy = POLICIES[name]()
    assert type(policy).__name__ == name
    check_policy(policy)


_COMPETITORS = [(name, index) for name, rows in BASELINES.items() for index in range(len(rows))]


@pytest.mark.parametrize(("name", "index"), _COMPETITORS, ids=[f"{name}-{index}" for name, index in _COMPETITORS])
def test_baselines_conform(name: str, index: int) -> None:
    """Every competitor plays policies on its set, repeats its runs, and survives being written to a file."""
    check_player(getattr(sr.baselines, name)(sr.MSets(5, 2), 40, **BASELINES[name][index]), days=40)


_READY = [(name, index) for name, rows in PLAYERS.items() for index in range(len(rows))]


@pytest.mark.parametrize(("name", "index"), _READY, ids=[f"{name}-{index}" for name, index in _READY])
def test_players_conform(name: str, index: int) -> None:
    """Every ready-made player does so too, on m-sets and on a set of low rank and several sizes."""
    make = getattr(sr, name, None) or getattr(import_module("swapregret.learners.presets"), name, None)
    make = make or getattr(import_module("swapregret.learners.doubling"), name)
    for actions in (sr.MSets(5, 2), sr.Explicit(_UNEVEN)):
        check_player(PLAYERS[name][index](make, actions), days=50)


_WORLDS = [(name, index) for name, rows in ENVIRONMENTS.items() for index in range(len(rows))]


@pytest.mark.parametrize(("name", "index"), _WORLDS, ids=[f"{name}-{index}" for name, index in _WORLDS])
def test_environments_conform(name: str, index: int) -> None:
    """Every environment repeats its days, keeps totals in [0, 1] and has the means it declares."""
    check_environment(ENVIRONMENTS[name][index]())
