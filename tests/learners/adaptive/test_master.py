"""The adaptive master: plain against compiled, files, feedback, ingredients, bad input."""

import numpy as np
import pytest
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster
from swapregret.learners.adaptive.pool_engine import PoolEngine
from swapregret.learners.adaptive.trackers import time_constants

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.kernels.vectors import action_total
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.player import Decision
from swapregret.regret.ledger import SwapLedger

SWITCHES = [
    {},
    {"swap_filter": False},
    {"pooling": False},
    {"learned_weights": False},
    {"trackers": False},
    {"guarded": False},
]


def _pair(
    feedback: str = "bandit", horizon: int = 4000, **ingredients: object
) -> tuple[AdaptiveMaster, MSetAdaptiveMaster]:
    actions = sr.MSets(6, 2)
    player = sr.swap_combcp(actions, horizon, preset="adaptive", feedback=feedback, **({"calm": 0.0} | ingredients))
    assert isinstance(player, MSetAdaptiveMaster)
    return player.plain, player


def _shown(feedback: str, rewards: np.ndarray, action: np.ndarray) -> float | np.ndarray:
    if feedback == "bandit":
        return action_total(rewards, action)
    return rewards if feedback == "full" else rewards * action


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_plain_and_compiled_masters_agree(feedback: str) -> None:
    """Fed the same actions and rewards, both have the same law after every day, to rounding."""
    _agree(feedback, {}, 260)


@pytest.mark.parametrize("ingredients", SWITCHES[1:], ids=lambda switch: next(iter(switch)))
def test_they_agree_with_each_ingredient_off(ingredients: dict[str, bool]) -> None:
    """The same holds with each ingredient switched off."""
    _agree("bandit", ingredients, 120)


def _agree(feedback: str, ingredients: dict[str, bool], n_days: int) -> None:
    plain, compiled = _pair(feedback, **ingredients)
    rewards = sr.environments.cyclic(plain.actions, 4000, rng=1).rewards(0, n_days)
    one, two = plain.start(np.random.default_rng(0)), compiled.start(np.random.default_rng(0))
    rng = np.random.default_rng(5)
    for day in range(n_days):
        action = compiled.policy(two).sample(rng)
        shown = _shown(feedback, rewards[day], action)
        one = plain.observe(one, Decision(day, action, (), plain.policy(one)), shown)
        two = compiled.observe(two, Decision(day, action, (), compiled.policy(two)), shown)
        np.testing.assert_allclose(
            plain.policy(one).cooccurrence(), compiled.policy(two).cooccurrence(), atol=1e-9, rtol=0
        )
    np.testing.assert_allclose(one.weights.law, two.pool.law, atol=1e-9)
    assert abs(one.guard.estimate - two.pool.numbers[4]) < 1e-6


def test_blocks_run_compiled_as_stepped() -> None:
    """Playing blocks of days in compiled code gives the same arrays, bit for bit, as stepping a session."""
    _, player = _pair()
    rewards = sr.environments.cyclic(player.actions, 4000, rng=1).rewards(0, 700)
    session = sr.Session(player, rng=9)
    for row in rewards:
        decision = session.act()
        session.observe(action_total(row, decision.action))
    rng = np.random.default_rng(9)
    engine, state = PoolEngine(player), player.start(rng)
    for first, last in ((0, 1), (1, 260), (260, 700)):
        state = engine.run(state, rng, rewards[first:last]).state
    stepped, ran = player.dump(session._state), player.dump(state)
    assert [name for name in stepped if not np.array_equal(stepped[name], ran[name])] == []


@pytest.mark.parametrize("capacity", [None, 6])
def test_taped_laws_give_the_ledger_of_the_policies(capacity: int | None) -> None:
    """A taped block enters the same V[M] as recording the policy of every day, also where the table must pool."""
    _, player = _pair()
    world = sr.environments.cyclic(player.actions, 4000, rng=1)
    rewards, means = world.rewards(0, 900), world.means(0, 900)
    stepped = SwapLedger(player.actions, capacity=capacity)
    session = sr.Session(player, rng=9)
    for row, mean in zip(rewards, means, strict=True):
        decision = session.act()
        stepped.record(decision.policy, mean)
        session.observe(action_total(row, decision.action))
    rng = np.random.default_rng(9)
    block = PoolEngine(player).run(player.start(rng), rng, rewards)
    taped = SwapLedger(player.actions, capacity=capacity)
    for first, last, tape in block.tapes:
        taped.record_laws(tape, means[first:last], block.state.explorer)
    one, two = stepped.close(), taped.close()
    assert one.n_days == two.n_days
    assert one.earned == pytest.approx(two.earned, rel=1e-9)
    np.testing.assert_allclose(one.total, two.total, rtol=1e-12)
    if capacity is None:
        order, other = np.argsort(one.rows.keys[:, 0]), np.argsort(two.rows.keys[:, 0])
        np.testing.assert_array_equal(one.rows.keys[order], two.rows.keys[other])
        np.testing.assert_allclose(one.rows.values[order], two.rows.values[other], atol=1e-9)
    else:
        assert two.pooled.n_pieces > 0


