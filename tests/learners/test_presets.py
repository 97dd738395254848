"""Ready-made players: every ingredient can be switched, the presets are what they say, nonsense is refused."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.matchings.permutations import Permutations
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.actions.policy_slots import room_for_lists
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.adaptive.adaptive_master import AdaptiveMaster
from swapregret.learners.ingredients import Ingredients
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyComBand, LazyComBCP
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.policy_plan import plan_policies
from swapregret.learners.presets import swap_comband, swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.sessions.session import Session

ACTIONS = MSets(10, 3)


def test_multiscale() -> None:
    """The practical schedule, γ = T^{-1/3}, the adaptive rate, eight decompositions, the predictor, an offset."""
    player = swap_combcp(ACTIONS, 100_000, preset="multiscale")
    learner = player.learner
    assert isinstance(player, SwapMaster)
    assert isinstance(learner, LazyComBCP)
    assert player.schedule == Schedule.practical(100_000, rank=10, size=3)
    assert learner.exploration == pytest.approx(100_000 ** (-1 / 3))
    assert (learner.rates, learner.exploration_policy) == ((AdaptiveRate(3.0),), None)
    assert (learner.plan.kind, learner.plan.variants) == ("list", 8)
    assert (player.predictor_step, player.random_offset) == (0.2, True)
    assert learner.mu is ACTIONS.uniform_policy()


def test_exploration_fades_with_what_is_seen() -> None:
    """γ is n^{-1/3} for n numbers seen, at most .05, or .01 where there is a forecaster, and 0 with full feedback.

    With N experts it is √(max(2, .4 N) / n).
    """

    def gamma(horizon: int, feedback: str, actions: Any = ACTIONS, **ingredients: Any) -> float:
        return float(swap_combcp(actions, horizon, feedback=feedback, **ingredients).learner.exploration)

    plain = {"forecaster": False}
    assert (
        gamma(300, "bandit", **plain) == gamma(1000, "bandit", **plain) == gamma(1000, "semi-bandit", **plain) == 0.05
    )
    assert gamma(1000, "bandit") == gamma(1000, "semi-bandit") == 0.01
    assert gamma(27_000, "bandit", **plain) == pytest.approx(1 / 30)
    assert gamma(1_000_000, "bandit") == pytest.approx(0.01)
    assert gamma(9000, "semi-bandit", **plain) == pytest.approx(1 / 30)
    assert gamma(8000, "full") == 0.0
    small = MSets(6, 2)
    assert gamma(10_000, "bandit", small, **plain) == pytest.approx(math.sqrt(6e-4))
    assert gamma(20_000, "bandit", MSets(3, 1)) == pytest.approx(0.01)
    assert gamma(27_000, "bandit", small, experts=False, **plain) == pytest.approx(1 / 30)
    assert gamma(27_000, "bandit", small, preset="multiscale") == pytest.approx(1 / 30)
    assert gamma(13_500, "semi-bandit", small, **plain) == pytest.approx(1 / 30)


def test_tables_are_as_long_as_the_set_can_fill() -> None:
    """A small set has tables for all its actions twice over, and plays as with longer ones; a large one has the usual ones."""
    sizes = {MSets(3, 1): 256, ACTIONS: 256, MSets(10, 5): 504, Permutations(10): 8192}
    assert {actions: swap_combcp(actions, 1000).capacity for actions in sizes} == sizes
    assert swap_combcp(OracleSet(3, lambda weights: np.eye(3)[np.argmax(weights)]), 1000).capacity == 8192
    player = swap_combcp(ACTIONS, 3000)
    paid = np.random.default_rng(0).random(3000)
    played = []
    for each in (player, replace(player, capacity=8192)):
        session = Session(each, rng=1)
        days = []
        for reward in paid.tolist():
            days.append(session.act().action.tolist())
            session.observe(reward)
        played.append(days)
    assert played[0] == played[1]


def test_paper_is_to_the_letter() -> None:
    """The paper's γ, η_k, spanner and single decomposition; K = 3 and the least H with H³ ≥ T; no extras."""
    player = swap_combcp(ACTIONS, 1000, preset="paper")
    learner = player.learner
    assert player.schedule.windows == (1, 10, 100, 1000)
    assert learner.exploration == pytest.approx(10 ** (-1 / 3))
    for k, rate in enumerate(learner.rates, start=1):
        assert isinstance(rate, FixedRate)
        assert rate.learning_rate == pytest.approx(1.0 / (10**3 * 3**0.5 * 10 ** (k - 1 / 3)))
    assert (learner.exploration_policy, learner.plan.kind, learner.plan.variants) == ("spanner", "list", 1)
    assert (player.predictor_step, player.random_offset) == (0.0, False)


