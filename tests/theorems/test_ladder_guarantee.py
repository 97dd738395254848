"""The inequalities of docs/guarantee.md for the ladder on a run; ``test_guarantee_steps`` has those of single choices."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.ladder.ladder_master import LadderMaster
from swapregret.learners.player import Decision
from swapregret.regret.decomposition import LadderDecomposition, LadderLedger

ACTIONS = sr.MSets(6, 2)
TABLE = ACTIONS.enumerate()
PLACES = {tuple(row): index for index, row in enumerate(TABLE.tolist())}


def _adversary(marginals: np.ndarray) -> np.ndarray:
    """Pay what the learner will want tomorrow: the elements two places beyond those it now prefers."""
    rewards = np.zeros(marginals.size)
    rewards[(np.argsort(-marginals, kind="stable")[:2] + 2) % marginals.size] = 0.5
    return rewards


def _chances(policies: Any, g: int) -> np.ndarray:
    """Return what is played for a member, by action."""
    chances = np.zeros(len(TABLE))
    bits = np.unpackbits(policies.words[g].view(np.uint8), axis=1, bitorder="little")[:, : ACTIONS.dimension]
    for row, p in zip(bits[: policies.n_atoms[g]].tolist(), policies.chances[g], strict=False):
        chances[PLACES[tuple(row)]] += p
    return chances


def _levels(state: Any, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of each level, and its policy by action."""
    weights, n = state.weights, n_levels
    mass, played = np.zeros(n), np.zeros((n, len(TABLE)))
    for g, weight in enumerate(weights.policy):
        k = g % n if g < 2 * n else int(weights.bottom[0])
        if weight > 0.0:
            mass[k] += weight
            played[k] += weight * _chances(state.policies, g)
    return mass, played


