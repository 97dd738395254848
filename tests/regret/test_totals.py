"""Logs that saw only totals: exact expectations by enumeration, ends that hold as often as they say, and refusals."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from swapregret import FinitePolicy, MSets, Permutations, Policy, Session
from swapregret.actions.action_set import ActionSet
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.learners.baselines import exp3
from swapregret.logs.auditing import Audit, audit
from swapregret.regret.deviation import Deviation, bracket_best
from swapregret.regret.ledgers.answers import AnswerRule, answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.merge import mean_ledger
from swapregret.regret.totals import Totals, TotalsAudit

FALSE_ALARM = 1e-6
STANDARD_ERRORS = 4.9
"""A normal variable is that far below its mean with probability less than 1e-6."""


def totals_of(actions: ActionSet, plays, totals, **options) -> TotalsAudit:
    """Return the audit of a log of totals."""
    found = audit(actions, plays, totals, **options)
    assert isinstance(found, TotalsAudit)
    return found


def drawn_day(actions: ActionSet, rng: np.random.Generator) -> tuple[np.ndarray, FinitePolicy, np.ndarray]:
    """Return all actions, a policy over them and a reward vector whose totals are in [0, 1]."""
    table = actions.enumerate()
    return table, FinitePolicy(table, rng.dirichlet(np.ones(len(table)))), rng.random(actions.dimension) / actions.size


def chances_of(policy: FinitePolicy, table: np.ndarray) -> np.ndarray:
    """Return the probability of each action."""
    return np.array([policy.probability(row) for row in table])


def test_estimates_are_unbiased(tiny_set: ActionSet) -> None:
    """Summed over all draws, the estimate of the reward vector gives every action its reward, to 1e-12, low rank too."""
    table, policy, reward = drawn_day(tiny_set, np.random.default_rng(1))
    gathered = Totals(tiny_set, None)
    mean = np.zeros(tiny_set.dimension)
    for row, chance in zip(table, chances_of(policy, table), strict=True):
        mean += chance * gathered.add(row[None, :], np.array([row @ reward]), [policy], 0).estimate
    assert table @ (mean + gathered.centre) == pytest.approx(table @ reward, abs=1e-12)


@pytest.mark.parametrize("scale", [0.01, 0.3, 2.0, 30.0])
def test_the_exponential_inequality_holds(tiny_set: ActionSet, scale: float) -> None:
    """E exp(±λ(z − Ez) − λ²w/2) ≤ 1 for every action, summed over all draws, totals of 0 and 1 among them."""
    rng = np.random.default_rng(2)
    table, policy, reward = drawn_day(tiny_set, rng)
    gathered, chances = Totals(tiny_set, None), chances_of(policy, table)
    for seen in (table @ reward, rng.integers(0, 2, len(table)).astype(float)):
        days = [gathered.add(row[None, :], np.array([r]), [policy], 0) for row, r in zip(table, seen, strict=True)]
        for action in table:
            z = np.array([float(day.estimate @ action) for day in days])
            w = np.array([float(action @ day.spread @ action) for day in days])
            mean = float(chances @ z)
            assert float(chances @ z**2) <= float(action @ days[0].most @ action) + 1e-12
            for size in (scale, -scale):
                assert float(chances @ np.exp(size * (z - mean) - size**2 * w / 2)) <= 1.0 + 1e-12


def test_the_inequality_behind_it_holds_everywhere() -> None:
    """exp(x − x²/6) ≤ 1 + x + x²/3; with 1/5 instead of 1/3 it would not."""
    x = np.linspace(-50.0, 50.0, 200_001)
    assert (np.exp(x - x**2 / 6) <= (1 + x + x**2 / 3) * (1 + 1e-12)).all()
    assert not (np.exp(x - x**2 / 6) <= 1 + x + x**2 / 5).all()


@pytest.mark.parametrize("spread", [0.5, 40.0, 9000.0])
def test_the_radius_is_where_the_average_over_lambda_reaches_its_limit(spread: float) -> None:
    """∫ exp(λS − λ²W/2) N(dλ; 0, 1/ρ) is N/δ at S = radius(W), and the slope is the derivative of the radius."""
    actions, floor = MSets(5, 2), 100 * 0.25
    bound = Deviation.of(actions, 100, 0.5, 0.95)
    radius, width = bound.radius(spread), 1.0 / math.sqrt(spread + floor)
    top = radius / (spread + floor)

    def density(size: float) -> float:
        log = size * radius - size**2 * (spread + floor) / 2 - math.log(actions.n_actions / 0.05)
        return math.exp(log) * math.sqrt(floor / (2 * math.pi))

    reached, _ = quad(density, top - 12 * width, top + 12 * width)
    assert reached == pytest.approx(1.0, rel=1e-9)
    step = 1e-4 * (spread + floor)
    assert bound.slope(spread) == pytest.approx((bound.radius(spread + step) - bound.radius(spread)) / step, rel=1e-3)


@pytest.mark.parametrize("actions", [MSets(5, 2), MSets(4, 1), Permutations(3)], ids=repr)
def test_ends_enclose_what_enumeration_gives(actions: ActionSet) -> None:
    """The upper end is above G + radius of every action, the lower end is that of an action, and neither is far off."""
    rng = np.random.default_rng(3)
    table = actions.enumerate()
    for _ in range(20):
        root = rng.normal(size=(actions.dimension, actions.dimension))
        spread, estimate = 30.0 * root @ root.T, 50.0 * rng.normal(size=actions.dimension)
        bound = Deviation(floor=25.0, log_ratio=12.0)
        radius = np.array([bound.radius(float(row @ spread @ row)) for row in table])
        lower, value, upper = bracket_best(actions, estimate, spread, bound)
        assert value == pytest.approx((table @ estimate).max())
        assert upper >= (table @ estimate + radius).max() - 1e-9
        assert lower <= (table @ estimate - radius).max() + 1e-9
        assert min(abs(table @ estimate - radius - lower)) < 1e-9
        assert upper <= (table @ estimate).max() + 3.0 * radius.max()


def test_two_ends_of_swap_regret() -> None:
    """Over all 2⁸ sequences of draws the upper end has a mean above swap regret, the lower end one below it."""
    actions = MSets(2, 1)
    table = actions.enumerate()
    rng = np.random.default_rng(4)
    policies = [FinitePolicy(table, weights) for weights in rng.dirichlet(np.ones(2), size=2).repeat(4, axis=0)]
    rewards = rng.random((2, 2)).repeat(4, axis=0)
    exact = audit(actions, table[[0] * 8], rewards, policies=policies)
    assert isinstance(exact, Audit)
    truth, lower, upper = exact.swap_regret.value, 0.0, 0.0
    for drawn in product(range(2), repeat=8):
        plays = table[list(drawn)]
        chance = math.prod(policy.probability(row) for policy, row in zip(policies, plays, strict=True))
        found = totals_of(actions, plays, (plays * rewards).sum(axis=1), policies=policies).swap_regret
        lower, upper = lower + chance * found.lower, upper + chance * found.upper
    assert lower < truth < upper


class _Opponent:
    """Rewards of 0 and 1 that depend on what was played before: the group that was played least pays most."""

    def __init__(self, actions: ActionSet, rng: np.random.Generator) -> None:
        self._played, self._rng, self._size = np.ones(actions.dimension), rng, actions.size

    def mean(self) -> np.ndarray:
        return np.asarray(0.9 * (1.0 - self._played / self._played.sum()) / self._size)

    def total(self, action: np.ndarray) -> float:
        chance = float(self.mean() @ action)
        self._played += action
        return float(self._rng.random() < chance)


def played_log(actions: ActionSet, n_days: int, seed: int):
    """Return plays, totals, policies and mean reward vectors of a learner that learns against an opponent who reacts."""
    rng = np.random.default_rng(seed)
    session, world = Session(exp3(actions, n_days), rng=rng), _Opponent(actions, rng)
    plays, totals, policies, means = [], [], [], []
    for _ in range(n_days):
        decision = session.act()
        plays.append(decision.action)
        policies.append(decision.policy)
        means.append(world.mean())
        totals.append(world.total(decision.action))
        session.observe(totals[-1])
    return np.array(plays), np.array(totals), policies, np.array(means)


def test_ends_hold_as_often_as_they_say() -> None:
    """In 120 simulated logs external regret (in total, first window) and swap regret leave 80 % ends no more often than they say.

    Totals are noisy, policies are learned, rewards react to the play. If the ends hold with probability 0.8, more misses than the
    limit have probability 1e-6. Ends a tenth as far from the estimate are missed more often than that.
    """
    actions, n_logs, n_days = MSets(4, 2), 120, 120
    limit = int(binom.isf(FALSE_ALARM, n_logs, 0.2))
    table = actions.enumerate()
    misses, narrow = np.zeros(3), 0
    for seed in range(n_logs):
        plays, totals, policies, means = played_log(actions, n_days, seed)
        found = totals_of(actions, plays, totals, policies=policies, window=80, confidence=0.8)
        for index, (regret, days) in enumerate(((found.external_regret, n_days), (found.windows[0], 80))):
            truth = float((table @ means[:days].sum(axis=0)).max() - totals[:days].sum())
            misses[index] += not regret.lower <= truth <= regret.upper
        true_swap = audit(actions, plays, means, policies=policies).swap_regret.value
        misses[2] += not found.swap_regret.lower <= true_swap <= found.swap_regret.upper
        whole = found.external_regret
        truth = float((table @ means.sum(axis=0)).max() - totals.sum())
        narrow += not 0.1 * (whole.lower - whole.value) <= truth - whole.value <= 0.1 * (whole.upper - whole.value)
    assert (misses <= limit).all()
    assert narrow > limit


def test_swap_ends_hold_in_expectation_for_a_learner() -> None:
    """On average over logs of a learner, the ends enclose the gain of the best rule; a false alarm has probability 1e-6."""
    actions, n_days = MSets(3, 1), 60
    ledgers, ends = [], []
    for seed in range(160):
        plays, totals, policies, means = played_log(actions, n_days, 1000 + seed)
        ledger = SwapLedger(actions)
        for policy, mean in zip(policies, means, strict=True):
            ledger.record(policy, mean)
        ledgers.append(ledger.close())
        swap = totals_of(actions, plays, totals, policies=policies).swap_regret
        ends.append((swap.lower, swap.upper))
    fitted = mean_ledger(ledgers[:80])
    rule = AnswerRule.of(answer(actions, [fitted]))
    gains = np.array([rule.gain(ledger) for ledger in ledgers[80:]])
    lower, upper = np.array(ends[80:]).T
    for difference in (gains - lower, upper - gains):
        error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
        assert difference.mean() > -STANDARD_ERRORS * error
    assert lower.mean() < upper.mean()


def test_planted_regret_is_proved() -> None:
    """Uniform play where one action pays 1 and the others 0: after 4,000 days both ends are close to the truth."""
    actions = MSets(4, 1)
    plays = np.eye(4, dtype=int)[np.random.default_rng(5).integers(4, size=4000)]
    found = totals_of(actions, plays, plays[:, 0].astype(float), policies=actions.uniform_policy(), window=1000)
    truth = 4000.0 - plays[:, 0].sum()
    assert truth - 600 < found.external_regret.lower < truth <= found.external_regret.upper
    assert truth - 600 < found.swap_regret.lower < truth < found.swap_regret.upper
    assert len(found.windows) == 4
    assert all(each.lower > 0 for each in found.windows)
    assert sum(each.n_days for each in found.windows) == 4000
    assert found.external_regret.standard_error == pytest.approx(math.sqrt(4000 * (0.25 * 4)), rel=0.1)
    assert "probability 0.95" in found.external_regret.definition
    assert "Jensen" in found.swap_regret.definition
    assert "external, window 3" in repr(found)
    assert "Jensen" in found._repr_html_()


def test_costs_and_ranges_change_units_only() -> None:
    """A log of costs in [5, 45] gives 40 times the regrets of the same log as rewards in [0, 1]."""
    actions = MSets(3, 1)
    rng = np.random.default_rng(6)
    plays, shares = np.eye(3, dtype=int)[rng.integers(3, size=50)], rng.random(50)
    plain = totals_of(actions, plays, shares, policies=actions.uniform_policy())
    costs = totals_of(actions, plays, 45.0 - 40.0 * shares, policies=actions.uniform_policy(), cost_range=(5, 45))
    for one, other in zip(plain.regrets, costs.regrets, strict=True):
        assert 40.0 * np.array([one.lower, one.value, one.upper]) == pytest.approx(
            [other.lower, other.value, other.upper]
        )
    assert costs.cost == pytest.approx(45.0 - 40.0 * shares.mean())
    assert "costs" in costs.swap_regret.definition


def test_policies_may_be_listed_row_by_row() -> None:
    """Rows of one round that list its policy, with the total in the row that was drawn, are the same log."""
    actions = MSets(3, 1)
    rng = np.random.default_rng(7)
    table, rows, totals, rounds, chances, plays, seen, policies = np.eye(3, dtype=int), [], [], [], [], [], [], []
    for day in range(30):
        weights, drawn, total = np.array([0.5, 0.25, 0.25])[[day % 3, 1, 2]], int(rng.integers(3)), float(rng.random())
        weights /= weights.sum()
        rows += list(table)
        chances += weights.tolist()
        rounds += [day] * 3
        totals += [total if index == drawn else math.nan for index in range(3)]
        plays.append(table[drawn])
        seen.append(total)
        policies.append(FinitePolicy(table, weights))
    listed = totals_of(actions, np.array(rows), totals, rounds=rounds, probabilities=chances)
    given = totals_of(actions, np.array(plays), seen, policies=policies)
    assert listed.external_regret == given.external_regret
    assert listed.swap_regret.upper == pytest.approx(given.swap_regret.upper)


def test_stretches_of_one_policy_change_nothing() -> None:
    """One policy for all days, a copy of it for each day, and windows of odd length give the same ends: halves are cut by days."""
    actions = MSets(3, 1)
    rng = np.random.default_rng(9)
    plays, totals = np.eye(3, dtype=int)[rng.integers(3, size=41)], rng.random(41)
    one = FinitePolicy(np.eye(3, dtype=int), [0.5, 0.25, 0.25])
    whole = totals_of(actions, plays, totals, policies=one)
    copies = [FinitePolicy(one.atoms, one.weights) for _ in plays]
    for other in (
        totals_of(actions, plays, totals, policies=copies),
        totals_of(actions, plays, totals, policies=one, window=7),
    ):
        for before, after in zip(whole.regrets, other.regrets, strict=True):
            assert (after.lower, after.value, after.upper) == pytest.approx((before.lower, before.value, before.upper))


def test_days_that_tell_nothing_widen_the_ends() -> None:
    """A day whose policy could draw one action alone moves the ends by what it could have been worth, and is counted."""
    actions = MSets(2, 1)
    sure = FinitePolicy([[1, 0]], [1.0])
    plays, totals = np.array([[1, 0], [0, 1]] * 200), np.array([0.75, 0.25] * 200)
    policies: list[Policy] = [actions.uniform_policy()] * 400
    before = totals_of(actions, plays, totals, policies=policies)
    more = [*plays, [1, 0], [1, 0]], [*totals, 0.5, 0.5], [*policies, sure, sure]
    after = totals_of(actions, np.array(more[0]), more[1], policies=more[2])
    assert after.n_blind == 2
    assert after.swap_regret.upper == pytest.approx(before.swap_regret.upper + 2.0, abs=1e-6)
    assert after.external_regret.upper == pytest.approx(before.external_regret.upper + 1.0, abs=0.2)
    assert after.external_regret.lower == pytest.approx(before.external_regret.lower - 1.0, abs=0.2)
    assert "unknown worth" in after.external_regret.definition
    with pytest.raises(InvalidInput, match="reach every direction"):
        audit(actions, np.array([[1, 0]] * 8), [0.5] * 8, policies=sure)


def test_policies_with_reward_vectors_give_the_regrets_of_the_policies() -> None:
    """With policies and whole reward vectors the audit is exact, and windows add up."""
    actions = MSets(3, 1)
    rng = np.random.default_rng(8)
    rewards, plays = rng.random((40, 3)), np.eye(3, dtype=int)[rng.integers(3, size=40)]
    found = audit(actions, plays, rewards, policies=actions.uniform_policy(), window=15)
    assert isinstance(found, Audit)
    assert "from policies" in found.swap_regret.definition
    assert found.external_regret.value == pytest.approx(rewards.sum(axis=0).max() - rewards.mean(axis=1).sum())
    assert [each.n_days for each in found.windows] == [15, 15, 10]
    assert found.windows[0].value == pytest.approx(rewards[:15].sum(axis=0).max() - rewards[:15].mean(axis=1).sum())


UNIFORM = MSets(2, 1).uniform_policy()


@pytest.mark.parametrize(
    ("totals", "options", "error", "words"),
    [
        ([0.5, 0.5], {}, InvalidInput, "policy that drew each action.*2 totals and no policies. Add `policies`"),
        ([0.5, 0.5], {"probabilities": [0.5, 0.5]}, InvalidInput, "probability of what was drawn alone"),
        ([0.5], {"policies": UNIFORM}, InvalidReward, "shape"),
        ([0.5, 1.5], {"policies": UNIFORM}, InvalidReward, r"row 2 .*\[0, 1\].*reward_range"),
        ([0.5, math.nan], {"policies": UNIFORM}, InvalidReward, "row 2"),
        ([0.5, -1.0], {"policies": UNIFORM, "cost_range": (0, 2)}, InvalidReward, "row 2 .*cost_range"),
        ([0.5, 0.5], {"policies": [UNIFORM]}, InvalidInput, "2 policies, one per row"),
        ([0.5, 0.5], {"policies": [UNIFORM, 3]}, InvalidInput, r"`policies\[1\]` must be a Policy"),
        ([0.5, 0.5], {"policies": FinitePolicy([[1, 0]], [1.0])}, InvalidInput, "row 2 of `policies`.*never draws"),
        ([0.5, 0.5], {"policies": UNIFORM, "confidence": 1.0}, InvalidInput, "`confidence`"),
        ([[0.5, 0.5]] * 2, {"confidence": math.nan}, InvalidInput, "`confidence`"),
        ([0.5, 0.5], {"policies": UNIFORM, "window": 0}, InvalidInput, "`window`"),
        ([0.5, 0.5], {"policies": UNIFORM, "rounds": [0, 1]}, InvalidInput, "in one way"),
        ([0.5, 0.5], {"rounds": [0, 0], "probabilities": [0.5, 0.5]}, InvalidReward, "2 totals on day"),
        ([0.5, 0.5], {"rounds": [0, 1], "probabilities": [1, 1]}, InvalidInput, "at least 8 days"),
    ],
)
def test_what_cannot_be_audited_is_refused(totals, options, error, words: str) -> None:
    """Totals without policies, policies that do not fit, and totals outside the range are refused with what to do."""
    with pytest.raises(error, match=words):
        audit(MSets(2, 1), [[1, 0], [0, 1]], totals, **options)
    with pytest.raises(InvalidInput, match="at least 8 days"):
        audit(MSets(2, 1), [[1, 0], [0, 1]], [0.5, 0.5], policies=UNIFORM)
