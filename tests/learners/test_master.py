"""The master against Algorithm 1 simulated literally, day by day, with the paper's 1-based windows."""

import math
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from swapregret.learners.master import SwapMaster

from swapregret.actions.base import ActionSet
from swapregret.actions.explicit import Explicit
from swapregret.actions.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.geometry.moments import smallest_eigenvalue
from swapregret.learners import presets
from swapregret.learners.baselines import combcp
from swapregret.learners.estimator import BanditEstimator, FullEstimator, SemiBanditEstimator
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.player import Decision
from swapregret.learners.schedule import Schedule
from swapregret.session import Session

swap_combcp = partial(presets.swap_combcp, preset="multiscale")
swap_comband = partial(presets.swap_comband, preset="multiscale")
RANK_THREE = Explicit([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 1]])


@dataclass
class Literal:
    """Algorithm 1 and Algorithm 2 or 3, recomputed from the first day every day. Days are 1..T, nothing is shared."""

    actions: ActionSet
    mu: np.ndarray
    gamma: float
    rates: list[float]
    branching: int
    n_scales: int
    horizon: int
    works_on_marginals: bool
    estimates: dict[int, np.ndarray] = field(default_factory=dict)

    @property
    def rows(self) -> np.ndarray:
        """All actions."""
        return self.actions.enumerate()

    def scale_policy(self, k: int, t: int) -> np.ndarray:
        """Return p_{k,t} over the list of actions, from the estimates of the interval so far."""
        H, T = self.branching, self.horizon
        interval = math.ceil(t / H**k)
        h = math.ceil((t - (interval - 1) * H**k) / H ** (k - 1))
        exploit = np.full(len(self.rows), 1.0 / len(self.rows))
        point = np.asarray(self.actions.kl_project(np.zeros(self.actions.dimension)).point)
        for before in range(1, h):
            first = (interval - 1) * H**k + (before - 1) * H ** (k - 1) + 1
            last = min((interval - 1) * H**k + before * H ** (k - 1), T)
            X = np.sum([self.estimates[tau] for tau in range(first, last + 1)], axis=0)
            exploit = exploit * np.exp(self.rates[k - 1] * (self.rows @ X))
            exploit /= exploit.sum()
            point = np.asarray(self.actions.kl_project(np.log(point) + self.rates[k - 1] * X).point)
        if self.works_on_marginals:
            law = self.actions.decompose(point, variants=1)
            exploit = np.array([law.probability(row) for row in self.rows])
        return (1.0 - self.gamma) * exploit + self.gamma * self.mu

    def policy(self, t: int) -> np.ndarray:
        """Return p̂_t, the mean over the scales."""
        return np.mean([self.scale_policy(k, t) for k in range(1, self.n_scales + 1)], axis=0)

    def see(self, t: int, action: np.ndarray, reward: float) -> None:
        """Set R̃_t = r_t Σ_t⁺ M_t."""
        sigma = (self.rows.T * self.policy(t)) @ self.rows
        self.estimates[t] = reward * np.linalg.pinv(sigma, rcond=1e-9, hermitian=True) @ action


def follow(master: SwapMaster, literal: Literal, tolerance: float) -> None:
    """Play the master's days; both see the same actions and rewards, and must hold the same law every day."""
    session = Session(master, rng=5)
    rng = np.random.default_rng(8)
    values = rng.random((literal.horizon, master.actions.dimension)) / master.actions.size
    for t in range(1, literal.horizon + 1):
        law = session.policy()
        found = np.array([law.probability(row) for row in literal.rows])
        assert np.abs(found - literal.policy(t)).max() <= tolerance, f"day {t}"
        decision = session.act()
        reward = float(values[t - 1] @ decision.action)
        literal.see(t, decision.action, reward)
        session.observe(reward)


