"""What people and clients see of a problem: decisions, where it stands, figures, and its log as a CSV file.

A row of the log has the action, its total reward on the learner's scale [0, 1] (with full feedback the reward of every
element) and the policy that drew it, as ``swapregret audit`` reads it. Policies are made by playing all events again from the
beginning, which also checks that they come out the same.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

import numpy as np

from swapregret.csv_file import csv_line
from swapregret.regret.ledgers.policy_file import policy_cell
from swapregret.serve.database import Store
from swapregret.serve.live_problem import Live
from swapregret.serve.problems import Problem, ProblemSpec

_OLDEST = 20
_ROWS = 200


def decision_json(live: Live, day: int, packed: str) -> dict[str, Any]:
    """Return a decision as clients get it."""
    elements, choice = live.problem.shown(packed)
    return {"id": f"{live.id}.{day}", "day": day, "elements": elements, "choice": choice}


def row_json(row: Any, ours: str) -> dict[str, Any]:
    """Return a problem as its row in the database knows it."""
    rewarded = row.n_rewards + row.n_defaults
    as_it_is = ("id", "name", "state", "created", "n_decisions", "n_rewards", "n_defaults", "n_skips")
    return {
        **{name: getattr(row, name) for name in as_it_is},
        "served_by": "this process" if row.owner == ours else row.address,
        "n_open": row.n_decisions - rewarded - row.n_skips,
        "mean_reward": row.reward_sum / rewarded if rewarded else None,
        "spec": json.loads(row.spec),
    }


def status_json(live: Live, now: float) -> dict[str, Any]:
    """Return where a problem stands, as its learner knows it."""
    player, actions, shown = live.session.summary().player, live.problem.actions, live.problem.shown
    oldest = list(islice(live.open.items(), _OLDEST))
    return {
        "labels": live.labels,
        "n_actions": None if actions.n_actions is None else str(actions.n_actions),
        "marginals": [round(value, 6) for value in live.session.marginals().tolist()],
        "player": None if player is None else _finite(asdict(player)),
        "oldest_open": [
            {"id": f"{live.id}.{day}", "age": max(0.0, now - each.made), "choice": shown(each.packed)[1]}
            for day, each in oldest
        ],
    }


def view_json(live: Live, now: float) -> dict[str, Any]:
    """Return everything the dashboard draws, but for the regret: that is computed from ``samples`` elsewhere."""
    latest = [{**each, "choice": live.problem.shown(each["packed"])[1]} for each in reversed(live.latest)]
    return {
        **status_json(live, now),
        "seq": live.seq,
        "state": live.state,
        "totals": live.totals,
        "n_open": len(live.open),
        "unit": live.problem.units.word,
        "rewards": live.history.rewards(),
        "heat": live.history.marginals(),
        "width": live.history.width,
        "stride": live.history.stride,
        "latest": latest,
    }


def _finite(value: Any) -> Any:
    """Write what JSON cannot hold (infinity) as null."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def log_lines(store: Store, id: str, max_dimension: int) -> Iterator[bytes]:
    """Yield the file in parts: one row for each decision that was closed by a reward, in the order of their rewards."""
    row = store.problem(id)
    problem = Problem(ProblemSpec.model_validate_json(row.spec), max_dimension)
    live = Live(id, problem)
    is_full, last = problem.spec.feedback == "full", ""
    rewards = [f"reward:{label}" for label in problem.actions.labels] if is_full else ["reward"]
    lines = [csv_line(["decision", "indices", "reported", "closed_by", "made", "closed", *rewards, "policy"])]
    for event in store.events(id):
        if event.kind != "act" and event.value is not None:
            decision, made_at, _ = live.open[event.day]
            seen = np.atleast_1d(problem.reader.read(json.loads(event.value), decision.action))
            numbers = seen if is_full else [seen.sum()]  # semi-bandit: 0 where nothing was chosen
            policy = policy_cell(decision.policy)
            indices = ";".join(map(str, np.flatnonzero(decision.action).tolist()))
            made = f"{made_at:.3f}"
            cells = [f"{id}.{event.day}", indices, event.value, event.kind, made, f"{event.at:.3f}"]
            lines.append(
                csv_line([*cells, *(repr(float(value)) for value in numbers), "" if policy == last else policy])
            )
            last = policy
        live.replay(event)
        if len(lines) >= _ROWS:
            yield "".join(lines).encode()
            lines = []
    yield "".join(lines).encode()
