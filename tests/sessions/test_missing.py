"""Sessions on days with missing elements: files and journals go on bit for bit, and a day that is refused changes nothing."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, InvalidReward, Unsupported

ACTIONS = sr.MSets(6, 2, labels="abcdef")
MASKS = ([], "a", "bc", ["e", 5], [])


def player() -> object:
    """Return a player of two of six."""
    return sr.swap_combcp(ACTIONS, 500)


def days(session: sr.Session, first: int, n: int) -> list[tuple[str, ...]]:
    """Play days whose masks come in turn; return the choices."""
    found = []
    for day in range(first, first + n):
        decision = session.act(without=MASKS[day % len(MASKS)])
        found.append(decision.elements)
        assert not set(decision.elements) & set(map(str, MASKS[day % len(MASKS)]))
        session.observe(0.5 * ("d" in decision.elements) + 0.25 * ("a" in decision.elements))
    return found


def test_play_save_load_play_is_play(tmp_path) -> None:
    """After 60 days with masks, an open masked decision, a save and a load the choices are those of a session that went on."""
    whole = sr.Session(player(), rng=3)
    want = days(whole, 0, 60)
    want += [whole.act(available="abd").elements]
    whole.observe(0.25)
    want += days(whole, 61, 60)
    first = sr.Session(player(), rng=3)
    found = days(first, 0, 60)
    found += [first.act(available="abd").elements]
    first.save(tmp_path / "one.session")
    again = sr.Session.load(tmp_path / "one.session")
    again.observe(0.25)
    found += days(again, 61, 60)
    assert found == want
    assert again.snapshot() == whole.snapshot()


@pytest.mark.parametrize("preset", ["adaptive", "multiscale"])
@pytest.mark.parametrize("feedback", ["full", "semi-bandit"])
def test_gibbs_policies_of_plans_are_played_without_some(preset: str, feedback: str) -> None:
    """Swap-ComBand on Kuhn's first player, whose weights differ by e⁶⁰⁰: every day has a plan without what is missing."""
    plans = sr.Plans(
        each
        for card in "JQK"
        for each in ((card, ["check", "bet"]), (f"{card}, check, bet", ["fold", "call"], (card, "check")))
    )
    session = sr.Session(sr.swap_comband(plans, 200, feedback=feedback, preset=preset), rng=0)
    rng = np.random.default_rng(0)
    for day in range(120):
        missing = [[plans.labels[1]], [plans.labels[0], plans.labels[5]], []][day % 3]
        decision = session.act(without=missing)
        assert not set(decision.elements) & set(missing)
        rewards = rng.random(plans.dimension) / plans.size
        session.observe(rewards if feedback == "full" else rewards * decision.action)


def test_a_journal_goes_on_where_it_ended(tmp_path) -> None:
    """A journal replays masked days to the same bits, and its log says what was available."""
    path = tmp_path / "days.journal"
    with sr.Session(player(), rng=5, journal=path) as session:
        days(session, 0, 40)
        end = session.snapshot()
    with sr.Session(player(), rng=5, journal=path) as session:
        assert session.snapshot() == end
        days(session, 40, 5)
    from swapregret.sessions.journal_log import read_journal_log

    log = read_journal_log(path)
    assert log.available is not None
    assert log.available[:3] == (None, tuple("bcdef"), tuple("adef"))
    assert sr.audit(log.actions, log.plays, log.rewards, policies=log.policies, available=log.available).n_days == 45


def test_without_masks_nothing_is_different() -> None:
    """An empty mask, and all elements available, are a day like any other."""
    one, two = sr.Session(player(), rng=1), sr.Session(player(), rng=1)
    for _ in range(30):
        assert np.array_equal(one.act().action, two.act(without=[]).action)
        one.observe(0.3)
        two.observe(0.3)
    assert one.snapshot() == two.snapshot()


def test_a_refused_day_changes_nothing() -> None:
    """Neither an impossible day, nor an unknown label, nor a reward out of range leaves a trace."""
    session = sr.Session(player(), rng=1)
    days(session, 0, 12)
    before = session.snapshot()
    with pytest.raises(InvalidInput, match="'a', 'b', 'c', 'd', 'e' missing"):
        session.act(without="abcde")
    with pytest.raises(InvalidInput, match="'z'"):
        session.act(without=["z"])
    assert session.snapshot() == before
    session.act(without="a")
    with pytest.raises(InvalidReward):
        session.observe(2.0)
    session.observe(0.5)
    assert session.day == 13


def test_late_rewards_of_masked_days_are_learnt() -> None:
    """Several masked decisions may be open, and be observed in any order."""
    session = sr.Session(player(), rng=2, max_open=3)
    held = [session.act(without=mask) for mask in ("a", "b", "cd")]
    for decision in reversed(held):
        session.observe(0.5, decision)
    assert session.day == 3


def test_a_competitor_without_weights_is_refused() -> None:
    """A player that lists actions says that it cannot."""
    session = sr.Session(sr.baselines.exp3(ACTIONS, 100), rng=1)
    with pytest.raises(Unsupported, match="estimate rewards by"):
        session.act(without="a")
    assert session.day == 0
