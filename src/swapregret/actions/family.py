"""A set as learners take it: a *family*, a named tuple of what they must know, and the addresses of the set's operations.

The operations are declared in ``actions.hull``, where a set brings them too; ``make_family`` puts both together for one learner,
with its exploration policy and the way it plays points. Families of all sets have one type, so learners are compiled once. How
their policies are kept is in ``actions.policy_slots``.
"""

from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

import numpy as np

from swapregret.actions import hull as declared
from swapregret.actions.elimination_order import elimination_order
from swapregret.actions.hull import Hull, Tables
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Operation, settle
from swapregret.compiled.bits import pack_action
from swapregret.compiled.kernel import Function, Kernel, Returned
from swapregret.policy import Policy

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet
    from swapregret.actions.policy_slots import Policies


class Explore(NamedTuple):
    """The exploration policy μ."""

    words: Words  # (n, words) its actions, packed, if it is a list; otherwise ``draw_explore`` draws from it
    cumulative: Floats  # (n,)
    marginals: Floats  # (d,)
    moment: Floats  # (r, r) or (0, 0) its Σ on the independent coordinates, where Σ is a matrix


class Common(NamedTuple):
    """What the learners must know of any set."""

    dimension: int  # d
    size: int  # m
    rank: int  # r
    is_uniform: bool  # whether all actions have m elements
    # (r,) or (0,) independent coordinates on which Σ is a matrix; none where Σ is not needed or not a matrix. They stand in
    # the order in which Σ is factored: those that share actions with few others come first, which keeps the factor sparse
    coordinates: Integers
    place: Integers  # (d,) or (0,) the place of each coordinate among those, −1 for the others
    explore: Explore


class _Fields(NamedTuple):
    common: Common
    width: int
    handle: int
    best: int
    project: int
    list_policy: int
    span_part: int
    draw_explore: int
    fill_table: int
    draw_table: int
    table_variance: int
    solve_mixture: int


class Family(_Fields):
    """What learners know of a set, the address of a handle of its data, and those of its operations; 0 for one it does not have.

    Attributes
    ----------
    width : int
        Numbers in the table of a policy; 0 where policies are lists.
    hull : Hull
        What the addresses lead to; only Python sees it.
    code : dict of str and kernel
        The kernel of each operation, by name.
    """

    hull: Hull
    code: dict[str, Function | None]
    operations: ClassVar[tuple[str, ...]] = _Fields._fields[3:]

    def ask(self, name: str, *args: object) -> Returned:
        """Ask an operation, and raise the error that Python code behind it has raised."""
        kernel = self.code[name]
        assert kernel is not None
        found = kernel(self.hull.handle, *args)
        settle(self.hull.callbacks)
        return found

    def on(self, policies: "Policies") -> "Family":
        """Return the family as it works on one state, where the set keeps something beside the state's policies."""
        if policies.used.size == 0:
            return self
        return _family(self.common, self.width, self.hull.on(policies), self.code)

    def __reduce__(self) -> tuple[Function, tuple[object, ...]]:
        return _family, (self.common, self.width, self.hull, self.code)


def _family(common: Common, width: int, hull: Hull, code: dict[str, Function | None]) -> Family:
    """Return a family with its addresses; kernels are compiled if they are not."""
    operations: dict[str, Operation] = {name: getattr(declared, name) for name in Family.operations}
    places = [each.address(cast(Kernel | None, code[name]), hull.handle) for name, each in operations.items()]
    made = Family(common, width, hull.handle.address, *places)
    made.hull, made.code = hull, code
    return made


def make_family(
    actions: "ActionSet",
    hull: Hull,
    mu: Policy | None,
    *,
    tables: Tables | None = None,
    is_listed: bool = False,
    has_moment: bool = True,
) -> Family:
    """Return the family of a set for a learner with an exploration policy μ.

    ``tables`` says how points are played that are no lists; with ``is_listed`` only points are those of the tables, and played as
    lists. ``has_moment`` says whether Σ⁺ is wanted.
    """
    played = None if is_listed else tables
    code = {name: getattr(hull, name, None) for name in Family.operations}
    if tables is not None and tables.project is not None:
        code["project"] = tables.project
    if played is not None:
        code |= {"fill_table": played.fill, "draw_table": played.draw, "table_variance": played.variance}
        if has_moment and played.solve is not None:
            code |= {"solve_mixture": played.solve, "span_part": played.span_part or hull.span_part}
    is_matrix = has_moment and code["solve_mixture"] is None
    common = _describe(actions, mu, has_matrix=is_matrix, is_listed=hull.draw_explore is None)
    return _family(common, 0 if played is None else played.width, hull, code)


def _describe(actions: "ActionSet", mu: Policy | None, *, has_matrix: bool, is_listed: bool) -> Common:
    """Return what the learners must know of a set and its exploration policy, which may be drawn from its list."""
    d = actions.dimension
    coordinates, place = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    moment, marginals = np.zeros((0, 0)), np.zeros(d) if mu is None else np.array(mu.marginals())
    if has_matrix and mu is not None:
        together = mu.cooccurrence()
        coordinates = np.sort(actions.span.coordinates).astype(np.int64)
        one, other = np.nonzero(np.triu(together[np.ix_(coordinates, coordinates)], 1))
        coordinates = coordinates[elimination_order(one, other, len(coordinates))[0]]
        place = np.full(d, -1, dtype=np.int64)
        place[coordinates] = np.arange(len(coordinates))
        moment = np.ascontiguousarray(together[np.ix_(coordinates, coordinates)])
    words, cumulative = np.zeros((0, (d + 63) // 64), dtype=np.uint64), np.zeros(0)
    if is_listed and mu is not None:
        policy = mu.finite()
        words, cumulative = np.zeros((len(policy.weights), words.shape[1]), dtype=np.uint64), np.cumsum(policy.weights)
        for row, atom in zip(words, policy.atoms, strict=True):
            pack_action(np.array(atom), row)
    explore = Explore(words, cumulative, marginals, moment)
    return Common(d, actions.size, actions.rank, bool(actions.is_uniform), coordinates, place, explore)
