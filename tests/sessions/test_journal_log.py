"""A journal read as a log: the same days, totals and policies as the session had, in the units it was told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.logs.auditing import Audit
from swapregret.regret.totals import TotalsAudit
from swapregret.sessions import session as session_module
from swapregret.sessions.journal_log import is_journal_file, read_journal_log
from swapregret.testing.player_checks import journal_of

ACTIONS = sr.MSets(5, 2)
WORTH = np.array([0.4, 0.3, 0.2, 0.1, 0.0])


def play(path: Path, n_days: int, tell: Any, **options: Any) -> list[tuple[sr.Decision, sr.Policy]]:
    """Play days with two decisions open at a time, every seventh without a reward; return those that had one, in their order."""
    feedback = options.pop("feedback", "bandit")
    player = sr.swap_combcp(ACTIONS, 100, preset="multiscale", feedback=feedback)
    done = []
    with sr.Session(player, rng=3, journal=path, max_open=2, **options) as session:
        waiting = [(made := session.act(), made.policy)]
        for day in range(1, n_days):
            waiting.append((made := session.act(), made.policy))
            decision, policy = waiting.pop(0)
            if (journal := journal_of(session)) is not None:
                journal.settle()  # a journal that begins anew is written before the next event
            if day % 7 == 0:
                session.skip(decision)
            else:
                session.observe(tell(decision), decision)
                done.append((decision, policy))
    return done


def audited(log: Any) -> Any:
    """Return the audit of a journal."""
    return sr.audit(log.actions, log.plays, log.rewards, **log.options)


def test_days_policies_and_totals_come_back(tmp_path: Path) -> None:
    """Actions, totals and policies are those of the session, rewards that came late in the order they came."""
    done = play(tmp_path / "j", 40, lambda decision: float(WORTH @ decision.action))
    log = read_journal_log(tmp_path / "j")
    assert is_journal_file(tmp_path / "j")
    assert log.plays.tolist() == [decision.action.tolist() for decision, _ in done]
    assert log.rewards == pytest.approx(log.plays @ WORTH)
    for policy, (_, drew) in zip(log.policies, done, strict=True):
        assert policy.cooccurrence().tolist() == drew.cooccurrence().tolist()
    assert log.notes == ("5 days without a reward are left out.",)
    assert log.units.declared == (0.0, 1.0)
    found = audited(log)
    assert isinstance(found, TotalsAudit)
    assert found.reward == pytest.approx(log.rewards.mean())


def test_costs_are_told_as_costs(tmp_path: Path) -> None:
    """A journal of costs in [5, 45] gives 40 times the regrets of the same days as rewards."""
    play(tmp_path / "a", 40, lambda decision: float(WORTH @ decision.action))
    play(tmp_path / "b", 40, lambda decision: 45.0 - 40.0 * float(WORTH @ decision.action), cost_range=(5, 45))
    rewards, costs = audited(read_journal_log(tmp_path / "a")), audited(read_journal_log(tmp_path / "b"))
    assert costs.is_cost
    assert costs.external_regret.upper == pytest.approx(40.0 * rewards.external_regret.upper)
    assert costs.swap_regret.lower == pytest.approx(40.0 * rewards.swap_regret.lower)


@pytest.mark.parametrize("told", ["zeros", "nothing", "chosen"])
def test_semi_bandit_journals_are_added_up(tmp_path: Path, told: str) -> None:
    """Rewards of the chosen elements count in total, told over all elements, whatever the others have, or over the chosen ones."""
    ways = {
        "zeros": lambda decision: WORTH * decision.action,
        "nothing": lambda decision: np.where(decision.action > 0, WORTH, np.nan),
        "chosen": lambda decision: WORTH[decision.action > 0],
    }
    play(tmp_path / "j", 20, ways[told], feedback="semi-bandit")
    log = read_journal_log(tmp_path / "j")
    assert log.rewards == pytest.approx(log.plays @ WORTH)


def test_full_feedback_is_audited_exactly(tmp_path: Path) -> None:
    """With full feedback the reward vectors are known, and regrets are those of the policies."""
    play(tmp_path / "j", 20, lambda decision: WORTH, feedback="full")
    log = read_journal_log(tmp_path / "j")
    assert log.rewards.shape == (len(log.plays), 5)
    found = audited(log)
    assert isinstance(found, Audit)
    assert found.swap_regret.is_exact
    assert "from policies" in found.swap_regret.definition


def test_days_before_the_snapshot_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that began anew holds the days since; the others are named. One without any reward is refused."""
    monkeypatch.setattr(session_module, "_SNAPSHOT_EVERY", 21)
    play(tmp_path / "j", 40, lambda decision: 0.5)
    log = read_journal_log(tmp_path / "j")
    before, skipped = (int(note.split()[0]) for note in log.notes)
    assert before > 0
    assert before + len(log.plays) + skipped == 39
    play(tmp_path / "empty", 1, lambda decision: 0.5)
    with pytest.raises(InvalidInput, match="must hold rewards after its last snapshot"):
        read_journal_log(tmp_path / "empty")
    assert not is_journal_file(tmp_path / "none")
