"""What the settings of players may be: each kind of setting is a type, with its range; a field or an argument names one.

Players read their fields by these types whenever one is made, by a call or from a file (``arguments``).
``tests/learners/test_settings.py`` fails if a setting of a registered player names none.
"""

import math
from typing import Annotated, Any

from swapregret.arguments import Between, OneOf, check_fields
from swapregret.counts import shown
from swapregret.errors import InvalidInput

_LARGEST = 1e50
"""Of steps and scales: beyond it squares of products of two of them would not be finite."""
_SMALLEST = 1e-300
"""Of what must be positive."""
LEAST_CAPACITY = 256
MOST_VARIANTS = 1000
_LONGEST = 2**62

Step = Annotated[float, Between(0.0, _LARGEST)]
"""How far something moves, or reaches."""
Positive = Annotated[float, Between(_SMALLEST, _LARGEST)]
"""A scale that something is divided by."""
Width = Annotated[float, Between(1e-3, _LARGEST)]
"""A standard deviation."""
Level = Annotated[float, Between(-_LARGEST, _LARGEST)]
"""A reward to expect."""
MemoryLength = Annotated[float, Between(1.0, _LARGEST)]
"""After how many days something is forgotten."""
PredictorStep = Annotated[float, Between(0.0, math.nextafter(2.0, 0.0))]
FirstEpoch = Annotated[int, Between(1, _LONGEST)]
Limit = Annotated[int, Between(0, _LONGEST)]
"""The most actions that are listed."""
Capacity = Annotated[int, Between(LEAST_CAPACITY, 2**24)]
"""Rows of a table."""
Draws = Annotated[int, Between(1, 2**12)]
Variants = Annotated[int, Between(1, MOST_VARIANTS)]
"""Decompositions that a list of actions averages: 8 are usual, and each is made anew for every policy."""
Estimator = Annotated[str, OneOf("own", "shared")]
ExplorationPolicy = Annotated[str, OneOf("d-optimal", "spanner", "uniform")]
PlanKind = Annotated[str, OneOf("chain", "gibbs", "list")]
MatchingName = Annotated[str, OneOf("inertia", "invariant")]
Rules = Annotated[str, OneOf("internal", "swap")]

SHOWN_TO: dict[str, tuple[str, ...]] = {
    "ComBand": ("bandit",),
    "CombEXP": ("bandit",),
    "CombTS": ("semi-bandit",),
    "CombUCB": ("semi-bandit",),
    "EpsilonGreedy": ("bandit",),
    "Ito": ("bandit",),
    "LinTS": ("bandit",),
    "LinUCB": ("bandit",),
    "TsallisINF": ("bandit",),
} | dict.fromkeys(("BlumMansour", "Exp3", "RegretMatching", "Stoltz", "TreeSwap"), ("bandit", "full"))
"""What those players can be shown that do not take every kind of feedback."""


def check_settings(part: Any) -> None:
    """Refuse a player, or a part of one, with a setting out of its range."""
    check_fields(part)
    kind, feedback = type(part).__name__, getattr(part, "feedback", None)
    if feedback not in SHOWN_TO.get(kind, (feedback,)):
        raise InvalidInput(
            f"`feedback` of {kind} must be one of {SHOWN_TO[kind]}", shown(feedback), "Choose one of these."
        )
