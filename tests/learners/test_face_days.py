"""Days with missing elements: unbiased estimates on every family, nothing played that is missing, learning across masks."""

from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.errors import Unsupported
from swapregret.learners.face_days import FaceDays
from swapregret.learners.player import Decision, draw_decision
from swapregret.learners.round.held_view import Drawn

EDGES = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
PLAN = [("J", ["check", "bet"]), ("J, raised", ["fold", "call"], ("J", "check")), ("K", ["check", "bet"])]
CASES = {
    "msets": (lambda: sr.MSets(6, 3), (1, 4)),
    "explicit": (lambda: sr.Explicit([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1]]), (3,)),
    "permutations": (lambda: sr.Permutations(3), (0,)),
    "trees": (lambda: sr.SpanningTrees([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), (4,)),
    "paths": (lambda: sr.DagPaths(EDGES, source="s", sink="t"), (2,)),
    "product": (lambda: sr.Product(sr.MSets(4, 2), sr.MSets(3, 1)), (0, 5)),
    "truncated": (lambda: sr.TruncatedPermutations(2, 4), (1,)),
    "forests": (lambda: sr.Forests([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], size=2), (4,)),
    "partitions": (lambda: sr.Partitions(4, 3), (1,)),
    "plans": (lambda: sr.Plans(PLAN), (3,)),
    "own oracle": (lambda: sr.OracleSet(6, sr.MSets(6, 3).argmax), (1, 4)),
}


def learnt(player, state, policy, action, total: float) -> np.ndarray:
    """Return the estimate of the reward vector that a day adds."""
    own = state.copy()
    before = own.state.tally.running + own.state.tally.total
    own.observe(Decision(0, action, player.actions, Drawn(policy)), total)
    return own.state.tally.running + own.state.tally.total - before


@pytest.mark.parametrize("preset", ["multiscale", "adaptive", "ladder"])
@pytest.mark.parametrize("name", CASES)
def test_estimates_are_unbiased_on_the_face(name: str, preset: str) -> None:
    """Summed over all draws of the day, the estimate gives every action that was possible its reward, to 1e-12."""
    make, missing = CASES[name]
    actions, rng = make(), np.random.default_rng(3)
    player = sr.swap_combcp(actions, None if preset == "ladder" else 4000, preset=preset)
    state = player.start(np.random.default_rng(0))
    faces = FaceDays(actions)
    for day in range(40):  # so that predictions and pending sums are not zero
        held = faces.held(state, missing) if day % 2 else state.view()
        action = held.policy().sample(rng)
        state = player.observe(state, Decision(day, action, actions, held), float(rng.random()))
    policy, reward = faces.held(state, missing).policy(), rng.random(actions.dimension) / actions.size
    assert state.state.tally.prediction.any()
    mean = np.zeros(actions.dimension)
    for row, chance in zip(policy.atoms, policy.weights, strict=True):
        mean += chance * learnt(player, state, policy, row, float(row @ reward))
    rows = faces.face(missing).lift(faces.face(missing).part.enumerate())
    assert rows @ mean == pytest.approx(rows @ reward, abs=1e-12)


def play(player, n: int, mask_of, means: np.ndarray, seed: int) -> float:
    """Return the mean reward over the second half of days with masks."""
    rng, actions = np.random.default_rng(seed), player.actions
    state, faces, earned = player.start(np.random.default_rng(seed)), FaceDays(actions), 0.0
    for day in range(n):
        held = faces.held(state, mask_of(day))
        action = held.policy().sample(rng)
        assert action[list(mask_of(day))].sum() == 0
        total = float(action @ means)
        state = player.observe(state, Decision(day, action, actions, held), total)
        earned += total * (day >= n // 2)
    return earned / (n - n // 2)


def test_what_is_learnt_holds_across_masks() -> None:
    """With another element missing every day a player comes within .06 of the best action that is left."""
    actions: ActionSet = sr.MSets(6, 2)
    means = np.array([0.45, 0.4, 0.3, 0.1, 0.1, 0.05])
    best = np.mean([np.sort(np.delete(means, i))[-2:].sum() for i in range(6)])
    assert play(sr.swap_combcp(actions, 1200), 1200, lambda day: (day % 6,), means, 4) > best - 0.06


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({"feedback": "semi-bandit"}, 0.9),
        ({"experts": False}, 0.5),
        ({}, 0.5),
    ],
    ids=str,
)
def test_all_that_is_played_recommends_on_a_face(options: dict[str, Any], least: float) -> None:
    """Without an element nobody plays, the policy of the face is close to that of all days: forecaster and experts are heard."""
    actions, means = sr.MSets(5, 2), np.array([0.02, 0.1, 0.1, 0.4, 0.45])
    player, rng = sr.swap_combcp(actions, 1500, **options), np.random.default_rng(3)
    state = player.start(np.random.default_rng(1))
    for day in range(1500):
        decision = draw_decision(player, state, rng, day)
        seen = means * decision.action
        semi = options.get("feedback") == "semi-bandit"
        state = player.observe(state, decision, seen if semi else float(seen.sum()))
    whole, part = state.view().marginals(), FaceDays(actions).held(state, (0,)).marginals()
    assert whole[3:].min() > least
    assert part[3:].min() > whole[3:].min() - 0.05


def test_the_slot_of_experts_recommends_what_it_plays() -> None:
    """Where experts play in place of the pool, a day without another element has their actions too."""
    actions = sr.MSets(4, 1)
    player = sr.swap_combcp(actions, 400, forecaster=False)
    state = player.start(np.random.default_rng(1))
    for day in range(40):
        decision = draw_decision(player, state, np.random.default_rng(day), day)
        state = player.observe(state, decision, float(decision.action[2]))
    own = state.state
    own.mix.weights[:-1] = 0.0
    own.mix.weights[-2], own.mix.weights[-1] = 0.9, 0.1
    own.policies.marginals[-2] = [0.0, 0.0, 0.25, 0.75]
    part = FaceDays(actions).held(state, (0,)).marginals()
    assert part == pytest.approx([0.0, 0.1 / 3, 0.9 * 0.25 + 0.1 / 3, 0.9 * 0.75 + 0.1 / 3], abs=1e-6)


def test_a_face_in_use_comes_back_from_a_file() -> None:
    """The same recommendations give the same lists, and nothing is written where there are none."""
    actions = sr.MSets(6, 2)
    player = sr.swap_combcp(actions, 1000)
    state, one, two = player.start(np.random.default_rng(0)), FaceDays(actions), FaceDays(actions)
    assert one.dump() == {}
    first = one.held(state, (1,))
    assert one.held(state, (1,)) is first
    two.load(one.dump(), 0)
    assert two.held(state, (1,)).policy() == first.policy()


def test_a_player_without_weights_is_refused() -> None:
    """Competitors that list actions cannot leave elements out."""
    player = sr.baselines.exp3(sr.MSets(4, 2), 100)
    with pytest.raises(Unsupported, match="must estimate rewards"):
        FaceDays(player.actions).held(player.start(np.random.default_rng(0)), (1,))
