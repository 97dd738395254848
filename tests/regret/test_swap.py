"""Swap regret against all swap functions, known values, brackets, and policies that list nothing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.regret.conftest import enumerated

from swapregret.actions.action_set import ActionSet
from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import OracleFault
from swapregret.logs.auditing import audit
from swapregret.policy import FinitePolicy, Policy, mix
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import external_regret, internal_regret, swap_regret, swap_regret_per_run


class Hidden(Policy):
    """A finite policy that pretends not to know its support."""

    has_atoms = False

    def __init__(self, policy: FinitePolicy) -> None:
        self._policy = policy
        self.dimension = policy.dimension

    def sample(self, rng):
        """Draw from the policy."""
        return self._policy.sample(rng).copy()

    def marginals(self):
        """Return those of the policy."""
        return self._policy.marginals()

    def second_moment(self, vector):
        """Return that of the policy."""
        return self._policy.second_moment(vector)

    def probabilities(self, actions):
        """Return those of the policy."""
        return self._policy.probabilities(actions)


@pytest.mark.parametrize("actions", [MSets(3, 1), Explicit([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]]), MSets(3, 2)])
def test_swap_regret_is_the_best_of_all_swap_functions(actions: ActionSet) -> None:
    """The oracle route gives the maximum over every one of the N^N functions φ: A → A."""
    run = enumerated(actions, 25, seed=7)
    n = len(run.table)
    each = run.values @ run.table.T
    best = max(sum(each[m, phi[m]] for m in range(n)) for phi in product(range(n), repeat=n)) - run.earned
    found = swap_regret(answer(actions, [run.ledger()]))
    assert found.value == pytest.approx(best, abs=1e-9)
    assert found.is_exact
    assert found.standard_error != found.standard_error


def test_all_notions_agree_with_their_definitions(tiny_set: ActionSet) -> None:
    """External, internal and swap regret equal the enumerated ones, and swap ≥ internal, swap ≥ external."""
    for seed in range(5):
        run = enumerated(tiny_set, 30, seed)
        ledger = [run.ledger()]
        answers, external = answer(tiny_set, ledger), external_regret(tiny_set, ledger)
        swap, internal = swap_regret(answers), internal_regret(answers)
        assert swap.value == pytest.approx(run.swap(), abs=1e-9)
        assert internal.value == pytest.approx(run.gains().max(), abs=1e-9)
        assert external.value == pytest.approx(run.external(), abs=1e-9)
        assert internal.is_exact
        assert swap.value >= internal.value - 1e-9
        assert swap.value >= external.value - 1e-9


def test_gibson_game() -> None:
    """Gibson (2013): play ½(A,a) + ¼(B,b) + ¼(C,b) has external gap max(0, Reg) = 0 and swap gap .25."""
    actions = Explicit(np.eye(3, dtype=np.int64), labels="ABC")
    against = {"a": np.array([1.0, 0.0, -1.0]), "b": np.array([0.0, 2.0, 1.0])}
    ledger = SwapLedger(actions)
    for row, column, share in (("A", "a", 0.5), ("B", "b", 0.25), ("C", "b", 0.25)):
        ledger.record(FinitePolicy([actions.action_of(row)], [1.0]), share * against[column])
    closed = [ledger.close()]
    assert external_regret(actions, closed).value == pytest.approx(-0.25, abs=1e-12)
    assert swap_regret(answer(actions, closed)).value == pytest.approx(0.25, abs=1e-12)
    assert internal_regret(answer(actions, closed)).value == pytest.approx(0.25, abs=1e-12)


def _correlated(payoffs: np.ndarray, policy: np.ndarray) -> tuple[float, float]:
    """Return swap regret and payoff of the row player under a correlated policy."""
    n = len(payoffs)
    actions = Explicit(np.eye(n, dtype=np.int64))
    ledger = SwapLedger(actions)
    for row in range(n):
        for column in range(policy.shape[1]):
            if policy[row, column]:
                play = FinitePolicy([np.eye(n, dtype=np.int64)[row]], [1.0])
                ledger.record(play, policy[row, column] * payoffs[:, column])
    closed = ledger.close()
    return swap_regret(answer(actions, [closed])).value, closed.earned


def test_chicken() -> None:
    """Chicken (0,7;2,6) under (¼,¼,½): a correlated equilibrium that pays 5.25 each."""
    dare_chicken = np.array([[0.0, 7.0], [2.0, 6.0]])
    policy = np.array([[0.0, 0.25], [0.25, 0.5]])
    assert _correlated(dare_chicken, policy) == (pytest.approx(0.0, abs=1e-12), pytest.approx(5.25))
    assert _correlated(dare_chicken, policy.T) == (pytest.approx(0.0, abs=1e-12), pytest.approx(5.25))


def test_shapley() -> None:
    """Shapley's game: 1/9 everywhere pays ⅓ and 1/6 off the diagonal pays ½, both without swap regret."""
    row = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    column = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    uniform = np.full((3, 3), 1.0 / 9.0)
    off = (1.0 - np.eye(3)) / 6.0
    for policy, pay in ((uniform, 1.0 / 3.0), (off, 0.5)):
        assert _correlated(row, policy) == (pytest.approx(0.0, abs=1e-12), pytest.approx(pay))
        assert _correlated(column.T, policy.T) == (pytest.approx(0.0, abs=1e-12), pytest.approx(pay))
    diagonal = np.eye(3) / 3.0
    assert _correlated(row, diagonal)[0] == pytest.approx(1.0)


