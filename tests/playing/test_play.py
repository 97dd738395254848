"""The loop: what it measures, that it repeats, that the number of processes and the engine do not matter."""

import dataclasses
import importlib
from functools import cache

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.environments.cycles import cyclic
from swapregret.environments.environment import Environment
from swapregret.environments.stochastic import iid
from swapregret.errors import InvalidInput, Unsupported
from swapregret.learners.baselines.exp3 import exp3
from swapregret.learners.baselines.uniform import uniform
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.playing.play import play
from swapregret.playing.workers import run_tasks
from swapregret.sessions.session import Session

loop = importlib.import_module("swapregret.playing.course")
ACTIONS = MSets(6, 2)
HORIZON = 600
PLAYER = swap_combcp(ACTIONS, HORIZON, schedule=Schedule([3, 12, 48, 192]), preset="multiscale")


@cache
def made_world() -> Environment:
    """Return the world of most tests."""
    return cyclic(ACTIONS, HORIZON, phases=5, rng=1)


def _best_two(weights: np.ndarray) -> np.ndarray:
    return (np.argsort(np.argsort(-weights, kind="stable")) < 2).astype(np.int64)


def _same(left, right) -> None:
    assert left.swap_regret == right.swap_regret
    assert left.reward == right.reward
    for one, other in zip(left.ledgers, right.ledgers, strict=True):
        assert np.array_equal(one.rows.keys, other.rows.keys)
        assert np.array_equal(one.values, other.values)


