"""What a set brings for everybody: its data, and operations on them. Learners, games, ``ActionSet`` and tests all ask these.

A set makes one :class:`Hull` (``ActionSet.hull``): a named tuple of arrays, and kernels that take a handle of it (``set_of``). To
see what ``project(...)`` runs on a set, look at ``project=`` behind its ``hull()``; ``subset_hull`` is the shortest. Learners have
the addresses of the same kernels (``actions.family``), so they are compiled once for all sets. The kernels of a set that exists
only in Python call its methods (``own_sets.python_hull``).

No operation may write to its arguments but where its declaration says so, and to the ``table`` it draws from.
"""

# the bodies of declarations are never run
# mypy: disable-error-code="empty-body"

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol, Self, cast, runtime_checkable

import numpy as np

from swapregret.arrays import Actions, Floats, Integers, Matrix, Words
from swapregret.compiled.address import Asked, Callback, Handle, Operation, operation, set_of, settle
from swapregret.compiled.kernel import Function, Returned, kernel
from swapregret.compiled.vectors import part_in_columns

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet
    from swapregret.actions.policy_slots import Policies
    from swapregret.compiled.handle import OpenHandle


@operation
def best(hull: Asked, weights: Floats) -> Integers:
    """Return the action of largest total weight; nothing where Python code has raised an error (``compiled.address``).

    A set's code stands behind ``best=`` in its ``hull()``.
    """


