"""The log of a problem as a CSV file that ``swapregret audit`` reads.

A row has the action, its total reward on the learner's scale [0, 1] (with full feedback the reward of every element) and the
policy that drew it. Policies are made by playing all events again from the beginning, which also checks that they come out the
same.
"""

import json
from collections.abc import Iterator

import numpy as np

from swapregret.csv_file import csv_line
from swapregret.regret.ledgers.law_file import law_cell
from swapregret.serve.live import Live
from swapregret.serve.problems import Problem, ProblemSpec
from swapregret.serve.store import Store

__all__ = ["log_lines"]

_ROWS = 200


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
            decision, reported = live.open[event.day], json.loads(event.value)
            seen = np.atleast_1d(problem.reader.read(problem.as_reward(reported), decision.action))
            numbers = seen if is_full else [seen.sum()]  # semi-bandit: 0 where nothing was chosen
            law = law_cell(decision.policy, problem.actions)
            indices = ";".join(map(str, np.flatnonzero(decision.action).tolist()))
            made = f"{live.made[event.day]:.3f}"
            cells = [f"{id}.{event.day}", indices, event.value, event.kind, made, f"{event.at:.3f}"]
            lines.append(csv_line([*cells, *(repr(float(value)) for value in numbers), "" if law == last else law]))
            last = law
        live.replay(event)
        if len(lines) >= _ROWS:
            yield "".join(lines).encode()
            lines = []
    yield "".join(lines).encode()
