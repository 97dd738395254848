r"""Days on which some elements are not available: the face :math:`\{x \in \mathrm{conv}(A) : x_i = 0,\ i \in S\}`.

The actions without elements of S are a set of their own, on the elements that are left: m-sets of fewer elements, trees and paths
of a graph with fewer edges, fewer rows of a list. Where a set knows no such smaller set of its own kind, its oracle is
asked with weights on S so low that an action with an element of S is the best only if all actions have one.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapregret.arrays import Action, Actions, Integers, Vector, Words, frozen, is_bit, is_iterable
from swapregret.compiled.bits import merge_policy, pack_rows, unpack_rows
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.policy import FinitePolicy, Policy

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

_LISTED = 512
"""Faces of at most this many actions explore uniformly over all of them; larger ones over a spanner."""
_SHOWN = 6


class Face:
    """The actions of a set that have none of some elements, in the coordinates of the set.

    Parameters
    ----------
    whole : ActionSet
    missing : tuple of int
        The elements that are not available, in order.

    Attributes
    ----------
    kept : int64 array
        The elements that some action that is left has. Others are gone too: what follows a choice that cannot be made.

    Examples
    --------
    >>> from swapregret import MSets
    >>> face = Face(MSets(4, 2, labels="abcd"), (1,))
    >>> face.part, face.lift(np.array([[1, 0, 1]])).tolist()
    (MSets(3, 2), [[1, 0, 0, 1]])
    """

    def __init__(self, whole: "ActionSet", missing: tuple[int, ...]) -> None:
        self.whole, self.missing = whole, missing
        if not is_possible(whole, missing):
            raise nothing_left(whole, missing)
        self.kept: Integers = _elements_left(whole, missing)
        self.part: ActionSet = whole.part_on(self.kept)

    def lift(self, rows: Actions) -> Actions:
        """Write actions of the smaller set as actions of the whole one."""
        table = np.zeros((len(rows), self.whole.dimension), dtype=np.int64)
        table[:, self.kept] = rows
        return table

    def lower(self, policy: Policy) -> FinitePolicy:
        """Return a policy over the actions that are left in the coordinates of the smaller set, or refuse any other."""
        listed = policy.finite()
        if listed.atoms[:, list(self.missing)].any():
            raise InvalidInput("policies must draw what was available", repr(policy)[:80], "Log the policy of the day.")
        return FinitePolicy(listed.atoms[:, self.kept], listed.weights)

    @cached_property
    def exploration(self) -> FinitePolicy:
        """μ of the day: uniform over all actions that are left, or over a spanner of them."""
        count = self.part.n_actions
        if count is not None and count <= _LISTED:
            rows = self.part.enumerate()
        else:
            rows = self.part.spanner().actions
        return FinitePolicy(self.lift(rows), np.full(len(rows), 1.0 / len(rows)))

    def listed(self, log_weights: Vector, variants: int) -> tuple[Words, Vector]:
        """Return a policy whose marginals are the KL projection of exp(log_weights) onto the face, packed in its coordinates."""
        return self.part.list_projection(log_weights[self.kept], variants)

    def best(self, weights: Vector) -> tuple[Words, Vector]:
        """Return the best action that is left, as a policy, packed in coordinates of the face."""
        return pack_rows(self.part.argmax(weights[self.kept])[None, :]), np.ones(1)

    @cached_property
    def explored(self) -> tuple[Words, Vector]:
        """The exploration policy, packed in coordinates of the face."""
        return pack_rows(frozen(np.ascontiguousarray(self.exploration.atoms[:, self.kept]))), self.exploration.weights

    def mixed(self, lists: Sequence[tuple[Words, Vector]], shares: Sequence[float]) -> FinitePolicy:
        """Return the mixture of policies that are packed in coordinates of the face."""
        words = np.concatenate([each for each, _ in lists])
        weights = np.concatenate([share * each for share, (_, each) in zip(shares, lists, strict=True)])
        words, weights = merge_policy(words, weights)
        return FinitePolicy(self.lift(unpack_rows(words, len(self.kept))), weights)


def left_without(whole: "ActionSet", missing: tuple[int, ...]) -> "ActionSet":
    """Return the set of the actions that are left, in coordinates of their own; the whole set where nothing is missing."""
    return Face(whole, missing).part if missing else whole


def is_possible(whole: "ActionSet", missing: Iterable[int]) -> bool:
    """Tell whether some action has none of the elements that are missing."""
    cost = np.zeros(whole.dimension)
    cost[list(missing)] = -1.0
    return not cost @ whole.argmax(cost) < 0.0


def _elements_left(whole: "ActionSet", missing: tuple[int, ...]) -> Integers:
    """Return the elements of the actions that are left: by asking for what is not yet found, until no action has any."""
    weights = np.ones(whole.dimension)
    weights[list(missing)] = -1.0 - whole.dimension
    while (new := np.flatnonzero(whole.argmax(weights) * (weights > 0.0))).size:
        weights[new] = 0.0
    return np.flatnonzero(weights == 0.0)


def nothing_left(whole: "ActionSet", missing: Iterable[int], when: str = "") -> InvalidInput:
    """Return the refusal of a day on which no action is possible."""
    names = [whole.labels[index] for index in missing]
    some = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    return InvalidInput(
        "some action must be possible without the elements that are not available",
        f"{when}{some} missing: every action of {whole!r} needs one of them",
        "Skip the day, or leave fewer elements out.",
    )


def oracle_part(whole: "ActionSet", kept: Integers) -> "ActionSet":
    """Return the actions that have no other elements than some as a set known by the oracle of the whole set."""
    from swapregret.actions.own_sets.oracle_set import OracleSet

    def best(weights: Vector) -> Action:
        full = np.full(whole.dimension, -1.0 - 2.0 * float(np.abs(weights).sum()))
        full[kept] = weights
        chosen: Action = whole.argmax(full)[kept]
        return chosen

    return OracleSet(len(kept), best, labels=[whole.labels[index] for index in kept])


def read_missing(
    actions: "ActionSet", without: Iterable[Hashable] | None, available: Iterable[Hashable] | None
) -> tuple[int, ...]:
    """Read which elements are not available, each given once by label or by index, or all by a row of 0 and 1; in order.

    Examples
    --------
    >>> from swapregret import MSets
    >>> letters = MSets(4, 2, labels="abcd")
    >>> read_missing(letters, ["c", "a"], None), read_missing(letters, None, "abd"), read_missing(letters, [3], None)
    ((0, 2), (2,), (3,))
    >>> read_missing(letters, None, [1, 1, 0, 1]), read_missing(letters, [False, False, True, False], None)
    ((2,), (2,))
    """
    if without is not None and available is not None:
        raise InvalidInput("a day must say what is missing in one way", "`without` and `available`", "Leave out one.")
    if available is not None:
        here = _places(actions, available, "available")
        return tuple(index for index in range(actions.dimension) if index not in here)
    return () if without is None else tuple(sorted(_places(actions, without, "without")))


def _places(actions: "ActionSet", given: Iterable[Hashable], name: str) -> set[int]:
    if not is_iterable(given):
        raise InvalidInput(f"`{name}` must be labels or indices of elements", shown(given), "Pass a list.")
    listed, found = list(given), set[int]()
    if _is_row(listed, actions):
        return set(np.flatnonzero(listed).tolist())
    for each in listed:
        index = actions.position(each)
        if (
            index is None
            and isinstance(each, int | np.integer)
            and not isinstance(each, bool)
            and 0 <= each < actions.dimension
        ):
            index = int(each)
        if index is None:
            raise InvalidInput(
                f"`{name}` must have labels or indices of elements of the set",
                shown(each),
                f"Labels are e.g. {list(actions.labels[:5])}.",
            )
        if index in found:
            raise InvalidInput(
                f"`{name}` must name each element once",
                f"{shown(each)} twice",
                f"As a row of 0 and 1 it must have {actions.dimension} entries.",
            )
        found.add(index)
    return found


def _is_row(listed: list[Hashable], actions: "ActionSet") -> bool:
    """Tell whether a list is a row of 0 and 1, and can be nothing else: it would name an element twice, or is of bools."""
    if len(listed) != actions.dimension or not all(is_bit(each) for each in listed):
        return False
    return len(set(listed)) < len(listed) or all(isinstance(each, bool | np.bool_) for each in listed)
