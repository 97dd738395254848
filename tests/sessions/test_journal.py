"""Journals: every acknowledged event is in the file, torn ends are cut, damage and second writers are refused."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.oracle_set import OracleSet
from swapregret.errors import InvalidInput, ProtocolError, StorageError, SwapRegretError, Unsupported
from swapregret.learners.baselines.uniform import uniform
from swapregret.learners.presets import swap_combcp
from swapregret.learners.schedule import Schedule
from swapregret.sessions import open_journal
from swapregret.sessions import session as session_module
from swapregret.sessions.events import ACT, GENERATOR, acted, closed
from swapregret.sessions.journal import MAGIC, is_journal, read_journal, records
from swapregret.sessions.open_journal import Journal
from swapregret.sessions.session import Session
from swapregret.testing.player_checks import journal_of


def player(**options: object) -> object:
    """Make a player with short windows, so that little play has many turns."""
    return swap_combcp(MSets(5, 2), 100, preset="multiscale", schedule=Schedule([2, 4, 12]), **options)  # type: ignore[arg-type]


def go(session: Session, days: int) -> None:
    """Play days whose rewards depend on the day and the action alone; every fifth is skipped."""
    for _ in range(days):
        decision = session.act()
        if decision.day % 5 == 4:
            session.skip()
        else:
            session.observe(float(np.random.default_rng([decision.day, *decision.action]).random()))


def boundaries(data: bytes) -> list[int]:
    """Return where the records of a journal begin, and where the last one ends."""
    found = [data.index(b"\n") + 1]
    while found[-1] < len(data):
        length = int.from_bytes(data[found[-1] : found[-1] + 4], "little")
        found.append(found[-1] + 12 + length)
    return found


def test_a_session_goes_on_where_its_journal_ends(tmp_path: Path) -> None:
    """Closing and opening again at any day gives what an uninterrupted session gives, bit for bit."""
    plain = Session(player(), rng=3)
    for part, days in enumerate([1, 7, 0, 13, 4]):
        session = Session(player(), rng=3 if part == 0 else None, journal=tmp_path / "j")
        assert session.snapshot() == plain.snapshot()
        go(session, days)
        go(plain, days)
        session.close()
    assert Session.load(tmp_path / "j").snapshot() == plain.snapshot()


def test_open_decisions_are_in_the_journal(tmp_path: Path) -> None:
    """A decision made and not yet observed waits after a restart, with the policy that drew it."""
    session = Session(player(), rng=3, journal=tmp_path / "j", max_open=3)
    first, second = session.act(), session.act()
    session.observe(0.5, second)
    session.act()
    session.close()
    again = Session(player(), journal=tmp_path / "j", max_open=3)
    assert [decision.day for decision in again.open_decisions] == [0, 2]
    held = again.open_decisions[0]
    assert np.array_equal(held.action, first.action)
    assert held.elements == first.elements
    assert np.array_equal(held.policy.cooccurrence(), first.policy.cooccurrence())
    again.observe(0.25, first)
    assert again.day == 2


def test_a_torn_end_is_cut(tmp_path: Path) -> None:
    """Cut at any byte, the journal gives back all whole records and is continued after them."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    go(session, 3)
    session.close()
    data = path.read_bytes()
    ends = boundaries(data)
    assert ends[-1] == len(data)
    for length in [*range(ends[2], ends[4] + 1), *range(ends[-3], len(data) + 1)]:
        path.write_bytes(data[:length])
        whole = max(end for end in ends if end <= length)
        read = read_journal(path)
        snapshot, events, found = read.snapshot, read.events, read.length
        assert found == whole
        assert len(events) == ends.index(whole) - 1
        again = Session(player(), journal=path)
        assert path.stat().st_size == whole
        for decision in again.open_decisions:
            again.skip(decision)
        go(again, 1)
        again.close()
        assert len(read_journal(path).events) >= len(events) + 2
        assert snapshot == read_journal(path).snapshot


