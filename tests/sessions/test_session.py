"""A session: the protocol, feedback that is late or missing, and files from which it goes on bit for bit."""

import hashlib
import inspect
import itertools
import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, InvalidReward, ProtocolError, Unsupported
from swapregret.files import storage
from swapregret.files.storage import to_bytes
from swapregret.learners import presets
from swapregret.learners.doubling import anytime
from swapregret.learners.schedule import Schedule
from swapregret.sessions.session import Session
from swapregret.testing.player_checks import state_of

swap_combcp = partial(presets.swap_combcp, preset="multiscale")
swap_comband = partial(presets.swap_comband, preset="multiscale")
SHORT = Schedule([2, 4, 12])
PAIRS = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 1, 0]]

# Played in this process and in others alike: rewards depend on the day and the action only, decisions are observed late
# and out of order where several may be open, and some are skipped.


def shown(session: Session, decision: sr.Decision) -> object:
    """Return what the world shows of a day, by the kind of feedback."""
    actions, feedback = session.player.actions, session.player.feedback
    values = np.random.default_rng([99, decision.day]).random(actions.dimension) / max(1, actions.size)
    total = float(values @ decision.action)
    return {"bandit": total, "semi-bandit": values * decision.action, "full": values}[feedback]


def go(session: Session, days: int) -> None:
    """Make that many decisions, and close those that are due."""
    for _ in range(days):
        decision = session.act()
        if len(session.open_decisions) < session.max_open and decision.day % 4 != 3:
            continue
        waiting = session.open_decisions
        chosen = waiting[decision.day % len(waiting)]
        if chosen.day % 7 == 5:
            session.skip(chosen)
        else:
            session.observe(shown(session, chosen), chosen)  # type: ignore[arg-type]


def players() -> dict[str, object]:
    """Return one player of every kind the library makes, with windows short enough to turn often."""
    edges = [("s", 1), ("s", 2), (1, 2), (1, "t"), (2, "t")]
    sets: dict[str, sr.ActionSet] = {
        "m-sets": sr.MSets(5, 2, labels="abcde"),
        "list": sr.Explicit(PAIRS),
        "one": sr.MSets(3, 3),
        "permutations": sr.Permutations(3),
        "paths": sr.DagPaths(edges, source="s", sink="t"),
    }
    made: dict[str, object] = {}
    for name, actions in sets.items():
        made[f"combcp {name}"] = swap_combcp(actions, 100, schedule=SHORT, preset="multiscale")
        made[f"comband {name}"] = swap_comband(actions, 100, schedule=SHORT, preset="multiscale")
    m_sets = sets["m-sets"]
    made["paper combcp"] = presets.swap_combcp(m_sets, 100, preset="paper")
    made["paper comband"] = presets.swap_comband(m_sets, 100, preset="paper")
    made["semi-bandit"] = swap_combcp(m_sets, 100, schedule=SHORT, feedback="semi-bandit", preset="multiscale")
    made["full"] = swap_combcp(m_sets, 100, schedule=SHORT, feedback="full", preset="multiscale")
    made["comband full"] = swap_comband(m_sets, 100, schedule=SHORT, feedback="full", preset="multiscale")
    made["no exploration"] = swap_combcp(m_sets, 100, schedule=SHORT, exploration=0.0, variants=1, preset="multiscale")
    for name, preset in (("multiscale", "multiscale"), ("adaptive", "adaptive"), ("paper", "paper")):
        made[f"anytime {name}"] = anytime(presets.swap_combcp, sets["list"], first_epoch=9, preset=preset)
    made["anytime m-sets"] = anytime(presets.swap_combcp, m_sets, first_epoch=9, preset="multiscale")
    made["anytime comband"] = anytime(
        presets.swap_comband, sets["list"], first_epoch=9, feedback="semi-bandit", preset="multiscale"
    )
    for name, actions in sets.items():
        made[f"adaptive {name}"] = presets.swap_combcp(actions, 100, preset="adaptive", schedule=SHORT)
    made["adaptive comband"] = presets.swap_comband(m_sets, 100, preset="adaptive", schedule=SHORT)
    made["adaptive full"] = presets.swap_combcp(m_sets, 100, preset="adaptive", schedule=SHORT, feedback="full")
    for name in sr.baselines.__all__:
        made[f"baseline {name}"] = getattr(sr.baselines, name)(sr.MSets(5, 2), 100)
    return made


def digest(session: Session) -> str:
    """Return a fingerprint of everything a session holds."""
    return hashlib.sha256(session.snapshot()).hexdigest()


