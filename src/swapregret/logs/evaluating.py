r"""What another policy would have earned on the days of a log, from actions, totals and the policies that drew them.

On day t the policy :math:`p_t` drew :math:`M_t`, which paid :math:`r_t`. A policy with marginals :math:`q_t` would have earned
:math:`R_t\cdot q_t`. With :math:`w_t = q_t\cdot\Sigma_t^+ M_t`, :math:`\Sigma_t = E[MM^\top]` under :math:`p_t`, two estimates are
unbiased wherever :math:`q_t` is in the range of :math:`\Sigma_t`:

.. math:: \text{pseudo-inverse: } w_t r_t, \qquad
    \text{doubly robust: } \hat R_t\cdot q_t + w_t\,(r_t - \hat R_t\cdot M_t),

:math:`\hat R_t` the ridge regression of totals on the days before t. It is fixed before the draw of day t, so both are
unbiased, term by term, also where policies depend on the past. The interval is Student's, from the spread of the terms over days.
Where q is out of range (actions are asked about that the log could not show) nothing is known: these days are left out, and their
share is told.

Reference: Swaminathan et al. (2017), Off-policy evaluation for slate recommendation.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import check_confidence, checked
from swapregret.arrays import Actions, Vector
from swapregret.errors import InvalidInput
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import AnyPlayer, marginals_of
from swapregret.logs.least_squares import LeastSquares
from swapregret.logs.log import Choice, Log, Source, read_choice
from swapregret.logs.past_days import learn_past
from swapregret.notebook import html_table, text_table
from swapregret.policy import Policy
from swapregret.regret.measure import student_factor
from swapregret.units import Range

_RANGE, _TINY = 1e-8, 1e-12
_GROWTH = 1.25
"""How many times as many days there are when R̂ is fitted again."""


@dataclass(frozen=True)
class Estimate:
    """An estimated mean per day.

    Attributes
    ----------
    value, lower, upper : float
        The estimate, and the ends of its interval.
    standard_error : float
    """

    value: float
    lower: float
    upper: float
    standard_error: float

    @classmethod
    def of_terms(cls, terms: Vector, confidence: float) -> "Estimate":
        """Return the mean of some terms with Student's interval."""
        n = len(terms)
        value, error = float(terms.mean()), float(terms.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
        reach = student_factor(n, confidence) * error if n > 1 else math.inf
        return cls(value, value - reach, value + reach, error)

    def __str__(self) -> str:
        return f"{self.value:.6g} in [{self.lower:.6g}, {self.upper:.6g}], ± {self.standard_error:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What a policy would have earned per day.

    Attributes
    ----------
    doubly_robust, pseudo_inverse : Estimate
        Of the mean total per day, in the units of the log.
    logged : float
        The mean total that the log itself has.
    n_days : int
    effective_days : float
        (Σw)²/Σw²: how many days of the policy's own the log is worth.
    without_support : float
        The share of days whose policy could not show what the policy asks about; they are left out.
    told : str
        How the policies of the log are known: "logged", or what the user declared.
    confidence : float
    """

    doubly_robust: Estimate
    pseudo_inverse: Estimate
    logged: float
    n_days: int
    effective_days: float
    without_support: float
    told: str
    confidence: float

    @property
    def value(self) -> float:
        """Return the doubly robust estimate."""
        return self.doubly_robust.value

    @property
    def interval(self) -> tuple[float, float]:
        """Return its interval."""
        return self.doubly_robust.lower, self.doubly_robust.upper

    @property
    def definition(self) -> str:
        """Say what was estimated, and from what."""
        told = "as logged" if self.told == "logged" else f"declared {self.told} by the user"
        return (
            f"mean total per day, estimated from {self.n_days:,} days whose policies are {told}; intervals are Student's, at"
            f" {self.confidence:g}; {self.without_support:.1%} of the days have no support and are left out"
        )

    def table(self) -> tuple[str, list[str], list[list[str]]]:
        """Return title, headings and rows of what is shown."""
        rows = [
            [name, f"{each.value:.6g}", f"{each.lower:.6g} … {each.upper:.6g}"]
            for name, each in (("doubly robust", self.doubly_robust), ("pseudo-inverse", self.pseudo_inverse))
        ]
        rows += [["the log itself", f"{self.logged:.6g}", ""]]
        title = f"Worth {self.effective_days:,.0f} of {self.n_days:,} days, {self.without_support:.1%} without support"
        return title, ["estimate", "per day", "between"], rows

    def __repr__(self) -> str:
        return text_table(*self.table())

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.definition)


@checked
def evaluate(
    log: Source | Log,
    policy: Policy | AnyPlayer | Choice,
    *,
    actions: ActionSet | None = None,
    policies: str | Policy | Sequence[Policy] | None = None,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
    confidence: float = 0.95,
) -> Evaluation:
    """Estimate what another policy would have earned on the days of a log.

    Parameters
    ----------
    log : path, data frame, sequence of days, or Log
        A day is an action and its total, and the policy that drew the action if it is known.
    policy : Policy, player, or a choice
        What would have been played instead: a policy on all days; a player, which then learns from the log day by day; or one fixed
        action, as a 0/1 vector or labels.
    actions : ActionSet, optional
        The set of the log; a player and a :class:`~swapregret.logs.log.Log` know it.
    policies : {"uniform", "constant"}, Policy or sequence of Policy, optional
        Who drew the actions, where the log does not say.
    reward_range, cost_range : (float, float), optional
        The least and the largest total; a player needs one of them unless totals are rewards in [0, 1].
    confidence : float

    Examples
    --------
    >>> import numpy as np
    >>> from swapregret import MSets
    >>> coin = MSets(2, 1, labels="ab")
    >>> found = evaluate([("a", 1.0), ("b", 0.0)] * 50, ("a",), actions=coin, policies="uniform")
    >>> found.pseudo_inverse.value, found.without_support, found.effective_days
    (1.0, 0.0, 50.0)
    """
    check_confidence(confidence)
    player = cast(AnyPlayer, policy) if hasattr(policy, "observe") and hasattr(policy, "start") else None
    of = actions or (log.actions if isinstance(log, Log) else getattr(player, "actions", None))
    if of is None:
        raise InvalidInput(
            "`actions` must be given", "a log and a policy that do not name a set", "Pass the action set."
        )
    past = Log.read(log, of, policies=policies, reward_range=reward_range, cost_range=cost_range)
    if past.policies is None:
        raise InvalidInput(
            "a log must say which policy drew each action",
            f"{len(past):,} totals without policies",
            "Log them (`decision.policy`), or declare policies='uniform' or 'constant', if that is true.",
        )
    rewards = past.units.reward(past.totals)
    given: Any = policy if player is None else player.actions
    if getattr(given, "dimension", of.dimension) != of.dimension:
        must = f"`policy` must be over the {of.dimension} elements of the set"
        raise InvalidInput(must, repr(given)[:80], "Pass another.")
    if player is None:
        wanted: Iterator[Vector] = iter([_fixed(of, policy)] * len(past))
    else:
        wanted = _of_player(player, past)
    terms, robust, weights = _terms(past.plays, rewards, past.policies, wanted)
    seen = ~np.isnan(weights)
    if not seen.any():
        raise InvalidInput(
            "the log must have days on which the policy's actions could have been seen",
            f"{len(past):,} days, none of them with support",
            "Ask about actions near those that were played.",
        )
    sign = -1.0 if past.units.is_cost else 1.0
    found = weights[seen]
    return Evaluation(
        Estimate.of_terms(sign * robust[seen], confidence),
        Estimate.of_terms(sign * terms[seen], confidence),
        float(past.totals.mean()),
        len(past),
        float(found.sum() ** 2 / max(float(found @ found), 1e-300)),
        float(1.0 - seen.mean()),
        past.told,
        confidence,
    )


def _fixed(actions: ActionSet, policy: Any) -> Vector:
    """Return the marginals of a policy, or of the policy that always plays one choice."""
    if isinstance(policy, Policy):
        return policy.marginals()
    chosen: Vector = read_choice(actions, policy, "policy").astype(np.float64)
    return chosen


def _of_player(player: AnyPlayer, past: Log) -> Iterator[Vector]:
    """Yield the marginals that a player would have played each day, knowing what was known, having learnt from the days before."""
    known, contexts = KnownDays(player), past.contexts or (None,) * len(past)
    states = learn_past(known, player.start(np.random.default_rng(0)), past)
    for state, context, missing in zip(states, contexts, past.missing, strict=False):
        yield marginals_of(known.held(state, context, missing))


class _Shown:
    """The second moment of one policy: what w = q·Σ⁺M is made of."""

    def __init__(self, policy: Policy) -> None:
        values, vectors = np.linalg.eigh(policy.cooccurrence())
        kept = values > _TINY * max(float(values[-1]), _TINY)
        self._values, self._vectors = values[kept], vectors[:, kept]
        self._asked: Vector | None = None
        self._dual: Vector | None = None

    def dual(self, wanted: Vector) -> Vector | None:
        """Return Σ⁺q, or None where q is not in the range of Σ."""
        if self._asked is None or not np.array_equal(self._asked, wanted):
            inside: Vector = self._vectors.T @ wanted
            is_seen = bool(np.abs(self._vectors @ inside - wanted).max() <= _RANGE)
            dual: Vector = self._vectors @ (inside / self._values)
            self._asked, self._dual = wanted, dual if is_seen else None
        found: Vector | None = self._dual
        return found


def _terms(
    plays: Actions, rewards: Vector, policies: Sequence[Policy], wanted: Iterator[Vector]
) -> tuple[Vector, Vector, Vector]:
    """Return the terms of both estimates and the weights; NaN on days without support."""
    n, d = plays.shape
    terms, robust, weights = np.full((3, n), np.nan)
    fit, last, shown, refit = LeastSquares(d), None, None, 1.0
    prediction = np.zeros(d)
    for day, target in enumerate(wanted):
        if day >= refit:
            fit.add(plays[fit.n_days : day], rewards[fit.n_days : day])
            prediction, refit = fit.theta(), max(day + 1.0, _GROWTH * day)
        if policies[day] is not last:
            last, shown = policies[day], _Shown(policies[day])
        assert shown is not None
        dual = shown.dual(target)
        if dual is None:
            continue
        weight = float(dual @ plays[day])
        weights[day], terms[day] = weight, weight * rewards[day]
        robust[day] = float(prediction @ target) + weight * (rewards[day] - float(prediction @ plays[day]))
    return terms, robust, weights
