"""Checks of what a set says its actions are: list, count, size, membership, labels."""

from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions
from swapregret.errors import InvalidAction, TooLarge
from swapregret.geometry.oracle import enumerate_actions
from swapregret.testing.conformance import agree, refused, require, require_action, require_rows, skip
from swapregret.testing.set_instances import SetCase

_ALL_VECTORS = 10
_ASKED = 40


def check_enumeration(case: SetCase) -> None:
    """Check that the list is canonical, and holds exactly the actions that the oracle can reach."""
    actions, table = case.actions, case.reference
    if table is None:
        skip(f"there are more than {case.limit} actions")
    do = "Let `_actions` yield each action once, as an int64 vector; the base class sorts."
    require_rows(table, actions.dimension, "enumerate", do)
    must = "`enumerate` must return the same list every time"
    agree(actions.enumerate(case.limit), table, 0.0, must, "Remove randomness from it.")
    asked = list(islice(enumerate_actions(actions), len(table) + 1))
    _compare(table, {row.tobytes(): row for row in asked}, "that the oracle can reach")
    if case.expected is not None:
        _compare(table, {row.tobytes(): row for row in case.expected}, "given as `expected`")


def _compare(table: Actions, others: dict[bytes, Action], described: str) -> None:
    listed = {row.tobytes() for row in table}
    extra = [row.tolist() for row in table if row.tobytes() not in others]
    missing = [row.tolist() for key, row in others.items() if key not in listed]
    must = f"`enumerate` must list exactly the actions {described}"
    came = f"{len(missing)} missing, e.g. {missing[:1]}, and {len(extra)} too many, e.g. {extra[:1]}"
    require(not extra and not missing, must, came, "Correct `_actions`, or the oracle.")


def check_count(case: SetCase) -> None:
    """Check n_actions, size and is_uniform against the list, and that a short limit is refused."""
    actions, count, sizes = case.actions, case.actions.n_actions, case.members.sum(axis=1)
    ones = np.ones(actions.dimension)
    smallest = min(int(actions.argmax(-ones).sum()), int(sizes.min()))
    largest = max(int(actions.argmax(ones).sum()), int(sizes.max()))
    told = {"size": (actions.size, largest), "is_uniform": (actions.is_uniform, smallest == largest)}
    for name, (found, wanted) in told.items():
        must = f"`{name}` must be {wanted} where actions have {smallest} to {largest} elements"
        do = "Pass the right size to ActionSet.__init__, and set `is_uniform` as an attribute."
        require(found == wanted, must, f"{found!r}", do)
    if case.reference is None:
        is_right, known = count is None or count > case.limit, f"more than {case.limit}"
        if count is not None and actions.dimension <= _ASKED:
            reached = len(list(islice(enumerate_actions(actions), case.limit + 1)))
            is_right, known = is_right and reached > case.limit, f"{reached} or more that the oracle can reach"
    else:
        is_right, known = count in (None, len(case.reference)), f"{len(case.reference)}"
    must = "`n_actions` must be the exact number of actions, an int, or None where it is not known"
    do = "Correct the count, or let `_actions` yield each action once."
    require(is_right and (count is None or isinstance(count, int)), must, f"{count!r} for {known} actions", do)
    if case.reference is None:
        return
    must = "`enumerate(limit)` must refuse with TooLarge beyond its limit"
    short = len(case.reference) - 1
    refused(lambda: actions.enumerate(short), TooLarge, must, "a list", "Count before listing.")


def check_membership(case: SetCase) -> None:
    """Check `in` on members, on vectors near to them, on all vectors where there are few, and on what is no vector."""
    actions, d, rng = case.actions, case.actions.dimension, case.rng("membership")
    if d <= _ALL_VECTORS:
        vectors = np.array(list(product((0, 1), repeat=d)), dtype=np.int64)
    else:
        near = [*_neighbours(case.some_members("neighbours", 20), rng)]
        vectors = np.array([*near, *rng.integers(0, 2, (50, d)), np.zeros(d), np.ones(d)], dtype=np.int64)
    member = case.members[0]
    strange: list[Any] = [np.append(member, 0), member[:-1], member[None, :], np.full(d, np.nan), None, "x"]
    strange += [2 * member, member * 0.5, -member]
    asked: list[tuple[object, bool]] = [(each, True) for each in case.some_members("membership", 500)]
    asked += [(vector, case.is_member(vector)) for vector in vectors]
    asked += [(thing, np.array_equal(thing, member)) for thing in strange]
    asked += [(member.astype(np.float64), True), (member.tolist(), True)]
    for thing, is_action in asked:
        found = thing in actions
        must = "`in` must accept the actions of the set, as arrays or lists of any kind of number, and nothing else"
        do = "Inherit __contains__ of ActionSet, or read what comes with swapregret.arrays.as_action first."
        require(found == is_action, must, f"{found} for {thing!r:.200}", do)


def _neighbours(members: Actions, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return vectors one flip or one exchange away from members."""
    rows = []
    for member in members:
        flipped = member.copy()
        flipped[rng.integers(len(member))] ^= 1
        rows.append(flipped)
        inside, outside = np.flatnonzero(member), np.flatnonzero(1 - member)
        if len(inside) and len(outside):
            exchanged = member.copy()
            exchanged[rng.choice(inside)], exchanged[rng.choice(outside)] = 0, 1
            rows.append(exchanged)
    return np.array(rows, dtype=np.int64)


def check_labels(case: SetCase) -> None:
    """Check that labels name every coordinate once, and that actions survive being read and written in them."""
    actions, labels = case.actions, case.actions.labels
    require(
        isinstance(labels, tuple) and len(labels) == actions.dimension == len(set(labels)),
        f"`labels` must be a tuple of {actions.dimension} different names",
        f"{type(labels).__name__} of {len(labels)} names, {len(set(labels))} different",
        "Name every coordinate once.",
    )
    for member in case.some_members("labels", 50):
        names = actions.elements(member)
        want = tuple(label for label, chosen in zip(labels, member, strict=True) if chosen)
        must = "`elements` must give the labels of the chosen coordinates in order"
        require(names == want, must, f"{names}", f"Give {want}.")
        back = actions.action_of(names)
        require_action(back, actions.dimension, "action_of")
        agree(back, member, 0.0, "`action_of(elements(action))` must be the action", "Invert `labels`.")
    member = max(case.members, key=lambda row: int(row.sum()))
    names = actions.elements(member)
    outsider = next(
        (row for row in _neighbours(case.members[:50], case.rng("outsider")) if not case.is_member(row)), None
    )
    wrong = {"an unknown label": (*names, object()), "a label twice": (*names, *names[:1])}
    if outsider is not None:
        wrong["labels that are no action"] = tuple(label for label, i in zip(labels, outsider, strict=True) if i)
    for kind, elements in wrong.items():
        must = f"`action_of` must refuse {kind} with InvalidAction"
        refused(partial(actions.action_of, elements), InvalidAction, must, "an answer", "Check before building it.")