# ---- the protocol -----------------------------------------------------------------------------------------------------


def test_act_and_observe_in_the_users_words() -> None:
    """A decision has its day, its 0/1 vector, the labels of its elements and the policy that drew it."""
    session = Session(swap_combcp(sr.MSets(4, 2, labels="abcd"), 1000, preset="multiscale"), rng=7)
    for day in range(5):
        policy = session.policy()
        decision = session.act()
        assert decision.day == day == session.day
        assert np.array_equal(decision.policy.cooccurrence(), policy.cooccurrence())
        assert decision.elements == tuple("abcd"[i] for i in np.flatnonzero(decision.action))
        assert decision.action.sum() == 2
        with pytest.raises(ValueError, match="read-only"):
            decision.action[0] = 1
        session.observe(0.5)
    assert list(session.marginals().items()) == list(zip("abcd", session.policy().marginals().tolist(), strict=True))
    assert session.reward_range == (0.0, 1.0)


def test_calls_out_of_order_are_refused_and_change_nothing() -> None:
    """Observing nothing, acting twice, observing twice, a decision of another session: refused, the session as it was."""
    session = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=1)
    other = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=2)
    go(session, 3)
    go(other, 3)
    closed = session.act()
    session.observe(0.5)
    stranger = other.act()
    before = session.snapshot()
    for call in (
        lambda: session.observe(0.5),
        session.skip,
        lambda: session.observe(0.5, closed),
        lambda: session.skip(closed),
        lambda: session.observe(0.5, 4),
        lambda: session.observe(0.5, stranger),
    ):
        with pytest.raises(ProtocolError):
            call()
        assert session.snapshot() == before
    mine = session.act()
    before = session.snapshot()
    with pytest.raises(ProtocolError, match=f"day {mine.day} not yet observed"):
        session.act()
    strangers = (Session(session.player, rng=seed).act() for seed in range(20))
    twin = next(each for each in strangers if not np.array_equal(each.action, mine.action))
    with pytest.raises(ProtocolError, match="not open"):
        session.observe(0.5, sr.Decision(mine.day, twin.action, session.player.actions, twin.held))
    assert session.snapshot() == before
    several = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=1, max_open=2)
    several.act()
    several.act()
    with pytest.raises(ProtocolError, match="2 decisions open"):
        several.observe(0.5)


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-3.0, -1.0), (-10.0, 250.0)])
def test_feedback_end_to_end_in_any_range(feedback: str, bounds: tuple[float, float]) -> None:
    """Rewards of any declared range give the play that the same rewards scaled to [0, 1] give."""
    low, high = bounds
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, feedback=feedback, preset="multiscale")
    scaled, unit = Session(player, rng=4, reward_range=bounds), Session(player, rng=4)
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b = scaled.act(), unit.act()
        assert np.array_equal(a.action, b.action)
        values = rng.random(5) / 2
        large = low / 2 + (high - low) * values
        if feedback == "bandit":
            scaled.observe(float(large @ a.action))
            unit.observe(float(values @ b.action))
        elif feedback == "semi-bandit":
            scaled.observe(large[a.action > 0])
            unit.observe(values * b.action)
        else:
            scaled.observe(large)
            unit.observe(values)
    assert scaled.marginals() == pytest.approx(unit.marginals(), rel=0.0, abs=1e-7)