@pytest.mark.parametrize(
    ("horizon", "branching"), [(1, 2), (8, 2), (9, 3), (27, 3), (28, 4), (10**6, 100), (10**6 + 1, 101)]
)
def test_schedule_of_the_paper(horizon: int, branching: int) -> None:
    """H = max(2, ⌈T^{1/3}⌉), exactly, also where the cube root rounds."""
    assert swap_combcp(ACTIONS, horizon, preset="paper").schedule == Schedule.uniform(branching, 3)


def test_a_huge_horizon_is_no_trouble() -> None:
    """The schedule of the paper at T = 10¹⁸ is found at once."""
    assert swap_combcp(ACTIONS, 10**18, preset="paper").schedule.windows[1] == 10**6


@pytest.mark.parametrize(
    ("name", "value", "reads"),
    [
        ("exploration", 0.3, lambda p: p.learner.exploration),
        ("exploration_policy", "spanner", lambda p: p.learner.exploration_policy),
        ("rate", FixedRate(0.5), lambda p: p.learner.rates[-1]),
        ("rate", AdaptiveRate(1.0), lambda p: p.learner.rates[-1]),
        ("variants", 2, lambda p: p.learner.plan.variants),
        ("policy", "list", lambda p: p.learner.plan.kind),
        ("predictor_step", 0.0, lambda p: p.predictor_step),
        ("random_offset", False, lambda p: p.random_offset),
    ],
)
def test_every_ingredient_can_be_switched(name: str, value: object, reads: object) -> None:
    """An ingredient given by name reaches the part that uses it, in both presets."""
    for preset in ("multiscale", "paper"):
        assert reads(swap_combcp(ACTIONS, 1000, preset=preset, **{name: value})) == value  # type: ignore[operator]
    assert name in {field.name for field in fields(Ingredients)}


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        *[("variants", value, "`variants` must be a whole number") for value in (0, 1.5, "a", True)],
        *[("exploration", value, "`exploration` must be") for value in (-1, 2, math.nan, "x", True)],
        *[("predictor_step", value, "`predictor_step` must be") for value in (-1, 3.0, math.nan, "x")],
        *[("guard_slack", value, "`guard_slack` must be") for value in (-1, 0, "x", math.nan)],
        *[("weight_step", value, "`weight_step` must be a finite number") for value in (-1, None, "x")],
        *[("weight_spread", value, "`weight_spread` must be a finite number") for value in (-1, 2, "x")],
        ("policy", "x", "`policy` must be one of"),
        *[(name, "no", f"`{name}` must be True or False") for name in ("random_offset", "trackers")],
        *[(name, 1, f"`{name}` must be True or False") for name in ("swap_filter", "pooling", "guarded")],
    ],
)
def test_ingredients_that_cannot_be_used_are_refused_at_once(name: str, value: object, must: str) -> None:
    """A wrong ingredient is refused when the player is made, by a sentence that names it, never on a later day."""
    with pytest.raises(InvalidInput, match=must):
        swap_combcp(ACTIONS, 1000, **{name: value})


