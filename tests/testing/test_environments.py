"""Every check of ``check_environment`` is shown an environment that has just the fault it is there for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.environments.environment import Environment
from swapregret.environments.stochastic import iid
from swapregret.testing import check_environment
from swapregret.testing.environment_checks import ENVIRONMENT_CHECKS

ACTIONS = MSets(4, 2)
LEVELS = np.array([0.7, 0.5, 0.5, 0.2])


def _levels(start: int, stop: int) -> np.ndarray:
    return np.tile(LEVELS, (stop - start, 1))


def _world(levels: Any = _levels, draw: Any = None, **overrides: Any) -> Environment:
    kind = type("Planted", (Environment,), overrides)
    return kind("planted", ACTIONS, 3000, levels, 7, draw=draw)


def _live() -> Callable[..., Any]:
    """Return rewards that are handed out live."""
    table = np.full((3000, 4), 0.25)
    return lambda self, start, stop: table[start:stop]


def _by_the_clock(env: Environment, start: int, stop: int) -> np.ndarray:
    return (np.random.default_rng().random((stop - start, 4)) < LEVELS) * 0.5


def _by_the_slice(env: Environment, start: int, stop: int) -> np.ndarray:
    return (np.random.default_rng(env.entropy).random((stop - start, 4)) < LEVELS) * 0.5


def _noise(env: Environment, start: int, stop: int, levels: Any = LEVELS) -> np.ndarray:
    return (env.uniforms(start, stop) < levels) * 0.5


def _alternating(env: Environment, start: int, stop: int) -> np.ndarray:
    """Pay more on even days and less on odd ones, which the means do not say."""
    sign = np.where(np.arange(start, stop) % 2, -0.15, 0.15)[:, None]
    return _noise(env, start, stop, LEVELS + sign)


def _deaf(self: Environment, entropy: int) -> Environment:
    return self


def _redrawn(self: Environment, entropy: int) -> Environment:
    other = np.random.default_rng(entropy).random(4)
    return _world(lambda start, stop: np.tile(other, (stop - start, 1)))


def _forgetful(self: Environment, entropy: int) -> Environment:
    return Environment(self.name, self.actions, self.horizon, self.levels, int(np.random.default_rng().integers(2**62)))


def _clamped(self: Environment, start: int, stop: int) -> np.ndarray:
    return Environment.rewards(self, max(0, start), max(1, min(stop, self.horizon)))


FAULTS: list[tuple[str, str, Callable[[], Environment]]] = [
    ("shape", "a row too few", lambda: _world(means=lambda self, start, stop: _levels(start, stop - 1) / 2)),
    ("shape", "NaN", lambda: _world(draw=lambda env, start, stop: _levels(start, stop) * np.nan)),
    ("slices", "another day", lambda: _world(reward_vector=lambda self, day: self.rewards(day + 1, day + 2)[0] + 0.1)),
    ("shape", "integers", lambda: _world(draw=lambda env, start, stop: np.zeros((stop - start, 4), dtype=int))),
    ("range", "totals above one", lambda: _world(draw=lambda env, start, stop: 1.2 * _noise(env, start, stop))),
    ("range", "negative totals", lambda: _world(draw=lambda env, start, stop: _noise(env, start, stop) - 0.1)),
    ("range", "means above one", lambda: _world(lambda start, stop: 2.0 * _levels(start, stop))),
    ("repeatability", "by the clock", lambda: _world(draw=_by_the_clock)),
    ("repeatability", "hands out its table", lambda: _world(rewards=_live())),
    ("slices", "by the slice", lambda: _world(draw=_by_the_slice)),
    ("replications", "deaf to entropy", lambda: _world(with_noise=_deaf)),
    ("replications", "redraws the means", lambda: _world(with_noise=_redrawn)),
    ("replications", "ignores the entropy", lambda: _world(with_noise=_forgetful)),
    ("noise", "pays less", lambda: _world(draw=lambda env, start, stop: _noise(env, start, stop, LEVELS - 0.1))),
    ("noise", "alternates", lambda: _world(draw=_alternating)),
    ("days", "clamps the days", lambda: _world(rewards=_clamped)),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Environment], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_environment, make())
    assert found == check, sentence


def test_every_check_has_a_planted_fault() -> None:
    """No check of an environment is without a test that shows it failing."""
    assert {check for check, _, _ in FAULTS} == set(ENVIRONMENT_CHECKS)


@pytest.mark.parametrize("seed", range(5))
def test_right_environments_pass_whatever_the_seed(seed: int) -> None:
    """The environment the faults are planted in passes every check, and so does one that pays its means."""
    assert check_environment(_world(), seed=seed).passed == tuple(ENVIRONMENT_CHECKS)
    assert check_environment(iid(ACTIONS, 50, rng=seed), seed=seed).passed == tuple(ENVIRONMENT_CHECKS)
    still = _world(draw=lambda env, start, stop: _levels(start, stop) / 2)
    assert dict(check_environment(still, seed=seed).skipped) == {"noise": "the rewards are the means"}
