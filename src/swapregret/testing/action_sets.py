"""Check that an action set keeps every promise of ``ActionSet``, against the list of its actions or by certificates."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.testing.report import Report, run
from swapregret.testing.set_case import SetCase
from swapregret.testing.set_geometry import check_span, check_spanner
from swapregret.testing.set_hull import check_decomposition, check_outside_points, check_projection
from swapregret.testing.set_laws import check_exploration, check_gibbs, check_uniform
from swapregret.testing.set_members import check_count, check_enumeration, check_labels, check_membership
from swapregret.testing.set_oracle import check_answers, check_optimality, check_refusals, check_ties

__all__ = ["ACTION_SET_CHECKS", "check_action_set"]

ACTION_SET_CHECKS: dict[str, Callable[[SetCase], str | None]] = {
    "oracle answers": check_answers,
    "enumeration": check_enumeration,
    "oracle optimality": check_optimality,
    "oracle ties": check_ties,
    "count": check_count,
    "membership": check_membership,
    "labels": check_labels,
    "refusals": check_refusals,
    "span": check_span,
    "spanner": check_spanner,
    "projection": check_projection,
    "decomposition": check_decomposition,
    "outside points": check_outside_points,
    "uniform law": check_uniform,
    "gibbs law": check_gibbs,
    "exploration law": check_exploration,
}
"""The checks of an action set, in the order in which they run."""


def check_action_set(
    actions: ActionSet, *, limit: int = 2000, seed: int = 0, expected: npt.ArrayLike | None = None
) -> Report:
    r"""Check an action set: oracle, list, labels, span, spanner, projection, decomposition and laws.

    Up to ``limit`` actions the list is the reference: the oracle must find the best of it, membership must agree with it, the
    rank is that of its matrix, laws have its exact moments. Above, the certificates remain, which need no list: the oracle
    beats random members, the lift vanishes by two oracle calls a coordinate, projections have a duality gap of at most 1e-9,
    decompositions reproduce their point from actions.

    Parameters
    ----------
    actions : ActionSet
    limit : int
        Most actions to list.
    seed : int
        Where random weights and draws come from: the same seed, the same verdict.
    expected : array_like, shape (N, d), optional
        What the actions should be, where that is known by other means.

    Returns
    -------
    Report
        What was checked, and what does not apply.

    Raises
    ------
    ConformanceError
        Naming the first fault found.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> report = check_action_set(MSets(4, 2))
    >>> "projection" in report.passed
    True
    """
    table = None if expected is None else Explicit(expected).enumerate(len(np.asarray(expected)))
    return run(repr(actions), SetCase(actions, limit, seed, table), ACTION_SET_CHECKS)