def test_zeros_after_a_power_failure_are_cut(tmp_path: Path) -> None:
    """A file system may leave zeros where a record was to be; zeros followed by anything else are damage."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    go(session, 3)
    session.close()
    data = path.read_bytes()
    path.write_bytes(data + bytes(100))
    Session(player(), journal=path).close()
    assert path.read_bytes() == data
    path.write_bytes(data + bytes(100) + b"x")
    with pytest.raises(InvalidInput, match="altered record"):
        Session(player(), journal=path)


def test_every_altered_byte_is_refused(tmp_path: Path) -> None:
    """Lengths, checksums and payloads, the first record and the last: no change is taken for a torn end."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    go(session, 6)
    session.close()
    data = path.read_bytes()
    ends = boundaries(data)
    positions = {*range(ends[0]), *range(ends[0], ends[0] + 40), *range(ends[1], len(data))}
    for position in sorted(positions):
        altered = bytearray(data)
        altered[position] ^= 1 << (position % 8)
        path.write_bytes(altered)
        with pytest.raises(InvalidInput, match=r"j'"):
            read_journal(path)
    path.write_bytes(altered)
    for read in (lambda: Session(player(), journal=path), lambda: Session.load(path)):
        with pytest.raises(InvalidInput, match=r"j' must match its checksums: got an altered record at byte"):
            read()
    assert path.read_bytes() == altered


def test_records_cannot_be_left_out_repeated_or_moved(tmp_path: Path) -> None:
    """Checksums run on from record to record."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    go(session, 4)
    session.close()
    data = path.read_bytes()
    ends = boundaries(data)
    parts = [data[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    for order in ([0, 1, 3, 4, 5], [0, 1, 2, 2, 3], [0, 1, 3, 2, 4], [0, 2, 3]):
        path.write_bytes(b"".join(parts[index] for index in order))
        with pytest.raises(InvalidInput, match="altered record"):
            read_journal(path)


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    """A text, a newer journal and one without a whole snapshot are named with their reason."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    session.close()
    data = path.read_bytes()
    cases = {
        b"my notes": "of this library",
        data.replace(b"journal 3\n", b"journal 4\n"): "must have version 3: got version 4. Upgrade",
        data.replace(b"journal 3\n", b"journal 1\n"): "must have version 3: got version 1. Go on with",
        data[:-1]: "begin with a snapshot",
        data[:21]: "begin with a snapshot",
        session.snapshot(): "of this library",
    }
    for content, reason in cases.items():
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=reason):
            Session(player(), journal=path)
        assert path.read_bytes() == content
    path.write_bytes(data.replace(b"journal 3\n", b"journal 4\n"))
    with pytest.raises(InvalidInput, match="version 4"):
        Session.load(path)
    assert is_journal(data)
    assert not is_journal(b"my notes")


def test_an_empty_file_is_not_a_new_journal(tmp_path: Path) -> None:
    """A file that lost its contents is named, not taken for a session that begins."""
    path = tmp_path / "j"
    path.touch()
    for read in (lambda: Session(player(), rng=3, journal=path), lambda: read_journal(path)):
        with pytest.raises(InvalidInput, match=r"j' must begin with a snapshot: got a file of 0 bytes"):
            read()
    assert path.read_bytes() == b""


def test_a_journal_appears_with_its_first_record(tmp_path: Path) -> None:
    """Nobody ever sees a journal that is empty or unlocked, and of two that begin at once one is refused."""
    path = tmp_path / "j"
    first, second = Journal(path), Journal(path)
    assert not path.exists()
    first.begin(b"one")
    with pytest.raises(InvalidInput, match="one writer"):
        second.begin(b"two")
    with pytest.raises(InvalidInput, match="one writer"):
        Journal(path)
    assert read_journal(path).snapshot == b"one"
    assert [each.name for each in tmp_path.iterdir()] == ["j"]
    first.close()
    Journal(path).close()


def test_a_forked_child_cannot_write(tmp_path: Path) -> None:
    """A child is refused at act, observe and compaction, the parent goes on, and the journal replays."""
    path = tmp_path / "j"
    code = f"""
import os, sys
import swapregret as sr
from swapregret.errors import ProtocolError
from swapregret.testing.player_checks import journal_of
session = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1, journal={str(path)!r}, max_open=2)
session.act()
child = os.fork()
if child == 0:
    told = []
    for call in (session.act, lambda: session.observe(0.5), session.skip, lambda: journal_of(session).begin(b"x")):
        try:
            call()
        except ProtocolError as error:
            told.append("by fork" in str(error))
    session.close()
    os._exit(0 if told == [True] * 4 and session.day == 0 else 1)
_, status = os.waitpid(child, 0)
try:
    sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), journal={str(path)!r}, max_open=2)
except ValueError as error:
    print(error)
session.observe(0.5)
session.act()
session.close()
print(os.waitstatus_to_exitcode(status))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert told.stdout.splitlines()[-1] == "0"
    assert "one writer" in told.stdout
    loaded = Session.load(path)
    assert (loaded.day, len(loaded.open_decisions)) == (1, 1)


def test_what_killed_writers_left_is_swept(tmp_path: Path) -> None:
    """Opening or writing a journal removes temporary files without a living writer, and leaves those of others alone."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    session.close()
    kept = {"j", ".other.0.new", ".j.notes"}
    for name in (".j.0.new", ".j.1.new", ".other.0.new", ".j.notes"):
        (tmp_path / name).write_bytes(b"half of it")
    Session.load(path)
    assert {each.name for each in tmp_path.iterdir()} == kept
    (tmp_path / ".j.0.new").write_bytes(b"half of it")
    Session(player(), journal=path).close()
    assert {each.name for each in tmp_path.iterdir()} == kept