@pytest.mark.parametrize(("branching", "n_scales", "horizon"), [(2, 3, 13), (3, 2, 20), (4, 1, 9)])
@pytest.mark.parametrize("actions", [MSets(4, 2), RANK_THREE], ids=repr)
@pytest.mark.parametrize("learner", [LazyComBCP, LazyComBand])
def test_algorithm_one_literally(
    actions: ActionSet, learner: type, branching: int, n_scales: int, horizon: int
) -> None:
    """With visible steps the master's law is the literal one on every day, beyond H^K too, on full and deficient rank."""
    rates = [0.2 / (k + 1) for k in range(n_scales)]
    options = {"variants": 1} if learner is LazyComBCP else {}
    learners = [learner(actions, 0.3, FixedRate(rate), "spanner", **options) for rate in rates]
    master = SwapMaster(learners, Schedule.uniform(branching, n_scales), BanditEstimator(predictor_step=0.0))
    mu = np.array([learners[0].mu.probability(row) for row in actions.enumerate()])
    follow(
        master,
        Literal(actions, mu, 0.3, rates, branching, n_scales, horizon, learner is LazyComBCP),
        1e-8,
    )


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_preset_paper_is_the_paper(factory: object) -> None:
    """With preset "paper", γ = H^{-1/3}, the paper's η_k, the spanner and nothing else: the literal simulation again."""
    actions, H, K = MSets(4, 2), 3, 2
    master = factory(actions, 30, preset="paper", schedule=Schedule.uniform(H, K))  # type: ignore[operator]
    law = actions.exploration_policy("spanner")
    mu = np.array([law.probability(row) for row in actions.enumerate()])
    if factory is swap_combcp:
        rates = [1.0 / (4**3 * 2**0.5 * H ** (k - 1 / 3)) for k in (1, 2)]
    else:
        rates = [smallest_eigenvalue(law, actions.span) / (H ** (k - 1 / 3) * 2) for k in (1, 2)]
    follow(master, Literal(actions, mu, H ** (-1 / 3), rates, H, K, 22, factory is swap_combcp), 1e-9)


def test_one_scale_over_the_horizon_is_the_plain_learner() -> None:
    """K = 1, H = T: the master is one Lazy-ComBCP that updates daily and is never restarted."""
    actions = MSets(5, 2)
    learner = LazyComBCP(actions, 0.1, FixedRate(0.3))
    rule = BanditEstimator(0.2)
    session = Session(SwapMaster((learner,), Schedule.single(40), rule), rng=1)
    state, guess = learner.start(), np.zeros(5)
    rng = np.random.default_rng(2)
    for _ in range(40):
        assert np.allclose(session.marginals(), state.policy.marginals(), rtol=0.0, atol=1e-12)
        decision = session.act()
        reward = float(rng.random())
        solver = rule.prepare(state.policy, actions.span)
        state = learner.update(state, rule.estimate(state.policy, solver, decision.action, reward, guess))
        guess = rule.learn(guess, decision.action, reward)
        session.observe(reward)
    assert combcp(actions, 40).schedule.n_scales == 1


@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_days_without_reward_change_nothing(factory: object) -> None:
    """With predictor 0, rewards of 0 leave every law as it was; so do skipped days, with any predictor."""
    actions = MSets(5, 2)
    options = {"schedule": Schedule([2, 4, 8]), "random_offset": False}
    nothing = factory(actions, 100, predictor_step=0.0, **options)  # type: ignore[operator]
    session = Session(nothing, rng=1)
    first = session.policy().cooccurrence()
    for _ in range(9):
        session.act()
        session.observe(0.0)
        assert np.allclose(session.policy().cooccurrence(), first, rtol=0.0, atol=1e-15)
    skipping = Session(factory(actions, 100, **options), rng=1)  # type: ignore[operator]
    for _ in range(9):
        skipping.act()
        skipping.skip()
        assert np.allclose(skipping.policy().cooccurrence(), first, rtol=0.0, atol=1e-15)
    assert skipping.day == 9


def play_fixed(master: SwapMaster, actions_played: np.ndarray, rewards: np.ndarray) -> list[np.ndarray]:
    """Feed a master given actions and reward vectors, whatever it would have drawn; return its marginals of each day."""
    state = master.start(np.random.default_rng(0))
    marginals = []
    for action, values in zip(actions_played, rewards, strict=True):
        law = master.policy(state)
        marginals.append(law.marginals())
        shown = {"bandit": float(values @ action), "semi-bandit": values * action, "full": values}[master.feedback]
        decision = Decision(state.day, action, (), law)
        state = master.observe(state, decision, shown)
    return marginals