def test_lists_of_the_pool_average_as_many_decompositions_as_a_window_can_pay_for() -> None:
    """Fewer on larger sets; a number that is asked for is taken, on any set."""
    for actions, count in (
        (MSets(12, 3), 8),
        (MSets(20, 5), 8),
        (MSets(30, 5), 6),
        (MSets(45, 8), 4),
        (MSets(100, 10), 2),
        (MSets(300, 10), 1),
        (Permutations(4), 8),
    ):
        player = swap_combcp(actions, 1000)
        assert isinstance(player, AdaptiveMaster)
        assert player.learner.plan.variants == count
        assert swap_combcp(actions, 1000, variants=7).learner.plan.variants == 7
        assert swap_combcp(actions, 1000, preset="multiscale", policy="list").learner.plan.variants == 8


def test_actions_the_filter_plays_for_several_are_listed_once() -> None:
    """In a world that stands still several recommended actions are replaced by one; what is played lists it once."""
    actions = MSets(10, 3)
    player, rng = swap_combcp(actions, 10_000, forecaster=False), np.random.default_rng(0)
    running = player.start(rng)
    rewards = np.tile(np.repeat([1.0 / 3.0, 0.0], [3, 7]), (4_000, 1))
    running.play(rng, rewards, np.zeros(len(rewards)), np.zeros((0, 10), dtype=np.int64))
    policies, recommended = running.state.policies, running.state.memory.recommended
    n_played, n_recommended = policies.n_atoms[:-2], recommended.n_atoms
    for g, n in enumerate(n_played.tolist()):
        assert len(np.unique(policies.words[g, :n], axis=0)) == n
        assert policies.chances[g, :n].sum() == pytest.approx(float(n > 0), abs=1e-12)
        remembered = recommended.chances[g, : n_recommended[g]]  # but for what is recommended too rarely
        assert 0.0 <= (n > 0) - remembered.sum() + 1e-12 <= 2e-4 * room_for_lists(actions, 4)
        assert (remembered >= 2e-4).all()
    assert (n_played < n_recommended).any()


def test_all_ingredients_have_a_switch_test() -> None:
    """A new ingredient must be added to the test above, or belong to the learned presets and be refused elsewhere."""
    (mark,) = test_every_ingredient_can_be_switched.pytestmark
    switched = {case[0] for case in mark.args[1]}
    for field in fields(Ingredients):
        if field.name not in switched:
            for preset in ("multiscale", "paper"):
                with pytest.raises(InvalidInput, match="must come with preset="):
                    swap_combcp(ACTIONS, 1000, preset=preset, **{field.name: field.default})


@pytest.mark.parametrize(
    ("actions", "base", "feedback", "kind", "has_moment"),
    [
        (MSets(10, 3), 12, "bandit", "list", True),
        (MSets(10, 3), 3, "bandit", "list", True),
        (MSets(100, 3), 8, "bandit", "list", True),
        (MSets(100, 3), 3, "bandit", "chain", True),
        (MSets(401, 3), 8, "bandit", "chain", True),
        (MSets(100, 3), 3, "full", "list", False),
        (Permutations(13), 1, "bandit", "list", True),
        (Permutations(22), 30, "bandit", "list", True),
        (Permutations(22), 1, "semi-bandit", "list", False),
    ],
)
def test_policies_and_solutions_are_planned_by_the_table(
    actions: MSets, base: int, feedback: str, kind: str, has_moment: bool
) -> None:
    """Every row of the table in ``learners.policy_plan``; asked for, lists stay lists."""
    plan = plan_policies(actions, base, feedback)
    assert (plan.kind, plan.has_moment) == (kind, has_moment)
    assert plan_policies(actions, base, feedback, policy="list").kind == "list"
    assert plan_policies(actions, base, feedback, is_adaptive=True).kind == "list"


