"""Every check of ``check_player`` is shown a player that has just the fault it is there for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arrays import frozen
from swapregret.learners.baselines.uniform import uniform
from swapregret.learners.presets import swap_combcp
from swapregret.policy import FinitePolicy
from swapregret.testing import check_player
from swapregret.testing.player_checks import PLAYER_CHECKS

ACTIONS = MSets(5, 2)


@dataclass(frozen=True, eq=False)
class _State:
    scores: np.ndarray
    shift: float


class _Hedge:
    """A small player with full feedback: the Gibbs policy of what was seen so far. Without faults."""

    actions: Any = Explicit(ACTIONS.enumerate())
    feedback: Any = "full"

    def start(self, rng: np.random.Generator) -> Any:
        return _State(frozen(np.zeros(5)), float(rng.random()))

    def policy(self, state: Any) -> Any:
        return self.actions.gibbs(0.5 * state.scores + state.shift * np.eye(5)[0])

    def observe(self, state: Any, decision: Any, reward: Any) -> Any:
        return state if reward is None else replace(state, scores=frozen(state.scores + reward))

    def dump(self, state: Any) -> Any:
        return {"scores": state.scores, "shift": np.array(state.shift)}

    def load(self, arrays: Any) -> Any:
        return _State(frozen(arrays["scores"].copy()), float(arrays["shift"]))


def _planted(**overrides: Any) -> Any:
    return type("Planted", (_Hedge,), overrides)()


def _strays(self: Any, state: Any) -> Any:
    """Play an action outside the set once something was learnt."""
    return FinitePolicy([[1, 1, 1, 0, 0]], [1.0]) if state.scores.sum() > 3.0 else _Hedge.policy(self, state)


class _Short(FinitePolicy):
    """A policy whose matrix does not belong to its marginals."""

    def cooccurrence(self) -> Any:
        return super().cooccurrence() * 0.999


def _miscounts(self: Any, state: Any) -> Any:
    policy = _Hedge.policy(self, state)
    return _Short(policy.atoms, policy.weights)


def _fidgets() -> Callable[..., Any]:
    """Return policies that depend on how often they are asked for."""
    calls = [0]

    def policy(self: Any, state: Any) -> Any:
        calls[0] += 1
        return self.actions.gibbs(0.5 * state.scores + 1e-3 * calls[0] * np.eye(5)[1])

    return policy


def _remembers() -> Callable[..., Any]:
    """Return a start that goes on where the last run of the same player began."""
    runs = [0]

    def start(self: Any, rng: np.random.Generator) -> Any:
        runs[0] += 1
        return _State(frozen(np.full(5, 0.0)), float(runs[0]))

    return start


def _own_randomness(self: Any, rng: np.random.Generator) -> Any:
    return _State(frozen(np.zeros(5)), float(np.random.default_rng().random()))


def _noisy(self: Any, state: Any, decision: Any, reward: Any) -> Any:
    """Learn with noise that is written into a place the policy does not look at until later."""
    after = _Hedge.observe(self, state, decision, reward)
    return replace(after, scores=frozen(after.scores + 1e-12 * np.random.default_rng().random(5)))


class _Mutable:
    def __init__(self, scores: np.ndarray) -> None:
        self.scores, self.shift = scores, 0.0


def _in_place(self: Any, state: Any, decision: Any, reward: Any) -> Any:
    if reward is not None:
        state.scores = state.scores + reward
    return state


def _half_in_place(self: Any, state: Any, decision: Any, reward: Any) -> Any:
    """Return a new state, but also add to the old one's array."""
    if reward is None:
        return state
    after = _State(state.scores + reward, state.shift)
    state.scores.flags.writeable = True
    np.add(state.scores, 1e-9, out=state.scores)
    return after


def _writes_reward(self: Any, state: Any, decision: Any, reward: Any) -> Any:
    after = _Hedge.observe(self, state, decision, reward)
    if reward is not None and reward.flags.writeable and reward.any():
        reward *= 1.0 + 1e-9
    return after


def _keeps_reward(self: Any, state: Any, decision: Any, reward: Any) -> Any:
    """Keep the array of the first day instead of its values."""
    if reward is None:
        return state
    return _State(reward, state.shift) if not state.scores.any() else _State(state.scores + reward, state.shift)


FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    ("configuration", "no such feedback", lambda: _planted(feedback="some")),
    ("configuration", "no set", lambda: _planted(actions="all")),
    ("policies", "strays from the set", lambda: _planted(policy=_strays)),
    ("configuration", "no policy", lambda: _planted(policy=lambda self, state: _Hedge.policy(self, state).atoms)),
    ("policies", "a policy that contradicts itself", lambda: _planted(policy=_miscounts)),
    ("policies", "not the same twice", lambda: _planted(policy=_fidgets())),
    ("repeatability", "remembers earlier runs", lambda: _planted(start=_remembers())),
    ("repeatability", "randomness of its own", lambda: _planted(start=_own_randomness)),
    (
        "state",
        "learns with noise",
        lambda: _planted(observe=_noisy, policy=lambda self, state: self.actions.uniform_policy()),
    ),
    ("state", "changes in place", lambda: _planted(start=lambda self, rng: _Mutable(np.zeros(5)), observe=_in_place)),
    ("state", "also changes the old one", lambda: _planted(observe=_half_in_place)),
    ("arguments", "writes into the reward", lambda: _planted(observe=_writes_reward)),
    ("arguments", "keeps the reward", lambda: _planted(observe=_keeps_reward)),
    ("files", "forgets a number", lambda: _planted(load=lambda self, a: _State(frozen(a["scores"].copy()), 0.0))),
    (
        "files",
        "does not write a number",
        lambda: _planted(
            dump=lambda self, state: {"scores": state.scores},
            load=lambda self, a: _State(frozen(a["scores"].copy()), 0.0),
        ),
    ),
    (
        "files",
        "single precision",
        lambda: _planted(
            load=lambda self, a: _State(frozen(a["scores"].astype(np.float32).astype(float)), float(a["shift"]))
        ),
    ),
    (
        "files",
        "keeps the arrays it reads",
        lambda: _planted(load=lambda self, a: _State(a["scores"], float(a["shift"]))),
    ),
    ("arrays", "pickles", lambda: _planted(dump=lambda self, state: {"state": np.array([state], dtype=object)})),
    ("arrays", "a list", lambda: _planted(dump=lambda self, state: {"scores": state.scores.tolist()})),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Any], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_player, make(), days=30)
    assert found == check, sentence


def test_every_check_has_a_planted_fault() -> None:
    """No check of a player is without a test that shows it failing."""
    assert {check for check, _, _ in FAULTS} == set(PLAYER_CHECKS)


def test_a_player_without_faults_passes() -> None:
    """The player the faults are planted in passes every check."""
    assert check_player(_planted()).passed == tuple(PLAYER_CHECKS)
    assert check_player(_planted(feedback="semi-bandit"), seed=3).passed == tuple(PLAYER_CHECKS)


def test_bandit_players_have_no_array_to_protect() -> None:
    """Where the reward is one number, the check of arguments says that it does not apply."""
    assert dict(check_player(uniform(ACTIONS), days=10).skipped) == {"arguments": "a reward is one number"}
    assert "files" in check_player(swap_combcp(ACTIONS, 40, preset="multiscale"), days=40).passed
