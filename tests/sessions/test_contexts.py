"""Sessions on days with contexts: files and journals go on bit for bit, and a call that is refused changes nothing."""

import datetime

import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, Unsupported

ACTIONS = sr.MSets(6, 2, labels="abcdef")
CONTEXTS = ("mobile", "desktop", ("tablet", 2), None, "mobile")
MASKS = ([], "a", [])


def player() -> object:
    """Return a player of two of six."""
    return sr.swap_combcp(ACTIONS, 500)


def days(session: sr.Session, first: int, n: int) -> list[tuple[str, ...]]:
    """Play days whose contexts and masks come in turn; return the choices."""
    found = []
    for day in range(first, first + n):
        decision = session.act(context=CONTEXTS[day % 5], without=MASKS[day % 3])
        assert decision.context == CONTEXTS[day % 5]
        found.append(decision.elements)
        session.observe(0.5 * ("d" in decision.elements) + 0.25 * ("a" in decision.elements))
    return found


def test_play_save_load_play_is_play(tmp_path) -> None:
    """After 60 days, two open decisions, a save and a load the choices are those of a session that went on."""
    whole = sr.Session(player(), rng=3, max_open=2)
    want = days(whole, 0, 60)
    want += [whole.act(context="mobile").elements, whole.act(context="new", without="b").elements]
    whole.observe(0.25, day=61)
    whole.observe(0.25, day=60)
    want += days(whole, 62, 60)
    first = sr.Session(player(), rng=3, max_open=2)
    found = days(first, 0, 60)
    found += [first.act(context="mobile").elements, first.act(context="new", without="b").elements]
    first.save(tmp_path / "one.session")
    again = sr.Session.load(tmp_path / "one.session")
    again.observe(0.25, day=61)
    again.observe(0.25, day=60)
    found += days(again, 62, 60)
    assert found == want
    assert again.snapshot() == whole.snapshot()
    assert [each.context for each in whole.summary().contexts] == ["mobile", "desktop", ("tablet", 2), None, "new"]
    assert whole.marginals(context="mobile") != whole.marginals(context="desktop")


def test_a_journal_goes_on_where_it_ended(tmp_path) -> None:
    """A journal replays days with contexts to the same bits, and its log says which context each day had."""
    path = tmp_path / "days.journal"
    with sr.Session(player(), rng=5, journal=path) as session:
        days(session, 0, 40)
        end = session.snapshot()
    with sr.Session(player(), rng=5, journal=path) as session:
        assert session.snapshot() == end
        days(session, 40, 5)
    from swapregret.sessions.journal_log import read_journal_log

    log = read_journal_log(path)
    assert log.contexts is not None
    assert log.contexts == CONTEXTS * 9
    found = sr.audit(log.actions, log.plays, log.rewards, policies=log.policies, contexts=log.contexts)
    assert found.n_days == 45
    assert {context for context, _ in found.parts} == set(CONTEXTS)


def test_one_context_writes_what_a_session_without_writes() -> None:
    """Apart from its name a single context leaves no trace, and none at all if it is None."""
    one, two, three = (sr.Session(player(), rng=1) for _ in range(3))
    for _ in range(40):
        chosen = one.act().elements
        assert two.act(context="mobile").elements == chosen
        three.act(context=None)
        for session in (one, two, three):
            session.observe(0.3)
    assert one.snapshot() == three.snapshot()


def test_a_refused_call_changes_nothing() -> None:
    """What cannot be hashed, or is not itself, is refused; a file that names a context twice, too."""
    session = sr.Session(player(), rng=1)
    days(session, 0, 12)
    before = session.snapshot()
    for context in ([1], (1, [2]), float("nan")):
        with pytest.raises(InvalidInput, match="`context` must be hashable"):
            session.act(context=context)
        with pytest.raises(InvalidInput, match="`context` must be hashable"):
            session.marginals(context=context)
    for context in (datetime.date(2026, 1, 1), frozenset("ab"), b"ab"):
        with pytest.raises(Unsupported, match="must be short texts, numbers, or tuples of such"):
            session.act(context=context)
    assert session.snapshot() == before


def test_contexts_go_with_a_hold_out_and_a_choice() -> None:
    """With a baseline, and days that the application decides, files go on bit for bit, and each context learns."""
    session = sr.Session(player(), rng=1, baseline="ab", holdout=0.2)
    for day in range(60):
        said = {"choice": "cd"} if day % 7 == 6 else {"without": MASKS[day % 3]}
        decision = session.act(context=CONTEXTS[day % 5], **said)
        if day == 44:
            session = sr.Session.from_bytes(session.snapshot())
        session.observe(0.5 * ("d" in decision.elements))
    again = sr.Session.from_bytes(session.snapshot())
    assert again.snapshot() == session.snapshot()
    assert sum(each.n_days for each in session.summary().contexts) == 59
