"""A family behind addresses, so that learners are compiled once for all sets whose policies are lists.

Compiled code knows the class of everything it calls: a learner would be compiled anew for every family. But learners ask little
of a set that is a matter of its family, and rarely: :class:`CalledFamily` has where the code for that is, and calls it there.
All else is the same for all sets whose policies are lists and whose Σ is a matrix. Importing this file loads Numba.
"""

from typing import Any, NamedTuple

import numpy as np

from swapregret.actions.family import (
    MADE,
    Common,
    best,
    draw,
    draw_explore,
    list_policy,
    make_policy,
    project,
    remake_policy,
    room,
    show_policy,
    solve,
    span_part,
    spread,
)
from swapregret.actions.policy_slots import put_again
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Call, entry_address, family_of
from swapregret.compiled.handle import open_handle
from swapregret.compiled.kernel import addressed
from swapregret.errors import InvalidInput

_SHARED = (room, make_policy, draw, show_policy, spread, solve)


class _Addresses(NamedTuple):
    common: Common
    handle: int
    project: int
    list_policy: int
    best: int
    span_part: int
    draw_explore: int


class CalledFamily(_Addresses):
    """What the learners must know of a set, and the addresses of a handle on its family and of its methods.

    Attributes
    ----------
    family : tuple
        The family itself; only Python sees it, and it goes to other processes instead of the addresses.
    kept : object
        The handle, alive as long as this value is.
    """

    family: Any
    kept: Any

    def on(self, policies: Any) -> "CalledFamily":
        """Return the same at work on the policies of a state, where they make a difference to the family."""
        if policies.used.size == 0:
            return self
        bound = self.family.on(policies)
        handle = open_handle(bound, 0, 0, 0, 0)
        made = self._replace(handle=handle.address)
        made.family, made.kept = bound, handle
        return made

    def __reduce__(self) -> Any:
        return called, (self.family,)


def called(family: Any) -> Any:
    """Return a family behind addresses, its methods compiled; or as it is, where its policies are no lists or its Σ no matrix."""
    if isinstance(family, CalledFamily) or any(each.has_code_for(type(family)) for each in _SHARED):
        return family
    if not family.common.explore.cumulative.size and not draw_explore.has_code_for(type(family)):
        raise InvalidInput(
            "a family must bring `draw_explore` where its exploration policy is no list",
            f"{type(family).__name__} without it",
            "Describe it with is_listed=True, or write the method.",
        )
    parts = {name: called(part) for name, part in family._asdict().items() if hasattr(part, "common")}
    family = family._replace(**parts) if parts else family  # which would lose what is no field
    handle = open_handle(family, 0, 0, 0, 0)
    vector, rng = np.zeros(0), np.random.default_rng(0)
    made = CalledFamily(
        family.common,
        handle.address,
        entry_address(_project, handle, vector, vector),
        entry_address(_list_policy, handle, vector),
        entry_address(_best, handle, vector),
        entry_address(_span_part, handle, vector),
        entry_address(_draw_explore, handle, rng),
    )
    made.family, made.kept = family, handle
    return made


@addressed
def _project(h: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    return project(family_of(h), tilted, near)


@addressed
def _list_policy(h: Any, point: Floats) -> tuple[Words, Floats, bool]:
    return list_policy(family_of(h), point)


@addressed
def _best(h: Any, weights: Floats) -> Integers:
    return best(family_of(h), weights)


@addressed
def _span_part(h: Any, vector: Floats) -> Floats:
    return span_part(family_of(h), vector)


@addressed
def _draw_explore(h: Any, rng: np.random.Generator) -> Integers:
    return draw_explore(family_of(h), rng)


def _vector(types: Any) -> Any:
    return types.float64[::1]


_call_project = Call(lambda types: (types.Tuple([_vector(types), _vector(types), types.boolean]), [_vector(types)] * 2))
_call_list_policy = Call(
    lambda types: (types.Tuple([types.uint64[:, ::1], _vector(types), types.boolean]), [_vector(types)])
)
_call_best = Call(lambda types: (types.int64[::1], [_vector(types)]))
_call_span_part = Call(lambda types: (_vector(types), [_vector(types)]))
_call_draw_explore = Call(lambda types: (types.int64[::1], [types.npy_rng]))


@project.of(CalledFamily)
def call_project(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project where the set does."""
    return _call_project(family.project, family.handle, tilted, near)  # type: ignore[no-any-return]


@remake_policy.of(CalledFamily)
def remake_called(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Take the list that was read, where lists are kept and there is one."""
    if policies.used.size == 0 or policies.n_atoms[slot] == 0:
        return make_policy(family, policies, slot, point, log_point)
    put_again(policies, slot, family.common.place)
    return MADE


@list_policy.of(CalledFamily)
def call_list_policy(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List as the set does."""
    return _call_list_policy(family.list_policy, family.handle, point)  # type: ignore[no-any-return]


@best.of(CalledFamily)
def call_best(family: Any, weights: Floats) -> Integers:
    """Ask the oracle of the set."""
    return _call_best(family.best, family.handle, weights)  # type: ignore[no-any-return]


@span_part.of(CalledFamily)
def call_span_part(family: Any, vector: Floats) -> Floats:
    """Project onto the span as the set does."""
    return _call_span_part(family.span_part, family.handle, vector)  # type: ignore[no-any-return]


@draw_explore.of(CalledFamily)
def call_draw_explore(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from μ as the set does."""
    return _call_draw_explore(family.draw_explore, family.handle, rng)  # type: ignore[no-any-return]
