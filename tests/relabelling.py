"""Check that two sets which differ only in the order of their coordinates give answers which differ only in that."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.policy import Policy
from swapregret.testing.conformance import Report, agree, listed, require, run_checks

_TOLERANCE = 1e-10
_POINTS = 2e-4  # two points of gap 1e-9 can differ by about twice its square root
_SPREADS = (0.5, 3.0, 10.0)


@dataclass(frozen=True, eq=False)
class RelabellingCase:
    """A set, the same with coordinate i now what was order[i], and a seed."""

    actions: ActionSet
    relabelled: ActionSet
    order: npt.NDArray[np.int64]
    limit: int
    seed: int

    @cached_property
    def vectors(self) -> npt.NDArray[np.float64]:
        """Vectors of several spreads, in the coordinates of the first set."""
        rng = np.random.default_rng(self.seed)
        return np.concatenate([spread * rng.uniform(-1.0, 1.0, (5, self.actions.dimension)) for spread in _SPREADS])


def check_relabelling(
    actions: ActionSet, relabelled: ActionSet, order: npt.ArrayLike, *, limit: int = 2000, seed: int = 0
) -> Report:
    """Check that shuffling the coordinates of a set shuffles everything it says.

    Parameters
    ----------
    actions, relabelled : ActionSet
        The same set, built twice: an action M of the first is M[order] in the second.
    order : array_like of int
        A permutation of the coordinates.
    limit : int
        Most actions to list.
    seed : int
        Where weights come from: the same seed, the same verdict.

    Examples
    --------
    >>> from swapregret import Explicit
    >>> table, order = np.array([[1, 0, 1], [0, 1, 1]]), [2, 0, 1]
    >>> check_relabelling(Explicit(table), Explicit(table[:, order]), order).passed[:2]
    ('numbers', 'actions')
    """
    case = RelabellingCase(actions, relabelled, np.asarray(order, dtype=np.int64), limit, seed)
    return run_checks(f"{relabelled!r}, a relabelling of {actions!r},", case, RELABELLING_CHECKS)


def _check_numbers(case: RelabellingCase) -> None:
    """Check dimension, size, count, rank and which policies exist."""
    must = "`order` must be a permutation of the coordinates"
    do = "List every coordinate once."
    require(sorted(case.order.tolist()) == list(range(case.actions.dimension)), must, f"{case.order.tolist()}", do)
    for name in ("dimension", "size", "n_actions", "rank", "is_uniform", "has_uniform", "has_gibbs"):
        first, second = getattr(case.actions, name), getattr(case.relabelled, name)
        must = f"`{name}` must not depend on the order of coordinates"
        require(first == second, must, f"{first} and {second}", "Correct it.")


def _check_actions(case: RelabellingCase) -> None:
    """Check that the lists hold the same actions, and that the oracles reach the same values."""
    for w in case.vectors:
        first = float(w @ case.actions.argmax(w))
        second = float(w[case.order] @ case.relabelled.argmax(w[case.order]))
        within = _TOLERANCE * (1.0 + float(np.abs(w).sum()))
        must = "the best value must not depend on the order of coordinates"
        agree(first, second, within, must, "Correct the oracle.")
    table, other = listed(case.actions, case.limit), listed(case.relabelled, case.limit)
    if table is None or other is None:
        return
    require(
        {row.tobytes() for row in np.ascontiguousarray(table[:, case.order])} == {row.tobytes() for row in other},
        "the actions must be the same up to the order of coordinates",
        "other actions",
        "Correct the enumeration.",
    )


def _check_projections(case: RelabellingCase) -> None:
    """Check that projections are shuffled: they are unique."""
    for w in case.vectors:
        first, second = case.actions.kl_project(w).point, case.relabelled.kl_project(w[case.order]).point
        must = "the projection must not depend on the order of coordinates"
        agree(first[case.order], second, _POINTS, must, "Correct the projection.")


def _check_policies(case: RelabellingCase) -> None:
    """Check that the uniform and Gibbs policies are shuffled."""
    if case.actions.has_uniform:
        _compare(case, case.actions.uniform_policy(), case.relabelled.uniform_policy(), "uniform policy")
    if case.actions.has_gibbs:
        for w in case.vectors:
            _compare(case, case.actions.gibbs(w), case.relabelled.gibbs(w[case.order]), "Gibbs policy")


def _compare(case: RelabellingCase, first: Policy, second: Policy, name: str) -> None:
    wanted = first.cooccurrence()[np.ix_(case.order, case.order)]
    must = f"the second moments of the {name} must not depend on the order of coordinates"
    agree(second.cooccurrence(), wanted, _TOLERANCE, must, "Correct the policy.")


RELABELLING_CHECKS: dict[str, Callable[[RelabellingCase], None]] = {
    "numbers": _check_numbers,
    "actions": _check_actions,
    "projections": _check_projections,
    "policies": _check_policies,
}
"""The checks of a relabelling, in the order in which they run."""
