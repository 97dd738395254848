"""Ready-made players: the names people call.

May touch: everything of ``learners``; ``actions``, ``geometry``.
"""

import math
from collections.abc import Callable
from typing import Any

from swapregret.actions.base import ActionSet
from swapregret.actions.m_sets import MSets
from swapregret.actions.permutations import Permutations
from swapregret.arrays import as_integer
from swapregret.errors import InvalidInput
from swapregret.geometry.moments import smallest_eigenvalue
from swapregret.geometry.solve import DENSE_LIMIT
from swapregret.learners.adaptive.filter import SwapFilter
from swapregret.learners.adaptive.m_set_master import MSetAdaptiveMaster
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.adaptive.pool import build_pool
from swapregret.learners.estimator import make_estimator
from swapregret.learners.ingredients import Ingredients, mix_ingredients
from swapregret.learners.lazy import AdaptiveRate, FixedRate, LazyLearner, Rate
from swapregret.learners.lazy_comband import LazyComBand
from swapregret.learners.lazy_combcp import LazyComBCP
from swapregret.learners.master import SwapMaster
from swapregret.learners.schedule import Schedule

__all__ = ["swap_comband", "swap_combcp"]

Master = SwapMaster | AdaptiveMaster | MSetAdaptiveMaster
"""What the factories return: players with a ``schedule`` and ``n_scales``."""

_PAPER_SCALES = 3
_LASTING = 8
_DENSE_WHERE_LASTING = 1000
_SHORTEST_INVERTED, _RANK_PER_DAY = 4, 6
_RANK_OF_CHAINS = 50
_VARIANTS, _FEW_VARIANTS = 8, 2
_POOL_VARIANTS = ((12, 8), (20, 5), (28, 3), (56, 2))
_LONG = 800.0
_ADAPTIVE_STEP = {"bandit": 3.0, "semi-bandit": 4.0, "full": 8.0}


def swap_combcp(
    actions: ActionSet,
    horizon: int,
    *,
    preset: str = "adaptive",
    feedback: str = "bandit",
    schedule: Schedule | None = None,
    **ingredients: Any,
) -> Master:
    """Return Swap-ComBCP (Algorithms 1 and 2) for a known horizon.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
        T, the number of days to play. Playing on after it keeps working: the coarsest scale restarts.
    preset : {"adaptive", "multiscale", "paper"}
        "multiscale" is the paper's master with uniform weights and the practical ingredients of
        ``docs/deviations.md``; "adaptive" adds a pool of learners, learned weights, a swap filter and a guard
        (``docs/guarantee.md``): lowest regret nearly everywhere; "paper" follows the paper wherever it can be followed.
    feedback : {"bandit", "semi-bandit", "full"}
        What ``observe`` will be shown: the total (the paper's), the chosen elements' rewards, or the whole vector.
    schedule : Schedule, optional
        Windows of the scales; ``Schedule.practical``, or H = ⌈T^{1/3}⌉ and K = 3 with preset "paper" (D2).
    **ingredients
        Fields of :class:`~swapregret.learners.ingredients.Ingredients`, overriding the preset.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> player = swap_combcp(MSets(10, 3), horizon=100_000, preset="multiscale", warm_restarts=True)
    >>> player.n_scales, player.warm_restarts
    (5, True)
    """
    mixed = mix_ingredients(preset, ingredients)
    windows = _schedule(actions, horizon, preset, schedule)

    def learner(scale: int) -> LazyComBCP:
        return LazyComBCP(
            actions,
            _exploration(mixed, windows),
            _rate(mixed, feedback, lambda: _paper_combcp_rate(actions, windows, scale)),
            mixed.exploration_law,
            _variants(mixed),
            _law(mixed, actions, windows, feedback),
        )

    if preset == "adaptive":
        _refuse_warm(mixed, "the adaptive preset")
        if mixed.law == "chain":
            raise InvalidInput("`law` must be a list in the adaptive preset", "'chain'", "Use preset='multiscale'.")

        def member(scale: float) -> LazyComBCP:
            return LazyComBCP(actions, 0.0, AdaptiveRate(scale), mixed.exploration_law, 1, "none")

        return _adaptive(actions, horizon, feedback, windows, mixed, member)
    return SwapMaster(
        _one_a_scale(mixed, windows, learner),
        windows,
        make_estimator(
            feedback,
            predictor_step=mixed.predictor_step,
            solver=_iterating(mixed, actions, windows, feedback),
        ),
        mixed.random_offset,
        mixed.warm_restarts,
    )