@pytest.mark.parametrize(
    ("player", "options", "threads"),
    [
        (PLAYER, {}, True),
        (swap_combcp(ACTIONS, HORIZON, preset="adaptive"), {}, True),
        (uniform(ACTIONS), {"measure": "none"}, True),
        (PLAYER, {"windows": (50,)}, True),
        (exp3(ACTIONS, HORIZON), {}, True),
        (swap_combcp(OracleSet(3, _best_two), HORIZON, preset="multiscale"), {}, False),
    ],
    ids=["multiscale", "adaptive", "uniform", "windows", "exp3", "oracle"],
)
def test_results_do_not_depend_on_who_runs_beside_whom(
    player, options, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One job, two threads where blocks are compiled, two processes elsewhere: the same bits."""
    asked = []
    whole = importlib.import_module("swapregret.playing.play")
    monkeypatch.setattr(
        whole, "run_tasks", lambda *task, threads: asked.append(threads) or run_tasks(*task, threads=threads)
    )
    days = []
    world = made_world() if player.actions is ACTIONS else cyclic(player.actions, 60, phases=5, rng=1)
    two = play(player, world, rng=5, replications=3, n_jobs=2, progress=days.append, **options)
    one = play(player, world, rng=5, replications=3, **options)
    assert asked == [threads]  # one after the other needs no workers
    assert [run.reward for run in one.runs] == [run.reward for run in two.runs]
    if options.get("measure") != "none":
        _same(one, two)
    assert days == [world.horizon] * 3


def test_plays_repeat_and_start_alike() -> None:
    """The same seed repeats; the first of several replications is the single one; other seeds differ."""
    single, several = play(PLAYER, made_world(), rng=5), play(PLAYER, made_world(), rng=5, replications=3)
    assert np.array_equal(single.ledgers[0].values, several.ledgers[0].values)
    assert single.runs[0].reward != several.runs[1].reward
    assert play(PLAYER, made_world(), rng=6).reward != single.reward
    assert play(PLAYER, made_world()).entropy != play(PLAYER, made_world()).entropy


def test_play_is_a_session_day_by_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards equal those of a ``Session`` with the same seed, however blocks are cut."""
    whole = play(PLAYER, made_world(), rng=5)
    monkeypatch.setattr(loop, "_BLOCK", 250)
    blocks = play(PLAYER, made_world(), rng=5)
    assert blocks.reward == whole.reward
    assert blocks.swap_regret.value == pytest.approx(whole.swap_regret.value, abs=1e-9)
    assert blocks.external_regret.value == pytest.approx(whole.external_regret.value, abs=1e-9)
    _, seed = np.random.SeedSequence([5, 0]).spawn(2)
    session, rewards = Session(PLAYER, rng=seed), made_world().rewards(0, HORIZON)
    total = 0.0
    for row in rewards:
        decision = session.act()
        reward = float(row[decision.action == 1].sum())
        session.observe(reward)
        total += reward
    assert total / HORIZON == pytest.approx(whole.reward, abs=1e-12)


def test_regrets_keep_their_order() -> None:
    """external, internal ≤ swap ≤ laziness ≤ lemma, swap ≤ dynamic; every definition says what it is."""
    result = play(PLAYER, made_world(), rng=5, replications=2, windows=(1, 50), certificate=True, realised=True)
    bound = play(PLAYER, made_world(), rng=5, replications=2, measure="bound")
    swap = result.swap_regret
    assert swap.value >= result.internal_regret.value >= 0.0
    assert swap.value >= result.external_regret.value
    assert bound.swap_regret.upper >= swap.value - 1e-9
    assert bound.external_regret.value == pytest.approx(result.external_regret.value)
    assert bound.external_regret.standard_error == pytest.approx(result.external_regret.standard_error)
    assert result.interval_regret(1).value >= swap.value
    assert result.interval_regret(1).value >= result.interval_regret(50).value
    assert result.swap_regret_per_run.value >= swap.value
    assert result.realised_swap_regret.value > 0.0
    assert result.two_sided.plug_in.value == swap.value
    assert swap.standard_error > 0.0
    assert bound.swap_regret.upper <= np.mean([part.laziness for part in result.decompositions]) + 1e-9
    for run, part in zip(result.runs, result.decompositions, strict=True):
        assert part.n_scales == 3
        assert part.holds_for(swap) or run.ledger is None
    gains = [exchange.gain for exchange in result.best_swap().exchanges]
    assert sum(gains) == pytest.approx(swap.value)


def test_uniform_play_has_swap_regret_equal_to_external() -> None:
    """A player that never changes its policy gains nothing from swaps beyond one fixed action."""
    result = play(uniform(ACTIONS), made_world(), rng=0)
    assert result.swap_regret.value == pytest.approx(result.external_regret.value)


def test_a_small_capacity_brackets_the_exact_value() -> None:
    """The same play with a tight ledger brackets what the exact one measures."""
    exact = play(PLAYER, made_world(), rng=5).swap_regret
    capped = play(PLAYER, made_world(), rng=5, capacity=8).swap_regret
    assert exact.is_exact
    assert not capped.is_exact
    assert capped.lower <= exact.value <= capped.upper


@pytest.mark.parametrize("feedback", ["semi-bandit", "full"])
def test_other_feedback_is_shown(feedback: str) -> None:
    """Players that see elements or whole vectors are shown them, and measured alike."""
    world = cyclic(ACTIONS, 60, phases=3, rng=1)
    result = play(swap_combcp(ACTIONS, 60, feedback=feedback, preset="multiscale"), world, rng=0)
    assert result.ledgers[0].n_days == 60


def test_what_was_not_recorded_is_refused() -> None:
    """A result says which argument of ``play`` would have recorded what is asked of it."""
    world = cyclic(ACTIONS, 60, phases=3, rng=1)
    plain = play(uniform(ACTIONS), world, rng=0, measure="none")
    for name in ("swap_regret", "internal_regret", "external_regret"):
        with pytest.raises(InvalidInput, match="measure='ledger'"):
            getattr(plain, name)
    with pytest.raises(InvalidInput, match="realised=True"):
        _ = plain.realised_swap_regret
    with pytest.raises(InvalidInput, match=r"windows=\[5\]"):
        plain.interval_regret(5)
    with pytest.raises(InvalidInput, match="certificate=True"):
        _ = plain.decompositions
    with pytest.raises(Unsupported, match="levels keep"):
        play(uniform(ACTIONS), world, certificate=True)
    with pytest.raises(InvalidInput, match="`measure`"):
        play(uniform(ACTIONS), world, measure="everything")
    with pytest.raises(InvalidInput, match="same action set"):
        play(uniform(MSets(6, 3)), world)
    rows, others = Explicit([[1, 1, 0, 0], [0, 0, 1, 1]]), Explicit([[1, 0, 1, 0], [0, 1, 0, 1]])
    assert repr(rows) == repr(others)
    with pytest.raises(InvalidInput, match="same action set"):
        play(uniform(rows), iid(others, 60, rng=1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.measure = "ledger"
