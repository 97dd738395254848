"""Plans of decision trees, and the adversary that lives on them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapregret as sr
from swapregret.environments import decision_tree


def all_plans(rounds: int, observations: int, choices: int) -> list[frozenset[tuple[int, ...]]]:
    """List every plan by recursion: a choice for each observation, and a plan for what follows it."""
    if rounds == 0:
        return [frozenset()]
    after = all_plans(rounds - 1, observations, choices)
    one = []
    for choice, rest in product(range(choices), after):
        one.append((choice, rest))
    plans = []
    for combination in product(one, repeat=observations):
        sequences = set()
        for observation, (choice, rest) in enumerate(combination):
            sequences.add((observation, choice))
            sequences |= {(observation, choice, *tail) for tail in rest}
        plans.append(frozenset(sequences))
    return plans


@pytest.mark.parametrize(("rounds", "observations", "choices"), [(1, 3, 2), (2, 2, 2), (2, 1, 3), (3, 1, 2)])
def test_actions_are_the_plans(rounds: int, observations: int, choices: int) -> None:
    """The set has exactly the plans listed by recursion, and counts them right."""
    tree = decision_tree(rounds, observations, choices)
    plans = all_plans(rounds, observations, choices)
    listed = {frozenset(tree.elements(row)) for row in tree.enumerate()}
    assert listed == set(plans)
    assert tree.n_actions == len(plans)
    assert {len(plan) for plan in plans} == {tree.size}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-5, 5), min_size=20, max_size=20))
def test_oracle_is_the_best_plan(weights: list[float]) -> None:
    """One pass over the tree finds the best of all plans."""
    tree = decision_tree(2, 2, 2)
    best = max(sum(weights[tree.labels.index(s)] for s in plan) for plan in all_plans(2, 2, 2))
    found = tree.argmax(weights)
    assert found in tree
    assert np.isclose(found @ np.array(weights), best)


def test_open_phases_pay_more_than_closed_ones() -> None:
    """A plan earns more while its phase is open than a random plan does, and less once the phase is over."""
    world = sr.environments.extensive_form(4**4 * 4, rng=3)
    levels = world.actions.size * world.means(0, world.horizon)
    assert levels.min() >= 0.0
    assert levels.max() <= 1.0
    first = levels[: world.horizon // 4].sum(axis=0)
    plan = world.actions.argmax(first)
    value = world.means(0, world.horizon) @ plan
    quarters = value.reshape(4, -1).mean(axis=1)
    assert quarters[0] > 0.55
    assert quarters[1:].max() < quarters[0] - 0.1


def test_learners_that_follow_the_past_keep_swap_regret_on_the_walk() -> None:
    """With full feedback a single learner's swap regret per day stays above .04 on 256 and 4,096 days; on days alike it falls."""
    found = []
    for horizon in (256, 4_096):
        walk = sr.environments.extensive_form(horizon, rng=0)
        alike = sr.environments.iid(walk.actions, horizon, rng=0)
        player = sr.baselines.combcp(walk.actions, horizon, feedback="full")
        found += [sr.play(player, world, rng=1).swap_regret.value / horizon for world in (walk, alike)]
    assert min(found[0], found[2]) > 0.04
    assert found[3] < found[1] / 5.0
