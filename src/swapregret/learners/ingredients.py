"""What a preset is made of: every ingredient by name, the ready-made mixtures, and the names people may override."""

from dataclasses import dataclass, fields, replace
from typing import Any

from swapregret.arguments import check_fields
from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.learners.lazy import Rate


@dataclass(frozen=True)
class Ingredients:
    """What a preset mixes into Algorithm 1; every field can be overridden by name.

    Attributes
    ----------
    exploration : float, "horizon" or "paper"
        γ. "horizon" is T^{-1/3}, at most .05; √(max(2, .4 N)/T) where N actions have experts; (mT)^{-1/3} with semi-bandit
        feedback, 0 with full (D23). On the ladder it is t^{-1/3} on day t, with semi-bandit feedback (mt)^{-1/3}. "paper" is
        H^{-1/3}, H the ratio of the top two windows.
    exploration_policy : str or None
        μ, a ``kind`` of ``actions.exploration_policy``; None is the best policy of the set (D23).
    rate : FixedRate, AdaptiveRate, "adaptive" or "paper"
        The step of the scale learners (D17). "adaptive" chooses its constant by the feedback.
    variants : int or None
        Decompositions averaged by Lazy-ComBCP (D18). None is 8, and in the adaptive preset, whose windows cost by the actions
        listed, 200 divided by the number of elements, at most 8 and at least 1.
    policy : {"auto", "list", "chain"}
        What plays a point of Lazy-ComBCP: a list of actions, or a chain without one (D24). "auto" chooses by
        ``learners.policy_plan``; the adaptive preset needs lists.
    predictor_step : float
        Step of the estimator's prediction, 0 for none (D19).
    random_offset : bool
        Whether windows start at a random day (D20).
    trackers, learned_weights, swap_filter, pooling, experts, guarded, least_squares : bool
        Ingredients of the adaptive preset and, but for the first two and the guard, of the ladder; each can be switched off (D26).
    standard_errors : float
        What a gain must exceed before the filter swaps (``adaptive.swap_filter``).
    boldness : float
        How far a member that fits by least squares moves per standard error (``adaptive.fit``).
    forecaster : bool
        Whether the adaptive preset has one: with semi-bandit feedback, and with bandit feedback on sets that are not too large
        (``adaptive.forecaster``).
    optimism : float
        Its α: how many standard errors it adds to what it expects of an element; 1.2 times as many where totals are seen.
    guard_slack : float
        The guard trips when its estimate exceeds ``guard_slack``·(T/K + 16/γ).
    weight_step, weight_spread : float
        How fast the weights of the adaptive preset and the shares of the ladder move, and the share that is dealt out evenly.
    price : float
        λ₀ of the ladder, the price of swap regret in reward (``ladder.shares``).
    """

    exploration: float | str = "horizon"
    exploration_policy: str | None = None
    rate: Rate | str = "adaptive"
    variants: int | None = None
    policy: str = "auto"
    predictor_step: float = 0.2
    random_offset: bool = True
    trackers: bool = True
    learned_weights: bool = True
    swap_filter: bool = True
    pooling: bool = True
    experts: bool = True
    guarded: bool = True
    least_squares: bool = True
    standard_errors: float = 0.7
    boldness: float = 2.5
    guard_slack: float = 0.25
    forecaster: bool = True
    optimism: float = 1.0
    weight_step: float = 0.5
    weight_spread: float = 0.1
    price: float = 128.0

    def __post_init__(self) -> None:
        check_fields(self)


PRESETS = {
    "adaptive": Ingredients(),
    "ladder": Ingredients(weight_step=1.0, weight_spread=0.05),
    "multiscale": Ingredients(),
    "paper": Ingredients(
        exploration="paper",
        exploration_policy="spanner",
        rate="paper",
        variants=1,
        policy="list",
        predictor_step=0.0,
        random_offset=False,
    ),
}
"""The ready-made mixtures: adaptive, the ladder, the paper's with practical ingredients, and to the letter."""

_NAMES = tuple(field.name for field in fields(Ingredients))
_LEARNED = _NAMES[_NAMES.index("trackers") :]
_OF_POOL = ("trackers", "learned_weights", "guarded", "guard_slack", "forecaster", "optimism")
OWN = {
    "adaptive": tuple(name for name in _LEARNED if name != "price"),
    "ladder": tuple(name for name in _LEARNED if name not in _OF_POOL),
}
"""Ingredients of these presets alone."""


def mix_ingredients(preset: str, overrides: dict[str, Any]) -> Ingredients:
    """Return the ingredients of a preset with some of them overridden; refuse names that mean nothing there.

    Values are checked by the parts they go into.
    """
    check_name(preset, PRESETS, "preset")
    for name in overrides:
        check_name(name, _NAMES, "keyword arguments", "be ingredients of a preset:")
        owners = [owner for owner, names in OWN.items() if name in names]
        if owners and preset not in owners:
            raise InvalidInput(
                f"`{name}` must come with preset={' or '.join(map(repr, owners))}",
                f"preset={preset!r}",
                "Choose that preset, or leave it out.",
            )
    return replace(PRESETS[preset], **overrides)
