"""Plays of days with contexts and missing elements: the draws of a session, and regrets kind by kind."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, Unsupported
from swapregret.playing.course import Course, replication
from swapregret.playing.kinds_result import DayKindsResult

HORIZON = 120
LETTERS = sr.MSets(6, 2, labels="abcdef")
EDGES = [(i, j) for i in range(4) for j in range(i)]
CONTEXTS, MASKS = ("mobile", "desktop", None), ([], [0], [], [2, 3])
NOTHING: dict[str, Any] = {
    "measure": "ledger",
    "realised": True,
    "windows": (),
    "certificate": False,
    "capacity": None,
}


def world(actions: sr.ActionSet = LETTERS) -> sr.environments.Environment:
    """Return days of three contexts and three masks in turn."""
    return sr.environments.on_days(
        sr.environments.piecewise(actions, HORIZON, pieces=3, rng=1), contexts=CONTEXTS, without=MASKS
    )


def session_days(actions: sr.ActionSet, history: Any = None) -> dict[str, Any]:
    """Play the same days with a session under the seed of the first replication; return what an audit asks for."""
    seen, seed = replication(world(actions), 5, 0)
    session = sr.Session(sr.swap_combcp(actions, HORIZON), rng=np.random.default_rng(seed), history=history)
    found: dict[str, Any] = {"plays": [], "policies": [], "contexts": [], "available": []}
    for day in range(HORIZON):
        context, mask = CONTEXTS[day % 3], MASKS[day % 4]
        decision = session.act(context=context, without=mask)
        found["plays"].append(decision.action)
        found["policies"].append(decision.policy)
        found["contexts"].append(context)
        found["available"].append([e for e in range(actions.dimension) if e not in mask] if mask else None)
        session.observe(min(1.0, float(seen.reward_vector(day) @ decision.action)))
    return found


@pytest.mark.parametrize("is_tree", [False, True], ids=["m-sets", "trees"])
def test_a_play_is_a_session_and_its_regrets_are_those_of_an_audit(is_tree: bool) -> None:
    """Every action drawn and every regret is that of a session on these days, audited with contexts and available elements."""
    actions = sr.SpanningTrees(EDGES) if is_tree else LETTERS
    days = session_days(actions)
    result = sr.play(sr.swap_combcp(actions, HORIZON), world(actions), rng=5, realised=True)
    means = world(actions).means(0, HORIZON)
    audit = sr.audit(actions, rewards=means, **days)
    drawn = sr.audit(
        actions,
        days["plays"],
        world(actions).rewards(0, HORIZON),
        contexts=days["contexts"],
        available=days["available"],
    )
    assert isinstance(result, DayKindsResult)
    assert result.external_regret.value == pytest.approx(audit.external_regret.value, abs=1e-9)
    assert result.swap_regret.value == pytest.approx(audit.swap_regret.value, abs=1e-9)
    assert result.realised_swap_regret.value == pytest.approx(drawn.swap_regret.value, abs=1e-9)
    assert "rules that may look at the context and at what is available" in result.swap_regret.definition
    assert result.swap_regret.n_days == HORIZON
    assert len(result.parts) == len(audit.parts) == 9  # three contexts, three masks
    for (context, missing), part in audit.parts.items():
        mine = result.parts[context, missing]
        assert mine.swap_regret.value == pytest.approx(part.swap_regret.value, abs=1e-9)
        assert mine.internal_regret.value == pytest.approx(part.internal_regret.value, abs=1e-9)
    assert result.internal_regret.value == max(part.internal_regret.value for part in result.parts.values())


def test_rules_that_look_at_the_day_are_enumerated() -> None:
    """On days of two contexts and a mask swap regret is the best of all rules, listed one by one."""
    coin = sr.MSets(3, 1, labels="abc")
    rewards = [[1.0, 0.0, 0.2], [0.0, 1.0, 0.3], [0.0, 0.6, 0.9], [0.2, 0.9, 0.1], [0.0, 0.1, 1.0]]
    days = sr.environments.replay(
        coin, rewards, contexts=["x", "y", "x", "y", "x"], available=[None, None, "ab", "bc", None]
    )
    result = sr.play(sr.swap_combcp(coin, 5), days, rng=0)
    session = sr.Session(sr.swap_combcp(coin, 5), rng=np.random.default_rng(replication(days, 0, 0)[1]))
    best, kinds = 0.0, [("x", ""), ("y", ""), ("x", "c"), ("y", "a"), ("x", "")]
    chances: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for (context, without), row in zip(kinds, rewards, strict=True):
        decision = session.act(context=context, without=without)
        chances.setdefault((context, without), []).append((decision.marginals, np.array(row)))
        session.observe(float(row[int(decision.action.argmax())]))
    for (_, without), played in chances.items():
        possible = [index for index in range(3) if "abc"[index] not in without]
        gains = [
            sum(p[i] * (r[rule[n]] - r[i]) for p, r in played for n, i in enumerate(possible))
            for rule in product(possible, repeat=len(possible))
        ]
        best += max(gains)
    assert result.swap_regret.value == pytest.approx(best, abs=1e-12)


def test_one_context_leaves_no_trace() -> None:
    """Days of one context, and masks that miss nothing, are played and measured as days without, bit for bit."""
    plain = sr.environments.piecewise(LETTERS, HORIZON, pieces=3, rng=1)
    player = sr.swap_combcp(LETTERS, HORIZON)
    want = sr.play(player, plain, rng=5, realised=True, windows=[10])
    told = sr.environments.on_days(plain, contexts=["mobile"], without=[[]])
    found = sr.play(player, told, rng=5, realised=True, windows=[10])
    assert type(found) is sr.PlayResult
    assert (found.reward, found.swap_regret) == (want.reward, want.swap_regret)
    assert found.realised_swap_regret == want.realised_swap_regret
    assert (found.ledgers[0].values == want.ledgers[0].values).all()


@pytest.mark.parametrize("measure", ["ledger", "bound"])
def test_a_course_goes_on_where_it_was_written_down(measure: str) -> None:
    """Days after a dump and a restore are those without, and so are the ledgers of every kind."""
    options = NOTHING | {"measure": measure}
    one, two = (Course(sr.swap_combcp(LETTERS, HORIZON), world(), np.random.SeedSequence(3), options) for _ in range(2))
    one.advance(70)
    two.restore({name: np.array(array) for name, array in one.dump().items()})
    for course in (one, two):
        course.advance(HORIZON)
    first, second = one.close(), two.close()
    assert first.reward == second.reward
    assert list(first.parts) == list(second.parts) == list(range(9))
    for kind, run in first.parts.items():
        other = second.parts[kind]
        assert run.reward == other.reward
        assert run.sums is not None
        assert other.sums is not None
        assert run.sums.earned == pytest.approx(other.sums.earned, abs=1e-12)
        assert run.realised is not None
        assert other.realised is not None
        assert (run.realised.values == other.realised.values).all()


def test_a_bound_holds_and_curves_have_the_kinds() -> None:
    """The laziness bound of days of kinds is above their exact swap regret; curves end in the totals."""
    player = sr.swap_combcp(LETTERS, HORIZON)
    exact = sr.play(player, world(), rng=0, replications=2)
    bound = sr.play(player, world(), rng=0, replications=2, measure="bound")
    assert bound.swap_regret.lower <= exact.swap_regret.value <= bound.swap_regret.upper
    assert exact.curve().swap_regret.value[-1] == exact.swap_regret.value
    assert "9 kinds of days" in repr(exact)


def test_what_is_of_all_days_is_refused_with_a_sentence() -> None:
    """Windows, certificates and rules over all days are refused; so are players that cannot learn such days."""
    player = sr.swap_combcp(LETTERS, HORIZON)
    with pytest.raises(Unsupported, match="without windows and certificate"):
        sr.play(player, world(), rng=0, windows=[10])
    result = sr.play(player, world(), rng=0)
    with pytest.raises(InvalidInput, match=r"result\.parts\[context, missing\]"):
        result.best_swap()
    with pytest.raises(Unsupported, match="must estimate rewards"):
        sr.play(sr.baselines.exp3(LETTERS, HORIZON), world(), rng=0)


def test_history_is_that_of_a_session(tmp_path: Path) -> None:
    """A play with history draws what a session with this history draws, also where the world has changed and it is forgotten."""
    rng = np.random.default_rng(0)
    plays = [LETTERS.argmax(rng.random(6)) for _ in range(300)]
    player = sr.swap_combcp(LETTERS, HORIZON)
    for good in (0, 5):
        plain = sr.environments.from_function(LETTERS, HORIZON, lambda day: np.arange(6) == 5, noise="none")
        past = [(tuple(LETTERS.elements(row)), 0.5 * float(row[good])) for row in plays]
        result = sr.play(player, plain, rng=5, history=past, realised=True)
        seen, seed = replication(plain, 5, 0)
        session = sr.Session(player, rng=np.random.default_rng(seed), history=past)
        got = []
        for day in range(HORIZON):
            decision = session.act()
            got.append(decision.action)
            session.observe(float(seen.reward_vector(day) @ decision.action))
        assert session.summary().n_past == (300 if good == 5 else 0)
        ledger = sr.audit(LETTERS, got, plain.rewards(0, HORIZON))
        assert result.realised_swap_regret.value == pytest.approx(ledger.swap_regret.value, abs=1e-9)
        assert result.reward == pytest.approx(ledger.reward, abs=1e-12)
    course = Course(player, plain, seed, NOTHING, sr.Log.read(past, LETTERS, reward_range=(0, 1)))
    other = Course(player, plain, seed, NOTHING, sr.Log.read(past, LETTERS, reward_range=(0, 1)))
    course.advance(40)
    other.restore({name: np.array(array) for name, array in course.dump().items()})
    course.advance(HORIZON)
    other.advance(HORIZON)
    assert course.reward == other.reward
    with pytest.raises(InvalidInput, match="row 1"):
        sr.play(player, plain, rng=0, history=[(("a", "z"), 0.5)])