def event_file(path: Path, *payloads: bytes) -> None:
    """Write a journal with records of these payloads, with good checksums, after the snapshot of a new session."""
    path.write_bytes(MAGIC + records([Session(player(), rng=3).snapshot(), *payloads])[0])


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"skip",
        b"act 0",
        b"act 0 ",
        b"generator 3",
        b"reward 5",
        b"reward -1 0.5",
        b"reward x 0.5",
        b"skip 0 x",
        b"skip \xff",
        b"skip " + b"9" * 19,
        b"skip " + b"9" * 5000,
        b"slip 0",
        b'{"skip":0}',
    ],
)
def test_whole_records_that_are_no_events_are_refused(tmp_path: Path, payload: bytes) -> None:
    """A record with a good checksum that this library did not write is refused with its place."""
    event_file(tmp_path / "j", payload)
    with pytest.raises(InvalidInput, match=r"j' must match its checksums: got a record at byte"):
        Session.load(tmp_path / "j")


@pytest.mark.parametrize(
    "state", [b"3", b"{}", b'{"bit_generator":"PCG64"}', b'{"bit_generator":[]}', b"\xff", b"[" * 100_000, b"9" * 5000]
)
def test_a_generator_that_is_none_is_refused(tmp_path: Path, state: bytes) -> None:
    """The state of a generator in an event is checked like everything else."""
    event_file(tmp_path / "j", b"generator 0 " + state)
    with pytest.raises(InvalidInput, match="must replay"):
        Session.load(tmp_path / "j")


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    """A second session on the same path is refused, here and in another process, until the first is closed or gone."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path)
    go(session, 2)
    with pytest.raises(InvalidInput, match=r"one writer: got .*j', which another session has open"):
        Session(player(), journal=path)
    code = (
        "import sys; from swapregret.sessions.open_journal import Journal\n"
        "try: Journal(sys.argv[1])\n"
        "except ValueError as error: print(error)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120, check=True
    )
    assert "one writer" in told.stdout
    assert Session.load(path).day == 2
    go(session, 2)
    session.close()
    second = Session(player(), journal=path)
    assert second.day == 4
    del second
    gc.collect()
    Session(player(), journal=path).close()


def wait(session: Session) -> None:
    """Wait until a journal that begins anew is written."""
    if (journal := journal_of(session)) is not None:
        journal.settle()


def test_the_lock_moves_with_a_compaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the file is replaced, the new one is locked before anybody can see it."""
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", 4)
    session = Session(player(), rng=3, journal=tmp_path / "j")
    numbers = set()
    for _ in range(6):
        go(session, 1)
        wait(session)
        numbers.add((tmp_path / "j").stat().st_ino)
        with pytest.raises(InvalidInput, match="one writer"):
            Journal(tmp_path / "j")
    assert len(numbers) > 1
    session.close()


