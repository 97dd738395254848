"""How rounds are timed."""

import pytest
from speed.peers import Peer, measure_peer

from swapregret.experiments import timing


def test_what_is_spent_once_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that had something to load is made again, and the number of rounds goes on rising."""
    calls: list[int] = []

    def seconds(run: object, rounds: int) -> float:
        calls.append(rounds)
        return 5.0 if len(calls) == 2 else 1e-3 * rounds  # the second call loads something for five seconds

    monkeypatch.setattr(timing, "_seconds", seconds)
    rate = timing.measure(lambda rounds: None, 3.0)
    assert rate.rounds_per_second == pytest.approx(1000.0)
    assert rate.rounds >= 500


def test_why_a_peer_cannot_be_timed_names_no_path() -> None:
    """The remark says what another library raised, without where it lies on this machine."""

    def start(n_arms: int) -> object:
        raise ImportError("cannot import name 'x' from 'y' (/somewhere/y.py)")

    found = measure_peer(Peer("somebody", "json", start), 0.01)  # type: ignore[arg-type]
    assert found.remark == "installed, but: ImportError: cannot import name 'x' from 'y'"
