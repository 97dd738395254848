"""What requests ask of a problem, as functions of the problem in its process, the time, and what was sent."""

import json
from typing import NamedTuple

from swapregret.actions.face import read_missing
from swapregret.errors import SwapRegretError
from swapregret.files.storage import Json
from swapregret.serve.problems import Labels, Reported
from swapregret.serve.processes.live_problem import Live
from swapregret.serve.refusals import Conflict, NotFound, as_json
from swapregret.serve.view import decision_json, status_json, view_json
from swapregret.sessions.notes import Id, note_given

_BATCH = "POST /problems/{problem}/rewards"


class Asked(NamedTuple):
    """What a client says of the decisions it wants: elements that are missing or that are there, an id of its own, a context."""

    without: Labels | None = None
    available: Labels | None = None
    id: Id | None = None
    context: Id | None = None


class Own(NamedTuple):
    """The id that a client gave to a decision."""

    id: Id


class Reply(NamedTuple):
    """The status and the JSON of an answer."""

    status: int
    body: bytes

    @classmethod
    def of(cls, body: Json, status: int = 200) -> "Reply":
        """Write an answer."""
        return cls(status, json.dumps(body, allow_nan=False).encode())


class Before(NamedTuple):
    """A decision that was closed before: how, the database knows."""

    id: str
    day: int
    kind: str
    reported: Reported | None

    def answer(self, kind: str, value: str | None) -> Json:
        """Return the answer, given how the decision was closed; a conflict if that was otherwise."""
        if (kind, None if value is None else json.loads(value)) == (self.kind, self.reported):
            return {"decision": self.id, "state": kind, "repeated": True}
        raise Conflict(
            f"decision {self.id} must be closed once",
            f"a {self.kind} after it was closed by {'its deadline' if kind in ('default', 'expire') else 'a ' + kind}",
            "Leave it; what came first counts.",
        )


class Closed(NamedTuple):
    """Decisions that were closed now, or before, or not; a request for one of them, or for many."""

    entries: list[Json | Before | SwapRegretError]
    ids: list[str]
    is_batch: bool

    def reply(self) -> Reply:
        """Write the answer, once the database has said what it knows."""
        if not self.is_batch:
            (only,) = self.entries
            if isinstance(only, SwapRegretError):
                raise only
            assert isinstance(only, dict), "a closing that was not looked up"
            return Reply.of(only)
        found = [
            {"decision": id[:60], "state": "refused", **as_json(each, _BATCH)}
            if isinstance(each, SwapRegretError)
            else each
            for id, each in zip(self.ids, self.entries, strict=True)
        ]
        n_refused = sum(isinstance(each, SwapRegretError) for each in self.entries)
        return Reply.of({"n_refused": n_refused, "results": found})


def decide(live: Live, now: float, count: int, most_bytes: int, asked: Asked) -> Reply:
    """Make decisions."""
    live.refuse_if_full(count)
    problem = live.problem
    problem.refuse_if_large(count, most_bytes)
    missing = read_missing(problem.actions, problem.read_labels(asked.without), problem.read_labels(asked.available))
    note = note_given(asked.id, asked.context)
    live.refuse_if_new(note.context)
    made = [live.act(now, missing, note) for _ in range(count)]
    marginals = live.open[made[0].day].decision.marginals
    body = {
        "problem": live.id,
        "decisions": [decision_json(live, each.day) for each in made],
        "marginals": dict(zip(live.problem.labels, marginals.tolist(), strict=True)),
    }
    return Reply.of(body, 201)


def close(live: Live, now: float, items: list[tuple[str | Own, Reported | None]], is_batch: bool) -> Closed:
    """Close decisions by their rewards, or skip them, each for itself."""
    entries: list[Json | Before | SwapRegretError] = []
    for id, reported in items:
        try:
            entries.append(_close(live, now, id, reported))
        except SwapRegretError as error:
            if live.is_torn:
                raise
            entries.append(error)
    return Closed(entries, [str(id.id) if isinstance(id, Own) else id for id, _ in items], is_batch)


def _close(live: Live, now: float, id: str | Own, reported: Reported | None) -> Json | Before:
    if isinstance(id, Own):
        if id.id not in live.named:
            must = f"a decision of problem {live.id} must have this id"
            raise NotFound(must, repr(id.id)[:60], "Use the id it was asked for with, or `decision` as it came.")
        id = f"{live.id}.{live.named[id.id]}"
    owner, day = read_decision_id(id)
    if owner != live.id:
        raise NotFound(f"the decision must belong to problem {live.id}", repr(id[:40]), "Send it there.")
    kind = "skip" if reported is None else "reward"
    if day in live.open:
        live.close(day, kind, reported, now)
        return {"decision": id, "state": kind, "repeated": False}
    if day >= live.totals["n_decisions"]:
        raise no_decision(id)
    before = Before(id, day, kind, reported)
    for each in live.pending:
        if each.day == day and each.kind != "act":
            return before.answer(each.kind, each.value)
    return before


def expire(live: Live, now: float) -> None:
    """Close decisions whose deadline has passed."""
    live.expire(now)


def archive(live: Live, now: float) -> Reply:
    """Take no more decisions."""
    live.state = "archived"
    return Reply.of({"id": live.id, "state": "archived", "n_open": len(live.open)})


def status(live: Live, now: float) -> Json:
    """Say where the problem stands."""
    return status_json(live, now)


def view(live: Live, now: float) -> bytes:
    """Return what the dashboard draws."""
    return Reply.of(view_json(live, now)).body


def read_decision_id(id: str) -> tuple[str, int]:
    """Read the problem and the day of a decision's id.

    Examples
    --------
    >>> read_decision_id("k3v9q2mx.17")
    ('k3v9q2mx', 17)
    """
    problem, dot, day = id.rpartition(".")
    if not dot or not (day.isascii() and day.isdecimal() and len(day) < 16):
        raise no_decision(id)
    return problem, int(day)


def no_decision(id: str) -> NotFound:
    """Say that nobody made a decision of that name."""
    return NotFound("the decision must exist", repr(id[:40]), "Use the `id` that came with the decision.")
