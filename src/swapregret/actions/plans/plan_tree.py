"""The tree of a player's information sets, as arrays: read, checked, counted, and its span."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.arrays import Actions, Integers, Matrix, frozen, is_iterable
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.geometry.hull_equations import HullEquations


@dataclass(frozen=True, eq=False)
class PlanTree:
    """Information sets in an order in which parents come first.

    Attributes
    ----------
    start : int64 array, shape (n + 1,)
        Information set j has the sequences ``start[j]..start[j+1]-1``.
    parent : int64 array, shape (n,)
        The sequence it follows; −1 at the root.
    """

    start: Integers
    parent: Integers

    @property
    def dimension(self) -> int:
        """Number of sequences."""
        return int(self.start[-1])

    @cached_property
    def n_plans(self) -> int:
        """The number of plans, exact: f_j = Σ_k Π f_j' over what follows k."""
        counts, root = [1] * self.dimension, 1
        for j in range(len(self.parent) - 1, -1, -1):
            total = sum(counts[self.start[j] : self.start[j + 1]])
            if self.parent[j] >= 0:
                counts[self.parent[j]] *= total
            else:
                root *= total
        return root

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """The fewest and the most sequences a plan has."""
        ends = []
        for pick in (np.min, np.max):
            counts, root = np.ones(self.dimension, dtype=np.int64), 0
            for j in range(len(self.parent) - 1, -1, -1):
                found = int(pick(counts[self.start[j] : self.start[j + 1]]))
                if self.parent[j] >= 0:
                    counts[self.parent[j]] += found
                else:
                    root += found
            ends.append(root)
        return ends[0], ends[1]

    @property
    def rank(self) -> int:
        """The dimension of the span of plans: one for all but one sequence of every information set, and one."""
        return self.dimension - len(self.parent) + 1

    @cached_property
    def coordinates(self) -> Integers:
        """Independent coordinates: all sequences but the last of every information set, which the first has too."""
        return np.delete(np.arange(self.dimension), self.start[2:] - 1)

    def lift(self) -> Matrix:
        """Return L, with M = L @ M[coordinates] for every plan M; entries −1, 0 and 1."""
        matrix = np.zeros((self.dimension, self.rank))
        matrix[self.coordinates, np.arange(self.rank)] = 1.0
        for j in range(1, len(self.parent)):
            first, last = self.start[j], self.start[j + 1] - 1
            above = matrix[: self.start[1]].sum(axis=0) if self.parent[j] < 0 else matrix[self.parent[j]]
            matrix[last] = above - matrix[first:last].sum(axis=0)
        return np.asarray(matrix + 0.0)

    def basis(self) -> Actions:
        """Return one plan for each independent coordinate: there by what comes before it, else by the last of each choice."""
        start, parent = self.start.tolist(), self.parent.tolist()
        owner = np.repeat(np.arange(len(parent)), np.diff(self.start)).tolist()
        rows = np.zeros((self.rank, self.dimension), dtype=np.int64)
        for row, k in zip(rows, self.coordinates.tolist(), strict=True):
            forced, at = {}, k
            while at >= 0:
                forced[owner[at]] = at
                at = parent[owner[at]]
            for j, before in enumerate(parent):
                if before < 0 or row[before]:
                    row[forced.get(j, start[j + 1] - 1)] = 1
        return rows

    def plans(self) -> Iterator[list[int]]:
        """Yield every plan, as a list of its sequences."""
        start, parent = self.start.tolist(), self.parent.tolist()
        open_: list[tuple[int, list[int]]] = [(0, [])]
        while open_:
            j, plan = open_.pop()
            while j < len(parent) and parent[j] >= 0 and parent[j] not in plan:
                j += 1
            if j == len(parent):
                yield plan
                continue
            open_ += [(j + 1, [*plan, k]) for k in range(start[j], start[j + 1])]

    def equations(self) -> HullEquations:
        """Return the mean plans by equations: every information set adds up to what enters it."""
        rows = np.zeros((len(self.parent), self.dimension))
        rows[np.repeat(np.arange(len(self.parent)), np.diff(self.start)), np.arange(self.dimension)] = 1.0
        inner = np.flatnonzero(self.parent >= 0)
        rows[inner, self.parent[inner]] -= 1.0
        return HullEquations.of(np.arange(self.dimension), rows, (self.parent < 0).astype(np.float64))


def read_tree(information_sets: Any) -> tuple[PlanTree, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Read information sets, each (name, actions) or (name, actions, (name, action) it follows).

    Returns the tree, the names of the information sets, and for each sequence its information set and action.

    Examples
    --------
    >>> tree, names, sequences = read_tree([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))])
    >>> tree.start.tolist(), tree.parent.tolist(), sequences[2]
    ([0, 2, 4], [-1, 0], ('raised', 'fold'))
    """
    if not is_iterable(information_sets) or isinstance(information_sets, str):
        raise _refused("a list of (name, actions, what it follows)", shown(information_sets))
    names: dict[str, int] = {}
    sequences: dict[tuple[str, ...], int] = {}
    start, parent = [0], []
    for given in information_sets:
        entry = list(given) if is_iterable(given) and not isinstance(given, str) else []
        if len(entry) not in (2, 3):
            raise _refused("(name, actions) or (name, actions, (name, action))", shown(given))
        name, actions, after = str(entry[0]), entry[1], entry[2] if len(entry) == 3 else None
        if name in names:
            raise _refused("names that are all different", f"{name!r} twice")
        if isinstance(actions, str) or not is_iterable(actions) or not (actions := [str(each) for each in actions]):
            raise _refused(f"at least one action in {name!r}", shown(entry[1]))
        if len(set(actions)) < len(actions):
            raise _refused(f"different actions in {name!r}", shown(actions))
        before = -1
        if after is not None:
            known = tuple(map(str, after)) if is_iterable(after) and not isinstance(after, str) else ()
            before = sequences.get(known, -1)
            if before < 0:
                must = f"an information set and an action that came before {name!r}, or nothing, as what it follows"
                raise _refused(must, shown(after))
        names[name] = len(names)
        for action in actions:
            sequences[name, action] = len(sequences)
        start.append(len(sequences))
        parent.append(before)
    if not names:
        raise _refused("at least one entry", "none")
    arrays = (frozen(np.array(each, dtype=np.int64)) for each in (start, parent))
    return PlanTree(*arrays), tuple(names), tuple((name, action) for name, action in sequences)


def _refused(must: str, came: str) -> InvalidInput:
    example = '[("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]'
    return InvalidInput(f"`information_sets` must have {must}", came, f"For example: {example}.")
