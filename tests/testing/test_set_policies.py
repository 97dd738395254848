"""Faults planted in uniform, Gibbs and exploration policies are caught by the check that is there for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arrays import as_vector
from swapregret.policy import FinitePolicy
from swapregret.testing import check_action_set

ROWS = MSets(5, 2).enumerate()


def _planted(**overrides: Any) -> Explicit:
    """Return the two-of-five set, as a list, with some methods replaced."""
    return type("Planted", (Explicit,), overrides)(ROWS)


def _tilted(self: Explicit) -> FinitePolicy:
    weights = np.full(10, 0.1)
    weights[:2] += (1e-6, -1e-6)
    return FinitePolicy(ROWS, weights)


class _Biased(FinitePolicy):
    """A policy that draws its first atom a third too often."""

    def sample(self, rng: np.random.Generator) -> Any:
        return self.atoms[0] if rng.random() < 0.05 else super().sample(rng)


class _Escaping(FinitePolicy):
    """A policy that now and then draws an action it gives no weight."""

    def sample(self, rng: np.random.Generator) -> Any:
        return np.ones(5, dtype=np.int64) if rng.random() < 0.01 else super().sample(rng)


def _uniform(kind: type[FinitePolicy]) -> Callable[[Explicit], FinitePolicy]:
    return lambda self: kind(ROWS, np.full(10, 0.1))


def _hot(self: Explicit, scores: Any) -> FinitePolicy:
    return Explicit.gibbs(self, as_vector(scores, 5, "scores") * (1.0 + 1e-6))


def _capped(self: Explicit, scores: Any) -> FinitePolicy:
    return Explicit.gibbs(self, np.clip(as_vector(scores, 5, "scores"), -10.0, 10.0))


def _overflowing(self: Explicit, scores: Any) -> FinitePolicy:
    Explicit.gibbs(self, scores)
    mass = np.exp(20.0 * (ROWS @ np.asarray(scores, dtype=float)))
    return FinitePolicy(ROWS, mass / mass.sum())


def _exploration(policy: Callable[[Explicit], FinitePolicy], kinds: tuple[Any, ...] = (None,)) -> Callable[..., Any]:
    """Return an exploration policy that is replaced for some kinds."""
    return lambda self, kind=None: policy(self) if kind in kinds else Explicit.exploration_policy(self, kind)


FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    ("uniform policy", "tilted by 1e-6", lambda: _planted(uniform_policy=_tilted)),
    ("uniform policy", "biased sampler", lambda: _planted(uniform_policy=_uniform(_Biased))),
    ("uniform policy", "samples outside the set", lambda: _planted(uniform_policy=_uniform(_Escaping))),
    ("uniform policy", "over another set", lambda: _planted(uniform_policy=lambda self: MSets(5, 3).uniform_policy())),
    ("uniform policy", "denied", lambda: _planted(has_uniform=False)),
    ("gibbs policy", "temperature off by 1e-6", lambda: _planted(gibbs=_hot)),
    ("gibbs policy", "capped scores", lambda: _planted(gibbs=_capped)),
    ("gibbs policy", "overflow", lambda: _planted(gibbs=_overflowing)),
    (
        "gibbs policy",
        "always uniform",
        lambda: _planted(gibbs=lambda self, s: Explicit.gibbs(self, 0.0 * as_vector(s, 5, "s"))),
    ),
    ("gibbs policy", "denied", lambda: _planted(has_gibbs=False)),
    (
        "exploration policy",
        "blind in some directions",
        lambda: _planted(exploration_policy=_exploration(lambda self: FinitePolicy(ROWS[:3], np.full(3, 1 / 3)))),
    ),
    (
        "exploration policy",
        "outside the set",
        lambda: _planted(
            exploration_policy=_exploration(lambda self: FinitePolicy(np.eye(5, dtype=int), np.full(5, 0.2)))
        ),
    ),
    (
        "exploration policy",
        "not the spanner",
        lambda: _planted(exploration_policy=_exploration(lambda self: self.uniform_policy(), ("spanner",))),
    ),
    (
        "exploration policy",
        "any kind will do",
        lambda: _planted(exploration_policy=_exploration(lambda self: self.uniform_policy(), ("no such policy",))),
    ),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Any], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_action_set, make())
    assert found == check, sentence


def test_the_unplanted_set_passes() -> None:
    """The set the faults are planted in has none of its own."""
    assert {"uniform policy", "gibbs policy", "exploration policy"} <= set(check_action_set(_planted()).passed)


def test_every_check_here_has_a_planted_fault() -> None:
    """The table above covers the checks that test_action_sets.py leaves to it."""
    assert {check for check, _, _ in FAULTS} == {"uniform policy", "gibbs policy", "exploration policy"}
