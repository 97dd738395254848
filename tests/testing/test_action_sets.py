"""Every check of ``check_action_set`` is shown a set that has just the fault it is there for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.kernels.subsets import list_systematic
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import set_of
from swapregret.compiled.kernel import kernel
from swapregret.compiled.selection import top_elements
from swapregret.errors import ConformanceError
from swapregret.testing import check_action_set
from swapregret.testing.set_checks import ACTION_SET_CHECKS

D, M = 5, 2


@kernel
def best_and_spoil(h: Any, weights: Floats) -> Integers:
    """Return the heaviest elements, and forget a weight."""
    action = top_elements(weights, set_of(h).size)
    weights[0] = 0.0
    return action


@kernel
def list_anything(h: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List a point without a look at it."""
    words, chances = list_systematic(point, set_of(h).size, set_of(h).orders)
    return words, chances, True


@kernel
def draw_nothing(h: Any, rng: np.random.Generator) -> Integers:
    """Draw what is no action."""
    return np.zeros(set_of(h).orders.shape[1], dtype=np.int64)


def _with(**kernels: Any) -> MSets:
    """Return the two-of-five set with other kernels."""
    return _planted(hull=lambda self, mu=None, **options: replace(MSets.hull(self, mu, **options), **kernels))


def _planted(**overrides: Any) -> MSets:
    """Return the two-of-five set with some methods replaced."""
    return type("Planted", (MSets,), overrides)(D, M)


def _listed(table: Any = None, **overrides: Any) -> Explicit:
    """Return an explicit set, two of five unless a table is given, with some methods replaced."""
    rows = MSets(D, M).enumerate() if table is None else table
    return type("Planted", (Explicit,), overrides)(rows)


def _worse_when(condition: Callable[[np.ndarray], bool]) -> Callable[[MSets, Any], np.ndarray]:
    """Return an oracle that answers the opposite question on some weights."""

    def argmax(self: MSets, weights: Any) -> np.ndarray:
        w = np.asarray(weights, dtype=float)
        return MSets.argmax(self, -w if w.shape == (self.dimension,) and condition(w) else weights)

    return argmax


def _is_fractional(w: np.ndarray) -> bool:
    return bool(np.isfinite(w).all() and (w != np.rint(w)).any())


def _drifting() -> Callable[[MSets, Any], np.ndarray]:
    """Return an oracle whose tie-breaking depends on how often it was asked."""
    calls = [0]

    def argmax(self: MSets, weights: Any) -> np.ndarray:
        calls[0] += 1
        tilt = 1e-14 * (calls[0] % 7) * np.arange(self.dimension)
        return MSets.argmax(self, np.asarray(weights, dtype=float) + tilt)

    return argmax


def _buffered() -> Callable[[MSets, Any], np.ndarray]:
    """Return an oracle that remembers answers and hands out the arrays it remembers."""
    memory: dict[bytes, np.ndarray] = {}

    def argmax(self: MSets, weights: Any) -> np.ndarray:
        w = np.asarray(weights, dtype=float)
        return memory.setdefault(w.tobytes(), MSets.argmax(self, weights))

    return argmax


def _scribbling(self: MSets, weights: Any) -> np.ndarray:
    answer = MSets.argmax(self, weights)
    if isinstance(weights, np.ndarray) and weights.flags.writeable:
        weights[0] += 1.0
    return answer


def _without_lists(self: MSets, weights: Any) -> np.ndarray:
    return MSets.argmax(self, weights.astype(float))


def _dividing(self: MSets, weights: Any) -> np.ndarray:
    if not np.any(weights):
        raise ZeroDivisionError("division by zero")
    return MSets.argmax(self, weights)


def _as(dtype: type) -> Callable[[MSets, Any], np.ndarray]:
    return lambda self, weights: MSets.argmax(self, weights).astype(dtype)


def _single_precision(self: MSets, weights: Any) -> np.ndarray:
    return MSets.argmax(self, np.asarray(weights, dtype=np.float32).astype(np.float64))


def _stranger(self: MSets, weights: Any) -> np.ndarray:
    """Answer with a vector outside the set that beats all of it, but only for weights of large and unequal size."""
    answer = MSets.argmax(self, weights)
    w = np.asarray(weights, dtype=float)
    return np.ones_like(answer) if w.shape == (D,) and (w > 0).all() and w.max() > 1e3 else answer


def _unshuffled(self: MSets, limit: int = 100_000) -> np.ndarray:
    return MSets.enumerate(self, limit)[::-1]


def _shuffled(self: MSets, limit: int = 100_000) -> np.ndarray:
    return np.random.default_rng().permutation(MSets.enumerate(self, limit))


