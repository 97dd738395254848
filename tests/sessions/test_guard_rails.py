"""Hold-outs and apprentices: estimates stay unbiased, intervals hold on all days at once, files go on bit for bit."""

from pathlib import Path

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput, ProtocolError, Unsupported
from swapregret.learners.round.held_view import HeldOut
from swapregret.sessions.journal_check import check_journal
from swapregret.sessions.uplift import UpliftSums, evidence, uplift_of
from swapregret.units import UNIT_REWARDS

ACTIONS = sr.MSets(6, 2, labels="abcdef")
WORTH = np.array([0.45, 0.4, 0.1, 0.05, 0.1, 0.1])
BASELINE = ("e", "f")


def player() -> object:
    """Return a player of two of six."""
    return sr.swap_combcp(ACTIONS, 500)


def kept(**options: object) -> sr.Session:
    """Return a session with a hold-out."""
    return sr.Session(player(), rng=5, baseline=BASELINE, holdout=0.2, **options)


def days(session: sr.Session, n: int, worth: np.ndarray = WORTH) -> list[tuple[str, ...]]:
    """Play days; return the choices."""
    found = []
    for _ in range(n):
        decision = session.act()
        found.append(decision.elements)
        session.observe(float(decision.action @ worth), decision)
    return found


def test_estimates_with_a_holdout_are_unbiased() -> None:
    """After some days, with the policy of the day: Σ_M p(M) Σ⁺M (M·R) is R on the span, and p has the baseline's share."""
    session, table = kept(), ACTIONS.enumerate()
    days(session, 40)
    policy = session.policy()
    chances = np.array([policy.probability(row) for row in table])
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    assert policy.probability([0, 0, 0, 0, 1, 1]) > 0.2
    sigma = (table * chances[:, None]).T @ table
    dual = np.linalg.pinv(sigma, rcond=1e-10)
    mean = sum(chance * dual @ row * (row @ WORTH) for chance, row in zip(chances, table, strict=True))
    assert mean == pytest.approx(WORTH, abs=1e-12)
    decision = session.act()
    assert isinstance(decision.held, HeldOut)
    assert np.array_equal(decision.policy.cooccurrence(), policy.cooccurrence())
    assert session.marginals()["e"] == pytest.approx(policy.marginals()[4])


def test_what_is_learnt_of_a_day_is_the_estimate_of_the_mixture() -> None:
    """Summed over what may be drawn, a day with a hold-out adds R to the estimates, to 1e-12."""
    session, mean = kept(), np.zeros(6)
    days(session, 37)
    data = session.snapshot()
    policy = session.policy()
    for row in ACTIONS.enumerate():
        twin = sr.Session.from_bytes(data)
        before = twin._state.estimated_total()
        decision = twin.act()
        twin._open[decision.day].action = row
        twin.observe(float(row @ WORTH), day=decision.day)
        mean += policy.probability(row) * (twin._state.estimated_total() - before)
    assert mean == pytest.approx(WORTH, abs=1e-12)


def test_uplift_finds_what_there_is() -> None:
    """A player that earns .85 beside a baseline of .2 has an uplift whose interval is above 0 and holds the truth of its days."""
    session = kept()
    days(session, 400)
    found = session.summary().uplift
    assert found is not None
    assert 0.0 < found.lower < found.value < found.upper
    assert found.value == pytest.approx(found.player - found.baseline)
    assert found.baseline == pytest.approx(0.2, abs=0.15)
    assert found.n_days == 400
    assert 50 < found.n_baseline < 120
    assert str(found).startswith("+0.")


def test_uplift_in_costs() -> None:
    """Of costs the uplift is how much less is paid."""
    session = kept(cost_range=(0.0, 10.0))
    days(session, 400, 10.0 * (0.5 - WORTH))
    found = session.summary().uplift
    assert found is not None
    assert found.lower > 0.0
    assert found.player < found.baseline