@pytest.mark.parametrize(
    ("factory", "feedback"),
    [(swap_comband, "bandit"), (swap_comband, "semi-bandit"), (swap_combcp, "full"), (swap_combcp, "semi-bandit")],
)
def test_relabelling_permutes_the_marginals(factory: object, feedback: str) -> None:
    """Permuted worlds give permuted marginals: with ComBand always, with ComBCP wherever R̃ does not need Σ.

    ComBCP's decompositions have fixed orders, so with bandit feedback its Σ, and with it R̃, depends on the labelling.
    """
    actions, order = MSets(6, 2), np.array([3, 1, 5, 0, 2, 4])
    master = factory(  # type: ignore[operator]
        actions, 60, feedback=feedback, schedule=Schedule([1, 4, 16]), random_offset=False
    )
    rng = np.random.default_rng(4)
    played = np.array([actions.argmax(rng.random(6)) for _ in range(40)])
    values = rng.random((40, 6)) / 2
    here = play_fixed(master, played, values)
    there = play_fixed(master, np.ascontiguousarray(played[:, order]), np.ascontiguousarray(values[:, order]))
    assert np.allclose(np.array(here)[:, order], np.array(there), rtol=0.0, atol=1e-7)


def test_random_offset_is_the_only_draw_of_the_start() -> None:
    """The offset is a multiple of the base window below the longest one, drawn from the generator given."""
    master = swap_combcp(MSets(6, 2), 2000, schedule=Schedule([3, 12, 48]), preset="multiscale")
    offsets = {master.start(np.random.default_rng(seed)).calendar.offset for seed in range(60)}
    assert offsets <= set(range(0, 48, 3))
    assert len(offsets) > 8
    quiet = swap_combcp(MSets(6, 2), 2000, random_offset=False, preset="multiscale")
    rng = np.random.default_rng(0)
    assert quiet.start(rng).calendar.offset == 0
    assert rng.random() == np.random.default_rng(0).random()


@pytest.mark.parametrize("offset_seed", range(4))
def test_scales_change_only_when_the_calendar_says(offset_seed: int) -> None:
    """A scale's law is the same object until it updates or restarts, and a restart is the first law again."""
    master = swap_combcp(MSets(5, 2), 100, schedule=Schedule([2, 6, 18]), preset="multiscale")
    state = master.start(np.random.default_rng(offset_seed))
    rng = np.random.default_rng(1)
    for day in range(60):
        law = master.policy(state)
        after = master.observe(state, Decision(day, law.sample(rng), (), law), float(rng.random()))
        for k in (1, 2):
            before_law, after_law = state.scales[k - 1].exploit, after.scales[k - 1].exploit
            if k in state.calendar.restarting(day):
                assert after_law is master.learners[0].start().exploit
            elif k == state.calendar.updating(day):
                assert after_law is not before_law
            else:
                assert after_law is before_law
        state = after


def test_warm_restarts_begin_at_the_coarser_scale() -> None:
    """With warm restarts scale k begins at .8 of scale k+1's point and .2 of the uniform one; the top scale cold."""
    master = swap_combcp(
        MSets(5, 2), 100, schedule=Schedule([1, 4, 8]), warm_restarts=True, random_offset=False, preset="multiscale"
    )
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for day in range(8):
        law = master.policy(state)
        state = master.observe(state, Decision(day, law.sample(rng), (), law), float(rng.random()))
        if day == 3:
            expected = 0.8 * state.scales[1].point + 0.2 * 0.4
            assert np.allclose(state.scales[0].point, expected, rtol=0.0, atol=1e-9)
            assert not np.allclose(state.scales[0].point, 0.4)
    assert np.allclose(state.scales[1].point, 0.4)
    assert np.allclose(state.scales[0].point, 0.4)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_totals_are_kept(feedback: str) -> None:
    """`earned` is the sum of the rewards received and `total` the sum of all estimates."""
    actions = MSets(5, 2)
    estimator = {
        "bandit": BanditEstimator(0.0),
        "semi-bandit": SemiBanditEstimator(0.0),
        "full": FullEstimator(),
    }[feedback]
    master = SwapMaster((LazyComBCP(actions, 0.1, AdaptiveRate()),) * 2, Schedule([2, 4, 8]), estimator)
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    earned, total = 0.0, np.zeros(5)
    for day in range(11):
        law = master.policy(state)
        action, values = law.sample(rng), rng.random(5) / 2
        shown = {"bandit": float(values @ action), "semi-bandit": values * action, "full": values}[feedback]
        total += estimator.estimate(law, estimator.prepare(law, actions.span), action, shown, np.zeros(5))
        earned += float(values @ action)
        state = master.observe(state, Decision(day, action, (), law), shown)
    assert state.earned == pytest.approx(earned)
    assert np.allclose(state.total, total)