def _twice(self: MSets, limit: int = 100_000) -> np.ndarray:
    rows = MSets.enumerate(self, limit)
    return rows[np.sort(np.append(np.arange(len(rows)), 0))]


def _short(self: MSets) -> Any:
    return iter(MSets(D, M).enumerate()[1:])


def _long(self: MSets) -> Any:
    return iter([*MSets(D, M).enumerate(), np.ones(D, dtype=np.int64)])


_OTHER = MSets(D, 1)
_ALWAYS = property(lambda self: True, lambda self, value: None)

FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    ("oracle answers", "floats", lambda: _planted(argmax=_as(np.float64))),
    ("oracle answers", "bytes", lambda: _planted(argmax=_as(np.int8))),
    ("oracle answers", "a column", lambda: _planted(argmax=lambda self, w: MSets.argmax(self, w)[:, None])),
    ("oracle answers", "a list", lambda: _planted(argmax=lambda self, w: MSets.argmax(self, w).tolist())),
    ("oracle answers", "twos", lambda: _planted(argmax=lambda self, w: 2 * MSets.argmax(self, w))),
    ("oracle answers", "writes into the weights", lambda: _planted(argmax=_scribbling)),
    ("oracle answers", "cannot read a list", lambda: _planted(argmax=_without_lists)),
    ("oracle answers", "crashes on zero weights", lambda: _planted(argmax=_dividing)),
    ("enumeration", "backwards", lambda: _planted(enumerate=_unshuffled)),
    ("enumeration", "another order every time", lambda: _planted(enumerate=_shuffled)),
    ("enumeration", "an action twice", lambda: _planted(enumerate=_twice)),
    ("enumeration", "an action missing", lambda: _planted(_actions=_short, n_actions=9)),
    ("enumeration", "a stranger", lambda: _planted(_actions=_long, n_actions=11)),
    ("enumeration", "floats", lambda: _planted(enumerate=lambda self, limit=0: MSets.enumerate(self, limit) * 1.0)),
    ("oracle optimality", "wrong for fractions", lambda: _planted(argmax=_worse_when(_is_fractional))),
    (
        "oracle optimality",
        "wrong for large weights",
        lambda: _planted(argmax=_worse_when(lambda w: np.abs(w).max() > 1e6)),
    ),
    ("oracle optimality", "single precision", lambda: _planted(argmax=_single_precision)),
    ("oracle optimality", "leaves the set", lambda: _planted(argmax=_stranger)),
    ("oracle ties", "depends on the past", lambda: _planted(argmax=_drifting())),
    ("oracle ties", "hands out its memory", lambda: _planted(argmax=_buffered())),
    ("count", "one too many", lambda: _planted(n_actions=11)),
    ("count", "one too few", lambda: _planted(n_actions=9)),
    ("count", "a float", lambda: _planted(n_actions=10.0)),
    ("count", "far too many", lambda: _planted(n_actions=10**6)),
    ("count", "size too large", lambda: _listed(size=M + 1)),
    ("count", "claims equal sizes", lambda: _listed([[1, 0], [1, 1]], is_uniform=_ALWAYS)),
    ("count", "denies equal sizes", lambda: _planted(is_uniform=False)),
    ("count", "no limit", lambda: _planted(enumerate=lambda self, limit=0: MSets.enumerate(self, 100))),
    ("membership", "too lax", lambda: _planted(__contains__=lambda self, action: np.shape(action) == (D,))),
    ("membership", "counts elements only", lambda: _planted(__contains__=lambda self, a: bool(np.sum(a) == M))),
    (
        "membership",
        "too strict",
        lambda: _planted(__contains__=lambda self, a: MSets.__contains__(self, a) and a[0] == 0),
    ),
    (
        "membership",
        "crashes on words",
        lambda: _planted(__contains__=lambda self, a: MSets.__contains__(self, a.copy())),
    ),
    (
        "membership",
        "arrays of integers only",
        lambda: _planted(
            __contains__=lambda self, a: MSets.__contains__(self, a) and getattr(a, "dtype", None) == np.int64
        ),
    ),
    ("labels", "a name twice", lambda: _planted(labels=(0, 1, 2, 3, 3))),
    ("labels", "a name missing", lambda: _planted(labels=(0, 1, 2, 3))),
    ("labels", "read backwards", lambda: _planted(elements=lambda self, a: MSets.elements(self, a)[::-1])),
    ("labels", "written wrongly", lambda: _planted(action_of=lambda self, e: MSets.action_of(self, e)[::-1])),
    (
        "labels",
        "accepts everything",
        lambda: _planted(action_of=lambda self, e: np.isin(self.labels, e).astype(np.int64)),
    ),
    ("refusals", "argmax reads NaN", lambda: _planted(argmax=lambda self, w: MSets.argmax(self, np.nan_to_num(w)))),
    (
        "refusals",
        "kl_project reads a matrix",
        lambda: _planted(kl_project=lambda self, w: MSets.kl_project(self, np.ravel(w))),
    ),
    (
        "refusals",
        "decompose reads NaN",
        lambda: _planted(decompose=lambda self, x, **k: MSets.decompose(self, [0.4] * 5)),
    ),
    (
        "family",
        "of another set",
        lambda: _planted(family=lambda self, mu, **k: _OTHER.family(_OTHER.uniform_policy(), **k)),
    ),
    ("oracle answers", "a kernel that writes into the weights", lambda: _with(best=best_and_spoil)),
    ("outside points", "a kernel that lists them", lambda: _with(list_policy=list_anything)),
    ("family", "draws nothing", lambda: _with(draw_explore=draw_nothing)),
    ("refusals", "another exception", lambda: _listed(gibbs=lambda self, s: Explicit.gibbs(self, np.reshape(s, D)))),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Any], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_action_set, make())
    assert found == check, sentence


