"""Ready-made players: the names people call."""

import math
from typing import Any

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.arrays import as_integer
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.learners.adaptive.adaptive_master import AdaptiveMaster, can_foretell
from swapregret.learners.adaptive.experts import MOST_ACTIONS
from swapregret.learners.ingredients import OWN, Ingredients, mix_ingredients
from swapregret.learners.ladder.ladder_master import LadderMaster
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyComBand, LazyComBCP, LazyLearner, Rate
from swapregret.learners.multiscale.swap_master import SwapMaster
from swapregret.learners.policy_plan import plan_policies
from swapregret.learners.round.day import FEEDBACKS
from swapregret.learners.schedule import Schedule
from swapregret.learners.settings import LEAST_CAPACITY

SwapPlayer = SwapMaster | AdaptiveMaster | LadderMaster
"""What the factories return: players with a ``schedule`` and ``n_scales``."""

_PAPER_SCALES = 3
_MOST_EXPLORATION = 0.05
_FORETOLD_EXPLORATION = 0.01
"""γ at most where there is a forecaster, which explores by itself."""
_SHORT_WINDOW, _WINDOWS = 4, 2000
"""With a forecaster base windows have at most four days, or 1/2,000 of the horizon; one day where elements are seen."""
_ADAPTIVE_STEP = {"bandit": 3.0, "semi-bandit": 4.0, "full": 8.0}


@checked
def swap_combcp(
    actions: ActionSet,
    horizon: int | None = None,
    *,
    preset: str | None = None,
    feedback: str = "bandit",
    schedule: Schedule | None = None,
    **ingredients: object,
) -> SwapPlayer:
    """Return Swap-ComBCP (Algorithms 1 and 2).

    Parameters
    ----------
    actions : ActionSet
    horizon : int, optional
        T, the number of days to play. Playing on after it keeps working: the coarsest scale restarts. Without a horizon the player
        keeps learning: levels, memories and exploration grow with the day, and nothing is forgotten on some day.
    preset : {"adaptive", "ladder", "multiscale", "paper"}, optional
        "adaptive" with a horizon, "ladder" without. "ladder" has levels with learned shares that stay fixed on their own blocks,
        a filter that is a learner too, and a theorem for them (``docs/guarantee.md``); what it does on a day does not depend on T.
        "multiscale" is the paper's master with uniform weights and the practical ingredients of
        ``docs/deviations.md``. "adaptive" adds a pool of learners, learned weights, a swap filter and a guard
        (``docs/adaptive.md``, ``docs/guarantee.md``). "paper" follows the paper wherever it can be followed.
    feedback : {"bandit", "semi-bandit", "full"}
        What ``observe`` will be shown: the total (the paper's), the chosen elements' rewards, or the whole vector.
    schedule : Schedule, optional
        Windows of the scales; ``Schedule.practical``, or H = ⌈T^{1/3}⌉ and K = 3 with preset "paper" (D2).
    **ingredients
        Fields of :class:`~swapregret.learners.ingredients.Ingredients`, overriding the preset.

    Examples
    --------
    >>> from swapregret import MSets
    >>> player = swap_combcp(MSets(10, 3), horizon=100_000, preset="multiscale")
    >>> player.n_scales, player.schedule.windows[0]
    (5, 12)
    """
    return _make(LazyComBCP, actions, horizon, preset, feedback, schedule, ingredients)


@checked
def swap_comband(
    actions: ActionSet,
    horizon: int | None = None,
    *,
    preset: str | None = None,
    feedback: str = "bandit",
    schedule: Schedule | None = None,
    **ingredients: object,
) -> SwapPlayer:
    """Return Swap-ComBand (Algorithms 1 and 3) on a set with an exact Gibbs policy.

    Arguments are those of :func:`swap_combcp`; the number of elements may vary from action to action. ``variants`` matters
    only with the adaptive preset, whose members are played as lists.

    Examples
    --------
    >>> from swapregret import MSets
    >>> swap_comband(MSets(10, 3), horizon=100_000).n_scales
    5
    """
    return _make(LazyComBand, actions, horizon, preset, feedback, schedule, ingredients)


