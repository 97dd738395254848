"""What people and clients see of a problem."""

import json
from dataclasses import asdict
from typing import Any

import swapregret as sr
from swapregret.serve.live import Live
from swapregret.serve.problems import choice_of, plain_label, text_of

__all__ = ["decision_json", "row_json", "status_json", "view_json"]

_OLDEST = 20


def decision_json(live: Live, decision: "sr.Decision") -> dict[str, Any]:
    """Return a decision as clients get it."""
    return {
        "id": f"{live.id}.{decision.day}",
        "day": decision.day,
        "elements": [plain_label(label) for label in decision.elements],
        "choice": choice_of(decision),
    }


def row_json(row: Any, ours: str) -> dict[str, Any]:
    """Return a problem as its row in the database knows it."""
    spec = json.loads(row.spec)
    closed = row.n_rewards + row.n_defaults + row.n_skips
    rewarded = row.n_rewards + row.n_defaults
    held = None if row.owner is None else "this process" if row.owner == ours else row.address
    return {
        "id": row.id,
        "name": row.name,
        "state": row.state,
        "created": row.created,
        "served_by": held,
        "n_decisions": row.n_decisions,
        "n_rewards": row.n_rewards,
        "n_defaults": row.n_defaults,
        "n_skips": row.n_skips,
        "n_open": row.n_decisions - closed,
        "mean_reward": row.reward_sum / rewarded if rewarded else None,
        "spec": spec,
    }


def status_json(live: Live, now: float) -> dict[str, Any]:
    """Return where a problem stands, as its learner knows it."""
    summary = live.session.summary()
    law = live.session.policy()
    player = None if summary.player is None else asdict(summary.player)
    return {
        "labels": [text_of(label) for label in live.problem.actions.labels],
        "n_actions": None if live.problem.actions.n_actions is None else str(live.problem.actions.n_actions),
        "marginals": [round(float(value), 6) for value in law.marginals()],
        "player": _finite(player),
        "parts": [round(float(share), 6) for share in law.component_weights] if isinstance(law, sr.Mixture) else [1.0],
        "oldest_open": [
            {"id": f"{live.id}.{day}", "age": max(0.0, now - live.made[day]), "choice": choice_of(live.open[day])}
            for day in list(live.open)[:_OLDEST]
        ],
    }


def view_json(live: Live, now: float) -> dict[str, Any]:
    """Return everything the dashboard draws."""
    return {
        **status_json(live, now),
        "seq": live.seq,
        "state": live.state,
        "totals": live.totals,
        "n_open": len(live.open),
        "unit": "cost" if live.problem.has_costs else "reward",
        "rewards": live.history.rewards(),
        "heat": live.history.marginals(),
        "width": live.history.width,
        "regret": live.history.regret(),
        "stride": live.history.stride,
        "latest": list(live.latest)[::-1],
    }


def _finite(value: Any) -> Any:
    """Write what JSON cannot hold (infinity) as null."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
