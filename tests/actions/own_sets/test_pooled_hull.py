"""The pool of a set known by its oracle: what is kept, that it is saved, and what it saves."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.family import Family
from swapregret.actions.hull import best, list_policy, project
from swapregret.actions.own_sets.pooled_hull import keep_actions
from swapregret.actions.policy_slots import list_room, put_best_known
from swapregret.compiled.bits import unpack_rows
from swapregret.errors import OracleFault
from swapregret.geometry.kl import kl_gap
from swapregret.testing.player_checks import state_of


class _Trees:
    """Spanning trees of a complete graph, by Kruskal's algorithm; counts its questions, and breaks down when none are left."""

    def __init__(self, n_nodes: int) -> None:
        self.edges = [(a, b) for a in range(n_nodes) for b in range(a)]
        self.n_nodes, self.n_calls, self.n_left = n_nodes, 0, 2**62
        self.error: Exception = ConnectionError()

    def __call__(self, w: np.ndarray) -> np.ndarray:
        self.n_calls += 1
        self.n_left -= 1
        if self.n_left < 0:
            raise self.error
        part, chosen = list(range(self.n_nodes)), np.zeros(len(w), dtype=np.int64)
        for i in np.argsort(-w, kind="stable").tolist():
            a, b = (part[node] for node in self.edges[i])
            if a != b:
                chosen[i] = 1
                part = [a if each == b else each for each in part]
        return chosen


def _set(n_nodes: int) -> tuple[_Trees, sr.OracleSet]:
    oracle = _Trees(n_nodes)
    return oracle, sr.OracleSet(len(oracle.edges), oracle)


def _player(preset: str) -> Any:
    return sr.swap_combcp(_set(5)[1], 1000, preset=preset)


def _go(session: sr.Session, n_days: int) -> list[list[int]]:
    played = []
    for _ in range(n_days):
        action = session.act().action
        played.append(action.tolist())
        session.observe(float(action[:4].sum()) / 4.0)
    return played


@pytest.mark.parametrize("preset", ["adaptive", "multiscale"])
def test_a_session_that_was_saved_goes_on_bit_for_bit(preset: str, tmp_path: Path) -> None:
    """Saved at different days and loaded on a new set that has seen nothing, a session plays and ends as one never saved."""
    session = sr.Session(_player(preset), rng=3)
    for cut in (1, 6, 33, 20):
        _go(session, cut)
        session.save(tmp_path / "file")
        loaded = sr.Session.load(tmp_path / "file", player=_player(preset))
        kept = sr.Session.load(tmp_path / "file", player=session.player)
        expected = _go(session, 25)
        assert _go(loaded, 25) == expected
        assert _go(kept, 25) == expected
        assert loaded.snapshot() == session.snapshot() == kept.snapshot()


@pytest.mark.parametrize("preset", ["adaptive", "multiscale"])
def test_a_player_keeps_the_actions_it_listed(preset: str) -> None:
    """After some windows the pool in the state holds actions beyond those known from the start."""
    session = sr.Session(_player(preset), rng=3)
    _go(session, 30)
    used = state_of(session).state.policies.used
    assert ((used > 0) & (used < 2**62)).any()


def _bound(n_slots: int = 3) -> tuple[_Trees, sr.OracleSet, Family]:
    oracle, actions = _set(6)
    family = actions.family(actions.exploration_policy(), variants=4)
    return oracle, actions, family.on(list_room(family, n_slots, 8 * actions.dimension))


def _table(family: Family) -> np.ndarray:
    return unpack_rows(family.hull.data.known[family.hull.data.used > 0], family.common.dimension)


def test_what_is_found_and_listed_is_kept_and_certified() -> None:
    """Projections and lists fill the pool with actions of the set; points are certified to 1e-9, and listed without a question."""
    oracle, actions, family = _bound()
    d = family.common.dimension
    near = np.array(actions.kl_project(np.zeros(d)).log_point)
    assert len(_table(family)) == len(actions.known_first)
    scores, rng = np.zeros(d), np.random.default_rng(0)
    for _ in range(12):
        scores += 0.3 * rng.standard_normal(d)
        point, log_point, gap = project(family, scores, near)
        assert gap <= 1e-9
        assert kl_gap(actions, scores, log_point) <= 1e-9
        n_calls = oracle.n_calls
        words, chances, is_inside = list_policy(family, point)
        assert is_inside
        assert oracle.n_calls <= n_calls + 1
        np.testing.assert_allclose(chances @ unpack_rows(words, d), point, atol=1e-11)
        near = log_point
    table = _table(family)
    assert len(actions.known_first) < len(table) <= family.hull.data.used.size
    assert all(row in actions for row in table)
    assert len(np.unique(table, axis=0)) == len(table)
    known = {row.tobytes() for row in table}
    assert all(row.tobytes() in known for row in actions.known_first)


