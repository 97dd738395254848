"""Rewards that come late are named by their day, and a session closes itself."""

from pathlib import Path

import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, ProtocolError

PLAYER = sr.swap_combcp(sr.MSets(5, 2), 500)


def test_rewards_by_day_are_rewards_by_decision() -> None:
    """Naming a decision by its day or handing it over gives the same session, bit for bit."""
    one, other = sr.Session(PLAYER, rng=1, max_open=4), sr.Session(PLAYER, rng=1, max_open=4)
    for _ in range(10):
        first, second = [one.act() for _ in range(3)], [other.act() for _ in range(3)]
        one.observe(0.25, day=first[2].day)
        other.observe(0.25, second[2])
        one.skip(day=first[0].day)
        other.skip(second[0])
        one.observe(0.75, day=first[1].day)
        other.observe(0.75, second[1])
    assert one.snapshot() == other.snapshot()


@pytest.mark.parametrize("day", [0, 17, -1, "3", 1.5])
def test_a_day_that_does_not_wait_is_refused(day: object) -> None:
    """Closed days, days to come and what is no day at all are refused, and nothing changes."""
    session = sr.Session(PLAYER, rng=1, max_open=3)
    session.act()
    session.observe(0.5)
    session.act()
    before = session.snapshot()
    for call in (lambda: session.observe(0.5, day=day), lambda: session.skip(day=day)):
        with pytest.raises((ProtocolError, InvalidInput), match="day"):
            call()
    assert session.snapshot() == before


def test_one_way_of_naming_is_enough() -> None:
    """A decision and a day together are refused; several open decisions ask for one of the two."""
    session = sr.Session(PLAYER, rng=1, max_open=3)
    decision = session.act()
    with pytest.raises(ProtocolError, match="named in one way"):
        session.observe(0.5, decision, day=0)
    session.act()
    with pytest.raises(ProtocolError, match=r"Say which one: observe\(\.\.\., day=0\)"):
        session.observe(0.5)


def test_a_session_closes_itself(tmp_path: Path) -> None:
    """Leaving the block releases the journal, also after an error; the session then takes no more calls."""
    path = tmp_path / "journal"
    session = sr.Session(PLAYER, rng=1, journal=path)
    session.act()
    session.observe(0.5)
    with pytest.raises(ProtocolError, match="act"), session:
        session.observe(0.5)
    with pytest.raises(ProtocolError, match="must be open"):
        session.act()
    with sr.Session(PLAYER, journal=path) as again:
        assert again.day == 1


def test_a_session_says_where_it_stands() -> None:
    """One line: the day, what waits, what is counted, and the set."""
    session = sr.Session(PLAYER, rng=1, max_open=2, cost_range=(0, 45))
    session.act()
    session.act()
    session.observe(20, day=1)
    assert repr(session) == "Session(day 1, 1 open, costs in [0, 45], MSets(5, 2))"