@pytest.mark.parametrize(
    ("feedback", "bad"),
    [
        ("bandit", [float("nan"), float("inf"), -0.1, 1.1, None, "0.5", [0.5], np.ones(5)]),
        ("semi-bandit", [0.5, [0.1], [float("nan"), 0.1], [0.9, 0.9], np.full(5, 2.0), np.ones((1, 5))]),
        ("full", [0.5, [0.1, 0.1], np.full(5, np.nan), np.full(5, 0.6), np.full(4, 0.1)]),
    ],
)
def test_bad_rewards_leave_the_session_as_it_was(feedback: str, bad: list[object]) -> None:
    """A refused reward changes no byte of the session, and the right one is then taken as if nothing had been."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, feedback=feedback, preset="multiscale")
    session, plain = Session(player, rng=4), Session(player, rng=4)
    for each in (session, plain):
        go(each, 7)
        each.act()
    before = session.snapshot()
    for reward in bad:
        with pytest.raises(InvalidReward):
            session.observe(reward)  # type: ignore[arg-type]
        assert session.snapshot() == before
    for each in (session, plain):
        each.observe(shown(each, each.open_decisions[0]))
    assert session.snapshot() == plain.snapshot()


def test_arguments_are_checked() -> None:
    """Ranges, numbers of open decisions and seeds that make no sense are refused."""
    player = swap_combcp(sr.MSets(5, 2), 100, preset="multiscale")
    for bad in ({"reward_range": (1, 0)}, {"reward_range": 3}, {"max_open": 0}, {"max_open": 1.5}):
        with pytest.raises(InvalidInput):
            Session(player, **bad)  # type: ignore[arg-type]


# ---- late and missing feedback -----------------------------------------------------------------------------------------


def test_late_rewards_are_estimated_with_the_policy_that_drew_them() -> None:
    """However the player has changed since, R̃ = r Σ⁺M uses the Σ of the decision's own policy."""
    player = swap_combcp(
        sr.MSets(5, 2),
        100,
        schedule=Schedule([1, 4, 8]),
        predictor_step=0.0,
        random_offset=False,
        exploration=0.2,
        preset="multiscale",
    )
    session = Session(player, rng=6, max_open=8)
    waiting = []
    for day in range(8):
        waiting.append(session.act())
        if day % 2:
            session.observe(float(day % 3) / 2, waiting.pop())
    assert len({id(decision.policy) for decision in waiting}) == 4
    for decision in (waiting[2], waiting[0], waiting[3], waiting[1]):
        before = state_of(session).estimated_total()
        session.observe(0.75, decision)
        exact = 0.75 * np.linalg.pinv(decision.policy.cooccurrence()) @ decision.action
        assert np.allclose(state_of(session).estimated_total() - before, exact, rtol=0.0, atol=1e-9)
    assert session.open_decisions == ()


def test_the_order_of_late_rewards_does_not_matter_within_a_base_window() -> None:
    """Observed in any order before the window ends, the same rewards make the same policy."""
    player = swap_combcp(
        sr.MSets(5, 2), 100, schedule=Schedule([4, 16]), predictor_step=0.0, random_offset=False, preset="multiscale"
    )
    results = []
    for order in itertools.permutations(range(4)):
        session = Session(player, rng=6, max_open=4)
        decisions = [session.act() for _ in range(4)]
        for index in order:
            session.observe(index / 4, decisions[index])
        results.append(session.policy().marginals())
    assert np.abs(np.array(results) - results[0]).max() <= 1e-12
    assert not np.allclose(results[0], 0.4)


def test_skipped_days_count_and_teach_nothing() -> None:
    """A skipped day moves the calendar on with estimate 0, and is counted."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, random_offset=False, preset="multiscale")
    session = Session(player, rng=6)
    go(session, 9)
    skipped = session.summary().n_skipped
    tally = state_of(session).state.tally
    total, guess = state_of(session).estimated_total(), tally.prediction.copy()
    session.act()
    session.skip()
    assert session.day == 10
    assert session.summary().n_skipped == skipped + 1
    assert np.allclose(state_of(session).estimated_total(), total, rtol=0.0, atol=1e-12)
    assert np.array_equal(tally.prediction, guess)


def test_summary() -> None:
    """The summary has the days closed, skipped and open, and what the player says of itself."""
    session = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=6, max_open=3)
    session.act()
    session.observe(0.5)
    session.act()
    late = session.act()
    session.skip(late)
    session.act()
    summary = session.summary()
    assert (summary.day, summary.n_skipped, summary.open_days) == (2, 1, (1, 3))
    assert summary.player is not None
    assert [scale.restart_every for scale in summary.player.scales] == [4, 12]
    assert summary.player.smallest_eigenvalue is not None
    assert summary.player.smallest_eigenvalue > 0.0
    assert Session(sr.baselines.uniform(sr.MSets(4, 2))).summary().player is None


# ---- seeds ---------------------------------------------------------------------------------------------------------------


def test_same_seed_same_bits() -> None:
    """Sessions with the same seed agree in every byte; another seed differs; so do seeds written in other ways."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale")

    def play(rng: object) -> tuple[str, int | None]:
        session = Session(player, rng=rng)  # type: ignore[arg-type]
        go(session, 25)
        arrays = player.dump(state_of(session))
        return hashlib.sha256(b"".join(array.tobytes() for array in arrays.values())).hexdigest(), session.entropy

    first = play(7)
    assert first == play(7) == play(np.int64(7)) == play(np.random.SeedSequence(7))
    assert play(np.random.default_rng(7)) == (first[0], None)
    assert play(8)[0] != first[0]
    assert play(np.random.SeedSequence(7, spawn_key=(1,)))[1] is None