def _make(
    kind: type[LazyComBCP] | type[LazyComBand],
    actions: ActionSet,
    horizon: int | None,
    preset: str | None,
    feedback: str,
    schedule: Schedule | None,
    ingredients: dict[str, object],
) -> SwapPlayer:
    """Return the master of a preset with learners of a kind."""
    if not isinstance(actions, ActionSet):
        raise InvalidInput("`actions` must be an action set", shown(actions), "Make one, e.g. MSets(10, 3).")
    preset = preset or ("ladder" if horizon is None else "adaptive")
    mixed = mix_ingredients(preset, ingredients)
    check_name(feedback, FEEDBACKS, "feedback")
    is_adaptive = preset in OWN
    foretells = preset == "adaptive" and mixed.forecaster and can_foretell(actions, feedback)
    windows = _schedule(actions, horizon, preset, schedule)
    if foretells and schedule is None:
        most = 1 if feedback == "semi-bandit" else max(_SHORT_WINDOW, as_integer(horizon, "horizon", 1) // _WINDOWS)
        windows = _shorter(windows, most)
    n_experts = actions.n_actions or 0 if is_adaptive and mixed.experts else 0
    days = 1 if preset == "ladder" else horizon
    exploration = _exploration(actions, mixed, feedback, days, windows, n_experts)
    if foretells and mixed.exploration == "horizon":
        exploration = min(_FORETOLD_EXPLORATION, exploration)
    plan = plan_policies(
        actions,
        windows.windows[0],
        feedback,
        policy=mixed.policy,
        variants=mixed.variants,
        is_gibbs=kind is LazyComBand,
        is_adaptive=is_adaptive,
        explores=mixed.exploration_policy,
        exploration=exploration,
    )
    rates = _rates(kind, actions, mixed, feedback, windows)
    if is_adaptive and not isinstance(rates[0], AdaptiveRate):
        raise InvalidInput(
            "`rate` must be 'adaptive' or an AdaptiveRate with preset='adaptive'",
            shown(mixed.rate),
            "Use preset='multiscale' for a fixed step.",
        )
    learner = kind(actions, exploration, rates, plan, mixed.exploration_policy)
    common: dict[str, Any] = {
        "learner": learner,
        "schedule": windows,
        "feedback": feedback,
        "predictor_step": mixed.predictor_step,
        "random_offset": mixed.random_offset,
    }
    if not is_adaptive:
        return SwapMaster(**common)
    chosen = {name: getattr(mixed, name) for name in OWN[preset]}
    chosen["capacity"] = _capacity(actions)
    if preset == "ladder":
        fades = mixed.exploration == "horizon" and feedback != "full"
        return LadderMaster(**common, **chosen, seen_per_day=float(_seen_per_day(actions, feedback)) if fades else 0.0)
    return AdaptiveMaster(**common, horizon=as_integer(horizon, "horizon", 1), **chosen)


def _capacity(actions: ActionSet) -> int:
    """Return how many actions tables have room for: all of a small set, and a list of all besides, so that none is ever full."""
    least, most = LEAST_CAPACITY, AdaptiveMaster.capacity
    return most if actions.n_actions is None else min(most, max(least, 2 * actions.n_actions))


def _schedule(actions: ActionSet, horizon: int | None, preset: str, schedule: Schedule | None) -> Schedule:
    if horizon is None and preset != "ladder":
        raise InvalidInput(
            "`horizon` must be given with this preset",
            f"none, with preset={preset!r}",
            "Give the number of days, or use preset='ladder' or anytime(swap_combcp, actions, preset=…).",
        )
    days = None if horizon is None else as_integer(horizon, "horizon", 1)
    if schedule is not None:
        if not isinstance(schedule, Schedule):
            raise InvalidInput("`schedule` must be a Schedule", shown(schedule), "Make one: Schedule(windows=[…]).")
        return schedule
    if days is None or preset == "ladder":
        return Schedule.ladder(days, rank=actions.rank, size=max(1, actions.size))
    if preset == "paper":
        branching = max(2, round(days ** (1.0 / _PAPER_SCALES)) - 1)
        while branching**_PAPER_SCALES < days:
            branching += 1
        return Schedule.uniform(branching, _PAPER_SCALES)
    return Schedule.practical(days, rank=actions.rank, size=max(1, actions.size))


def _shorter(windows: Schedule, most: int) -> Schedule:
    """Return a schedule whose base windows have at most so many days: a part of its shortest intervals."""
    base, bottom = windows.windows[0], windows.windows[1]
    while base > most or bottom % base:
        base -= 1
    return Schedule((base, *windows.windows[1:]))


def _seen_per_day(actions: ActionSet, feedback: str) -> int:
    """Return how many numbers are seen per day."""
    return max(1, actions.size) if feedback == "semi-bandit" else 1


def _exploration(
    actions: ActionSet, mixed: Ingredients, feedback: str, horizon: int | None, windows: Schedule, n_experts: int
) -> float:
    """Return γ: the number given, the paper's H^{-1/3}, or n^{-1/3} for n numbers seen (D23); 0 where all is seen anyway.

    Where N actions have experts and only totals are seen, it is √(max(2, .4 N) / T).
    """
    if not isinstance(mixed.exploration, str):
        return mixed.exploration
    if check_name(mixed.exploration, ("horizon", "paper"), "exploration", "be a number or one of") == "paper":
        return float(_ratio(windows, windows.n_scales) ** (-1.0 / 3.0))
    if feedback == "full":
        return 0.0
    seen = float(_seen_per_day(actions, feedback) * as_integer(horizon, "horizon", 1))
    if feedback == "bandit" and 0 < n_experts <= MOST_ACTIONS:
        return min(_MOST_EXPLORATION, math.sqrt(max(2.0, 0.4 * n_experts) / seen))
    return min(_MOST_EXPLORATION, float(seen ** (-1.0 / 3.0)))


def _rates(
    kind: type[LazyLearner], actions: ActionSet, mixed: Ingredients, feedback: str, windows: Schedule
) -> tuple[Rate, ...]:
    """Return the step of the learners: one for all scales where nothing depends on the scale."""
    if isinstance(mixed.rate, FixedRate | AdaptiveRate):
        return (mixed.rate,)
    if mixed.rate == "adaptive":
        return (AdaptiveRate(_ADAPTIVE_STEP[feedback]),)
    if mixed.rate == "paper":
        return _paper_rates(kind, actions, windows, mixed.exploration_policy)
    raise InvalidInput(
        "`rate` must be 'adaptive', 'paper', a FixedRate or an AdaptiveRate", shown(mixed.rate), "Use 'adaptive'."
    )


def _ratio(windows: Schedule, scale: int) -> float:
    """Return H: how often a scale updates in an interval."""
    return max(2.0, windows.restart_every(scale) / windows.update_every(scale))


def _paper_rates(
    kind: type[LazyLearner], actions: ActionSet, windows: Schedule, policy: str | None
) -> tuple[FixedRate, ...]:
    """Return η of each scale: 1/(d³ √m H^{k−1/3}) (Algorithm 2, line 2), or λ_min/(m H^{k−1/3}) (Algorithm 3, line 1).

    H^{k−1} is the meta-day; λ_min is that of μ, as computed (D6).
    """
    d, m = actions.dimension, actions.size
    over, under = 1.0, d**3 * m**0.5
    if kind is LazyComBand:
        over, under = smallest_eigenvalue(actions.exploration_policy(policy), actions.span), m
    scales = range(1, windows.n_scales + 1)
    return tuple(
        FixedRate(over / (under * windows.update_every(k) * _ratio(windows, k) ** (2.0 / 3.0))) for k in scales
    )