def swap_comband(
    actions: ActionSet,
    horizon: int,
    *,
    preset: str = "adaptive",
    feedback: str = "bandit",
    schedule: Schedule | None = None,
    **ingredients: Any,
) -> Master:
    """Return Swap-ComBand (Algorithms 1 and 3) for a known horizon, on a set with an exact Gibbs law.

    Arguments are those of :func:`swap_combcp`; the number of elements may vary from action to action. ``variants`` has
    no meaning here, and warm restarts are refused.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> swap_comband(MSets(10, 3), horizon=100_000).n_scales
    5
    """
    mixed = mix_ingredients(preset, ingredients)
    windows = _schedule(actions, horizon, preset, schedule)
    _refuse_warm(mixed, "swap_comband")

    def learner(scale: int) -> LazyComBand:
        return LazyComBand(
            actions,
            _exploration(mixed, windows),
            _rate(mixed, feedback, lambda: _paper_comband_rate(actions, windows, scale, mixed.exploration_law)),
            mixed.exploration_law,
        )

    if preset == "adaptive":

        def member(scale: float) -> LazyComBand:
            return LazyComBand(actions, 0.0, AdaptiveRate(scale), mixed.exploration_law)

        return _adaptive(actions, horizon, feedback, windows, mixed, member)
    return SwapMaster(
        _one_a_scale(mixed, windows, learner),
        windows,
        make_estimator(
            feedback,
            predictor_step=mixed.predictor_step,
            solver=_inverting(mixed, actions, windows),
        ),
        mixed.random_offset,
    )


def _adaptive(
    actions: ActionSet,
    horizon: int,
    feedback: str,
    windows: Schedule,
    mixed: Ingredients,
    member: Callable[[float], LazyLearner],
) -> AdaptiveMaster | MSetAdaptiveMaster:
    """Return the adaptive master: compiled where kernels cover the set, plain elsewhere."""
    step = _pool_step(mixed, feedback)
    exploration, floor, spread = _pool_shares(mixed, actions, horizon)
    pool = build_pool(
        actions, horizon, windows, member, trackers=mixed.trackers, cold_scale=step, steady_scale=step / 3.0
    )
    plain = AdaptiveMaster(
        pool,
        windows,
        horizon,
        make_estimator(feedback, predictor_step=mixed.predictor_step, solver=_solver(mixed, actions, windows)),
        exploration,
        mixed.exploration_law,
        floor,
        _pool_variants(mixed, actions),
        SwapFilter() if mixed.swap_filter else None,
        mixed.pooling,
        mixed.learned_weights,
        mixed.guarded,
        mixed.random_offset,
        guard_slack=mixed.guard_slack,
        weight_step=mixed.weight_step,
        weight_spread=spread,
        calm=mixed.calm,
    )
    return MSetAdaptiveMaster(plain) if MSetAdaptiveMaster.can_run(plain) else plain


def _variants(mixed: Ingredients) -> int:
    return _VARIANTS if mixed.variants is None else mixed.variants


def _pool_variants(mixed: Ingredients, actions: ActionSet) -> int:
    """Return how many decompositions a law of the pool averages: what a turn costs grows with the actions it lists."""
    if mixed.variants is not None:
        return mixed.variants
    if not isinstance(actions, MSets):
        return _FEW_VARIANTS
    return next((count for most, count in _POOL_VARIANTS if actions.dimension <= most), 1)