def test_actions_that_were_not_listed_for_longest_make_room() -> None:
    """New actions take the rows of the oldest; those known from the start stay, and an action is never kept twice."""
    known, used = np.zeros((4, 1), dtype=np.uint64), np.zeros(4, dtype=np.int64)
    known[0, 0], used[0] = 7, 2**62
    for listed in ([1, 2], [7, 2, 3], [4]):
        rows = np.flatnonzero((used > 0) & np.isin(known[:, 0], listed))
        new = np.setdiff1d(listed, known[rows, 0]).astype(np.uint64)
        keep_actions(known, used, rows, new[:, None])
    keep_actions(known, used, np.zeros(0, dtype=np.int64), known[2:3].copy())
    assert known[:, 0].tolist() == [7, 4, 2, 3]
    assert used.tolist() == [2**62, 3, 4, 2]


def test_without_a_pool_nothing_depends_on_the_past() -> None:
    """On lists that are not saved, results are those of the methods of a set that has seen nothing, whatever was done before."""
    family = (lambda actions: actions.family(actions.exploration_policy(), variants=2))(_set(5)[1])
    scores = np.sin(np.arange(10.0))
    for tilted in (-scores, 3.0 * scores, scores):
        point, log_point, _ = project(family, tilted, tilted)
        words, _, _ = list_policy(family, point)
    actions = _set(5)[1]
    assert np.array_equal(log_point, actions.kl_project(scores).log_point)
    assert np.array_equal(words, actions.decompose_packed(point, variants=2)[0])


def test_the_same_question_is_asked_once() -> None:
    """Equal weights are answered from memory, by an array of the caller's own; others are asked."""
    oracle, _, family = _bound()
    weights = np.sin(np.arange(float(family.common.dimension)))
    first, n_calls = best(family, weights), oracle.n_calls
    first[:] = 0
    assert best(family, weights).sum() == family.common.size
    assert oracle.n_calls == n_calls
    best(family, -weights)
    assert oracle.n_calls == n_calls + 1


def test_a_projection_that_fails_leaves_the_pool_alone() -> None:
    """Where the oracle raises, the actions known are those from before."""
    oracle, actions, family = _bound()
    d = family.common.dimension
    near = np.array(actions.kl_project(np.zeros(d)).log_point)
    list_policy(family, np.exp(near))
    before = family.hull.data.known.copy(), family.hull.data.used.copy()
    oracle.n_left = 3
    with pytest.raises(ConnectionError):
        project(family, 3.0 * np.sin(np.arange(float(d))), near)
    assert np.array_equal(before[0], family.hull.data.known)
    assert np.array_equal(before[1], family.hull.data.used)


@pytest.mark.parametrize("preset", ["adaptive", "multiscale"])
def test_an_oracle_that_breaks_down_leaves_the_session_as_it_was(preset: str) -> None:
    """Whichever question fails, the error comes out as it is, the state is that before the day, and the day can be shown again."""
    players = [_player(preset) for _ in range(2)]
    oracle, sessions = players[0].actions._ask, [sr.Session(each, rng=3) for each in players]
    n_failures, oracle.error = 0, OracleFault("an oracle must answer", "nothing", "Ask again.")
    for day in range(160):
        actions = [session.act().action for session in sessions]
        assert np.array_equal(*actions)
        reward, before = float(actions[0][:4].sum()) / 4.0, players[0].dump(state_of(sessions[0]))
        for n_left in range(day % 3, 40, 7):
            oracle.n_left = n_left
            try:
                sessions[0].observe(reward)
                break
            except OracleFault:
                n_failures += 1
                after = players[0].dump(state_of(sessions[0]))
                assert [name for name in before if not np.array_equal(before[name], after[name])] == []
        else:
            oracle.n_left = 2**62
            sessions[0].observe(reward)
        oracle.n_left = 2**62
        sessions[1].observe(reward)
    assert n_failures >= 10
    assert sessions[0].snapshot() == sessions[1].snapshot()


def test_windows_ask_few_questions() -> None:
    """Over 200 windows of one day, a projection with its list asks a fraction of what it asks without a pool."""
    counts = []
    for has_pool in (True, False):
        oracle, actions, bound = _bound()
        family = bound if has_pool else actions.family(actions.exploration_policy(), variants=4)
        d, rng = family.common.dimension, np.random.default_rng(1)
        scores, near = np.zeros(d), np.array(actions.kl_project(np.zeros(d)).log_point)
        list_policy(family, np.exp(near))
        before = oracle.n_calls
        for _ in range(200):
            scores = 0.98 * scores + 0.1 * rng.standard_normal(d)
            point, near, _ = project(family, scores, near)
            list_policy(family, point)
        counts.append((oracle.n_calls - before) / 200)
    with_pool, without = counts
    assert with_pool <= 8.0
    assert with_pool <= 0.4 * without


def test_the_filter_looks_among_actions_that_are_known() -> None:
    """In place of each action that is meant stands the best known one for its weights; nobody is asked."""
    oracle, actions, family = _bound()
    policies = list_room(family, 3, 8)
    rng, n_calls = np.random.default_rng(2), oracle.n_calls
    weights, is_meant = rng.standard_normal((6, actions.dimension)), np.array([True, True, False, True, True, True])
    words = np.repeat(policies.known.reshape(-1, 1)[:1], 6, axis=0)
    put_best_known(policies, weights, is_meant, words)
    table = _table(family).astype(np.float64)
    expected = table[(weights @ table.T).argmax(axis=1)]
    expected[2] = table[0]
    assert np.array_equal(unpack_rows(words, actions.dimension), expected)
    assert oracle.n_calls == n_calls