def test_entropy_of_an_unseeded_session_is_recorded() -> None:
    """The number drawn makes the same session again, also after it went through a file."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale")
    session = Session(player)
    assert isinstance(session.entropy, int)
    again = Session(player, rng=session.entropy)
    go(session, 9)
    go(again, 9)
    assert session.snapshot() == again.snapshot()
    assert Session(player).entropy != session.entropy


# ---- files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["combcp m-sets", "comband list", "anytime paper", "no exploration", "adaptive m-sets"]
)
def test_saved_at_any_day_it_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    """Saving after every day, with decisions open or not, changes neither the saved session nor the loaded one."""
    player = players()[name]
    plain = Session(player, rng=5, max_open=3)  # type: ignore[arg-type]
    relay = Session(player, rng=5, max_open=3)  # type: ignore[arg-type]
    for _ in range(30):
        relay.save(tmp_path / "file")
        relay = Session.load(tmp_path / "file")
        go(plain, 1)
        go(relay, 1)
        assert relay.snapshot() == plain.snapshot()
        assert relay.entropy == 5
        for ours, theirs in zip(relay.open_decisions, plain.open_decisions, strict=True):
            assert (ours.day, ours.elements) == (theirs.day, theirs.elements)
            assert np.array_equal(ours.policy.cooccurrence(), theirs.policy.cooccurrence())


@pytest.mark.parametrize("name", ["m-sets", "paths"])
def test_sets_without_a_matrix_go_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    """Where there is no Σ, what waits may be written with other scratch; policies and what is learnt are the same."""
    edges = [("s", 1), ("s", 2), (1, 2), (1, "t"), (2, "t")]
    actions: sr.ActionSet = sr.MSets(5, 2) if name == "m-sets" else sr.DagPaths(edges, source="s", sink="t")
    player = swap_combcp(actions, 100, schedule=SHORT, policy="chain")
    assert player.learner.plan.kind == "chain"
    plain, relay = (Session(player, rng=5, max_open=3) for _ in range(2))
    for _ in range(30):
        relay.save(tmp_path / "file")
        relay = Session.load(tmp_path / "file")
        go(plain, 1)
        go(relay, 1)
        ours, theirs = (player.dump(state_of(session)) for session in (relay, plain))
        assert {name: array.tobytes() for name, array in ours.items()} == {n: a.tobytes() for n, a in theirs.items()}
        for one, other in zip(relay.open_decisions, plain.open_decisions, strict=True):
            assert np.array_equal(one.policy.cooccurrence(), other.policy.cooccurrence())


def test_policies_that_are_equal_but_apart_stay_apart(tmp_path: Path) -> None:
    """Where nothing is paid, updated scales equal fresh ones; a loaded session still keeps what the running one keeps apart."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, predictor_step=0.0, preset="multiscale")
    plain, relay = Session(player, rng=5), Session(player, rng=5)
    for _ in range(26):
        relay.save(tmp_path / "file")
        relay = Session.load(tmp_path / "file")
        for each in (plain, relay):
            each.act()
            each.observe(0.0)
        assert relay.snapshot() == plain.snapshot()
        assert np.array_equal(relay.policy().cooccurrence(), plain.policy().cooccurrence())


CHILD = """
import hashlib, json, pathlib, sys
import numpy as np
import swapregret as sr
from swapregret.learners import presets
from swapregret.learners.schedule import Schedule
from swapregret.sessions.session import Session

{functions}

found = {{}}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    session = sr.Session.load(path)
    go(session, 21)
    found[path.name] = hashlib.sha256(session.snapshot()).hexdigest()
print(json.dumps(found | large_sets()))
"""


def large_sets() -> dict[str, str]:
    """Play a few days on sets whose matrices are large enough for several threads."""
    found = {}
    for d, m, days in ((40, 5, 20), (130, 8, 6), (260, 5, 4)):
        for factory in (presets.swap_combcp, presets.swap_comband):
            session = Session(factory(sr.MSets(d, m), 100, preset="multiscale", schedule=Schedule([2, 4, 8])), rng=1)
            go(session, days)
            found[f"{factory.__name__} {d}"] = hashlib.sha256(session.snapshot()).hexdigest()
    return found


CHILD = CHILD.format(functions="\n\n".join(inspect.getsource(each) for each in (shown, go, large_sets)))


