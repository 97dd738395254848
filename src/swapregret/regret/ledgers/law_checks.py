"""What a law in a file must hold before it is made: numbers of the right kind, in range, that fit each other.

Kernels trust their arrays, so nothing of a file reaches one unchecked. For each name of ``registry.LAWS`` a function takes what
the file holds and returns the arguments of the constructor; whatever else the law has is computed again. Graphs are not made at
all: they must be those of the action set.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.m_sets.kernels.subsets import UNIT
from swapregret.errors import InvalidInput
from swapregret.policy import Policy
from swapregret.regret.ledgers.held_arrays import held_array

__all__ = ["ARGUMENTS", "GRAPHS", "is_same", "wrong_law"]

Held = Mapping[str, Any]
GRAPHS = frozenset({"Digraph", "UndirectedGraph"})
_MOST_GIBBS = 20
_LARGEST = 1e100
_SLACK = 1e-9


def _whole(held: Held, name: str, high: int) -> int:
    value = held[name]
    if type(value) is not int or not 1 <= value <= high:
        raise wrong_law(f"a whole number of 1..{high} as `{name}`", f"{value!r:.80}")
    return value


def _chances(held: Held, name: str) -> npt.NDArray[np.float64]:
    value: npt.NDArray[np.float64] = held_array(held, name, "float64", (None,), 0.0, 1.0)
    if abs(value.sum() - 1.0) > _SLACK:
        raise wrong_law(f"`{name}` that add up to 1", f"{value.sum()}")
    return value


def _policies(held: Held, name: str) -> tuple[Policy, ...]:
    value = held[name]
    if not isinstance(value, tuple) or not value or not all(isinstance(each, Policy) for each in value):
        raise wrong_law(f"policies as `{name}`", f"{value!r:.80}")
    return value


def _graph(held: Held, name: str, kind: str) -> Any:
    if type(held[name]).__name__ != kind:
        raise wrong_law(f"a graph as `{name}`", f"{held[name]!r:.80}")
    return held[name]


def _finite(held: Held, most: int) -> tuple[Any, ...]:
    weights = _chances(held, "_weights")
    return held_array(held, "_atoms", "int64", (len(weights), None), 0, 1), weights


def _mixture(held: Held, most: int) -> tuple[Any, ...]:
    return _policies(held, "components"), _chances(held, "component_weights")


def _product(held: Held, most: int) -> tuple[Any, ...]:
    return (_policies(held, "parts"),)


def _uniform_subsets(held: Held, most: int) -> tuple[Any, ...]:
    d = _whole(held, "dimension", most)
    return d, _whole(held, "size", d)


def _gibbs_subsets(held: Held, most: int) -> tuple[Any, ...]:
    scores = held_array(held, "_scores", "float64", (None,), -_LARGEST, _LARGEST)
    return scores, _whole(held, "size", len(scores))


def _pivotal(held: Held, most: int) -> tuple[Any, ...]:
    units = held_array(held, "_units", "int64", (None,), 0, UNIT)
    size = _whole(held, "size", len(units))
    if sum(units.tolist()) != size * UNIT:
        raise wrong_law(f"`_units` that add up to {size} · 2⁴⁴", f"{sum(units.tolist())}")
    return units, size


def _systematic(held: Held, most: int) -> tuple[Any, ...]:
    units, size = _pivotal(held, most)
    orders = held_array(held, "_orders", "int64", (None, len(units)), 0, len(units) - 1)
    if not len(orders) or (np.sort(orders, axis=1) != np.arange(len(units))).any():
        raise wrong_law("each element once in each of `_orders`", f"{orders!r:.80}")
    return units, orders, size


def _uniform_matchings(held: Held, most: int) -> tuple[Any, ...]:
    columns = _whole(held, "columns", most)
    return _whole(held, "rows", min(columns, most // columns)), columns


def _matchings(held: Held, most: int) -> tuple[Any, ...]:
    columns, mass = _whole(held, "columns", most), _chances(held, "_mass")
    chosen = held_array(held, "_chosen", "int32", (len(mass), None), 0, columns - 1)
    if not chosen.shape[1] or (np.diff(np.sort(chosen, axis=1), axis=1) == 0).any():
        raise wrong_law("another column for each row in `_chosen`", f"{chosen!r:.80}")
    return chosen, mass, columns


def _gibbs_permutations(held: Held, most: int) -> tuple[Any, ...]:
    n = _whole(held, "n", _MOST_GIBBS)
    return (held_array(held, "_scores", "float64", (n, n), -_LARGEST, _LARGEST),)


def _gibbs_trees(held: Held, most: int) -> tuple[Any, ...]:
    graph = _graph(held, "_graph", "UndirectedGraph")
    return graph, held_array(held, "_scores", "float64", (len(graph.labels),), -_LARGEST, _LARGEST)


def _markov(held: Held, most: int) -> tuple[Any, ...]:
    graph = _graph(held, "graph", "Digraph")
    transition = held_array(held, "transition", "float64", graph.head.shape, 0.0, 1.0 + _SLACK)
    leaving = np.add.reduceat(transition, graph.start[:-2])
    if (np.abs(leaving - 1.0) > _SLACK).any():
        raise wrong_law("`transition` that add up to 1 at each vertex", f"{leaving.min()} to {leaving.max()}")
    return graph, transition


def _paths(held: Held, most: int) -> tuple[Any, ...]:
    d, weights = _whole(held, "dimension", most), _chances(held, "path_weights")
    path = held_array(held, "path", "int32", (None,), 0, d - 1)
    first = held_array(held, "first", "int64", (len(weights) + 1,), 0, len(path))
    if first[0] != 0 or first[-1] != len(path) or (np.diff(first) < 1).any():
        raise wrong_law("where each list begins, in order, as `first`", f"{first!r:.80}")
    return d, first, path, weights


def _forests(held: Held, most: int) -> tuple[Any, ...]:
    d, first, path, weights = _paths(held, most)
    if len(set(np.diff(first).tolist())) != 1:
        raise wrong_law("forests of one size as `first`", f"{first!r:.80}")
    return d, path.reshape(len(weights), -1), weights


def _image(held: Held, most: int) -> tuple[Any, ...]:
    inner, d, inverse = held["inner"], _whole(held, "dimension", most), held["_inverse"]
    if not isinstance(inner, Policy) or not (inverse is None or callable(inverse)):
        raise wrong_law("a policy as `inner`, and a method or nothing as `_inverse`", f"{inner!r:.80}")
    return inner, held_array(held, "image", "int64", (inner.dimension,), 0, d - 1), d, inverse


ARGUMENTS: dict[str, Callable[[Held, int], tuple[Any, ...]]] = {
    "FinitePolicy": _finite,
    "ForestList": _forests,
    "GibbsPermutations": _gibbs_permutations,
    "GibbsSubsets": _gibbs_subsets,
    "GibbsTrees": _gibbs_trees,
    "ImageLaw": _image,
    "MarkovPaths": _markov,
    "MatchingPolicy": _matchings,
    "Mixture": _mixture,
    "PathList": _paths,
    "PivotalSubsets": _pivotal,
    "ProductPolicy": _product,
    "SystematicPolicy": _systematic,
    "UniformMatchings": _uniform_matchings,
    "UniformSubsets": _uniform_subsets,
}
"""By name in the registry: from what a file holds, and the most elements there are, to the arguments of the constructor."""


def is_same(first: Any, second: Any) -> bool:
    """Tell whether two values that a law or a graph holds are alike: text and whole numbers exactly, others up to rounding."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        is_alike = first.dtype == second.dtype and first.shape == second.shape
        return is_alike and bool(np.allclose(first, second, rtol=_SLACK, atol=_SLACK))
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= _SLACK * max(1.0, abs(first))
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    return first is second or (type(first) is type(second) and bool(first == second))


def wrong_law(must: str, came: str) -> InvalidInput:
    """Return the refusal of a law."""
    return InvalidInput(f"a policy in a file must have {must}", came, "Restore the file from a copy.")
