"""What a preset is made of: every ingredient by name, the ready-made mixtures, and the names people may override.

May touch: ``arrays``, ``errors``, ``learners.lazy``.
"""

import math
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput
from swapregret.learners.lazy import Rate

__all__ = ["PRESETS", "Ingredients", "mix_ingredients"]


@dataclass(frozen=True)
class Ingredients:
    """What a preset mixes into Algorithm 1; every field can be overridden by name.

    Attributes
    ----------
    exploration : float or None
        γ; None is the paper's H^{-1/3}, H the ratio of the top two windows, or follows the horizon in the adaptive preset.
    exploration_law : str or None
        μ, a ``kind`` of ``actions.exploration_policy``; None is the best law of the set (D23).
    rate : FixedRate, AdaptiveRate, "adaptive" or "paper"
        The step of the scale learners (D17). "adaptive" chooses its constant by the feedback.
    variants : int or None
        Decompositions averaged by Lazy-ComBCP (D18). None is 8, and in the adaptive preset, whose turns cost by the actions
        listed, 5 on m-sets of more than 12 elements, 3 of more than 20, 2 of more than 28 and off m-sets, 1 of more than 56.
    law : {"auto", "list", "chain"}
        What plays a point of Lazy-ComBCP: a list of actions, or a Markov chain, on paths that of the flow, on m-sets pivotal
        sampling, whose ledger is exact only where there are at most 10,000 actions. "auto" is the chain where Σ is too
        large to be factored (rank above 400) or, with bandit feedback, would be factored every three days or more often
        (rank above 50); on m-sets only with bandit feedback and uniform exploration. A chain has no ``variants``.
    predictor_step : float
        Step of the estimator's predictor, 0 for none (D19).
    random_offset : bool
        Whether windows start at a random day (D20).
    warm_restarts : bool
        Whether scales of Lazy-ComBCP restart from the next coarser one (D21).
    solver : {"auto", "dense", "inverse", "iterative"}
        How Σ⁺M is found (D24); "auto" factors Σ up to rank 400, and up to rank 1000 where the base window is 8 days or
        longer; where it is at least a sixth of the rank, and 4, the uniform masters invert Σ once a window; where it is below
        4 they iterate for chains, for lists of m-sets of more than 70 + 10·``variants`` elements, and for one or two
        decompositions of permutations of 15 things and more. Chains on m-sets need no iterating.
    floor : float or None
        ε, the share of the unfiltered cold scales in the adaptive preset (D26); None follows the horizon.
    trackers, learned_weights, swap_filter, pooling, guarded : bool
        Ingredients of the adaptive preset, each of which can be switched off (D26).
    guard_slack : float
        The guard trips when its estimate exceeds ``guard_slack``·T/K.
    weight_step : float; weight_spread : float or None
        How fast the adaptive preset's weights move, and the share of weight dealt out evenly among its members; None follows
        the horizon.
    calm : float
        Share of the swap regret it is expected to end with that the adaptive preset may spend on playing μ alone while no
        fixed action is much better; 0 for none.
    """

    exploration: float | None = 0.02
    exploration_law: str | None = None
    rate: Rate | str = "adaptive"
    variants: int | None = None
    law: str = "auto"
    predictor_step: float = 0.2
    random_offset: bool = True
    warm_restarts: bool = False
    solver: str = "auto"
    floor: float | None = None
    trackers: bool = True
    learned_weights: bool = True
    swap_filter: bool = True
    pooling: bool = True
    guarded: bool = True
    guard_slack: float = 2.0
    weight_step: float = 0.5
    weight_spread: float | None = None
    calm: float = 0.25


PRESETS = {
    "adaptive": Ingredients(exploration=None),
    "multiscale": Ingredients(),
    "paper": Ingredients(
        exploration=None,
        exploration_law="spanner",
        rate="paper",
        variants=1,
        law="list",
        predictor_step=0.0,
        random_offset=False,
    ),
}
"""The ready-made mixtures: adaptive, the paper's with practical ingredients, and to the letter."""

_SWITCHES = ("random_offset", "warm_restarts", "trackers", "learned_weights", "swap_filter", "pooling", "guarded")
_FOLLOWING = ("exploration", "floor", "weight_spread")
_LAWS = ("auto", "list", "chain")
_NUMBERS = {
    "exploration": (0.0, 1.0),
    "predictor_step": (0.0, 2.0),
    "floor": (0.0, 1.0),
    "guard_slack": (0.0, math.inf),
    "weight_step": (0.0, math.inf),
    "weight_spread": (0.0, 1.0),
    "calm": (0.0, 1.0),
}
_ADAPTIVE_ONLY = (
    "floor",
    "trackers",
    "learned_weights",
    "swap_filter",
    "pooling",
    "guarded",
    "guard_slack",
    "weight_step",
    "weight_spread",
    "calm",
)


def mix_ingredients(preset: str, overrides: dict[str, Any]) -> Ingredients:
    """Return the ingredients of a preset with some of them overridden; refuse names that mean nothing there.

    Examples
    --------
    >>> mix_ingredients("multiscale", {"variants": 1}).variants
    1
    """
    if preset not in PRESETS:
        raise InvalidInput(
            f"`preset` must be one of {sorted(PRESETS)}", repr(preset), "Leave it out to get the default."
        )
    known = [field.name for field in fields(Ingredients)]
    for name in overrides:
        if name not in known:
            raise InvalidInput(
                f"keyword arguments must be ingredients of a preset: {', '.join(known)}", f"`{name}`", "Check the name."
            )
        if name in _ADAPTIVE_ONLY and preset != "adaptive":
            raise InvalidInput(
                f"`{name}` must come with preset='adaptive'",
                f"preset={preset!r}",
                "Choose that preset, or leave it out.",
            )
    mixed = replace(PRESETS[preset], **overrides)
    for name in overrides:
        _check(name, getattr(mixed, name))
    return mixed


def _check(name: str, value: Any) -> None:
    """Refuse what cannot be read; ranges that depend on the part an ingredient goes into are checked there."""
    if name in _SWITCHES:
        if not isinstance(value, bool):
            raise InvalidInput(f"`{name}` must be True or False", repr(value), "Pass a bool.")
    elif name == "variants":
        if value is not None:
            as_integer(value, name, 1)
    elif name == "law":
        if value not in _LAWS:
            raise InvalidInput(f"`law` must be one of {_LAWS}", repr(value), "Use 'auto'.")
    elif name in _NUMBERS:
        if value is None and name in _FOLLOWING:
            return
        low, high = _NUMBERS[name]
        if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
            bounds = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
            raise InvalidInput(
                f"`{name}` must be a number {bounds}",
                repr(value),
                "None follows the horizon." if name in _FOLLOWING else f"{getattr(Ingredients, name):g} is usual.",
            )
