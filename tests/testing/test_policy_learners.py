"""Every check of ``check_policy_learner`` is shown a lazy learner that has just the fault it is there for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets import MSets
from swapregret.arrays import frozen
from swapregret.errors import ConformanceError
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyState
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.policy import mix
from swapregret.testing import check_policy_learner
from swapregret.testing.policy_learners import POLICY_LEARNER_CHECKS

ACTIONS = MSets(5, 2)
GAMMA = 0.1


def _planted(**overrides: Any) -> Any:
    return type("Planted", (LazyComBCP,), overrides)(ACTIONS, GAMMA, FixedRate(0.3))


def _updated(change: Callable[[Any, LazyState], LazyState]) -> Callable[..., LazyState]:
    """Return an update whose result is changed afterwards."""
    return lambda self, state, aggregate: change(self, LazyComBCP.update(self, state, aggregate))


def _writable(self: Any, state: LazyState) -> LazyState:
    return replace(state, point=state.point.copy())


def _noisy(self: Any, state: LazyState) -> LazyState:
    tilt = state.log_weights + 1e-9 * np.random.default_rng().random(5)
    return replace(state, log_weights=frozen(tilt))


def _restart_warm(self: Any, previous: Any = None, prior: Any = None) -> LazyState:
    return LazyComBCP.start(self, previous, None if previous is None else previous.point)


def _restart_counting(self: Any, previous: Any = None, prior: Any = None) -> LazyState:
    made = LazyComBCP.start(self, previous, prior)
    return made if previous is None else replace(made, n_updates=previous.n_updates)


def _in_place(self: Any, state: LazyState, aggregate: Any) -> LazyState:
    after = LazyComBCP.update(self, state, aggregate)
    state.score.flags.writeable = True
    state.score[...] += 1e-9
    state.score.flags.writeable = False
    return after


def _scribbling(self: Any, state: LazyState, aggregate: Any) -> LazyState:
    after = LazyComBCP.update(self, state, aggregate)
    aggregate *= 2.0
    return after


def _keeping(self: Any, state: LazyState, aggregate: Any) -> LazyState:
    """Keep the caller's array as the score of the first meta-day."""
    after = LazyComBCP.update(self, state, aggregate)
    return replace(after, score=aggregate) if state.n_updates == 0 else after


def _less_exploring(self: Any, state: LazyState) -> LazyState:
    return replace(state, policy=mix([state.exploit, self.mu], [1 - GAMMA / 2, GAMMA / 2]))


def _same_marginals(self: Any, state: LazyState) -> LazyState:
    """Play another law with the right marginals."""
    x = (1 - GAMMA) * state.point + GAMMA * self.mu.marginals()
    return replace(state, policy=ACTIONS.decompose(x))


FAULTS: list[tuple[str, str, Callable[[], Any]]] = [
    ("point", "outside the hull", lambda: _planted(update=_updated(lambda self, s: replace(s, point=s.point * 1.001)))),
    (
        "policy",
        "exploit of another point",
        lambda: _planted(update=_updated(lambda self, s: replace(s, exploit=self.actions.uniform_policy()))),
    ),
    ("policy", "explores half as much", lambda: _planted(update=_updated(_less_exploring))),
    ("policy", "another law with these marginals", lambda: _planted(update=_updated(_same_marginals))),
    ("repeatability", "noise", lambda: _planted(update=_updated(_noisy))),
    (
        "repeatability",
        "resumes at the start",
        lambda: _planted(resume=lambda self, state: replace(state, policy=self.start().policy)),
    ),
    ("state", "writable point", lambda: _planted(update=_updated(_writable))),
    ("state", "changes the old state", lambda: _planted(update=_in_place)),
    ("state", "writes into the aggregate", lambda: _planted(update=_scribbling)),
    ("state", "keeps the aggregate", lambda: _planted(update=_keeping)),
    ("restart", "goes on from the last point", lambda: _planted(start=_restart_warm)),
    ("restart", "goes on counting", lambda: _planted(start=_restart_counting)),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Any], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_policy_learner, make())
    assert found == check, sentence


def test_every_check_has_a_planted_fault() -> None:
    """No check of a lazy learner is without a test that shows it failing."""
    assert {check for check, _, _ in FAULTS} == set(POLICY_LEARNER_CHECKS)


@pytest.mark.parametrize("rate", [FixedRate(0.3), AdaptiveRate()], ids=["fixed", "adaptive"])
@pytest.mark.parametrize("kind", [LazyComBCP, LazyComBand])
def test_the_lazy_learners_pass(kind: Any, rate: Any) -> None:
    """Both lazy learners keep every promise with both steps, without exploration too."""
    for exploration in (0.0, 0.3):
        assert check_policy_learner(kind(ACTIONS, exploration, rate)).passed == tuple(POLICY_LEARNER_CHECKS)


def test_the_exploration_must_be_known() -> None:
    """A learner that does not say how much it explores must be told of, and a wrong γ is seen in the marginals."""
    learner = LazyComBCP(ACTIONS, GAMMA, FixedRate(0.3))
    with pytest.raises(ConformanceError, match=r"of `policy` must be"):
        check_policy_learner(learner, 0.2)
    with pytest.raises(ConformanceError, match="must be a float in"):
        check_policy_learner(learner, 1.0)
