"""Checks of what a set says its actions are: list, count, size, membership, labels."""

from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Actions
from swapregret.errors import InvalidAction, TooLarge
from swapregret.geometry.enumeration import enumerate_actions
from swapregret.testing.conformance import refused, require, require_rows, skip
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
    require(
        np.array_equal(actions.enumerate(case.limit), table),
        "`enumerate` must return the same list every time",
        "another list",
        "Remove randomness from it.",
    )
    asked = list(islice(enumerate_actions(actions), len(table) + 1))
    _compare(table, {row.tobytes(): row for row in asked}, "that the oracle can reach")
    if case.expected is not None:
        _compare(table, {row.tobytes(): row for row in case.expected}, "given as `expected`")


def _compare(table: Actions, others: dict[bytes, Action], described: str) -> None:
    listed = {row.tobytes() for row in table}
    extra = [row.tolist() for row in table if row.tobytes() not in others]
    missing = [row.tolist() for key, row in others.items() if key not in listed]
    require(
        not extra and not missing,
        f"`enumerate` must list exactly the actions {described}",
        f"{len(missing)} missing, e.g. {missing[:1]}, and {len(extra)} too many, e.g. {extra[:1]}",
        "Correct `_actions`, or the oracle.",
    )


def check_count(case: SetCase) -> None:
    """Check n_actions, size and is_uniform against the list, and that a short limit is refused."""
    actions = case.actions
    count = actions.n_actions
    sizes = case.members.sum(axis=1)
    require(
        count is None or (isinstance(count, int) and count >= len(case.members)),
        "`n_actions` must be an exact int, or None where it is not known",
        f"{count!r}, with {len(case.members)} actions at hand",
        "Count exactly, in Python integers.",
    )
    largest = int(actions.argmax(np.ones(actions.dimension)).sum())
    smallest = int(actions.argmax(-np.ones(actions.dimension)).sum())
    require(
        actions.size == largest == max(largest, int(sizes.max())),
        "`size` must be the number of elements of the largest action",
        f"{actions.size}, although the largest has {max(largest, int(sizes.max()))}",
        "Pass the right size to ActionSet.__init__.",
    )
    require(
        actions.is_uniform == (smallest == largest and bool((sizes == largest).all())),
        "`is_uniform` must say whether all actions have the same number of elements",
        f"{actions.is_uniform} for sizes {smallest}..{largest}",
        "Set `is_uniform` as an attribute.",
    )
    if case.reference is None:
        require(
            count is None or count > case.limit,
            "`enumerate` must list a set that has no more actions than its limit",
            f"TooLarge with limit {case.limit} for {count} actions",
            "Correct `n_actions`, or let `_actions` yield each action once.",
        )
        if count is not None and actions.dimension <= _ASKED:
            found = len(list(islice(enumerate_actions(actions), case.limit + 1)))
            require(
                found > case.limit,
                "`n_actions` must be the number of actions",
                f"{count}, although the oracle can reach only {found}",
                "Correct the count.",
            )
        return
    require(
        count is None or count == len(case.reference),
        "`n_actions` must be the number of actions",
        f"{count} for {len(case.reference)} actions",
        "Correct the count.",
    )
    must = "`enumerate(limit)` must refuse with TooLarge beyond its limit"
    short = len(case.reference) - 1
    refused(lambda: actions.enumerate(short), TooLarge, must, "a list", "Count before listing.")


def check_membership(case: SetCase) -> None:
    """Check `in` on members, on vectors near to them, on all vectors where there are few, and on what is no vector."""
    actions, d, rng = case.actions, case.actions.dimension, case.rng("membership")
    for member in case.some_members("membership", 500):
        require(
            member in actions, "`in` must accept every action", f"False for {member.tolist()}", "Correct __contains__."
        )
    if d <= _ALL_VECTORS:
        vectors = np.array(list(product((0, 1), repeat=d)), dtype=np.int64)
    else:
        near = [*_neighbours(case.some_members("neighbours", 20), rng)]
        vectors = np.array([*near, *rng.integers(0, 2, (50, d)), np.zeros(d), np.ones(d)], dtype=np.int64)
    for vector in vectors:
        require(
            (vector in actions) == case.is_member(vector),
            "`in` must accept the actions of the set and nothing else",
            f"{vector in actions} for {vector.tolist()}",
            "Correct __contains__, or inherit the one of ActionSet.",
        )
    member = case.members[0]
    strange: list[Any] = [np.append(member, 0), member[:-1], member[None, :], np.full(d, np.nan), None, "x"]
    for thing in [*strange, 2 * member, member * 0.5, -member]:
        require(
            np.array_equal(thing, member) or thing not in actions,
            "`in` must be false of anything that is not a 0/1 vector of the right shape",
            f"True for {thing!r}",
            "Read it with swapregret.arrays.as_action first.",
        )
    require(
        member.astype(np.float64) in actions and member.tolist() in actions,
        "`in` must accept an action written as floats or as a list",
        "False",
        "Read it with swapregret.arrays.as_action first.",
    )


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
        require(
            names == want,
            "`elements` must give the labels of the chosen coordinates in order",
            f"{names}",
            f"Give {want}.",
        )
        back = actions.action_of(names)
        require(
            np.array_equal(back, member) and back.dtype == np.int64,
            "`action_of(elements(action))` must be the action",
            f"{np.asarray(back).tolist()} for {member.tolist()}",
            "Invert `labels`.",
        )
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