def test_the_pool_has_the_members_of_the_design() -> None:
    """Cold scales, a steady learner, uniform play and trackers of time constants 4dm·4^j below T/2."""
    actions = sr.MSets(10, 3)
    player = sr.swap_combcp(actions, 100_000, preset="adaptive")
    assert isinstance(player, MSetAdaptiveMaster)
    kinds = [member.kind for member in player.plain.members]
    assert kinds == ["cold"] * 5 + ["steady", "uniform"] + ["tracker"] * 5
    assert time_constants(actions, 100_000) == (120.0, 480.0, 1920.0, 7680.0, 30720.0)


def test_the_plain_master_survives_files_bit_for_bit() -> None:
    """Dump and load in the middle of a window give the same law and the same future."""
    plain, _ = _pair()
    rewards = sr.environments.cyclic(plain.actions, 4000, rng=1).rewards(0, 260)

    def play(state: object, rng: np.random.Generator, first: int, last: int) -> object:
        for day in range(first, last):
            action = plain.policy(state).sample(rng)
            decision = Decision(day, action, (), plain.policy(state))
            state = plain.observe(state, decision, action_total(rewards[day], action))
        return state

    rng = np.random.default_rng(2)
    middle = play(plain.start(rng), rng, 0, 131)
    saved = rng.bit_generator.state
    end = plain.dump(play(middle, rng, 131, 260))
    rng.bit_generator.state = saved
    again = plain.dump(play(plain.load(plain.dump(middle)), rng, 131, 260))
    assert [name for name in end if not np.array_equal(end[name], again[name])] == []


def test_states_are_values() -> None:
    """Observing twice from one state gives the same result, and leaves that state as it was."""
    for player in _pair():
        state = player.start(np.random.default_rng(0))
        for day in range(40):
            action = player.policy(state).sample(np.random.default_rng(day))
            decision = Decision(day, action, (), player.policy(state))
            before = {name: array.copy() for name, array in player.dump(state).items()}
            first, second = player.observe(state, decision, 0.7), player.observe(state, decision, 0.7)
            after = player.dump(state)
            assert all(np.array_equal(before[name], after[name]) for name in before)
            left, right = player.dump(first), player.dump(second)
            assert all(np.array_equal(left[name], right[name]) for name in left)
            state = first


def test_every_set_has_an_adaptive_player() -> None:
    """Permutations, paths and any oracle play and learn with the adaptive preset through their oracle alone."""
    diamond = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
    for actions in (
        sr.Permutations(3),
        sr.DagPaths(diamond, source="s", sink="t"),
        sr.Explicit(sr.MSets(4, 2).enumerate()),
    ):
        session = sr.Session(sr.swap_combcp(actions, 400, preset="adaptive"), rng=0)
        for day in range(60):
            decision = session.act()
            assert decision.action in actions
            session.observe(0.9 * (day % 2))
        assert session.summary().player is not None


def test_the_adaptive_comband_plays() -> None:
    """Swap-ComBand has the preset too; what members recommend is the decomposition of their marginals."""
    session = sr.Session(sr.swap_comband(sr.MSets(5, 2), 500, preset="adaptive"), rng=0)
    for _ in range(60):
        decision = session.act()
        session.observe(float(decision.action[0]))
    assert session.marginals()[0] > 0.5


def test_bad_configuration_is_refused() -> None:
    """A floor outside (0, 1), an ingredient of another preset and a pool without its cold scales are refused by name."""
    plain, _ = _pair()
    with pytest.raises(InvalidInput, match="floor"):
        sr.swap_combcp(sr.MSets(4, 2), 100, preset="adaptive", floor=0.0)
    with pytest.raises(InvalidInput, match="adaptive"):
        sr.swap_combcp(sr.MSets(4, 2), 100, preset="multiscale", floor=0.2)
    with pytest.raises(InvalidInput, match="cold"):
        AdaptiveMaster(plain.members[1:], plain.schedule, 100)
    with pytest.raises(InvalidInput, match="warm"):
        sr.swap_combcp(sr.MSets(4, 2), 100, preset="adaptive", warm_restarts=True)
