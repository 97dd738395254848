"""The conformance kit: checks a user can run on a set, a policy, a player or an environment of their own.

Each raises :class:`~swapregret.errors.ConformanceError` at the first fault, in one sentence, and hands back a report of what it
looked at. ``swapregret.testing.strategies`` draws sets, points, weights and rewards for Hypothesis, and is imported by name.
"""

from swapregret.testing.action_sets import check_action_set
from swapregret.testing.environments import check_environment
from swapregret.testing.players import check_player
from swapregret.testing.policies import check_policy
from swapregret.testing.relabelling import check_relabelling
from swapregret.testing.report import Report

__all__ = [
    "Report",
    "check_action_set",
    "check_environment",
    "check_player",
    "check_policy",
    "check_relabelling",
]