@settings(deadline=None, max_examples=60)
@given(capacity=st.integers(1, 14), seed=st.integers(0, 10_000), support=st.integers(1, 6))
def test_the_bracket_contains_the_exact_value(capacity: int, seed: int, support: int) -> None:
    """For any capacity, lower ≤ exact ≤ upper, for swap and for internal regret; exact if nothing was pooled."""
    actions = MSets(6, 2)
    run = enumerated(actions, 60, seed, support)
    ledger = run.ledger(capacity)
    swap, internal = swap_regret(answer(actions, [ledger])), internal_regret(answer(actions, [ledger]))
    assert swap.lower - 1e-9 <= run.swap() <= swap.upper + 1e-9
    assert internal.lower - 1e-9 <= run.gains().max() <= internal.upper + 1e-9
    assert swap.lower >= max(run.external(), internal.lower) - 1e-9
    if ledger.pooled.n_pools == 0:
        assert swap.is_exact
    else:
        assert "capacity" in swap.definition


@settings(deadline=None, max_examples=30)
@given(capacity=st.integers(1, 12), seed=st.integers(0, 10_000))
def test_brackets_survive_merging(capacity: int, seed: int) -> None:
    """The bracket of the mean of capped ledgers contains the value of the mean of the exact ones."""
    actions = MSets(6, 2)
    runs = [enumerated(actions, 25, seed + offset, support=3) for offset in range(3)]
    exact = swap_regret(answer(actions, [run.ledger() for run in runs])).value
    inner = internal_regret(answer(actions, [run.ledger() for run in runs])).value
    capped = [run.ledger(capacity) for run in runs]
    swap, internal = swap_regret(answer(actions, capped)), internal_regret(answer(actions, capped))
    assert swap.lower - 1e-9 <= exact <= swap.upper + 1e-9
    assert internal.lower - 1e-9 <= inner <= internal.upper + 1e-9


def test_a_tight_capacity_is_better_than_a_tiny_one() -> None:
    """The bracket closes as the capacity grows to the number of actions played."""
    actions = MSets(6, 2)
    run = enumerated(actions, 80, seed=11, support=4)
    widths = []
    for capacity in (3, 13, 15):
        swap = swap_regret(answer(actions, [run.ledger(capacity)]))
        widths.append(swap.upper - swap.lower)
    assert widths[0] > widths[1] > widths[2] == 0.0


