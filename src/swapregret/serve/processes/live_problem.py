"""A problem in memory: its session and history, moved by events that are the same now and when they are replayed."""

import json
import logging
import time
import zlib
from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import NamedTuple

import swapregret as sr
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.files.storage import Json
from swapregret.learners.player import NOTHING, Note
from swapregret.serve.problems import Problem, Reported
from swapregret.serve.processes.history import History, regret_curve
from swapregret.serve.refusals import Conflict
from swapregret.sessions.events import ACT, Event, acted, closed, packed, read_act
from swapregret.sessions.notes import Id

_log = logging.getLogger("swapregret.serve")
_LATEST = 20
_EVENT_BYTES, _MOST_BYTES = 100, 2**25
"""Policies in a snapshot: at most so many bytes for each event since the last one, and in all."""
_MOST_SPENT = 20.0
"""Seconds of events after which a snapshot is due however few they were: a restart plays them again."""
_EXPIRE_SECONDS, _EXPIRE_BYTES = 0.5, 2**23
"""What closing decisions by their deadline may take at once: others wait for the problem, and for the writer."""
_NAMED = 10_000
"""Decisions that are found by the ids of their clients."""
_MOST_CONTEXTS = 100
_REGRET_SHARE = 0.05
"""The part of its time that a problem with spectators may spend on their figure of regret."""


class Waiting(NamedTuple):
    """A decision that waits for its reward, when it was made, and its action as text."""

    decision: "sr.Decision"
    made: float
    packed: str


