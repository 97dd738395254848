"""Check that an action set keeps every promise of ``ActionSet``, against the list of its actions or by certificates.

The checks of its linear oracle, the one thing every set must give, stand here; those of what follows from it in ``set_*.py``.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arguments import checked
from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.testing import set_geometry, set_members, set_policies
from swapregret.testing.conformance import Report, agree, refused, require, require_action, run_checks, unspoilt
from swapregret.testing.set_instances import SetCase

_ROUNDING = 1e-12
_UNITS = 100


@checked
def check_action_set(
    actions: ActionSet, *, limit: int = 2000, seed: int = 0, expected: npt.ArrayLike | None = None
) -> Report:
    r"""Check an action set: oracle, list, labels, span, spanner, projection, decomposition and policies.

    Up to ``limit`` actions the list is the reference: the oracle must find the best of it, membership must agree with it, the
    rank is that of its matrix, policies have its exact moments. Above, the certificates remain, which need no list: the oracle
    beats random members, the lift vanishes by two oracle calls per coordinate, projections have a duality gap of at most 1e-9,
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

    Examples
    --------
    >>> from swapregret import MSets
    >>> report = check_action_set(MSets(4, 2))
    >>> "projection" in report.passed
    True
    """
    table = None if expected is None else Explicit(expected).enumerate(len(np.asarray(expected)))
    return run_checks(repr(actions), SetCase(actions, limit, seed, table), ACTION_SET_CHECKS)


def _weights(case: SetCase, name: str) -> Iterator[Vector]:
    """Yield weights of many kinds: normal, of one sign, tied, nearly tied, of very different sizes."""
    d, rng = case.actions.dimension, case.rng(name)
    for sign in (1.0, -1.0):
        yield from sign * np.eye(d)[np.sort(rng.permutation(d)[:_UNITS])]
        yield sign * np.ones(d)
        yield from sign * rng.random((15, d))
    yield np.zeros(d)
    yield from rng.standard_normal((40, d))
    yield from rng.integers(-1, 2, (40, d)).astype(np.float64)
    yield from rng.integers(-9, 10, (20, d)).astype(np.float64)
    yield from np.exp(rng.uniform(-30.0, 30.0, (15, d)))
    yield from 1.0 + 1e-9 * rng.integers(0, 1000, (15, d))
    yield from rng.standard_normal((5, d)) * 1e9
    yield from rng.standard_normal((5, d)) * 1e-9


def _check_answers(case: SetCase) -> None:
    """Check that the oracle returns int64 0/1 vectors, leaves its weights alone and reads any array."""
    actions = case.actions
    for weights in _weights(case, "answers"):
        before = weights.copy()
        answer = actions.argmax(weights)
        require_action(answer, actions.dimension, "argmax")
        agree(weights, before, 0.0, "`argmax` must leave its weights alone", "Copy it first.")
    sample = case.rng("forms").integers(-3, 4, actions.dimension)
    want = actions.argmax(sample.astype(np.float64))
    padded = np.zeros(2 * actions.dimension)
    padded[::2] = sample
    still = sample.astype(np.float64)
    still.flags.writeable = False
    forms: dict[str, npt.ArrayLike] = {
        "a list": sample.tolist(),
        "integers": sample,
        "a strided view": padded[::2],
        "read-only": still,
    }
    for form, given in forms.items():
        must = f"`argmax` must give the same answer for the same weights as {form}"
        agree(actions.argmax(given), want, 0.0, must, "Read the weights with swapregret.arrays.as_vector.")


def _check_optimality(case: SetCase) -> None:
    """Check that no known action beats the oracle's answer, and that the answer is an action.

    Whole-number weights are compared exactly; others within 1e-12 of the sum of their absolute values.
    """
    actions = case.actions
    table = case.members.astype(np.float64)
    for weights in _weights(case, "optimality"):
        answer = actions.argmax(weights)
        values = table @ weights
        best = int(np.argmax(values))
        value = float(answer @ weights)
        is_whole = bool((weights == np.rint(weights)).all()) and float(np.abs(weights).max()) < 1e6
        slack = 0.0 if is_whole else _ROUNDING * float(np.abs(weights).sum())
        require(
            value >= values[best] - slack,
            "`argmax` must return an action of largest value",
            f"value {value!r} for weights {np.round(weights, 6).tolist()}, where {case.members[best].tolist()} has "
            f"{values[best]!r}",
            "Correct the oracle: it must maximise exactly, for weights of any sign.",
        )
        must = "`argmax` must return an action of the set"
        do = "Correct the oracle, or the enumeration if the answer is an action."
        require(case.is_member(answer), must, f"{answer.tolist()} for weights {np.round(weights, 6).tolist()}", do)


def _check_ties(case: SetCase) -> None:
    """Check that equal questions get equal answers, whatever was asked or written between them."""
    actions, d = case.actions, case.actions.dimension
    tied = [np.zeros(d), np.ones(d), -np.ones(d), *case.rng("ties").integers(-1, 2, (20, d)).astype(np.float64)]
    asked = {f"argmax({weights.astype(int).tolist()})": partial(actions.argmax, weights) for weights in tied}
    unspoilt(asked, "Break ties by the lowest index, and return an array that nothing else holds.")


def _check_refusals(case: SetCase) -> None:
    """Check that weights of wrong shape or content are refused by name by everything that takes a vector."""
    actions, d = case.actions, case.actions.dimension
    spoilt, infinite = np.ones(d), np.ones(d)
    spoilt[-1], infinite[0] = np.nan, np.inf
    bad: dict[str, object] = {
        "one entry too many": np.ones(d + 1),
        "a matrix": np.ones((d, 1)),
        "a number": 1.0,
        "NaN": spoilt,
        "infinity": infinite,
        "words": ["many"] * d,
    }
    for name in ("argmax", "kl_project", "decompose", *(["gibbs"] if actions.has_gibbs else [])):
        for kind, vector in bad.items():
            must = f"`{name}` must refuse {kind} with InvalidInput"
            do = "Read the argument with swapregret.arrays.as_vector(values, dimension, name)."
            refused(partial(getattr(actions, name), vector), InvalidInput, must, "an answer", do)


ACTION_SET_CHECKS: dict[str, Callable[[SetCase], None]] = {
    "oracle answers": _check_answers,
    "enumeration": set_members.check_enumeration,
    "oracle optimality": _check_optimality,
    "oracle ties": _check_ties,
    "count": set_members.check_count,
    "membership": set_members.check_membership,
    "labels": set_members.check_labels,
    "refusals": _check_refusals,
    "span": set_geometry.check_span,
    "spanner": set_geometry.check_spanner,
    "projection": set_geometry.check_projection,
    "decomposition": set_geometry.check_decomposition,
    "outside points": set_geometry.check_outside_points,
    "uniform policy": set_policies.check_uniform,
    "gibbs policy": set_policies.check_gibbs,
    "exploration policy": set_policies.check_exploration,
    "family": set_policies.check_family,
}
"""The checks of an action set, in the order in which they run."""