def test_an_array_of_another_type_is_named_in_good_english(caught: Any) -> None:
    """The sentence about a wrong type has no article that the name of the type could contradict."""
    _, sentence = caught(check_action_set, _planted(argmax=_as(np.float64)))
    assert "must be an array of int64 and of shape" in sentence


def test_the_unplanted_sets_pass() -> None:
    """The sets the faults are planted in have none of their own, and every check applies to one of them."""
    reports = [check_action_set(_planted()), check_action_set(_listed())]
    assert set().union(*(report.passed for report in reports)) == set(ACTION_SET_CHECKS)
    assert "checks passed" in str(reports[0])


def test_what_does_not_apply_is_reported() -> None:
    """A set that cannot be listed is checked by certificates, and the report names what was left out and why."""
    report = check_action_set(MSets(30, 10), limit=100)
    assert dict(report.skipped)["enumeration"] == "there are more than 100 actions"
    assert {"span", "spanner", "projection", "decomposition"} <= set(report.passed)
    assert "not applicable: enumeration" in str(report)


@pytest.mark.parametrize(
    ("check", "overrides"),
    [
        ("oracle optimality", {"argmax": _worse_when(_is_fractional)}),
        ("count", {"is_uniform": False}),
        (
            "count",
            {"n_actions": 5000, "argmax": lambda self, w: np.eye(30, dtype=np.int64)[int(np.argmax(w))], "size": 1},
        ),
        ("membership", {"__contains__": lambda self, action: np.sum(action) == 10}),
        ("membership", {"__contains__": lambda self, action: MSets.__contains__(self, action) and action[0] == 0}),
    ],
    ids=["oracle", "sizes", "count", "too lax", "too strict"],
)
def test_faults_of_large_sets_are_caught_without_a_list(check: str, overrides: dict[str, Any], caught: Any) -> None:
    """Where the actions are too many to list, oracle, size, count and membership are still held to account."""
    found, sentence = caught(check_action_set, type("Planted", (MSets,), overrides)(30, 10), limit=100)
    assert found == check, sentence


def test_a_list_that_is_known_is_compared(caught: Any) -> None:
    """A set that is consistent in itself but not the one that was meant is caught by `expected`."""
    check_action_set(MSets(4, 2), expected=MSets(4, 2).enumerate()[::-1])
    assert caught(check_action_set, MSets(4, 2), expected=MSets(4, 3).enumerate())[0] == "enumeration"


def test_an_inconsistent_oracle_is_caught() -> None:
    """A greedy oracle that is right for positive weights only is caught through the sentence of OracleSet or ours."""

    def greedy(w: np.ndarray) -> np.ndarray:
        return np.array([1, 0, 1, 0]) if w[0] + w[2] >= w[1] + w[3] or w.min() < 0 else np.array([0, 1, 0, 1])

    with pytest.raises(ConformanceError):
        check_action_set(OracleSet(4, greedy))


def test_the_same_seed_gives_the_same_verdict() -> None:
    """Two checks with one seed find the same fault in the same words."""
    sentences = set()
    for _ in range(2):
        with pytest.raises(ConformanceError) as info:
            check_action_set(_planted(argmax=_worse_when(_is_fractional)), seed=5)
        sentences.add(str(info.value))
    assert len(sentences) == 1


def test_every_check_has_a_planted_fault() -> None:
    """No check of an action set is without a test that shows it failing."""
    elsewhere = {"span", "spanner", "decomposition", "outside points", "projection"}  # test_set_geometry.py
    policies = {"uniform policy", "gibbs policy", "exploration policy"}  # test_set_policies.py
    assert {check for check, _, _ in FAULTS} | elsewhere | policies == set(ACTION_SET_CHECKS)