def test_false_alarms() -> None:
    """Of 1,000 sessions without any uplift at most 5 % ever show an interval that leaves 0 out, over 1,500 days of looking."""
    rng, holdout, n = np.random.default_rng(11), 0.1, 1_000
    sums = UpliftSums(*(np.zeros(n) for _ in range(5)))
    alarms, spared = np.zeros(n, dtype=bool), rng.random(n) * 0.5
    for _ in range(1_500):
        is_kept = rng.random(n) < (1.0 - holdout) * spared + holdout
        sums = sums.after((rng.random(n) < 0.4).astype(float), is_kept, spared, holdout)
        alarms |= (evidence(sums.gain, sums.spread, holdout) >= 40.0) | (
            evidence(-sums.gain, sums.spread, holdout) >= 40.0
        )
    assert alarms.mean() <= 0.05
    for run in range(20):  # the interval leaves 0 out exactly where the evidence is beyond the bound
        one = UpliftSums(*(float(np.asarray(each).reshape(-1)[run if np.ndim(each) else 0]) for each in sums))
        one = one._replace(gain=one.gain * (1 + run))
        found = uplift_of(one, holdout, UNIT_REWARDS, 0.95)
        is_out = max(evidence(one.gain, one.spread, holdout), evidence(-one.gain, one.spread, holdout)) > 40.0
        assert (found.lower > 0.0 or found.upper < 0.0) == is_out


def test_bernoulli_bound_would_alarm() -> None:
    """The test above can fail: Student's interval at 95 %, looked at every day, is wrong in more than a quarter of the runs."""
    rng, n = np.random.default_rng(12), 500
    gains, squares, alarms = np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool)
    for day in range(1, 1_000):
        found = rng.standard_normal(n)
        gains, squares = gains + found, squares + found**2
        if day > 10:
            alarms |= np.abs(gains) > 1.96 * np.sqrt(squares)
    assert alarms.mean() > 0.25


def test_a_missing_baseline_is_not_played() -> None:
    """On days on which an element of the baseline is missing only the player plays, and the uplift does not count them."""
    session = kept()
    for _ in range(30):
        decision = session.act(without="e")
        assert "e" not in decision.elements
        assert not isinstance(decision.held, HeldOut)
        session.observe(0.3)
    found = session.summary().uplift
    assert found is not None
    assert found.n_days == 0
    assert np.isnan(found.player)


@pytest.mark.parametrize("n", [0, 33])
def test_files_with_a_holdout_go_on(tmp_path: Path, n: int) -> None:
    """Play, save with an open decision, load, play is play; so does a journal."""
    whole = kept(max_open=2, history=[(("a", "b"), 0.8), (("e", "f"), 0.2)] * 30)
    days(whole, n)
    early = whole.act()
    whole.save(tmp_path / "one.session")
    again = sr.Session.load(tmp_path / "one.session")
    for each in (whole, again):
        days(each, 20)
        each.observe(0.5, day=early.day)
        days(each, 20)
    assert again.snapshot() == whole.snapshot()
    assert again.summary().uplift == whole.summary().uplift


def test_a_journal_knows_its_holdout(tmp_path: Path) -> None:
    """A journal goes on with the same hold-out, and refuses another."""
    path = tmp_path / "kept.journal"
    with kept(journal=path) as session:
        days(session, 30)
        end = session.snapshot()
    with kept(journal=path) as session:
        assert session.snapshot() == end
    with pytest.raises(InvalidInput, match="`baseline` and `holdout` must be those of journal"):
        sr.Session(player(), journal=path)


@pytest.mark.parametrize(
    "options",
    [
        {"baseline": ("e", "f")},
        {"holdout": 0.1},
        {"baseline": ("e", "f"), "holdout": 1.0},
        {"baseline": "e", "holdout": 0.1},
    ],
)
def test_half_a_holdout_is_refused(options: dict[str, object]) -> None:
    """A hold-out needs a choice of the set and a share."""
    with pytest.raises(InvalidInput, match="baseline"):
        sr.Session(player(), **options)