def test_chains_are_refused_where_there_are_none() -> None:
    """Swap-ComBand, the adaptive preset and sets without a Markov policy play no chains."""
    for factory, actions, preset in (
        (swap_comband, MSets(6, 2), "multiscale"),
        (swap_combcp, MSets(6, 2), "adaptive"),
        (swap_combcp, Permutations(3), "multiscale"),
    ):
        with pytest.raises(InvalidInput, match="`policy` must be a list"):
            factory(actions, 100, preset=preset, policy="chain")


class OwnChains(OracleSet):
    """A set of one's own with a Markov policy and no family of chains."""

    has_markov = True


def test_a_markov_policy_without_a_family_of_chains_changes_no_plan() -> None:
    """On a large set of one's own lists are played whether or not it has a Markov policy; asking for chains is refused."""
    large = MSets(60, 1)
    plain, own = (kind(60, large.argmax) for kind in (OracleSet, OwnChains))
    assert plan_policies(own, 1, "bandit") == plan_policies(plain, 1, "bandit")
    assert plan_policies(own, 1, "bandit").kind == "list"
    with pytest.raises(InvalidInput, match="`policy` must be a list"):
        plan_policies(own, 1, "bandit", policy="chain")


@pytest.mark.parametrize(("feedback", "step"), [("bandit", 3.0), ("semi-bandit", 4.0), ("full", 8.0)])
@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_the_step_depends_on_the_feedback(factory: object, feedback: str, step: float) -> None:
    """More to see, larger steps; the estimator is the one for the feedback."""
    player = factory(ACTIONS, 1000, preset="multiscale", feedback=feedback)  # type: ignore[operator]
    assert player.feedback == feedback
    assert player.learner.rates == (AdaptiveRate(step),)


def test_swap_comband() -> None:
    """Lazy-ComBand at every scale, with the paper's η_k = λ_min/(H^{k−1/3} m) in preset "paper"."""
    player = swap_comband(MSets(4, 2), 1000, preset="paper", exploration_policy="uniform")
    smallest = 2 * 2 / (4 * 3)  # m(d−m)/(d(d−1))
    assert isinstance(player.learner, LazyComBand)
    for k, rate in enumerate(player.learner.rates, start=1):
        assert isinstance(rate, FixedRate)
        assert rate.learning_rate == pytest.approx(smallest / (10 ** (k - 1 / 3) * 2))
    oracle = OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64))
    with pytest.raises(Unsupported, match="Gibbs"):
        swap_comband(oracle, 1000, preset="multiscale")
    uneven = swap_comband(Explicit([[1, 1, 0], [0, 0, 1]]), 1000, preset="multiscale")
    assert uneven.policy(uneven.start(np.random.default_rng(0))).marginals() == pytest.approx([0.5, 0.5, 0.5])


def test_a_schedule_of_ones_own() -> None:
    """Any schedule can be given; the number of learners follows."""
    assert swap_combcp(ACTIONS, 10, preset="multiscale", schedule=Schedule([1, 2, 4, 8, 16])).n_scales == 4


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 1.5}, "horizon"),
        ({"horizon": 10, "preset": "best"}, "preset"),
        ({"horizon": 10, "feedback": "none"}, "feedback"),
        ({"horizon": 10, "rate": "fast"}, "rate"),
        ({"horizon": 10, "gamma": 0.1}, "gamma"),
        ({"horizon": 10, "exploration": 1.5}, "exploration"),
        ({"horizon": 10, "predictor_step": 3.0}, "predictor_step"),
        ({"horizon": 10, "policy": "magic"}, "policy"),
        ({"horizon": 10, "schedule": [1, 2]}, "schedule"),
    ],
)
@pytest.mark.parametrize("factory", [swap_combcp, swap_comband])
def test_nonsense_is_refused_by_name(factory: object, arguments: dict[str, object], word: str) -> None:
    """Each refusal names the argument."""
    with pytest.raises(InvalidInput, match=word):
        factory(ACTIONS, **arguments)  # type: ignore[operator]
