"""What people and clients see of a problem: decisions, where it stands, figures, and its log as a CSV file.

A row of the log has the action, its total reward on the learner's scale [0, 1], which the column ``range`` says (with full
feedback the reward of every element) and the policy that drew it, as ``swapregret audit`` reads it. Policies are made by playing
all events again from the beginning, which also checks that they come out the same.
"""

import json
from dataclasses import asdict
from itertools import islice

import numpy as np

from swapregret.files.csv_file import csv_line
from swapregret.files.storage import Json
from swapregret.regret.ledgers.policy_file import policy_cell
from swapregret.serve.data.schema import Row
from swapregret.serve.problems import Problem, as_shown
from swapregret.serve.processes.live_problem import Live
from swapregret.sessions.events import ACT, Act, Event, read_act

_OLDEST = 20
_COLUMNS = ("decision", "id", "indices", "context", "available", "reported", "closed_by", "made", "closed")
"""Of the log, before rewards and policy."""


def decision_json(live: Live, day: int) -> Json:
    """Return an open decision as clients get it."""
    decision, _, packed = live.open[day]
    own = {} if decision.note.id is None else {"own_id": decision.note.id}
    return {"id": f"{live.id}.{day}", **own, "day": day, **live.problem.shown(packed)}


def row_json(row: Row, ours: str) -> Json:
    """Return a problem as its row in the database knows it."""
    rewarded = row.n_rewards + row.n_defaults
    as_it_is = ("id", "name", "state", "created", "n_decisions", "n_rewards", "n_defaults", "n_skips")
    return {
        **{name: getattr(row, name) for name in as_it_is},
        "served_by": "this process" if row.owner == ours else row.address,
        "n_open": row.n_decisions - rewarded - row.n_skips,
        "mean_reward": row.reward_sum / rewarded if rewarded else None,
        "spec": None if row.spec is None else as_shown(json.loads(row.spec)),
    }


def status_json(live: Live, now: float) -> Json:
    """Return where a problem stands, as its learner knows it."""
    told, actions, shown = live.session.summary(), live.problem.actions, live.problem.shown
    oldest = list(islice(live.open.items(), _OLDEST))
    return {
        "labels": live.problem.labels,
        "n_actions": None if actions.n_actions is None else str(actions.n_actions),
        "marginals": [round(value, 6) for value in live.session.policy().marginals().tolist()],
        "player": None if told.player is None else _finite(asdict(told.player)),
        "n_past": told.n_past,
        "uplift": None if told.uplift is None else _finite(told.uplift._asdict()),
        "oldest_open": [
            {
                "id": f"{live.id}.{day}",
                "own_id": each.decision.note.id,
                "age": max(0.0, now - each.made),
                "text": shown(each.packed)["text"],
            }
            for day, each in oldest
        ],
    }


def view_json(live: Live, now: float) -> Json:
    """Return everything the dashboard draws."""
    latest = [{**each, "text": live.problem.shown(each["packed"])["text"]} for each in reversed(live.latest)]
    return {
        **status_json(live, now),
        "seq": live.seq,
        "state": live.state,
        "totals": live.totals,
        "n_open": len(live.open),
        "unit": live.problem.units.word,
        "rewards": live.history.rewards(),
        "heat": live.history.marginals(),
        "absent": live.history.absent(),
        "contexts": live.history.by_context(live.problem.units, live.problem.spec.holdout),
        "width": live.history.width,
        "stride": live.history.stride,
        "latest": latest,
        "times": live.history.times(),
        "regret": live.regret(),
        "swap": live.history.swap_curve(),
    }


def _finite(value: object) -> object:
    """Write what JSON cannot hold (infinity) as null."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


class LogFile:
    """A log that grows event by event: one row for each decision that was closed by a reward, in the order of their rewards."""

    def __init__(self, id: str, problem: Problem) -> None:
        self._live, self._last, self._lines = Live(id, problem), "", list[str]()
        self._asked: dict[int, Act] = {}

    def head(self) -> bytes:
        """Return the first line."""
        actions, is_full = self._live.problem.actions, self._live.problem.spec.feedback == "full"
        rewards = [f"reward:{label}" for label in actions.labels] if is_full else ["range", "reward"]
        return csv_line([*_COLUMNS, *rewards, "policy"]).encode()

    def add(self, event: Event) -> None:
        """Let an event happen again, and write its row."""
        live, problem = self._live, self._live.problem
        if event.kind == ACT:
            self._asked[event.day] = read_act(event.value, problem.actions.dimension)
        elif event.value is not None:
            asked = self._asked.pop(event.day)
            here = [] if not asked.missing else [n for i, n in enumerate(problem.labels) if i not in set(asked.missing)]
            decision, made_at, _ = live.open[event.day]
            seen = np.atleast_1d(problem.reader.read(event.told(), decision.action))
            is_full = problem.spec.feedback == "full"
            numbers = seen if is_full else [seen.sum()]  # semi-bandit: 0 where nothing was chosen
            policy = policy_cell(decision.policy)
            indices = ";".join(map(str, np.flatnonzero(decision.action).tolist()))
            made, closed, values = f"{made_at:.3f}", f"{event.at:.3f}", [repr(float(value)) for value in numbers]
            own = "" if asked.note.id is None else str(asked.note.id)
            cells = [
                f"{live.id}.{event.day}",
                own,
                indices,
                "" if asked.note.context is None else str(asked.note.context),
                ";".join(here),
                event.value,
                event.kind,
                made,
                closed,
                *([] if is_full else ["0;1"]),
                *values,
            ]
            self._lines.append(csv_line([*cells, "" if policy == self._last else policy]))
            self._last = policy
        live.replay(event)

    def take(self) -> bytes:
        """Return the rows since the last call."""
        lines, self._lines = self._lines, []
        return "".join(lines).encode()