def test_a_player_that_cannot_learn_from_it_is_refused() -> None:
    """Exp3 divides by its own chances: it cannot learn beside a hold-out."""
    with pytest.raises(Unsupported, match="must estimate rewards"):
        sr.Session(sr.baselines.exp3(ACTIONS, 500), baseline=BASELINE, holdout=0.1)


CHOICES = (("a", "c"), ("b", "d"), ("c", "e"), ("d", "f"), ("e", "b"), ("f", "a"), ("c", "d"))


def taught(session: sr.Session, first: int, n: int) -> None:
    """Let the application choose."""
    rng = np.random.default_rng(first)
    for day in range(first, first + n):
        decision = session.act(choice=CHOICES[day % len(CHOICES)])
        assert decision.elements == tuple(sorted(CHOICES[day % len(CHOICES)]))
        session.observe(float(decision.action @ WORTH) + 0.1 * rng.random())


def test_an_apprentice_learns_and_says_so() -> None:
    """From choices that are worth .4 the session learns the best, and after 600 days that it would have done better."""
    session = sr.Session(player(), rng=5, mode="apprentice")
    taught(session, 0, 14)
    early = session.summary().advantage
    taught(session, 14, 586)
    found = session.summary().advantage
    assert early is not None
    assert found is not None
    assert early.lower < 0.0 < found.lower < found.value < found.upper
    assert found.n_days == 600
    assert "would have done better" in str(found)
    session.mode = "live"
    assert np.mean([set(choice) == {"a", "b"} for choice in days(session, 50)]) > 0.7


def test_an_apprentice_is_told_every_day() -> None:
    """It refuses days without a choice, and choices with masks or counts; nothing has changed then."""
    session = sr.Session(player(), rng=5, mode="apprentice", max_open=3)
    before = session.snapshot()
    for given in ({}, {"choice": ("a", "b"), "without": "c"}, {"choice": ("a", "b"), "count": 2}):
        with pytest.raises(ProtocolError, match="choice of an application"):
            session.act(**given)
    with pytest.raises(InvalidInput, match="`choice` must be a 0/1 row or the labels of one action"):
        session.act(choice=("a", "b", "c"))
    with pytest.raises(InvalidInput, match="`mode` must be"):
        session.mode = "student"
    assert session.snapshot() == before
    with pytest.raises(Unsupported, match="must fit totals"):
        sr.Session(sr.swap_combcp(ACTIONS, 500, preset="multiscale")).act(choice=("a", "b"))
    with pytest.raises(Unsupported, match="policy must have drawn"):
        _ = session.act(choice=("a", "b")).policy


def test_a_check_tells_choices_that_wait_from_days(tmp_path: Path) -> None:
    """Of seven closed days, four chosen by the application, and a choice that waits, a check counts seven days and one open."""
    with sr.Session(player(), rng=5, journal=tmp_path / "told.journal") as session:
        days(session, 3)
        taught(session, 3, 4)
        session.act(choice=("a", "b"))
    report = check_journal(tmp_path / "told.journal")
    assert (report.n_days, report.open_days) == (7, (7,))


def test_files_of_apprentices_go_on(tmp_path: Path) -> None:
    """Snapshots with an open choice and journals hold what the application chose."""
    path = tmp_path / "told.journal"
    with sr.Session(player(), rng=5, mode="apprentice", journal=path) as session:
        taught(session, 0, 40)
        session.act(choice=("a", "b"), id="order-1")
        again = sr.Session.from_bytes(session.snapshot())
        for each in (session, again):
            each.observe(0.8, id="order-1")
            taught(each, 41, 20)
        assert again.snapshot() == session.snapshot()
        end = session.snapshot()
    with sr.Session(player(), journal=path, mode="apprentice") as session:
        assert session.snapshot() == end
        session.mode = "live"
        days(session, 10)
    assert sr.Session.load(path).day == 71
