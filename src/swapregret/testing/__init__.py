"""The conformance kit: checks a user can run on a set, a policy, a player or an environment of their own.

Each raises :class:`~swapregret.errors.ConformanceError` at the first fault, in one sentence, and hands back a report of what it
looked at. ``swapregret.testing.strategies`` draws sets, points, weights and rewards for Hypothesis, and is imported by name.
"""

from swapregret.testing.conformance import Report
from swapregret.testing.environment_checks import check_environment
from swapregret.testing.player_checks import check_player
from swapregret.testing.policy_checks import check_policy
from swapregret.testing.set_checks import check_action_set

__all__ = [
    "Report",
    "check_action_set",
    "check_environment",
    "check_player",
    "check_policy",
]