def test_one_unlisted_policy_is_exact(tiny_set: ActionSet) -> None:
    """A fixed policy that lists nothing, mixed with listed ones, gives the value its list would give."""
    run = enumerated(tiny_set, 12, seed=13, support=2)
    n = len(run.table)
    explore = FinitePolicy(run.table, np.full(n, 1.0 / n))
    hidden, listed = Hidden(explore), SwapLedger(tiny_set)
    secret = SwapLedger(tiny_set)
    for policy, rewards in zip(run.policies(), run.rewards, strict=True):
        secret.record(mix([policy, hidden], [0.7, 0.3]), rewards)
        listed.record(mix([policy, explore], [0.7, 0.3]), rewards)
    left, right = ([ledger.close()] for ledger in (secret, listed))
    assert swap_regret(answer(tiny_set, left)).value == pytest.approx(
        swap_regret(answer(tiny_set, right)).value, abs=1e-9
    )
    assert swap_regret(answer(tiny_set, left)).is_exact
    inner = internal_regret(answer(tiny_set, left))
    assert inner.lower - 1e-9 <= internal_regret(answer(tiny_set, right)).value <= inner.upper + 1e-9


@pytest.mark.parametrize("weight", [1e-9, 0.05, 1.0, 20.0])
def test_actions_of_one_policy_share_an_answer_only_where_it_is_theirs(weight: float) -> None:
    """Beside an unlisted policy of little or much weight, every action has the best answer of the enumeration and its value."""
    actions = MSets(5, 2)
    table = enumerated(actions, 1, seed=0).table
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chances = rng.dirichlet(np.full(len(table), 0.3)) + 1e-4
        policy, hidden = (
            FinitePolicy(table, chances / chances.sum()),
            Hidden(FinitePolicy(table, rng.dirichlet(np.ones(10)))),
        )
        world, other = rng.random(5), rng.random(5)
        ledger = SwapLedger(actions)
        ledger.record(policy, world)
        ledger.record(hidden, weight * other)
        found = answer(actions, [ledger.close()])
        rows = found.ledger.rows
        V = policy.probabilities(table)[:, None] * world + weight * hidden.probabilities(table)[:, None] * other
        order = [np.flatnonzero((table == key).all(axis=1))[0] for key in unpack_rows(rows.keys, 5)]
        assert found.best == pytest.approx((V @ table.T).max(axis=1)[order], abs=1e-12)
        assert found.kept == pytest.approx((V * table).sum(axis=1)[order], abs=1e-12)
        assert (V[order] * found.better).sum(axis=1) == pytest.approx(found.best, abs=1e-12)


@pytest.mark.parametrize("n_policies", [2, 12, 60])
def test_many_unlisted_policies_are_bracketed(n_policies: int) -> None:
    """With a new unlisted policy every few days the bracket contains the exact value, and sampled play is declared."""
    actions = MSets(5, 2)
    run = enumerated(actions, n_policies, seed=n_policies, support=3)
    spread = 0.8 * run.chances + 0.2 / len(run.table)
    policies = [FinitePolicy(run.table, row) for row in spread]
    listed, secret = SwapLedger(actions), SwapLedger(actions)
    for policy, rewards in zip(policies, run.rewards, strict=True):
        listed.record(policy, rewards)
        secret.record(mix([Hidden(policy), FinitePolicy(run.table[:1], [1.0])], [1.0 - 1e-12, 1e-12]), rewards)
    exact = swap_regret(answer(actions, [listed.close()]))
    found = swap_regret(answer(actions, [secret.close()]))
    assert found.lower - 1e-6 <= exact.value <= found.upper + 1e-6
    assert found.lower <= found.value <= found.upper
    assert ("sampled play" in found.definition) == (n_policies > 16)
    bracket, exact = (internal_regret(answer(actions, [ledger.close()])) for ledger in (secret, listed))
    assert bracket.upper >= exact.value - 1e-6