def test_every_player_goes_on_in_a_new_process_with_any_number_of_threads(tmp_path: Path) -> None:
    """Play 17, save, load elsewhere, play 21 is play 38 bit for bit, for every player, with open decisions, on 1 or 2 threads."""
    expected = {}
    for index, (name, player) in enumerate(players().items()):
        saved, plain = (Session(player, rng=index, max_open=3) for _ in range(2))  # type: ignore[arg-type]
        go(saved, 17)
        assert len(saved.open_decisions) > 0
        saved.save(tmp_path / name)
        go(plain, 38)
        expected[name] = digest(plain)
    expected |= large_sets()
    results = []
    for threads in ("1", "2"):
        environment = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        run = subprocess.run(
            [sys.executable, "-c", CHILD, str(tmp_path)],
            env=environment | {"PYTHONPATH": str(Path(sr.__file__).parents[1])},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        results.append(json.loads(run.stdout))
    for result in results:
        assert result == expected


def test_a_player_given_is_checked(tmp_path: Path) -> None:
    """An equal player may be handed over, another is refused; one with functions of one's own must be."""
    player = swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale")
    session = Session(player, rng=5)
    session.save(tmp_path / "file")
    assert Session.load(tmp_path / "file", player=player).player is player
    with pytest.raises(InvalidInput, match="configured as the one in"):
        Session.load(
            tmp_path / "file",
            player=swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, exploration=0.5, preset="multiscale"),
        )
    oracle = sr.OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64))
    mine = swap_combcp(oracle, 100, schedule=SHORT, preset="multiscale")
    session = Session(mine, rng=5)
    go(session, 7)
    session.save(tmp_path / "mine")
    with pytest.raises(Unsupported, match="player=player"):
        Session.load(tmp_path / "mine")
    loaded = Session.load(tmp_path / "mine", player=mine)
    go(loaded, 9)
    go(session, 9)
    assert loaded.snapshot() == session.snapshot()


def test_damaged_files_are_refused_by_name_and_reason(tmp_path: Path) -> None:
    """Truncated at many places, altered at random ones, of a newer version, of another kind, missing: each has its sentence."""
    session = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=5, max_open=2)
    go(session, 9)
    path = tmp_path / "the file"
    session.save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for length in [0, 1, 15, 16, 23, 24, 60, *rng.integers(60, len(data), 60).tolist(), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(InvalidInput, match=r"the file' must .*truncated"):
            Session.load(path)
    for position in rng.integers(0, len(data), 200):
        altered = bytearray(data)
        altered[position] ^= int(rng.integers(1, 256))
        path.write_bytes(altered)
        with pytest.raises(InvalidInput, match="the file' must"):
            Session.load(path)
    path.write_bytes(data.replace(b'"version":1', b'"version":2', 1))
    with pytest.raises(InvalidInput, match="format version 1 or older: got version 2"):
        Session.load(path)
    path.write_bytes(to_bytes("ledger", {}, {}))
    with pytest.raises(InvalidInput, match="hold a session: got a ledger"):
        Session.load(path)
    path.write_bytes(b"hello")
    with pytest.raises(InvalidInput, match="a file of another kind"):
        Session.load(path)
    path.unlink()
    with pytest.raises(InvalidInput, match=r"the file.*No such file"):
        Session.load(path)
    path.write_bytes(data)
    assert Session.load(path).snapshot() == session.snapshot()


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of space half way: the file is the one before, nothing else is left, the session goes on."""
    session = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=5)
    session.save(tmp_path / "file")
    before = (tmp_path / "file").read_bytes()
    go(session, 3)
    real = os.write

    def half(handle: int, data: bytes) -> int:
        real(handle, bytes(data)[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage.os, "write", half)
    with pytest.raises(OSError, match="No space"):
        session.save(tmp_path / "file")
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == before
    assert Session.load(tmp_path / "file").day == 0
    session.save(tmp_path / "file")
    assert Session.load(tmp_path / "file").day == 3


def test_the_file_holds_no_pickle(tmp_path: Path) -> None:
    """A session file is a JSON header and raw numbers."""
    session = Session(swap_combcp(sr.MSets(5, 2), 100, schedule=SHORT, preset="multiscale"), rng=5)
    session.save(tmp_path / "file")
    data = (tmp_path / "file").read_bytes()
    start = data.index(b"{")
    header = json.loads(data[start : start + int.from_bytes(data[start - 8 : start], "little")])
    assert header["version"] == 1
    assert header["kind"] == "session"
    assert header["metadata"]["entropy"] == 5
    assert b"numpy" not in data
    assert b"pickle" not in data


def test_the_page_on_sessions_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every block of docs/how_to/run_a_session.md runs after the one before, and prints what its comments say."""
    page = (Path(__file__).parents[2] / "docs" / "how_to" / "run_a_session.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 13
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out.splitlines()
    assert any("in [-50, 200]: got 1000.0" in line for line in printed)
    assert "3 ()" in printed
    assert printed[-1] == "1"
