"""The tape is the one form in which play leaves a run: what is read off it is what the policies of the days say."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.late import Late

import swapregret as sr
from swapregret.actions.policy_slots import policy_of
from swapregret.playing import course
from swapregret.regret.decomposition import DecompositionLedger
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import external_regret, internal_regret, swap_regret

HORIZON, WINDOW = 150, 20
GRAPH = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
K4 = [(i, j) for j in range(4) for i in range(j)]


def _cover(weights: np.ndarray) -> np.ndarray:
    chosen = (weights > 0.0).astype(np.int64)
    chosen[int(np.argmax(weights))] = 1
    return chosen


SETS: Late[sr.ActionSet] = Late(
    {
        "m-sets": lambda: sr.MSets(5, 2),
        "permutations": lambda: sr.Permutations(3),
        "truncated permutations": lambda: sr.TruncatedPermutations(2, 3),
        "paths": lambda: sr.DagPaths(GRAPH, source="s", sink="t"),
        "partitions": lambda: sr.Partitions(3, 2),
        "trees": lambda: sr.SpanningTrees(K4),
        "forests": lambda: sr.Forests(K4, size=2),
        "list": lambda: sr.Explicit([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1]]),
        "oracle": lambda: sr.OracleSet(3, _cover),
    }
)
PRESETS = ("adaptive", "multiscale", "paper")
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "chains on m-sets": ("m-sets", {"policy": "chain", "exploration": 0.1}),
    "chains on paths": ("paths", {"policy": "chain", "exploration": 0.1}),
    "ComBand on m-sets": ("m-sets", {"is_gibbs": True}),
    "ComBand on trees": ("trees", {"is_gibbs": True}),
}
COMPETITORS: dict[str, tuple[str, dict[str, Any]]] = {
    "exp3 on m-sets": ("exp3", {}),
    "treeswap on permutations": ("treeswap", {}),
    "blum_mansour on list": ("blum_mansour", {}),
    "comband on m-sets": ("comband", {"learning_rate": 0.1}),
    "combexp on m-sets": ("combexp", {"learning_rate": 0.1, "exploration": 0.2}),
    "follow_the_leader on m-sets": ("follow_the_leader", {}),
    "uniform on oracle": ("uniform", {}),
}
CASES = [*OTHERS, *COMPETITORS, *(f"{preset} on {name}" for name in reversed(list(SETS)) for preset in PRESETS)]
"""From the last set to the first: test_families.py, which another worker runs at the same time, begins with the first."""


def has_lemma(case: str) -> bool:
    """Tell whether the scales of a case are mixed uniformly."""
    return "adaptive" not in case and case not in COMPETITORS


def make(case: str) -> Any:
    """Make the player of a case."""
    if case in OTHERS:
        name, options = OTHERS[case][0], dict(OTHERS[case][1])
        factory = sr.swap_comband if options.pop("is_gibbs", False) else sr.swap_combcp
        return factory(SETS[name], HORIZON, preset="multiscale", schedule=sr.Schedule([3, 12, 48]), **options)
    preset, name = case.split(" on ")
    if case in COMPETITORS:
        return getattr(sr.baselines, preset)(SETS[name], HORIZON, **COMPETITORS[case][1])
    windows = {} if preset == "paper" else {"schedule": sr.Schedule([3, 12, 48])}
    return sr.swap_combcp(SETS[name], HORIZON, preset=preset, **windows)


@dataclass(frozen=True, eq=False)
class Stepped:
    """A run day by day: its ledger, its reward vectors, the marginals played, and those of each scale."""

    ledger: Any
    means: np.ndarray
    marginals: np.ndarray
    scales: np.ndarray
    reward: float


@cache
def step(case: str) -> Stepped:
    """Play a case by a session that has the seed of ``play(..., rng=5)``, and write down the policy of every day."""
    player = make(case)
    world = sr.environments.cyclic(player.actions, HORIZON, phases=4, rng=1)
    _, seed = np.random.SeedSequence([5, 0]).spawn(2)
    session, book = sr.Session(player, rng=seed), SwapLedger(player.actions)
    means, marginals, scales, earned = world.means(0, HORIZON), [], [], 0.0
    learner, is_lemma = getattr(player, "learner", player), has_lemma(case)
    for row, mean in zip(world.rewards(0, HORIZON), means, strict=True):
        decision = session.act()
        policy = decision.policy
        book.record(policy, mean)
        marginals.append(policy.marginals())
        if is_lemma:
            held = decision.held
            weights, own = held.mix.weights, []
            for k in range(player.n_scales):
                slot = k if weights[k] > 0.0 else player.n_scales
                own.append(policy_of(held.policies, slot, learner).marginals())
            gamma = learner.exploration
            scales.append((1.0 - gamma) * np.array(own) + gamma * learner.mu.marginals())
        reward = min(max(float(row @ decision.action), 0.0), 1.0)
        session.observe(reward)
        earned += reward
    return Stepped(book.close(), means, np.array(marginals), np.array(scales), earned / HORIZON)


@cache
def play(case: str, measure: str) -> Any:
    """Play a case in one piece."""
    player = make(case)
    world = sr.environments.cyclic(player.actions, HORIZON, phases=4, rng=1)
    asked = {"windows": (1, WINDOW), "certificate": has_lemma(case)} if measure == "ledger" else {}
    return sr.play(player, world, rng=5, measure=measure, **asked)


@pytest.mark.parametrize("case", CASES)
def test_regrets_from_the_tape_are_those_of_the_policies(case: str) -> None:
    """External, internal and swap regret of ``play`` are, to 1e-9, those of the same days recorded one by one."""
    taped, stepped = play(case, "ledger"), step(case)
    actions, one = make(case).actions, stepped.ledger
    assert taped.reward == pytest.approx(stepped.reward, abs=1e-12)
    for found, wanted in (
        (taped.swap_regret, swap_regret(answer(actions, [one]))),
        (taped.external_regret, external_regret(actions, [one])),
        (taped.internal_regret, internal_regret(answer(actions, [one]))),
    ):
        assert found.value == pytest.approx(wanted.value, abs=1e-9)
        assert found.bracket == pytest.approx(wanted.bracket, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_the_bound_from_laziness_brackets_swap_regret(case: str) -> None:
    """Kept without a ledger, external regret, or 0, is the same below, and swap regret is not above the bound."""
    bound, stepped = play(case, "bound"), step(case)
    actions = make(case).actions
    external = external_regret(actions, [stepped.ledger]).value
    assert bound.external_regret.value == pytest.approx(external, abs=1e-9)
    assert bound.swap_regret.lower == pytest.approx(max(external, 0.0), abs=1e-9)
    swap = swap_regret(answer(actions, [stepped.ledger]))
    assert bound.swap_regret.lower - 1e-9 <= swap.upper
    assert swap.lower <= bound.swap_regret.upper + 1e-9


@pytest.mark.parametrize("case", CASES)
def test_how_a_run_is_cut_into_tapes_does_not_matter(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a tape per 37 days swap regret and the bound from laziness are those of one tape, to 1e-9."""
    wanted, bound = play(case, "ledger"), play(case, "bound")
    player = make(case)
    world = sr.environments.cyclic(player.actions, HORIZON, phases=4, rng=1)
    monkeypatch.setattr(course, "_BLOCK", 37)
    monkeypatch.setattr(course, "_STEPPED", 37)
    assert sr.play(player, world, rng=5).swap_regret.value == pytest.approx(wanted.swap_regret.value, abs=1e-9)
    found = sr.play(player, world, rng=5, measure="bound").swap_regret
    assert found.bracket == pytest.approx(bound.swap_regret.bracket, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_windows_are_those_of_the_policies(case: str) -> None:
    """Regrets of windows are the best fixed action of their days less what the policies earned, by a slow sum."""
    taped, stepped = play(case, "ledger").runs[0], step(case)
    actions = make(case).actions
    rows = actions.enumerate().astype(np.float64)
    for interval, length in zip(taped.intervals, (1, WINDOW), strict=True):
        wanted = []
        for first in range(0, HORIZON, length):
            days = slice(first, min(first + length, HORIZON))
            best = float((rows @ stepped.means[days].sum(axis=0)).max())
            wanted.append(best - float((stepped.means[days] * stepped.marginals[days]).sum()))
        assert interval.regrets == pytest.approx(np.array(wanted), abs=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if has_lemma(case)])
def test_certificates_are_those_of_the_policies(case: str) -> None:
    """The terms of the lemma are those of the policies of the scales, entered day by day, and the lemma holds."""
    player, stepped = make(case), step(case)
    _, seed = np.random.SeedSequence([5, 0]).spawn(2)
    offset = int(player.start(np.random.default_rng(seed)).state.tally.offset[0])
    ledger = DecompositionLedger(player.actions, player.schedule.windows, offset)
    for own, mean in zip(stepped.scales, stepped.means, strict=True):
        ledger.record(own, mean[None])
    wanted, found = ledger.close(), play(case, "ledger").runs[0].decomposition
    assert found.contributions == pytest.approx(wanted.contributions, abs=1e-9)
    assert found.laziness == pytest.approx(wanted.laziness, abs=1e-9)
    assert found.holds_for(swap_regret(answer(player.actions, [stepped.ledger])))