def test_sampled_play_is_close_where_policies_are_concentrated() -> None:
    """Where unlisted policies sit on few actions, sampled play comes near the exact value."""
    actions = MSets(5, 1)
    rng = np.random.default_rng(1)
    listed, secret = SwapLedger(actions), SwapLedger(actions)
    for day in range(200):
        policy = FinitePolicy(actions.enumerate()[[day % 3, 3]], [0.5, 0.5])
        rewards = rng.random(5) * (np.arange(5) == (day + 1) % 3)
        listed.record(policy, rewards)
        secret.record(Hidden(policy), rewards)
    exact, found = (swap_regret(answer(actions, [ledger.close()])) for ledger in (listed, secret))
    assert found.value == pytest.approx(exact.value, rel=0.1)


def test_three_notions_differ_and_say_so() -> None:
    """Mean of per-run maxima ≥ the paper's notion, realised play is a third number, and definitions differ."""
    actions = MSets(4, 1)
    runs, plays = [], []
    for seed in range(6):
        run = enumerated(actions, 30, seed, support=4)
        runs.append(run.ledger())
        rng = np.random.default_rng(seed)
        drawn = np.stack([policy.sample(rng) for policy in run.policies()])
        plays.append(audit(actions, drawn, run.rewards).ledger)
    paper, per_run = swap_regret(answer(actions, runs)), swap_regret_per_run(actions, runs)
    realised = swap_regret_per_run(actions, plays)
    assert per_run.value > paper.value
    assert realised.value > per_run.value
    assert len({paper.definition, per_run.definition, realised.definition}) == 3
    assert "realised play" in realised.definition
    assert per_run.standard_error > 0.0


def test_relabelling_changes_nothing() -> None:
    """Permuting the coordinates of actions and rewards together leaves every regret as it is."""
    actions = MSets(6, 2)
    run = enumerated(actions, 40, seed=17)
    order = np.random.default_rng(17).permutation(6)
    ledger = SwapLedger(actions)
    for policy, rewards in zip(run.policies(), run.rewards, strict=True):
        ledger.record(FinitePolicy(policy.atoms[:, order], policy.weights), rewards[order])
    moved, still = answer(actions, [ledger.close()]), answer(actions, [run.ledger()])
    for notion in (swap_regret, internal_regret, lambda answers: external_regret(actions, answers.runs)):
        assert notion(moved).value == pytest.approx(notion(still).value, abs=1e-9)


def test_a_zero_reward_day_changes_nothing() -> None:
    """Days that pay nothing anywhere change no total, whatever is played on them."""
    actions = MSets(4, 2)
    run = enumerated(actions, 20, seed=19)
    ledger = SwapLedger(actions)
    for policy, rewards in zip(run.policies(), run.rewards, strict=True):
        ledger.record(policy, rewards)
        ledger.record(actions.uniform_policy(), np.zeros(4))
    assert swap_regret(answer(actions, [ledger.close()])).value == pytest.approx(run.swap(), abs=1e-9)


def test_an_oracle_that_does_not_maximise_is_found_out() -> None:
    """A swap regret below external regret can only come from a faulty oracle, and is refused."""
    rewards = np.array([[1.0, 0.0, 0.5], [0.2, 0.9, 0.0]])

    class Faulty(MSets):
        def argmax(self, weights):
            is_total = np.allclose(weights, rewards.sum(axis=0))
            return super().argmax(weights if is_total else -np.asarray(weights))

    ledger = SwapLedger(MSets(3, 1))
    for index, row in enumerate(rewards):
        ledger.record(FinitePolicy(np.eye(3, dtype=np.int64)[[index]], [1.0]), row)
    with pytest.raises(OracleFault, match="at least external"):
        swap_regret(answer(Faulty(3, 1), [ledger.close()]))