def _pool_shares(mixed: Ingredients, actions: ActionSet, horizon: int) -> tuple[float, float, float]:
    """Return γ, ε and the even share of the weights.

    γ = .02, up to half of that where the horizon is long for the set (T > 800 d m); ε = .1, down to a fifth of that where
    T > 400 d m; the even share is .2, up to twice that where T < 800 d m.
    """
    days = as_integer(horizon, "horizon", 1)
    ease = math.sqrt(_LONG * actions.rank * max(1, actions.size) / days)
    fading = min(1.0, max(0.5, ease))
    exploration = 0.02 * fading if mixed.exploration is None else mixed.exploration
    floor = 0.1 * min(1.0, max(0.2, ease**2 / 2.0)) if mixed.floor is None else mixed.floor
    spread = 0.2 * min(2.0, max(1.0, ease)) if mixed.weight_spread is None else mixed.weight_spread
    return exploration, floor, spread


def _pool_step(mixed: Ingredients, feedback: str) -> float:
    """Return the constant c of the cold scales; members that never restart take a third of it."""
    if mixed.rate == "adaptive":
        return _ADAPTIVE_STEP.get(feedback, 3.0)
    if isinstance(mixed.rate, AdaptiveRate):
        return mixed.rate.scale
    raise InvalidInput(
        "`rate` must be 'adaptive' or an AdaptiveRate with preset='adaptive'",
        repr(mixed.rate),
        "Use preset='multiscale' for a fixed step.",
    )


def _refuse_warm(mixed: Ingredients, where: str) -> None:
    if mixed.warm_restarts:
        raise InvalidInput(
            f"`warm_restarts` must be False for {where}", "True", "Use swap_combcp with preset='multiscale'."
        )


def _schedule(actions: ActionSet, horizon: int, preset: str, schedule: Schedule | None) -> Schedule:
    days = as_integer(horizon, "horizon", 1)
    if schedule is not None:
        if not isinstance(schedule, Schedule):
            raise InvalidInput("`schedule` must be a Schedule", repr(schedule), "Make one: Schedule(windows=[…]).")
        return schedule
    if preset == "paper":
        branching = max(2, round(days ** (1.0 / _PAPER_SCALES)) - 1)
        while branching**_PAPER_SCALES < days:
            branching += 1
        return Schedule.uniform(branching, _PAPER_SCALES)
    return Schedule.practical(days, rank=actions.rank, size=max(1, actions.size))


def _exploration(mixed: Ingredients, windows: Schedule) -> float:
    return _ratio(windows, windows.n_scales) ** (-1.0 / 3.0) if mixed.exploration is None else mixed.exploration


def _solver(mixed: Ingredients, actions: ActionSet, windows: Schedule) -> str:
    """Return how Σ⁺M is found: a factor that serves many days pays up to a larger rank than one that serves a day."""
    is_lasting = windows.windows[0] >= _LASTING
    if mixed.solver == "auto" and is_lasting and DENSE_LIMIT < actions.rank <= _DENSE_WHERE_LASTING:
        return "dense"
    return mixed.solver


def _law(mixed: Ingredients, actions: ActionSet, windows: Schedule, feedback: str) -> str:
    """Return what plays a point: a chain where Σ is not factored, being too large, or serving too few days for its rank."""
    if mixed.law != "auto":
        return mixed.law
    is_seen_through = feedback == "bandit" and mixed.exploration_law in (None, "uniform") and mixed.exploration != 0.0
    if isinstance(actions, MSets) and not is_seen_through:
        return "list"
    explores_by_chain = mixed.exploration_law in (None, "cover", "uniform")
    is_short = windows.windows[0] < _SHORTEST_INVERTED and feedback == "bandit" and explores_by_chain
    is_large = actions.rank > (_RANK_OF_CHAINS if is_short else DENSE_LIMIT)
    return "chain" if actions.has_markov and is_large and mixed.solver in ("auto", "iterative") else "list"


