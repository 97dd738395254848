"""Every competitor against the conformance kit, the refusals, and days on which nothing is seen."""

from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, TooLarge
from swapregret.testing import check_player

BASELINES = sr.baselines
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("exp3", {}),
    ("exp3", {"feedback": "full"}),
    ("tsallis_inf", {}),
    ("tsallis_inf", {"is_variance_reduced": True}),
    ("blum_mansour", {}),
    ("blum_mansour", {"feedback": "full", "exploration": 0.1}),
    ("stoltz", {}),
    ("stoltz", {"feedback": "full", "exploration": 0.1}),
    ("ito", {}),
    ("ito", {"is_variance_reduced": True}),
    ("treeswap", {}),
    ("treeswap", {"estimator": "shared", "random_offset": False}),
    ("treeswap", {"feedback": "full"}),
    ("regret_matching", {}),
    ("regret_matching", {"feedback": "full"}),
    ("regret_matching", {"feedback": "full", "rule": "inertia"}),
    ("regret_matching", {"rule": "inertia"}),
    ("comband", {}),
    ("comband", {"exploration_policy": "spanner"}),
    ("comband", {"exploration_policy": "d-optimal"}),
    ("combexp", {}),
    ("combcp", {}),
    ("follow_the_leader", {}),
    ("follow_the_leader", {"feedback": "semi-bandit"}),
    ("follow_the_leader", {"feedback": "full"}),
    ("linear_swap", {}),
    ("linear_swap", {"window": 7, "scale": 1.0}),
    ("lin_ts", {}),
    ("lin_ts", {"memory": 20, "draws": 3}),
    ("lin_ucb", {}),
    ("lin_ucb", {"memory": 20.0, "limit": 0}),
    ("epsilon_greedy", {"memory": 5.0}),
    ("comb_ts", {"memory": 20.0}),
    ("comb_ucb", {}),
    ("uniform", {}),
]
IDS = [f"{name}-{'-'.join(map(str, options.values()))}" for name, options in VARIANTS]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)
def test_players_conform_on_m_sets(name: str, options: dict[str, Any]) -> None:
    """Policies are policies, states are values, files give back the same player bit for bit."""
    player = getattr(BASELINES, name)(sr.MSets(5, 2), 300, **options)
    assert check_player(player, days=40).passed


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)
def test_players_conform_on_a_set_of_uneven_sizes(name: str, options: dict[str, Any]) -> None:
    """The same on paths of different lengths, where the actions do not span the space."""
    actions = sr.environments.shortcut_dag(2, 10).actions
    player = getattr(BASELINES, name)(actions, 300, **options)
    assert check_player(player, days=40).passed


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)
def test_a_decision_knows_the_marginals_of_its_policy(name: str, options: dict[str, Any]) -> None:
    """What is kept for speed is what the policy gives, on the first day and later."""
    player = getattr(BASELINES, name)(sr.MSets(5, 2), 300, **options)
    session = sr.Session(player, rng=2)
    for _ in range(4):
        decision = session.act()
        np.testing.assert_allclose(decision.marginals, decision.policy.marginals(), atol=1e-12)
        session.observe(0.1 if player.feedback == "bandit" else np.full(5, 0.1) * decision.action)


def test_every_exported_competitor_is_checked() -> None:
    """A new competitor cannot escape the two tests above."""
    assert {name for name, _ in VARIANTS} == set(BASELINES.__all__)


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("exp3", sr.MSets(30, 8)),
        ("tsallis_inf", sr.MSets(30, 8)),
        ("treeswap", sr.MSets(30, 8)),
        ("stoltz", sr.MSets(20, 5)),
        ("blum_mansour", sr.MSets(20, 5)),
        ("ito", sr.MSets(20, 5)),
        ("regret_matching", sr.MSets(20, 5)),
        ("comband", sr.TruncatedPermutations(8, 12)),
    ],
)
def test_refusals_estimate_time_and_memory(name: str, actions: sr.ActionSet) -> None:
    """Above the stated N the refusal says how many actions there are and what a run would take."""
    with pytest.raises(TooLarge, match=r"would take .+(seconds|minutes|hours|days|years) and .+B"):
        getattr(BASELINES, name)(actions, 100_000)


def test_limits_can_be_moved() -> None:
    """``limit`` takes the place of the stated N, in both directions, also where N is not known beforehand."""
    with pytest.raises(TooLarge, match="at most 5 actions"):
        BASELINES.exp3(sr.MSets(4, 2), 100, limit=5)
    unknown = sr.OracleSet(4, lambda w: (np.argsort(np.argsort(-w, kind="stable")) < 2).astype(int))
    assert BASELINES.exp3(unknown, 100, limit=6).n_actions == 6
    with pytest.raises(TooLarge, match="over"):
        BASELINES.exp3(unknown, 100, limit=5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("exp3", {"learning_rate": -1.0}),
        ("exp3", {"exploration": 1.5}),
        ("tsallis_inf", {"scale": float("nan")}),
        ("blum_mansour", {"baseline": -0.1}),
        ("stoltz", {"rules": "all"}),
        ("treeswap", {"estimator": "mine"}),
        ("regret_matching", {"rule": "none"}),
        ("comband", {"exploration_policy": "best"}),
        ("combexp", {"variants": 0}),
        ("lin_ts", {"memory": 0.5}),
        ("lin_ts", {"draws": 2.5}),
        ("comb_ts", {"prior_width": 0.0}),
        ("lin_ucb", {"noise": -1.0}),
        ("lin_ucb", {"feedback": "semi-bandit"}),
        ("follow_the_leader", {"feedback": "none"}),
    ],
)
def test_bad_constants_are_refused(name: str, options: dict[str, Any]) -> None:
    """Constants that mean nothing are refused by name."""
    with pytest.raises(InvalidInput):
        getattr(BASELINES, name)(sr.MSets(4, 2), 100, **options)


@pytest.mark.parametrize("name", [name for name in BASELINES.__all__ if name != "uniform"])
def test_defaults_do_not_reduce_to_uniform_play(name: str) -> None:
    """After 2,500 days on which one action pays 1 and the others less, its share is at least five times the uniform one."""
    actions = sr.MSets(5, 1) if name == "stoltz" else sr.MSets(6, 2)
    good = actions.action_of([1, 4]) if actions.size == 2 else actions.action_of([3])
    world = sr.environments.from_function(actions, 3000, lambda day: good.astype(float))
    player = getattr(BASELINES, name)(actions, 3000)
    session = sr.Session(player, rng=1)
    hits = 0
    for day in range(3000):
        decision = session.act()
        hits += day >= 2500 and bool(np.array_equal(decision.action, good))
        row = world.reward_vector(day)
        seen = {"bandit": float(row @ decision.action), "semi-bandit": row * decision.action, "full": row}
        session.observe(seen[player.feedback])
    assert hits / 500 > 5 / actions.n_actions or hits > 450