@operation
def project(hull: Asked, tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the KL projection of exp(tilted) onto conv(A), its logarithm, and its gap: infinite if the point is not good.

    The gap bounds how far the divergence lies above its minimum. Where no action has an element the logarithm is 0. ``near`` is the
    logarithm of a point that may be near; zeros if none is known. A set's code stands behind ``project=`` in its ``hull()``.
    """


@operation
def list_policy(hull: Asked, point: Floats) -> tuple[Words, Floats, bool]:
    """Return a point of conv(A) as a list: actions, packed, their chances, and whether the point was inside.

    A set's code stands behind ``list_policy=`` in its ``hull()``.
    """


@operation
def span_part(hull: Asked, vector: Floats) -> Floats:
    """Return the part of a vector that actions can see, its projection onto span(A): ``span_part=`` in ``hull()``."""


@operation
def draw_explore(hull: Asked, rng: np.random.Generator) -> Integers:
    """Draw from an exploration policy that is no list: ``draw_explore=`` in ``hull()``."""


@operation
def fill_table(
    hull: Asked,
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Annotated[Floats, 2],
) -> bool:
    """Write the table of a policy that is no list, its E[M] and its Σ on the coordinates, if there are any.

    A point that is not inside is refused, and nothing has changed. A set's code stands behind ``fill=`` of its :class:`Tables`.
    """


@operation
def draw_table(hull: Asked, table: Floats, rng: np.random.Generator) -> Integers:
    """Draw from the policy of a table: ``draw=`` of :class:`Tables`."""


@operation
def table_variance(hull: Asked, table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M) under the policy of a table: ``variance=`` of :class:`Tables`."""


@operation
def solve_mixture(
    hull: Asked, tables: Annotated[Floats, 2], marginals: Annotated[Floats, 2], weights: Floats, right: Floats
) -> tuple[Floats, float]:
    """Return Σ⁺v for a mixture of tables without making Σ, and the relative residual that is left: ``solve=``."""


_DECLARED = {
    "best": cast(Operation, best),
    "project": cast(Operation, project),
    "list_policy": cast(Operation, list_policy),
}
_best_at, _project_at, _list_at = (each.at for each in _DECLARED.values())


@kernel
def _ask_best(entry: int, handle: int, weights: Floats) -> Integers:
    return _best_at(entry, handle, weights)  # type: ignore[no-any-return]


@kernel
def _ask_best_of_rows(entry: int, handle: int, table: Floats) -> Integers:
    actions = np.empty(table.shape, dtype=np.int64)
    for row in range(table.shape[0]):
        actions[row] = _best_at(entry, handle, table[row])
    return actions


@kernel
def _ask_project(entry: int, handle: int, tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    return _project_at(entry, handle, tilted, near)  # type: ignore[no-any-return]


@kernel
def _ask_list(entry: int, handle: int, point: Floats) -> tuple[Words, Floats, bool]:
    return _list_at(entry, handle, point)  # type: ignore[no-any-return]


_ASKED: dict[str, Function] = {"best": _ask_best, "project": _ask_project, "list_policy": _ask_list}
"""What ``ActionSet`` asks often is asked by address: Numba takes longer to look at a handle than at two numbers."""


@runtime_checkable
class KeepsActions(Protocol):
    """The data of a set whose lists depend on actions that are kept in a state beside its policies."""

    def on(self, policies: "Policies") -> Self:
        """Return the data with the actions of a state."""

    def pool(self, n_slots: int) -> tuple[Words, Integers]:
        """Return the actions of a new state and when each was used last, dealt out to slots."""


class HasBasis(Protocol):
    """The data of a set with an orthonormal basis of its span; without rows where all vectors are in it."""

    @property
    def orthonormal(self) -> Floats:
        """One row per coordinate."""


class Tables(NamedTuple):
    """How policies are played that are no lists: each is a row of numbers, its table."""

    width: int  # numbers in a table
    fill: Function  # the kernels ``fill_table``
    draw: Function  # and ``draw_table``
    # takes the place of the set's, where points are known by other numbers: by exponents, for Gibbs policies
    project: Function | None = None
    variance: Function | None = None  # ``table_variance``; without it the local variance is that of the point
    solve: Function | None = None  # ``solve_mixture``; without it Σ is made
    span_part: Function | None = None  # takes the place of the set's where Σ is not made


@dataclass(frozen=True, eq=False)
class Hull:
    """The data of a set, and the kernels of its operations."""

    data: tuple[object, ...]  # the named tuple that the kernels read, as ``set_of(handle)``
    best: Function  # the kernels of the operations of these names
    project: Function
    list_policy: Function
    span_part: Function
    draw_explore: Function | None = None  # None where the exploration policy is drawn from its list
    gibbs: Tables | None = None  # how Gibbs policies are played
    chain: Tables | None = None  # how chains with given marginals are played
    callbacks: tuple[Callback, ...] = ()  # Python functions behind the kernels: they keep the errors these raise
    # what makes the hull in another process, where addresses in the data mean nothing
    remade: tuple[Callable[..., "Hull"], tuple[object, ...]] | None = None

    @cached_property
    def handle(self) -> "OpenHandle":
        """The handle of the data."""
        from swapregret.compiled.handle import open_handle  # loads Numba

        return open_handle(self.data, 0, 0, 0, 0)

    def ask(self, name: str, *args: object) -> Returned:
        """Ask an operation, and raise the error that Python code behind it has raised."""
        if name in _ASKED:
            found = _ASKED[name](self.address(name), self.handle.address, *args)
        else:
            found = getattr(self, name)(self.handle, *args)
        settle(self.callbacks)
        return found

    def address(self, name: str) -> int:
        """Return where the kernel of an operation is; it is compiled if it is not."""
        if name not in self._addresses:
            self._addresses[name] = _DECLARED[name].address(getattr(self, name), self.handle)
        return self._addresses[name]

    @cached_property
    def _addresses(self) -> dict[str, int]:
        return {}

    def on(self, policies: "Policies") -> "Hull":
        """Return the hull with what a state keeps for the set beside its policies."""
        return replace(self, data=self.data.on(policies)) if isinstance(self.data, KeepsActions) else self

    def __reduce__(self) -> tuple[Callable[..., "Hull"], tuple[object, ...]]:
        return self.remade or (Hull, tuple(getattr(self, each.name) for each in fields(self)))


def best_of_rows(hull: Hull, table: Matrix) -> Actions:
    """Return the best action for each row of weights."""
    found = _ask_best_of_rows(hull.address("best"), hull.handle.address, table)
    settle(hull.callbacks)
    return found


@kernel
def part_of_basis(h: Handle[HasBasis], vector: Floats) -> Floats:
    """Project onto the span by its basis, the columns of ``orthonormal``; without one all vectors are in it."""
    orthonormal = set_of(h).orthonormal
    return part_in_columns(orthonormal, vector) if orthonormal.size else vector


@kernel
def put_moment(full: Floats, coordinates: Integers, moment: Floats) -> None:
    """Write what Σ is on some coordinates."""
    for i in range(coordinates.size):
        line, row = moment[i], full[coordinates[i]]
        for j in range(coordinates.size):
            line[j] = row[coordinates[j]]


@kernel
def whole_vector(h: Handle[object], vector: Floats) -> Floats:
    """Return all of a vector."""
    return vector


def basis_of(actions: "ActionSet") -> Matrix:
    """Return an orthonormal basis of the span, one row per coordinate; none where all vectors are in it."""
    if actions.rank == actions.dimension:
        return np.zeros((0, 0))
    return np.ascontiguousarray(actions.span.orthonormal)