class Run(NamedTuple):
    """What a ladder of N levels did on T days, and what it met; b and K as in the guarantee."""

    windows: tuple[int, ...]
    offset: int
    W: np.ndarray  # (T, N) the weights of the levels
    p: np.ndarray  # (T, N, actions) their policies, times these weights
    f: np.ndarray  # (T, N) what cold learners earn
    s: np.ndarray  # (T, N) shares
    b: np.ndarray  # (T,)
    K: np.ndarray  # (T,)
    gamma: np.ndarray  # (T,)
    values: np.ndarray  # (T, actions)

    @property
    def r(self) -> np.ndarray:
        """What the policy of each level earns; anything where it has no weight."""
        return np.einsum("tka,ta->tk", self.p, self.values) / np.maximum(self.W, 1e-300)

    def blocks(self, k: int) -> Iterator[tuple[np.ndarray, bool]]:
        """Yield the days of each block of a level, and whether it is the bottom then."""
        numbers = 2 * ((np.arange(len(self.b)) + self.offset) // self.windows[k]) + (self.b == k)
        played = self.W[:, k] > 0.0
        for number in np.unique(numbers[played]):
            yield np.flatnonzero((numbers == number) & played), bool(number % 2)


@pytest.fixture(scope="module")
def run() -> Run:
    """Play a ladder whose bottom and top move, against a world that reacts."""
    player = sr.swap_combcp(ACTIONS, preset="ladder", horizon=700, schedule=sr.Schedule([1, 2, 8, 32, 128]))
    assert isinstance(player, LadderMaster)
    n, rng = player.n_scales, np.random.default_rng(3)
    running = player.start(rng)
    days, rewards = [], []
    for day in range(700):
        state = running.state
        weights, row = state.weights, _adversary(state.mix.mean)
        rewards.append(row)
        limits = (int(weights.bottom[0]), int(weights.top[0]) + 1, float(state.mix.weights[-1]))
        days.append((*_levels(state, n), weights.plain[:n] @ row, weights.shares[:n].copy(), *limits))
        action = player.act(running, rng)
        player.observe(running, Decision(day, action, ACTIONS, player.hold(running)), float(row @ action))
    columns = [np.array(column) for column in zip(*days, strict=True)]
    offset = int(running.state.tally.offset[0])
    return Run(player.schedule.windows, offset, *columns, np.array(rewards) @ TABLE.T)


def swap_regret(p: np.ndarray, values: np.ndarray) -> float:
    """Return max Σ Σ p(M) (R·φ(M) − R·M) of policies by day."""
    gains = p.T @ values
    return float((gains.max(axis=1) - np.diag(gains)).sum())


def test_the_lemma_holds_pathwise(run: Run) -> None:
    """Weights and policies of a level stay fixed on its blocks, and swap regret is at most Σ W (f − r + ρ), with what is true."""
    assert np.allclose(run.W.sum(axis=1), 1.0)
    assert run.b[-1] == 1
    first, second = 0.0, 0.0
    for k in range(run.W.shape[1]):
        for days, is_bottom in run.blocks(k):
            assert np.ptp(run.W[days, k]) <= 1e-12
            assert np.ptp(run.p[days, k], axis=0).max() <= 1e-12
            best, weight, earned = run.values[days].sum(axis=0).max(), run.W[days[0], k], run.r[days, k].sum()
            below = float(len(days)) if is_bottom else float(run.f[days, k - 1].sum())
            rho = 0.0 if is_bottom else best - below
            first += weight * (best - earned)
            second += weight * (below + rho - earned)
    swap = swap_regret(run.p.sum(axis=1), run.values)
    ledger = LadderLedger(ACTIONS, run.windows[:-1], run.offset)
    rewards = np.linalg.lstsq(TABLE, run.values.T, rcond=None)[0].T
    for weights, points, gamma, row in zip(run.W, run.p @ TABLE, run.gamma, rewards, strict=True):
        ledger.record(weights, points, float(gamma), row[None])
    terms = ledger.close()
    assert terms.laziness == pytest.approx(first)
    assert terms.bound == pytest.approx(first + 2.0 * run.gamma.sum())
    assert swap <= first + 1e-9
    assert first <= second + 1e-9
    assert swap > 1.0


def test_the_last_inequality_holds_pathwise(run: Run) -> None:
    """Theorem 2 with what is true in place of estimates, which is how it holds in expectation."""
    T, n = run.W.shape
    r, f, lam = run.r, run.f, 128.0 / np.sqrt(np.log2(np.arange(T) + 2.0))
    inside, between, even = np.zeros((T, n)), np.zeros((T, n)), np.zeros(T)
    for t in range(T):
        b, K = int(run.b[t]), int(run.K[t])
        level, below = r[t], 1.0
        below_worth = 0.0
        for k in range(b, K):
            u = level[k] - (below - level[k]) / lam[t]
            inside[t, k] = f[t, k] - level[k]
            even[t] += level[k] * ((b + 1) / K if k == b else 1.0 / K)
            if k > b:
                between[t, k] = (1.0 / (k + 1) - run.s[t, k]) * (u - below_worth)
                below_worth = run.s[t, k] * u + (1.0 - run.s[t, k]) * below_worth
            else:
                below_worth = u
            below = f[t, k]
    rho = sum(
        run.W[days[0], k] * (run.values[days].sum(axis=0).max() - f[days, k - 1].sum())
        for k in range(n)
        for days, is_bottom in run.blocks(k)
        if not is_bottom
    )
    regrets = np.cumsum(inside, axis=0).max(axis=0, initial=0.0) + lam[0] * np.cumsum(between, axis=0).max(
        axis=0, initial=0.0
    )
    paid = float((lam * ((run.W * r).sum(axis=1) - even)).sum())
    played = run.gamma[:, None] / len(TABLE) + (1.0 - run.gamma[:, None]) * run.p.sum(axis=1)
    right = 2.0 * run.gamma.sum() + (4.0 / run.K).sum() + rho + regrets.sum() + paid
    assert run.b.max() <= 3
    assert swap_regret(played, run.values) <= right


@pytest.mark.parametrize("ingredients", [{}, {"experts": False}, {"experts": False, "feedback": "full"}])
def test_the_lemma_is_shown_of_any_run(ingredients: Any) -> None:
    """Plays of the ladder have both sides of the lemma; without exploration and experts the levels earn what is earned."""
    world = sr.environments.cyclic(ACTIONS, 3000, phases=31, rng=2)
    result = sr.play(sr.swap_combcp(ACTIONS, **ingredients), world, rng=1, certificate=True)
    (terms,) = result.decompositions
    assert isinstance(terms, LadderDecomposition)
    assert terms.holds_for(result.swap_regret)
    assert terms.contributions.sum() == pytest.approx(terms.bound)
    assert 0.0 < terms.laziness < terms.n_days
    if "feedback" in ingredients:
        assert terms.others == 0.0
        assert sum(level.earned.sum() for level in terms.levels) == pytest.approx(result.ledgers[0].earned)


def test_a_ledger_of_the_ladder_goes_on_from_what_it_wrote() -> None:
    """Days recorded before and after a ledger was written make the terms of all days."""
    rng = np.random.default_rng(4)
    whole, part = LadderLedger(ACTIONS, [1, 4], 3), LadderLedger(ACTIONS, [1, 4], 3)
    for day in range(20):
        weights, days = rng.dirichlet(np.ones(2)), rng.random((1, 6)) / 2
        points = weights[:, None] * np.full((2, 6), 1.0 / 3.0)
        if day == 10:
            part, old = LadderLedger(ACTIONS, [1, 4], 3), part
            part.restore(old.dump())
        for ledger in (whole, part):
            ledger.record(weights, points, 0.1, days)
    assert part.close().contributions.tolist() == whole.close().contributions.tolist()