def test_a_replaced_file_is_opened_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the last writer replaces the file between opening and locking, the new file is taken, not the old one."""
    path = tmp_path / "j"
    first = Journal(path)
    first.begin(b"old")
    first.close()
    real, calls = open_journal.fcntl.flock, []

    def flock(handle: int, how: int) -> None:
        if not calls:
            calls.append(handle)
            (tmp_path / "new").write_bytes(path.read_bytes())
            os.replace(tmp_path / "new", path)
        real(handle, how)

    monkeypatch.setattr(open_journal.fcntl, "flock", flock)
    second = Journal(path)
    monkeypatch.undo()
    assert os.fstat(second._file).st_ino == path.stat().st_ino
    second.close()


@pytest.mark.parametrize("every", [1, 2, 3, 5, 8])
def test_compaction_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    """However often the journal is begun anew, the session and its continuation stay the same; it stays short."""
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", every)
    plain = Session(player(), rng=3)
    for _ in range(4):
        session = Session(player(), rng=3, journal=tmp_path / "j")
        for _ in range(11):
            go(session, 1)
            wait(session)
            go(plain, 1)
            assert len(read_journal(tmp_path / "j").events) <= every + 4  # the next event brings the new file
            loaded = Session.load(tmp_path / "j")
            assert loaded.summary().n_skipped == plain.summary().n_skipped
            assert loaded.snapshot() == plain.snapshot()
        session.close()


def test_a_compaction_that_fails_is_put_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without room for a second file the old one goes on, with every event in it."""
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", 4)
    session = Session(player(), rng=3, journal=tmp_path / "j")

    def full(*arguments: object, **options: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(open_journal, "write_beside", full)
    go(session, 9)
    wait(session)
    monkeypatch.undo()
    session.close()
    assert Session.load(tmp_path / "j").day == 9


@pytest.mark.parametrize("call", ["act", "observe", "skip"])
def test_an_event_that_cannot_be_written_did_not_happen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """A write that fails half way leaves file, session and generator as they were, and the call can be made again."""
    path = tmp_path / "j"
    session, plain = Session(player(), rng=3, journal=path), Session(player(), rng=3)
    for each in (session, plain):
        go(each, 3)
        if call != "act":
            each.act()
    calls: dict[str, Callable[[Session], object]] = {
        "act": lambda each: each.act(),
        "observe": lambda each: each.observe(0.5),
        "skip": lambda each: each.skip(),
    }
    real, size, before = os.write, path.stat().st_size, session.snapshot()

    def half(handle: int, data: bytes) -> int:
        real(handle, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(open_journal.os, "write", half)
    with pytest.raises(OSError, match="No space"):
        calls[call](session)
    monkeypatch.setattr(open_journal.os, "write", lambda handle, data: real(handle, data[:5]))
    with pytest.raises(StorageError, match=r"j'?.*part of the record"):
        calls[call](session)
    monkeypatch.undo()
    assert path.stat().st_size == size
    assert session.snapshot() == before
    calls[call](session)
    calls[call](plain)
    assert session.snapshot() == plain.snapshot()
    session.close()
    assert Session.load(path).snapshot() == plain.snapshot()


def test_a_generator_shared_with_others_is_followed(tmp_path: Path) -> None:
    """If somebody else draws from the session's generator, the journal notes where it stood, and replays."""
    rng = np.random.default_rng(3)
    session = Session(player(), rng=rng, journal=tmp_path / "j")
    for _ in range(6):
        rng.random(3)
        go(session, 2)
    before = session.snapshot()
    session.close()
    assert Session.load(tmp_path / "j").snapshot() == before


def test_a_process_that_dies_between_the_generator_and_the_action(tmp_path: Path) -> None:
    """Where the note of the generator is whole and the action is not, the action is drawn again, the same one."""
    rng, path = np.random.default_rng(3), tmp_path / "j"
    session = Session(player(), rng=rng, journal=path)
    rng.random(3)
    drawn = session.act()
    session.close()
    data = path.read_bytes()
    path.write_bytes(data[: boundaries(data)[-2] + 5])
    with Session(player(), journal=path) as again:
        assert not again.open_decisions
        assert np.array_equal(again.act().action, drawn.action)
    assert [event.kind for event in read_journal(path).events] == [GENERATOR, ACT]


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_any_generator_of_numpy(tmp_path: Path, kind: type) -> None:
    """Generators with arrays in their state are written too."""
    session = Session(player(), rng=np.random.Generator(kind(1)), journal=tmp_path / "j")
    go(session, 5)
    before = session.snapshot()
    session.close()
    assert Session.load(tmp_path / "j").snapshot() == before


def test_journals_of_other_configurations_are_refused(tmp_path: Path) -> None:
    """Player, range and number of open decisions must be those of the journal; it is not touched otherwise."""
    path = tmp_path / "j"
    session = Session(player(), rng=3, journal=path, reward_range=(0.0, 2.0), max_open=2)
    session.act()
    session.close()
    data = path.read_bytes()
    good = {"reward_range": (0.0, 2.0), "max_open": 2}
    for bad in ({"reward_range": (0.0, 1.0)}, {"max_open": 1}):
        with pytest.raises(InvalidInput, match="those of journal"):
            Session(player(), journal=path, **(good | bad))
    with pytest.raises(InvalidInput, match="configured as the one"):
        Session(player(exploration=0.2), journal=path, **good)
    assert path.read_bytes() == data
    assert Session(player(), journal=path, **good).reward_range == (0.0, 2.0)


def test_odd_rewards_are_replayed(tmp_path: Path) -> None:
    """NaN outside the action, numbers of other types and lists are read again as they were read the first time."""
    seen = Session(player(feedback="semi-bandit"), rng=3, journal=tmp_path / "elements")
    total = Session(player(), rng=3, journal=tmp_path / "totals")
    for reward in (Fraction(1, 3), np.float32(0.1), 1, np.array(0.25), 0):
        decision = seen.act()
        seen.observe(np.where(decision.action > 0, float(reward) / 2, np.nan))
        total.act()
        total.observe(reward)  # type: ignore[arg-type]
    seen.act()
    seen.observe((0.25, 0.5))
    for session, name in ((seen, "elements"), (total, "totals")):
        assert Session.load(tmp_path / name).snapshot() == session.snapshot()
        session.close()


def test_players_with_functions_of_ones_own(tmp_path: Path) -> None:
    """A set known by a function can be journalled; the player is made again by the user."""
    actions = OracleSet(3, lambda weights: (np.arange(3) == np.argmax(weights)).astype(np.int64))
    mine = swap_combcp(actions, 100, preset="multiscale", schedule=Schedule([2, 4, 12]))
    session = Session(mine, rng=3, journal=tmp_path / "j")
    go(session, 9)
    before = session.snapshot()
    session.close()
    again = Session(mine, journal=tmp_path / "j")
    assert again.snapshot() == before
    again.close()
    with pytest.raises(Unsupported, match="player=player"):
        Session.load(tmp_path / "j")


def test_a_journal_that_does_not_replay_is_refused(tmp_path: Path) -> None:
    """Whole records that do not fit together, as from another version's policies, are refused with the event."""
    path = tmp_path / "j"
    session = Session(player(), rng=3)
    none, all_five = np.zeros(5, dtype=np.int64), np.ones(5, dtype=np.int64)
    wrong = [closed(0, 0.5), closed(0, None), acted(0, none), acted(7, all_five)]
    drawn = acted(0, Session(player(), rng=3).act().action)  # what is told must be one number
    for events in (*([event] for event in wrong), [drawn, closed(0, [0.5, 0.5])], [drawn, closed(1, 0.5)]):
        log = Journal(path)
        log.begin(session.snapshot())
        log.append(*(event.line() for event in events))
        log.close()
        with pytest.raises(InvalidInput, match="must replay to the decisions it records"):
            Session.load(path)


def test_a_closed_session_takes_no_calls(tmp_path: Path) -> None:
    """After close() nothing could be written, so nothing may happen."""
    session = Session(player(), rng=3, journal=tmp_path / "j", max_open=2)
    decision = session.act()
    session.close()
    session.close()
    for call in (session.act, lambda: session.observe(0.5), lambda: session.skip(decision)):
        with pytest.raises(ProtocolError, match=r"after close\(\)"):
            call()
    assert session.day == 0


def test_a_start_that_fails_leaves_no_file(tmp_path: Path) -> None:
    """A journal that could not be begun is removed."""
    broken = player(exploration_policy="d-optimal")  # which only ComBand has
    with pytest.raises(SwapRegretError):
        Session(broken, rng=3, journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InvalidInput, match=r"folder that exists: got .*no/j"):
        Session(player(), rng=3, journal=tmp_path / "no" / "j")
    for bad in (7.5, "a\0b", tmp_path, ["x"]):
        with pytest.raises(InvalidInput):
            Session(player(), rng=3, journal=bad)  # type: ignore[arg-type]
    for odd in ("no", 1, None, np.True_):
        with pytest.raises(InvalidInput, match="`sync` must be True or False"):
            Session(player(), rng=3, journal=tmp_path / "j", sync=odd)  # type: ignore[arg-type]


def test_sync_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sync=True every event is followed by fsync, without it none."""
    for sync, expected in ((True, 4), (False, 0)):
        session = Session(player(), rng=3, journal=tmp_path / f"j{sync}", sync=sync)
        calls = []
        monkeypatch.setattr(open_journal.os, "fsync", calls.append)
        go(session, 2)
        monkeypatch.undo()
        assert len(calls) == expected
        session.close()


def test_a_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    """When the parent is killed its journal can be opened again, though a child made by fork lives on."""
    path = tmp_path / "j"
    code = f"""
import os, signal
import swapregret as sr
session = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=1, journal={str(path)!r})
session.act()
if os.fork() == 0:
    print(os.getpid(), flush=True)  # from here on it has let go
    signal.pause()
os.kill(os.getpid(), signal.SIGKILL)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        try:
            process.wait(timeout=60)
            with Session(uniform(MSets(4, 2)), journal=path) as again:
                assert len(again.open_decisions) == 1
        finally:
            os.kill(child, signal.SIGKILL)
