"""Faults planted in span, spanner, projection and decomposition are caught by the check that is there for them."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.arrays import as_vector
from swapregret.geometry.kl import Projection
from swapregret.geometry.span import Span
from swapregret.policy import FinitePolicy, Policy
from swapregret.testing import check_action_set

D, M = 5, 2


def _planted(**overrides: Any) -> MSets:
    """Return the two-of-five set with some methods replaced."""
    return type("Planted", (MSets,), overrides)(D, M)


def _span(**changes: Any) -> property:
    """Return the right span with some fields replaced."""

    def make(self: MSets) -> Span:
        right = MSets(self.dimension, self.size).span
        return Span(**{"coordinates": right.coordinates, "lift": right.lift, "basis": right.basis} | changes)

    return property(make)


def _smaller() -> property:
    """Return a span that has forgotten one dimension, consistent in shape."""
    full = MSets(D, M).span
    lift = np.vstack([np.eye(4), np.full(4, 0.25)])
    return property(lambda self: Span(np.arange(4), lift, full.basis[:4]))


def _spanner(change: Callable[[Any], Any]) -> Callable[[MSets], Any]:
    return lambda self: change(MSets(D, M).spanner())


_turns = itertools.count()


def _flaky_spanner(self: MSets) -> Any:
    """Return a right spanner in another order than the last time."""
    found = MSets(D, M).spanner()
    rows = np.roll(np.arange(D), next(_turns))
    return replace(found, actions=found.actions[rows], inverse=found.inverse[:, rows])


def _projection(change: Callable[[Projection], Any]) -> Callable[..., Any]:
    return lambda self, w: change(MSets.kl_project(self, w))


def _moved(amount: float) -> Callable[[Projection], Projection]:
    """Return a projection that is moved within the hull, towards its centre, with a log to match."""

    def change(found: Projection) -> Projection:
        x = (1.0 - amount) * found.point + amount * M / D
        return Projection(x, np.log(x), found.gap, 1)

    return change


def _floored(self: MSets, w: Any) -> Projection:
    """Project with log-weights cut off at −10: right for small spreads, wrong for large ones."""
    values = as_vector(w, D, "log_weights")
    return MSets.kl_project(self, np.maximum(values, values.max() - 10.0))


def _jittered(self: MSets, w: Any) -> Projection:
    found = MSets.kl_project(self, w)
    x = found.point + np.random.default_rng().choice([0.0, 1e-15], D)
    return Projection(x, np.log(x), found.gap, 1)


def _writable(found: Projection) -> Projection:
    made = Projection(found.point.copy(), found.log_point.copy(), found.gap, 1)
    made.point.flags.writeable = True
    return made


def _shifting(self: MSets, w: Any) -> Projection:
    found = MSets.kl_project(self, w)
    w -= np.mean(w)
    return found


def _decompose(change: Callable[[FinitePolicy, Any], Any]) -> Callable[..., Any]:
    """Return a decomposition whose policy is changed afterwards."""

    def decompose(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
        return change(MSets.decompose(self, marginals, variants=variants).finite(), marginals)

    return decompose


class _Raw(Policy):
    """A policy that keeps atoms and weights exactly as they come."""

    has_atoms = True

    def __init__(self, atoms: Any, weights: Any) -> None:
        self._atoms, self._weights, self.dimension = np.asarray(atoms), np.asarray(weights), np.shape(atoms)[1]

    atoms = property(lambda self: self._atoms)
    weights = property(lambda self: self._weights)

    def finite(self) -> Any:
        return self

    def sample(self, rng: np.random.Generator) -> Any:
        return self._atoms[rng.choice(len(self._weights), p=self._weights / self._weights.sum())].copy()

    def marginals(self) -> Any:
        return self._weights @ self._atoms

    def second_moment(self, vector: Any) -> Any:
        return (self._weights * (self._atoms @ vector)) @ self._atoms


def _lighter(policy: FinitePolicy, _: Any) -> _Raw:
    weights = policy.weights.copy()
    weights[0] -= 2.0**-45
    return _Raw(policy.atoms, weights)


def _with_a_stranger(policy: FinitePolicy, _: Any) -> FinitePolicy:
    """Trade two sets for one of three and one of one, with the same mean."""
    if len(policy.weights) < 2:
        return policy
    first, second = policy.atoms[0], policy.atoms[-1]
    both, either = first & second, first | second
    share = min(policy.weights[0], policy.weights[-1])
    atoms = np.vstack([policy.atoms, both, either])
    weights = np.append(policy.weights, [share, share])
    weights[[0, len(policy.weights) - 1]] -= share
    return FinitePolicy(atoms, weights)


def _spread_out(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    return MSets.decompose(self, marginals, variants=variants * 4)


def _by_the_clock(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    order = np.random.default_rng().permutation(D)
    policy = MSets.decompose(self, as_vector(marginals, D, "marginals")[order], variants=variants).finite()
    return FinitePolicy(policy.atoms[:, np.argsort(order)], policy.weights)


def _coarse(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    x = as_vector(marginals, D, "marginals")
    return MSets.decompose(self, 0.999999 * x + 1e-6 * M / D, variants=variants)


def _shrunk(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    x = as_vector(marginals, self.dimension, "marginals")
    return MSets.decompose(self, 0.999 * x + 0.001 * self.size / self.dimension, variants=variants)


def _forgiving(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    x = as_vector(marginals, D, "marginals")
    if (x < -1e-4).any():
        x = np.full(D, M / D)
    return MSets.decompose(self, x, variants=variants)


def _any_count(self: MSets, marginals: Any, *, variants: int = 1) -> Any:
    return MSets.decompose(self, marginals, variants=max(1, int(variants)))


FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    ("span", "rank too small", lambda: _planted(span=_smaller())),
    ("span", "another rank", lambda: _planted(rank=4)),
    ("span", "coordinates out of order", lambda: _planted(span=_span(coordinates=np.array([1, 0, 2, 3, 4])))),
    ("span", "wrong lift", lambda: _planted(span=_span(lift=np.eye(D) + 1e-6))),
    ("span", "dependent basis", lambda: _planted(span=_span(basis=np.tile(MSets(D, M).span.basis[:1], (D, 1))))),
    ("span", "basis of no actions", lambda: _planted(span=_span(basis=np.eye(D, dtype=np.int64)))),
    ("span", "lift of another shape", lambda: _planted(span=_span(lift=np.eye(D)[:4]))),
    ("spanner", "bound too small", lambda: _planted(spanner=_spanner(lambda s: replace(s, bound=0.5 * s.bound)))),
    ("spanner", "bound above 2", lambda: _planted(spanner=_spanner(lambda s: replace(s, bound=2.5)))),
    (
        "spanner",
        "dependent",
        lambda: _planted(spanner=_spanner(lambda s: replace(s, actions=s.actions[[0, 0, 1, 2, 3]]))),
    ),
    ("spanner", "one missing", lambda: _planted(spanner=_spanner(lambda s: replace(s, actions=s.actions[1:])))),
    ("spanner", "no actions", lambda: _planted(spanner=_spanner(lambda s: replace(s, actions=1 - s.actions)))),
    (
        "spanner",
        "wrong coefficients",
        lambda: _planted(spanner=_spanner(lambda s: replace(s, inverse=s.inverse + 1e-6))),
    ),
    ("spanner", "another one every time", lambda: _planted(spanner=_flaky_spanner)),
    ("projection", "off by 1e-6", lambda: _planted(kl_project=_projection(_moved(1e-6)))),
    ("projection", "off by 1e-8", lambda: _planted(kl_project=_projection(_moved(1e-8)))),
    ("projection", "wrong for large spreads", lambda: _planted(kl_project=_floored)),
    (
        "projection",
        "log of something else",
        lambda: _planted(kl_project=_projection(lambda p: replace(p, log_point=p.log_point + 1e-9))),
    ),
    ("projection", "gap too good", lambda: _planted(kl_project=_projection(lambda p: replace(p, gap=-1e-6)))),
    ("projection", "gap too bad", lambda: _planted(kl_project=_projection(lambda p: replace(p, gap=1e-6)))),
    (
        "projection",
        "log underflows",
        lambda: _planted(
            kl_project=_projection(
                lambda p: replace(
                    p,
                    point=np.where(p.point < 1e-9, 0.0, p.point),
                    log_point=np.where(p.point < 1e-9, -np.inf, p.log_point),
                )
            )
        ),
    ),
    ("projection", "not the same twice", lambda: _planted(kl_project=_jittered)),
    ("projection", "writable", lambda: _planted(kl_project=_projection(_writable))),
    ("projection", "writes into the weights", lambda: _planted(kl_project=_shifting)),
    (
        "projection",
        "outside the hull",
        lambda: _planted(
            kl_project=_projection(lambda p: replace(p, point=p.point * 1.001, log_point=p.log_point + np.log(1.001)))
        ),
    ),
    ("decomposition", "off by 1e-6", lambda: _planted(decompose=_coarse)),
    ("decomposition", "mass missing", lambda: _planted(decompose=_decompose(_lighter))),
    (
        "decomposition",
        "atoms backwards",
        lambda: _planted(decompose=_decompose(lambda p, _: _Raw(p.atoms[::-1], p.weights[::-1]))),
    ),
    (
        "decomposition",
        "an atom twice",
        lambda: _planted(
            decompose=_decompose(lambda p, _: _Raw(np.repeat(p.atoms, 2, axis=0), np.repeat(p.weights / 2.0, 2)))
        ),
    ),
    ("decomposition", "atoms outside the set", lambda: _planted(decompose=_decompose(_with_a_stranger))),
    ("decomposition", "too many atoms", lambda: _planted(decompose=_spread_out)),
    ("decomposition", "not the same twice", lambda: _planted(decompose=_by_the_clock)),
    ("outside points", "takes any point", lambda: _planted(decompose=_forgiving)),
    ("outside points", "takes any count", lambda: _planted(decompose=_any_count)),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Any], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_action_set, make())
    assert found == check, sentence


def test_every_check_here_has_a_planted_fault() -> None:
    """The table above covers the checks that test_action_sets.py leaves to it."""
    assert {check for check, _, _ in FAULTS} == {"span", "spanner", "projection", "decomposition", "outside points"}


@pytest.mark.parametrize(
    ("check", "overrides"),
    [
        ("span", {"span": _span(lift=np.eye(30) * 1.001)}),
        ("projection", {"kl_project": _projection(lambda p: replace(p, gap=1.0))}),
        (
            "decomposition",
            {"decompose": _shrunk},
        ),
        ("spanner", {"spanner": lambda self: replace(MSets.spanner(self), bound=0.9)}),
    ],
    ids=["span", "projection", "decomposition", "spanner"],
)
def test_faults_of_large_sets_are_caught_without_a_list(check: str, overrides: dict[str, Any], caught: Any) -> None:
    """Where the actions are too many to list, the certificates still hold the geometry to account."""
    found, sentence = caught(check_action_set, type("Planted", (MSets,), overrides)(30, 10), limit=100)
    assert found == check, sentence