def _inverting(mixed: Ingredients, actions: ActionSet, windows: Schedule) -> str:
    """Return the same for masters whose laws change with the base window only: an inverse may serve all of it."""
    base = windows.windows[0]
    if mixed.solver == "auto" and base >= _SHORTEST_INVERTED and actions.rank <= _RANK_PER_DAY * base:
        return "inverse"
    is_chain = mixed.law in ("auto", "chain") and actions.has_markov and not isinstance(actions, MSets)
    return mixed.solver if is_chain and actions.rank > DENSE_LIMIT else _solver(mixed, actions, windows)


def _iterating(mixed: Ingredients, actions: ActionSet, windows: Schedule, feedback: str) -> str:
    """Return the same for Lazy-ComBCP, whose laws are lists and chains that conjugate gradients know well."""
    is_short = windows.windows[0] < _SHORTEST_INVERTED and actions.rank > _iterated_from(mixed, actions)
    if mixed.solver == "auto" and (is_short or _law(mixed, actions, windows, feedback) == "chain"):
        return "iterative"
    return _inverting(mixed, actions, windows)


def _iterated_from(mixed: Ingredients, actions: ActionSet) -> int:
    """Return the rank above which lists beside the uniform law are iterated for faster than Σ is factored, for a day."""
    if mixed.exploration == 0.0 or mixed.exploration_law not in (None, "uniform"):
        return DENSE_LIMIT
    if isinstance(actions, MSets):
        return min(70 + 10 * _variants(mixed), DENSE_LIMIT)
    return 190 if isinstance(actions, Permutations) and _variants(mixed) <= _FEW_VARIANTS else DENSE_LIMIT


def _rate(mixed: Ingredients, feedback: str, paper: Any) -> Rate:
    if isinstance(mixed.rate, FixedRate | AdaptiveRate):
        return mixed.rate
    if mixed.rate == "adaptive":
        return AdaptiveRate(_ADAPTIVE_STEP.get(feedback, 3.0))
    if mixed.rate == "paper":
        rate: FixedRate = paper()
        return rate
    raise InvalidInput(
        "`rate` must be 'adaptive', 'paper', a FixedRate or an AdaptiveRate", repr(mixed.rate), "Use 'adaptive'."
    )


def _one_a_scale(mixed: Ingredients, windows: Schedule, make: Any) -> tuple[Any, ...]:
    """Return the learners of scales 1..K: one object for all where nothing depends on the scale."""
    if mixed.rate == "paper":
        return tuple(make(scale) for scale in range(1, windows.n_scales + 1))
    return (make(1),) * windows.n_scales


def _ratio(windows: Schedule, scale: int) -> float:
    """Return H: how often a scale updates in an interval."""
    return max(2.0, windows.restart_every(scale) / windows.update_every(scale))


def _paper_combcp_rate(actions: ActionSet, windows: Schedule, scale: int) -> FixedRate:
    """Return η = 1/(d³ √m H^{k−1/3}) (Algorithm 2, line 2), with H^{k−1} the meta-day."""
    d, m = actions.dimension, actions.size
    meta_day, branching = windows.update_every(scale), _ratio(windows, scale)
    return FixedRate(1.0 / (d**3 * m**0.5 * meta_day * branching ** (2.0 / 3.0)))


def _paper_comband_rate(actions: ActionSet, windows: Schedule, scale: int, law: str | None) -> FixedRate:
    """Return η = λ_min/(H^{k−1/3} m) (Algorithm 3, line 1), λ_min of μ as computed (D6)."""
    smallest = smallest_eigenvalue(actions.exploration_policy(law), actions.span)
    meta_day, branching = windows.update_every(scale), _ratio(windows, scale)
    return FixedRate(smallest / (meta_day * branching ** (2.0 / 3.0) * actions.size))
