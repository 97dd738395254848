"""What the settings of players may be: one range per name, checked whenever a player is made, by a call or from a file.

``tests/learners/test_settings.py`` fails if a setting of a registered player has no line here.
"""

import math
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from swapregret.actions.action_set import ActionSet
from swapregret.counts import shown
from swapregret.errors import InvalidInput

LARGEST = 1e50
"""Of steps and scales: beyond it squares of products of two of them would not be finite."""
MOST_VARIANTS = 1000
"""Decompositions that a list of actions averages: 8 are usual, and each is made anew for every policy."""
_LONGEST = 2**62
_POSITIVE = 1e-300

NUMBERS: dict[str, tuple[float, float]] = {
    "baseline": (0.0, 1.0),
    "boldness": (0.0, LARGEST),
    "capacity": (256, 2**24),
    "draws": (1, 2**12),
    "exploration": (0.0, 1.0),
    "first_epoch": (1, _LONGEST),
    "guard_slack": (_POSITIVE, LARGEST),
    "horizon": (1, 2**63 - 1),
    "inertia": (_POSITIVE, LARGEST),
    "learning_rate": (0.0, LARGEST),
    "learning_rates": (0.0, LARGEST),
    "limit": (0, _LONGEST),
    "memory": (1.0, LARGEST),
    "noise": (1e-3, LARGEST),
    "predictor_step": (0.0, math.nextafter(2.0, 0.0)),
    "prior": (0.0, LARGEST),
    "prior_mean": (-LARGEST, LARGEST),
    "prior_width": (1e-3, LARGEST),
    "scale": (_POSITIVE, LARGEST),
    "standard_errors": (0.0, LARGEST),
    "variants": (1, MOST_VARIANTS),
    "weight_spread": (0.0, 1.0),
    "weight_step": (0.0, LARGEST),
}
"""The least and the largest value of each number; of each in a tuple."""
WORDS: dict[str, tuple[str, ...]] = {
    "estimator": ("own", "shared"),
    "exploration_policy": ("d-optimal", "spanner", "uniform"),
    "feedback": ("bandit", "full", "semi-bandit"),
    "kind": ("chain", "gibbs", "iterated", "list"),
    "rule": ("inertia", "invariant"),
    "rules": ("internal", "swap"),
}
"""What each word may be."""
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
ONLY = frozenset({"reason"})
"""Text for people, which may be anything."""


def check_settings(part: Any) -> None:
    """Refuse a player, or a part of one, with a setting out of its range.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.baselines.tsallis_inf import TsallisINF
    >>> TsallisINF(MSets(4, 2), 100, 2.0, limit=-1)
    Traceback (most recent call last):
    ...
    swapregret.errors.InvalidInput: `limit` must be a number from 0 to 4,611,686,018,427,387,904: got -1. Choose one in that range.
    """
    kind = type(part).__name__
    for field in fields(part):
        name, value = field.name, getattr(part, field.name)
        if value is None and "None" in str(field.type):
            continue
        if name == "actions" and not isinstance(value, ActionSet):
            raise InvalidInput("`actions` must be an action set", shown(value), "Make one, e.g. MSets(10, 3).")
        if field.type in (bool, "bool") and not isinstance(value, bool):
            raise InvalidInput(f"`{name}` must be True or False", shown(value), "Pass a bool.")
        if field.type in (int, "int") and (type(value) is bool or not isinstance(value, Integral)):
            raise InvalidInput(f"`{name}` must be a whole number", shown(value), "Pass an int.")
        if name in NUMBERS:
            for number in value if isinstance(value, tuple) else (value,):
                check_number(name, number)
        elif name in WORDS:
            known = SHOWN_TO.get(kind, WORDS[name]) if name == "feedback" else WORDS[name]
            if not isinstance(value, str) or value not in known:
                raise InvalidInput(f"`{name}` of {kind} must be one of {known}", shown(value), "Choose one of these.")


def check_number(name: str, value: object) -> None:
    """Refuse a number out of the range of its name."""
    low, high = NUMBERS[name]
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:  # type: ignore[operator]
        least, most = (f"{end:,}" if isinstance(end, int) else f"{end:g}" for end in (low, high))
        bounds = f"from {least} to {most}" if high != LARGEST else f"of at least {least} and at most {most}"
        raise InvalidInput(f"`{name}` must be a number {bounds}", shown(value), "Choose one in that range.")
