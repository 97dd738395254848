"""Policies whose support is not listed, as plain data: what a file needs to make them again.

A policy is an object of this package that is made of numbers, arrays, labels and other such objects (a graph, an inner policy).
Written are its class and what it was made of (``registry.POLICY_PARTS``), so equal policies are written alike. Read are the classes
of ``registry.POLICIES`` only, made of values they have checked (``of_held``). A policy can also be written as one cell of a table.
"""

import base64
import json
import zlib
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import NamedArrays, array_of_text, text_of_array
from swapregret.errors import InvalidInput, Unsupported
from swapregret.policy import Mixture, Policy
from swapregret.policy.held import is_same, wrong_policy
from swapregret.registry import GRAPHS, POLICIES, POLICY_PARTS, find, name_of

_TEXT = "policies"
_MOST = 2**26
_DRAWS = 8
_DTYPES = frozenset({"|b1", "|u1", "<i4", "<i8", "<u8", "<f8"})


def write_policies(policies: tuple[Policy, ...]) -> NamedArrays:
    """Write policies as named arrays.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.actions.m_sets.m_set_policies import UniformSubsets
    >>> wide = MSets(40, 8)
    >>> read_policies(write_policies((UniformSubsets(40, 8),)), wide)
    (UniformSubsets(8 of 40),)
    """
    if not policies:
        return {}
    writer = _Writer()
    text = json.dumps([writer.write(policy) for policy in policies], separators=(",", ":"))
    return {_TEXT: array_of_text(text)} | {f"{_TEXT}.{index}": array for index, array in enumerate(writer.arrays)}


def read_policies(arrays: NamedArrays, actions: ActionSet) -> tuple[Policy, ...]:
    """Read what ``write_policies`` wrote; ``actions`` must be the set it was given, or an equal one."""
    if _TEXT not in arrays:
        return ()
    reader = _Reader(actions, arrays)
    return tuple(reader.policy(data) for data in json.loads(text_of_array(arrays[_TEXT])))


def policy_cell(policy: Policy) -> str:
    """Write a policy as text without spaces, commas or quotes; equal policies give equal texts.

    Examples
    --------
    >>> from swapregret import MSets
    >>> wide = MSets(40, 8)
    >>> read_policy_cell(policy_cell(wide.uniform_policy()), wide)
    UniformSubsets(8 of 40)
    """
    arrays = {
        name: [array.dtype.str, array.shape, array.ravel().tolist()]
        for name, array in write_policies((policy,)).items()
    }
    return base64.b64encode(zlib.compress(json.dumps(arrays, separators=(",", ":")).encode())).decode()


def read_policy_cell(text: str, actions: ActionSet) -> Policy:
    """Read what ``policy_cell`` wrote; whatever else it is, is refused."""
    try:
        plain = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST)
        named = json.loads(plain)
        arrays = {
            str(name): np.array(numbers, dtype=kind).reshape(shape)
            for name, (kind, shape, numbers) in named.items()
            if kind in _DTYPES
        }
        (policy,) = read_policies(arrays, actions)
        return policy
    except (
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
        OSError,
        zlib.error,
    ) as error:
        came = f"{text!r:.40}: {error}"
    raise InvalidInput(
        "a policy in a table must be a text that this library wrote for the same set",
        came,
        "Check `--set`, or list it: one row per action, with `round` and `probability`.",
    )


class _Writer:
    """Turns objects into nested lists and dicts, and gathers their arrays."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self.arrays: list[npt.NDArray[Any]] = []

    def write(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.generic):
            return self.write(value.item())
        if isinstance(value, np.ndarray):
            return {"array": self._place(value), "is_frozen": not value.flags.writeable}
        if isinstance(value, tuple):
            return {"tuple": [self.write(item) for item in value]}
        name = name_of(type(value), POLICIES, GRAPHS)
        if name is None:
            raise Unsupported(
                "a policy in a file must be made of this library's classes and plain values",
                repr(value)[:200],
                'Use measure = "bound", which keeps no policies.',
            )
        held = _held_of(value) if name in GRAPHS else {part: getattr(value, part) for part in POLICY_PARTS[name]}
        return {"class": name, "holds": {part: self.write(item) for part, item in held.items()}}

    def _place(self, array: npt.NDArray[Any]) -> int:
        if id(array) not in self._known:
            self._known[id(array)] = len(self.arrays)
            self.arrays.append(array)
        return self._known[id(array)]


class _Reader:
    """Makes the objects again; one array stays one array."""

    def __init__(self, actions: ActionSet, arrays: NamedArrays) -> None:
        self._actions, self._arrays = actions, arrays
        self._made: dict[tuple[int, bool], npt.NDArray[Any]] = {}
        self._graphs = _graphs_of(actions)
        sizes = [len(getattr(graph, "labels", getattr(graph, "edges", ()))) for graph in self._graphs]
        self._most = max([actions.dimension, *sizes])
        self._seen: set[bytes] = set()

    def read(self, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "array" in data:
            key = (data["array"], data["is_frozen"])
            if type(key[0]) is not int or type(key[1]) is not bool:
                raise wrong_policy("arrays by number", f"{data!r:.80}")
            if key not in self._made:
                self._made[key] = np.array(self._arrays[f"{_TEXT}.{key[0]}"])
                self._made[key].flags.writeable = not key[1]
            return self._made[key]
        if "tuple" in data:
            return tuple(self.read(item) for item in data["tuple"])
        if not isinstance(data.get("holds"), dict):
            raise wrong_policy("a class and what it holds", f"{data!r:.80}")
        kind = find(data["class"], "a policy", POLICIES, GRAPHS)
        held = {name: self.read(item) for name, item in data["holds"].items()}
        return self._graph(kind, held) if data["class"] in GRAPHS else kind.of_held(held, self._most)

    def policy(self, data: Any) -> Policy:
        """Make a policy over the actions of the set: what it lists are actions, and so is what it draws."""
        policy = self.read(data)
        if not isinstance(policy, Policy) or policy.dimension != self._actions.dimension:
            raise wrong_policy(f"a policy over {self._actions.dimension} elements", f"{policy!r:.80}")
        for part in policy.components if isinstance(policy, Mixture) else (policy,):
            rows = part.atoms if type(part).has_atoms is True else part.sample_many(np.random.default_rng(0), _DRAWS)
            for row in rows:
                if row.tobytes() not in self._seen and row not in self._actions:
                    raise wrong_policy("actions of the set", f"{row!r:.80}")
                self._seen.add(row.tobytes())
        return policy

    def _graph(self, kind: type, held: dict[str, Any]) -> Any:
        """Return the graph of the set that is alike; there must be one."""
        for graph in self._graphs:
            if type(graph) is kind and is_same(held, _held_of(graph)):
                return graph
        raise wrong_policy("the graph of the set", f"another {kind.__name__}")


def _graphs_of(actions: ActionSet) -> list[Any]:
    """Return the graphs that a set, or a set within it, is made of."""
    found: list[Any] = []
    for value in vars(actions).values():
        if name_of(type(value), GRAPHS):
            found.append(value)
        for inner in value if isinstance(value, tuple) else (value,):
            found += _graphs_of(inner) if isinstance(inner, ActionSet) else []
    return found


def _held_of(graph: Any) -> dict[str, Any]:
    return {field.name: getattr(graph, field.name) for field in fields(graph)}