class Live:
    """One problem, "open" or "archived", in a process of its own."""

    def __init__(self, id: str, problem: Problem, state: str = "open") -> None:
        self.id, self.problem, self.state = id, problem, state
        self.session = problem.new_session()
        self.history = History(problem.actions, problem.spec.feedback)
        self.seq = self.snapshot_seq = 0
        self.is_torn = False  # an exception came between what the session did and its event
        self.open: dict[int, Waiting] = {}
        self.named: OrderedDict[Id, int] = OrderedDict()  # the days of the latest decisions with an id of their client
        self.latest: deque[Json] = deque(maxlen=_LATEST)
        self.pending: list[Event] = []
        self.totals = {"n_decisions": 0, "n_rewards": 0, "n_defaults": 0, "n_skips": 0, "reward_sum": 0.0}
        self._spent = 0.0  # seconds of events since the last snapshot
        self._regret: tuple[float, list[dict[str, float]]] = (0.0, [])
        self._policy_bytes = 0

    def load(self, seq: int, session: bytes, history: bytes) -> None:
        """Take over what ``snapshot`` returned."""
        header, _, rest = zlib.decompress(history).partition(b"\n")
        known = json.loads(header)
        self.session = sr.Session.from_bytes(zlib.decompress(session), self.problem.player)
        self.history.load(rest)
        self.seq = self.snapshot_seq = seq
        self.totals = known["totals"]
        self.latest.extend(known["latest"])
        self.named.update(known.get("named", ()))
        for decision in self.session.open_decisions:
            made = known["made"][str(decision.day)]
            self.open[decision.day] = Waiting(decision, made, packed(decision.action))

    def snapshot(self) -> tuple[int, bytes, bytes]:
        """Return the number of the last event, the session and the rest, as bytes."""
        self._spent = 0.0
        made = {day: waiting.made for day, waiting in self.open.items()}
        header = {"totals": self.totals, "made": made, "latest": list(self.latest), "named": list(self.named.items())}
        rest = json.dumps(header).encode() + b"\n" + self.history.dump()
        return self.seq, zlib.compress(self.session.snapshot(), 1), zlib.compress(rest, 1)

    def wants_snapshot(self, every: int) -> bool:
        """Tell whether enough happened: a snapshot holds the policy of each open decision, so more of them make it rarer."""
        n_events = self.seq - self.snapshot_seq
        if n_events < 1 or (n_events < every and self._spent < _MOST_SPENT):
            return False
        held = [each.decision.held for each in self.open.values() if not each.decision.held.is_present]
        if held and not self._policy_bytes:
            self._policy_bytes = sum(array.nbytes for array in held[0].dump().values())
        most = _MOST_BYTES if every == 0 else min(_MOST_BYTES, _EVENT_BYTES * n_events)
        return len(held) * self._policy_bytes <= most

    # ---- events --------------------------------------------------------------------------------------------------

    def act(self, at: float, missing: tuple[int, ...] = (), note: Note = NOTHING) -> Event:
        """Make a decision, without the elements that are missing; ``note`` has what was said of it."""
        started = time.perf_counter()
        labels = self.problem.actions.labels
        decision = self.session.act(without=[labels[index] for index in missing], id=note.id, context=note.context)
        self.is_torn = True
        self.open[decision.day] = Waiting(decision, at, packed(decision.action))
        self.history.decided(decision, at, missing)
        self.totals["n_decisions"] += 1
        if note.id is not None:
            self.named[note.id] = decision.day
            self.named.move_to_end(note.id)
            if len(self.named) > _NAMED:
                self.named.popitem(last=False)
        self._spent += time.perf_counter() - started
        return self._happened(acted(decision.day, decision.action, missing, note), at)

    def close(self, day: int, kind: str, reported: Reported | None, at: float) -> None:
        """Close an open decision: by a ``reward``, a ``default`` reward, a ``skip``, or because it did ``expire``."""
        started = time.perf_counter()
        decision, made, text = self.open[day]
        if reported is None:
            self.session.skip(day=day)
            self.is_torn = True
            self.totals["n_skips"] += 1
            total = None
        else:
            self.session.observe(reported, day=day)  # refuses what cannot be, before anything changes
            self.is_torn = True
            total = self.problem.total_of(reported, decision.action)
            self.history.rewarded(decision, total, reported, self.problem.reader)
            self.totals["n_rewards" if kind == "reward" else "n_defaults"] += 1
            self.totals["reward_sum"] += total
        if self.problem.has_guard and self.history.wants_swap(self.session.day):
            player, horizon = self.session.summary().player, self.problem.spec.horizon
            if player is not None and player.guard_estimate is not None and horizon is not None:
                self.history.note_swap(self.session.day, player.guard_estimate * horizon)
        del self.open[day]
        self.latest.append({"day": day, "packed": text, "kind": kind, "reward": total, "made": made, "closed": at})
        self._spent += time.perf_counter() - started
        self._happened(closed(day, reported, kind), at)

    def _happened(self, event: Event, at: float) -> Event:
        self.seq += 1
        numbered = event._replace(at=at, seq=self.seq)
        self.pending.append(numbered)
        self.is_torn = False
        return numbered

    def replay(self, event: Event) -> None:
        """Let an event of the database happen again, and check that it comes out the same."""
        if event.kind == ACT:
            asked = read_act(event.value, self.problem.actions.dimension)
            if self.act(event.at, asked.missing, asked.note) != event:
                raise InvalidInput(
                    f"problem {self.id} must replay to the decisions it made",
                    f"another one on day {event.day}",
                    "Use the version of the library that made them.",
                )
        else:
            self.close(event.day, event.kind, event.told(), event.at)
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

    def refuse_if_new(self, context: Hashable) -> None:
        """Refuse one more context where there are many: each has a learner of its own."""
        known = self.history.contexts
        if context is not None and context not in known and len(known) >= _MOST_CONTEXTS:
            raise Conflict(
                f"a problem must have at most {_MOST_CONTEXTS} contexts",
                f"{str(context)[:60]!r}, a new one",
                "Put similar ones together.",
            )

    def set_clock(self, now: float) -> None:
        """Keep no decision open for longer because it was made by a clock that was ahead."""
        self.open = {day: waiting._replace(made=min(waiting.made, now)) for day, waiting in self.open.items()}

    def due(self) -> float | None:
        """Return when the next deadline passes."""
        deadline = self.problem.spec.deadline
        if deadline is None or not self.open:
            return None
        return min(each.made for each in self.open.values()) + deadline

    def overdue(self, now: float) -> list[int]:
        """Return the decisions whose deadline has passed."""
        deadline = self.problem.spec.deadline
        return [] if deadline is None else [day for day, each in self.open.items() if each.made + deadline <= now]

    def expire(self, now: float) -> None:
        """Close decisions whose deadline has passed: by the default reward, or unrewarded where it does not fit.

        What there is no time or room for is still due, and closed by the next call.
        """
        default, end = self.problem.spec.default_reward, time.perf_counter() + _EXPIRE_SECONDS
        most = _EXPIRE_BYTES // len(json.dumps(default)) + 1
        for day in self.overdue(now)[:most]:
            if time.perf_counter() > end:
                return
            try:
                self.close(day, "expire" if default is None else "default", default, now)
            except SwapRegretError as error:
                _log.info("decision %s.%d: the default reward does not fit: %s", self.id, day, error)
                self.close(day, "expire", None, now)

    # ---- figures -------------------------------------------------------------------------------------------------

    def regret(self) -> list[dict[str, float]]:
        """Return the curve of regret, at times one that is a little old: it may take a small part of the time only."""
        started = time.perf_counter()
        if started >= self._regret[0]:
            found = regret_curve(self.problem.actions, self.history.samples())
            ended = time.perf_counter()
            self._regret = ended + (ended - started) / _REGRET_SHARE, found
        return self._regret[1]