def test_aggregates_lie_in_the_span() -> None:
    """Whatever solution of Σy = M the solver chose, scales aggregate its part in span(A): the adaptive step sees nothing else."""
    master = swap_combcp(RANK_THREE, 100, schedule=Schedule([2, 8]), random_offset=False, preset="multiscale")
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for day in range(4):
        law = master.policy(state)
        state = master.observe(state, Decision(day, law.sample(rng), (), law), float(rng.random()))
    span = RANK_THREE.span
    assert np.abs(state.total - span.project(state.total)).max() > 1e-3
    score = state.scales[0].score
    assert np.allclose(score, span.project(state.total), rtol=0.0, atol=1e-9)


def test_recoveries_are_counted() -> None:
    """Without exploration Σ becomes singular; each estimate made the second way is counted, and play goes on."""
    master = swap_combcp(
        MSets(6, 2),
        100,
        exploration=0.0,
        variants=1,
        rate=FixedRate(50.0),
        schedule=Schedule.single(100),
        preset="multiscale",
    )
    state = master.start(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    counts = []
    for day in range(30):
        law = master.policy(state)
        singular = state.solver is not None and state.solver.has_recovered
        state = master.observe(state, Decision(day, law.sample(rng), (), law), 1.0)
        counts.append(state.n_recoveries)
        assert counts[-1] - (counts[-2] if day else 0) == int(singular)
    assert counts[-1] > 0
    assert np.isfinite(state.total).all()


def test_recoveries_of_the_iterative_solver_are_counted() -> None:
    """A solution that came at the iteration's limit is counted like any other."""

    class Stopped:
        has_recovered = True

        def solve(self, action: np.ndarray) -> np.ndarray:
            return action.astype(float)

    master = swap_combcp(MSets(4, 2), 100, preset="multiscale")
    state = master.start(np.random.default_rng(0))
    object.__setattr__(state, "solver", Stopped())
    law = master.policy(state)
    after = master.observe(state, Decision(0, law.sample(np.random.default_rng(0)), (), law), 0.5)
    assert after.n_recoveries == 1


@pytest.mark.parametrize("actions", [MSets(5, 2), RANK_THREE, MSets(3, 3)], ids=repr)
@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_dump_and_load_give_the_same_state(actions: ActionSet, factory: object) -> None:
    """A state made again from its arrays has the same numbers and the same law, bit for bit, at every stage."""
    master = factory(actions, 60, schedule=Schedule([2, 4, 12]))  # type: ignore[operator]
    state = master.start(np.random.default_rng(3))
    rng = np.random.default_rng(1)
    for day in range(30):
        loaded = master.load({name: array.copy() for name, array in master.dump(state).items()})
        assert np.array_equal(master.policy(loaded).cooccurrence(), master.policy(state).cooccurrence())
        again = master.dump(loaded)
        assert all(np.array_equal(array, again[name]) for name, array in master.dump(state).items())
        law = master.policy(state)
        state = master.observe(state, Decision(day, law.sample(rng), (), law), float(rng.random()))


def test_learners_must_fit() -> None:
    """One learner a scale, all on one set; equal ones become one object, so that their laws are shared."""
    actions = MSets(4, 2)
    with pytest.raises(InvalidInput, match="2 learners and 3 scales"):
        SwapMaster((LazyComBCP(actions, 0.1, AdaptiveRate()),) * 2, Schedule([1, 2, 4, 8]))
    with pytest.raises(InvalidInput, match="same action set"):
        SwapMaster([LazyComBCP(MSets(4, 2), 0.1, AdaptiveRate()) for _ in range(2)], Schedule([1, 2, 4]))
    twins = SwapMaster([LazyComBCP(actions, 0.1, AdaptiveRate()) for _ in range(2)], Schedule([1, 2, 4]))
    assert twins.learners[0] is twins.learners[1]
    mixed = SwapMaster([LazyComBCP(actions, 0.1, FixedRate(rate)) for rate in (1.0, 2.0)], Schedule([1, 2, 4]))
    assert mixed.learners[0] is not mixed.learners[1]
