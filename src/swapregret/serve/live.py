"""A problem in memory: its session and history, moved by events that are the same now and when they are replayed."""

import json
import zlib
from collections import deque
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.errors import InvalidInput
from swapregret.serve.history import History
from swapregret.serve.problems import Problem, ProblemSpec, Reported, choice_of, text_of
from swapregret.serve.refusals import Conflict
from swapregret.serve.store import Event, Store

__all__ = ["Live"]

_LATEST = 20
_MOST_OPEN_IN_SNAPSHOT = 32


class Live:
    """One problem, changed by the thread of the writer alone.

    Parameters
    ----------
    id : str
    problem : Problem
    state : {"open", "archived"}
    """

    def __init__(self, id: str, problem: Problem, state: str = "open") -> None:
        self.id, self.problem, self.state = id, problem, state
        self.session = problem.new_session()
        self.history = History(problem.actions, problem.spec.feedback)
        self.seq = self.snapshot_seq = 0
        self.made: dict[int, float] = {}
        self.open: dict[int, sr.Decision] = {}
        self.label_texts = [text_of(label) for label in problem.actions.labels]
        self.latest: deque[dict[str, Any]] = deque(maxlen=_LATEST)
        self.pending: list[Event] = []
        self.totals = {"n_decisions": 0, "n_rewards": 0, "n_defaults": 0, "n_skips": 0, "reward_sum": 0.0}
        self.is_broken = self.state_changed = False

    @classmethod
    def restore(cls, store: Store, id: str, max_dimension: int, now: float) -> "Live":
        """Read a problem from the database: its newest snapshot and the events after it."""
        row = store.problem(id)
        live = cls(id, Problem(ProblemSpec.model_validate_json(row.spec), max_dimension), row.state)
        kept = store.snapshot(id)
        if kept is not None:
            live._load(*kept)
        for each in store.events(id, live.seq):
            live.replay(each)
        live.pending.clear()
        live.made = {
            day: min(at, now) for day, at in live.made.items()
        }  # a clock that was ahead must not keep them open
        return live

    def _load(self, seq: int, session: bytes, history: bytes) -> None:
        header, _, rest = zlib.decompress(history).partition(b"\n")
        known = json.loads(header)
        self.session = sr.Session.from_bytes(zlib.decompress(session), self.problem.player)
        self.history.load(rest)
        self.seq = self.snapshot_seq = seq
        self.totals = known["totals"]
        self.made = {int(day): at for day, at in known["made"].items()}
        self.latest.extend(known["latest"])
        self.open = {decision.day: decision for decision in self.session.open_decisions}

    def snapshot(self) -> tuple[int, bytes, bytes]:
        """Return the number of the last event, the session and the rest, as bytes."""
        header = {"totals": self.totals, "made": self.made, "latest": list(self.latest)}
        rest = json.dumps(header).encode() + b"\n" + self.history.dump()
        return self.seq, zlib.compress(self.session.snapshot(), 1), zlib.compress(rest, 1)

    def wants_snapshot(self, every: int) -> bool:
        """Tell whether enough happened: a snapshot holds the law of each open decision, so more of them make it rarer."""
        n_open = len(self.open)
        return n_open <= _MOST_OPEN_IN_SNAPSHOT and self.seq - self.snapshot_seq >= every * (1 + n_open)

    # ---- events --------------------------------------------------------------------------------------------------

    def act(self, at: float) -> "sr.Decision":
        """Make a decision."""
        decision = self.session.act()
        self.open[decision.day], self.made[decision.day] = decision, at
        self.history.decided(decision)
        self.totals["n_decisions"] += 1
        self._happened("act", decision.day, at, _packed(decision))
        return decision

    def close(self, day: int, kind: str, reported: Reported | None, at: float) -> None:
        """Close an open decision: by a ``reward``, a ``default`` reward, a ``skip``, or because it did ``expire``."""
        decision = self.open[day]
        if reported is None:
            self.session.skip(decision)
            self.totals["n_skips"] += 1
            total = None
        else:
            reward = self.problem.as_reward(reported)
            seen = self.problem.reader.read(reward, decision.action)  # refuses what cannot be, before anything changes
            total = self.problem.total_of(reported, decision.action)
            self.session.observe(reward, decision)
            self.history.rewarded(decision, total, seen)
            self.totals["n_rewards" if kind == "reward" else "n_defaults"] += 1
            self.totals["reward_sum"] += total
        made = self.made.pop(day)
        del self.open[day]
        self.latest.append(
            {"day": day, "choice": choice_of(decision), "kind": kind, "reward": total, "made": made, "closed": at}
        )
        self._happened(kind, day, at, None if reported is None else json.dumps(reported))

    def _happened(self, kind: str, day: int, at: float, value: str | None) -> None:
        self.seq += 1
        self.pending.append(Event(self.seq, kind, day, at, value))

    def replay(self, event: Event) -> None:
        """Let an event of the database happen again, and check that it comes out the same."""
        if event.kind == "act":
            decision = self.act(event.at)
            came = (decision.day, _packed(decision))
            if came != (event.day, event.value):
                raise InvalidInput(
                    f"problem {self.id} must replay to the decisions it made",
                    f"another one on day {event.day}",
                    "Use the version of the library that made them.",
                )
        else:
            self.close(event.day, event.kind, None if event.value is None else json.loads(event.value), event.at)
        self.pending.clear()

    # ---- requests ------------------------------------------------------------------------------------------------

    def refuse_if_full(self, count: int) -> None:
        """Refuse decisions that the problem cannot have now."""
        if self.state == "archived":
            raise Conflict(f"problem {self.id} must be open for decisions", "an archived one", "Make a new problem.")
        if len(self.open) + count > self.problem.spec.max_open:
            raise Conflict(
                f"at most {self.problem.spec.max_open} decisions of problem {self.id} may wait for their reward",
                f"{count} more, with {len(self.open)} waiting",
                "Send rewards or skips, or make the problem with a `deadline` or a larger `max_open`.",
            )

    def overdue(self, now: float) -> list[int]:
        """Return the decisions whose deadline has passed."""
        deadline = self.problem.spec.deadline
        return [] if deadline is None else [day for day, made in self.made.items() if now - made >= deadline]


def _packed(decision: "sr.Decision") -> str:
    return np.packbits(decision.action.astype(bool)).tobytes().hex()
