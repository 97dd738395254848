"""Checks of the one thing every action set must give: its linear oracle."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.testing.report import require
from swapregret.testing.set_case import SetCase

__all__ = ["check_answers", "check_optimality", "check_refusals", "check_ties", "refuses_bad_vectors"]

_ROUNDING = 1e-12
_UNITS = 100


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


def check_answers(case: SetCase) -> str | None:
    """Check that the oracle returns int64 0/1 vectors, leaves its weights alone and reads any array."""
    actions = case.actions
    for weights in _weights(case, "answers"):
        before = weights.copy()
        answer = actions.argmax(weights)
        require(
            isinstance(answer, np.ndarray) and answer.dtype == np.int64 and answer.shape == (actions.dimension,),
            f"`argmax` must return an int64 vector of shape ({actions.dimension},)",
            f"{type(answer).__name__} of shape {np.shape(answer)} and dtype {getattr(answer, 'dtype', None)}",
            "Return the indicator vector of the chosen elements, np.zeros(d, dtype=np.int64) with ones.",
        )
        require(
            bool(np.isin(answer, (0, 1)).all()),
            "`argmax` must return only 0 and 1",
            f"{answer.tolist()}",
            "Return the indicator vector of the chosen elements.",
        )
        require(
            np.array_equal(weights, before),
            "`argmax` must leave its weights alone",
            "a changed array",
            "Copy it first.",
        )
    sample = case.rng("forms").integers(-3, 4, actions.dimension)
    want = actions.argmax(sample.astype(np.float64))
    padded = np.zeros(2 * actions.dimension)
    padded[::2] = sample
    still = sample.astype(np.float64)
    still.flags.writeable = False
    forms: dict[str, Any] = {
        "a list": sample.tolist(),
        "integers": sample,
        "a strided view": padded[::2],
        "read-only": still,
    }
    for form, weights in forms.items():
        require(
            np.array_equal(actions.argmax(weights), want),
            f"`argmax` must give the same answer for the same weights as {form}",
            "another answer",
            "Read the weights with swapregret.arrays.as_vector.",
        )
    return None


def check_optimality(case: SetCase) -> str | None:
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
        require(
            case.is_member(answer),
            "`argmax` must return an action of the set",
            f"{answer.tolist()} for weights {np.round(weights, 6).tolist()}",
            "Correct the oracle, or the enumeration if the answer is an action.",
        )
    return None


def check_ties(case: SetCase) -> str | None:
    """Check that equal questions get equal answers, whatever was asked or written between them."""
    actions, d = case.actions, case.actions.dimension
    tied = [np.zeros(d), np.ones(d), -np.ones(d), *case.rng("ties").integers(-1, 2, (20, d)).astype(np.float64)]
    first = []
    for weights in tied:
        answer = actions.argmax(weights)
        first.append(answer.copy())
        if answer.flags.writeable:
            answer[...] = 1 - answer
    for index in reversed(range(len(tied))):
        again = actions.argmax(tied[index])
        require(
            np.array_equal(first[index], again),
            "`argmax` must decide ties the same way every time, even if the caller writes into an answer",
            f"{first[index].tolist()}, then {again.tolist()}, for weights {tied[index].astype(int).tolist()}",
            "Break ties by the lowest index, and return an array that nothing else holds.",
        )
    return None


def refuses_bad_vectors(function: Callable[[npt.ArrayLike], object], dimension: int, name: str) -> None:
    """Check that a method refuses vectors of the wrong shape, with NaN or infinity, or of no numbers."""
    spoilt = np.ones(dimension)
    spoilt[-1] = np.nan
    infinite = np.ones(dimension)
    infinite[0] = np.inf
    bad: dict[str, Any] = {
        "one entry too many": np.ones(dimension + 1),
        "a matrix": np.ones((dimension, 1)),
        "a number": 1.0,
        "NaN": spoilt,
        "infinity": infinite,
        "words": ["many"] * dimension,
    }
    for kind, vector in bad.items():
        try:
            function(vector)
            came = "an answer"
        except InvalidInput:
            continue
        except Exception as error:
            came = f"{type(error).__name__}: {error}"
        require(
            False,
            f"`{name}` must refuse {kind} with InvalidInput",
            came,
            "Read the argument with swapregret.arrays.as_vector(values, dimension, name).",
        )


def check_refusals(case: SetCase) -> str | None:
    """Check that weights of wrong shape or content are refused by name by everything that takes a vector."""
    actions, d = case.actions, case.actions.dimension
    refuses_bad_vectors(actions.argmax, d, "argmax")
    refuses_bad_vectors(actions.kl_project, d, "kl_project")
    refuses_bad_vectors(actions.decompose, d, "decompose")
    if actions.has_gibbs:
        refuses_bad_vectors(actions.gibbs, d, "gibbs")
    return None
