"""Decisions by the dozen and by name: act(count=…), act(id=…), and what files and journals know of them."""

from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, ProtocolError, SwapRegretError, Unsupported
from swapregret.learners.player import Note
from swapregret.sessions.notes import read_note, write_note

ACTIONS = sr.MSets(6, 2, labels="abcdef")


def begun(**given: object) -> sr.Session:
    """Return a session of which twenty decisions may be open."""
    return sr.Session(sr.swap_combcp(ACTIONS, 500), rng=3, max_open=20, **given)


def test_twenty_at_once_are_twenty_in_a_row() -> None:
    """act(count=20) draws what twenty calls draw, and nothing where there is no room for all."""
    one, many = begun(), begun()
    first = one.act()
    assert first.elements == many.act(count=1)[0].elements
    before = many.snapshot()
    with pytest.raises(ProtocolError, match=r"act\(count=20\) with 1 open"):
        many.act(count=20)
    with pytest.raises(InvalidInput, match="`count`"):
        many.act(count=0)
    assert many.snapshot() == before
    assert [one.act().elements for _ in range(19)] == [each.elements for each in many.act(count=19)]
    assert [each.day for each in many.open_decisions] == list(range(20))
    assert one.snapshot() == many.snapshot()


def test_decisions_are_found_by_their_ids() -> None:
    """Rewards and skips reach the decision of their id; ids of no or another decision are refused, and change nothing."""
    session = begun()
    session.act(id="order-17")
    session.act(id=18)
    session.act()
    before = session.snapshot()
    for call in (
        lambda: session.act(id="order-17"),
        lambda: session.act(id="a", count=2),
        lambda: session.act(id=1.5),
        lambda: session.act(id=True),
        lambda: session.observe(0.4, id="order-18"),
        lambda: session.observe(0.4, id="18"),
        lambda: session.observe(0.4, day=0, id="order-17"),
        lambda: session.skip(id=17),
    ):
        with pytest.raises(SwapRegretError):
            call()
    assert session.snapshot() == before
    session.observe(0.4, id="order-17")
    session.skip(id=18)
    assert [each.id for each in session.open_decisions] == [None]
    assert session.act(id="order-17").id == "order-17"  # it may come again when the first is closed


def test_ids_are_in_files_and_journals(tmp_path: Path) -> None:
    """After a restart a decision is found by its id, from a file and from a journal."""
    path = tmp_path / "orders.journal"
    with begun(journal=path) as session:
        session.act(id="order-1")
        session.act(without="a", id="order-2")
        session.observe(0.25, id="order-1")
        with pytest.raises(Unsupported, match="short texts"):
            session.act(id="x" * 5_000)
        whole = session.snapshot()
    again = begun(journal=path)
    assert again.snapshot() == whole
    assert sr.Session.from_bytes(whole).open_decisions[0].id == "order-2"
    again.observe(0.5, id="order-2")
    again.close()
    assert sr.Session.load(path).day == 2


def test_a_note_in_a_file_is_checked() -> None:
    """A note comes back as it was; anything else is refused."""
    for note in (Note(), Note("a", ("mobile", 3, None)), Note(7, "1"), Note(None, 1)):
        assert read_note(write_note(note)) == note
    for text in (
        "{",
        "[]",
        '{"list": [1.5, null]}',
        '{"list": ["a", {"list": [1]}]}',
        '{"list": ["a", null, 1, 1]}',
    ):
        with pytest.raises(InvalidInput):
            read_note(text)


def test_marginals_keep_labels_apart() -> None:
    """Labels that print alike, 1 and "1", are different elements."""
    session = sr.Session(sr.swap_combcp(sr.MSets(3, 1, labels=[1, "1", (1,)]), 500), rng=1)
    assert session.marginals() == pytest.approx({1: 1 / 3, "1": 1 / 3, (1,): 1 / 3})
    assert np.isclose(sum(session.marginals().values()), 1.0)
