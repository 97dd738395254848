"""A session in use by several threads, and under signals that come at any moment."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import ProtocolError

N_THREADS = 8
CALLS = int(os.environ.get("SWAPREGRET_FUZZ_CALLS", "2000")) // 10


@pytest.fixture
def hurry() -> Iterator[None]:
    """Have Python go from thread to thread as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Any) -> None:
    """Run ``work(number)`` in threads at the same time, and raise what one of them raised."""
    errors: list[BaseException] = []

    def call(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=call, args=(number,), daemon=True) for number in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "threads wait for each other"
    if errors:
        raise errors[0]


@pytest.mark.usefixtures("hurry")
def test_threads_share_a_session(tmp_path: Path) -> None:
    """Each day is handed out once, each is closed once, policies stay those that drew, and the journal holds all of it."""
    player = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale")
    days: list[int] = []
    path, per_thread = tmp_path / "x.journal", CALLS // N_THREADS
    session: sr.Session[Any] = sr.Session(player, rng=1, max_open=N_THREADS, journal=path)

    def work(number: int) -> None:
        for step in range(per_thread):
            decision = session.act()
            days.append(decision.day)
            marginals = decision.marginals
            if step % 5 == number % 5:
                session.skip(decision)
            else:
                session.observe(float(decision.action[0]), day=decision.day)
            assert np.abs(decision.policy.marginals() - marginals).max() < 1e-12
            if step % 7 == 0:
                session.summary()
                sr.Session.from_bytes(session.snapshot())

    in_threads(work)
    assert sorted(days) == list(range(N_THREADS * per_thread))
    assert session.day == len(days)
    assert sr.Session.load(path).snapshot() == session.snapshot()
    session.close()


@pytest.mark.usefixtures("hurry")
def test_sessions_of_one_player_in_threads() -> None:
    """A player is shared freely: a session in each thread goes as it does alone, with an oracle in Python too."""
    player = sr.swap_combcp(sr.OracleSet(6, sr.MSets(6, 2).argmax), 100, preset="multiscale")
    made: dict[int, bytes] = {}

    def work(number: int) -> None:
        session: sr.Session[Any] = sr.Session(player, rng=number % 2, warm=False)
        for step in range(12):
            session.act()
            session.observe(step % 3 / 3)
        made[number] = session.snapshot()

    in_threads(work)
    assert len(made) == N_THREADS
    assert len(set(made.values())) == 2


def test_alarms_at_any_moment(tmp_path: Path) -> None:
    """TimeoutError out of an alarm: each call happened or did not, as the session says, and so says its journal."""
    player = sr.swap_combcp(sr.MSets(6, 2), 1000, preset="multiscale")
    plain: sr.Session[Any] = sr.Session(player, rng=1)
    path, rng, n_cut, n_torn = tmp_path / "x.journal", np.random.default_rng(2), 0, 0

    def alarm(number: int, frame: object) -> None:
        raise TimeoutError("too slow")

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        session: sr.Session[Any] = sr.Session(player, rng=1, journal=path)
        for _ in range(CALLS):
            is_open, reward = bool(session.open_decisions), float(rng.random())
            stand = 2 * session.day + is_open
            try:
                signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(1e-6, 3e-4)))
                session.observe(reward) if is_open else session.act()
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            except TimeoutError:
                n_cut += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            if session.is_torn:
                n_torn += 1
                with pytest.raises(ProtocolError):
                    session.act()
                session.close()
                session = sr.Session(player, journal=path)
            now = 2 * session.day + len(session.open_decisions)
            assert now in (stand, stand + 1)
            if now > stand:
                plain.observe(reward) if is_open else plain.act()
        assert session.snapshot() == plain.snapshot()
        session.close()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert sr.Session.load(path).snapshot() == plain.snapshot()
    assert n_cut > CALLS // 20
    assert n_torn <= n_cut // 10
