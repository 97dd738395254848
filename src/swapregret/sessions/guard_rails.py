r"""What a session keeps beside its player: a hold-out, the choices of an application, the promise of its history.

*Apprentice.* The application chooses, the session learns. With :math:`\hat\theta` the least squares fit of its totals,
:math:`\bar M` the mean of its choices, q what the session would play now, A = Σ M Mᵀ + ρI and σ² the mean square of the residuals,

.. math:: \hat\theta\cdot(q - \bar M) \;\pm\; \|q - \bar M\|_{A^{-1}}\,\Bigl(
    \sigma\sqrt{\log\det(A/\rho) + 2\log(1/\delta)} + \frac{\sqrt{\rho d}}{2m}\Bigr)

says what the session would earn beyond the application, at all times and for all q at once, if totals are a sum over elements that
does not change but for noise like σ, and no element is worth more than 1/(2m) beyond the mean. Nothing else can be said where
nobody knows how the application chooses.

Reference: Abbasi-Yadkori, Pál and Szepesvári (2011), Improved algorithms for linear stochastic bandits, Theorem 2.
"""

import copy
import math
from typing import NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, NamedArrays, Vector, below, under
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.held import held_array
from swapregret.learners.player import Decision, HeldPolicy
from swapregret.learners.round.held_view import Chosen, HeldOut
from swapregret.logs.least_squares import LeastSquares
from swapregret.logs.log import Choice, read_choice
from swapregret.logs.past_days import Promise
from swapregret.sessions.uplift import UpliftSums
from swapregret.units import Units

LIVE, APPRENTICE = MODES = ("live", "apprentice")
"""Who chooses: the session, or the application, from which it learns."""
_LARGEST = 1e100


class Holdout:
    """A share of days on which a baseline is played.

    Parameters
    ----------
    baseline : Action
    share : float
    """

    def __init__(self, baseline: Action, share: float) -> None:
        self.baseline, self.share = baseline, share
        self._held: HeldOut | None = None

    def decide(self, decision: Decision, actions: ActionSet, rng: np.random.Generator) -> Decision:
        """Return the decision of the day, or the baseline; either is drawn from the mixture of both."""
        action = self.baseline if rng.random() < self.share else decision.action
        return Decision(decision.day, action, actions, self.held(decision.held), decision.note)

    def held(self, inner: HeldPolicy) -> HeldOut:
        """Return the mixture of a policy and the baseline; the same one as long as the policy is the same."""
        if self._held is None or self._held.inner is not inner:
            self._held = HeldOut(inner, self.baseline, self.share)
        return self._held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Holdout) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{self.share!r} of the days on elements {np.flatnonzero(self.baseline).tolist()}"


def read_holdout(actions: ActionSet, baseline: Choice | None, share: float | None) -> Holdout | None:
    """Read a hold-out as a session is given it."""
    if baseline is None and share is None:
        return None
    if baseline is None or share is None or not isinstance(share, int | float) or not 0.0 < share < 1.0:
        must = "`baseline` and `holdout` must be a choice and a share of days above 0 and below 1"
        came = [f"no {name}" if it is None else shown(it) for name, it in (("baseline", baseline), ("holdout", share))]
        raise InvalidInput(must, " and ".join(came), "Give both: the elements of a choice, and e.g. 0.1.")
    return Holdout(read_choice(actions, baseline, "baseline"), float(share))


class Advantage(NamedTuple):
    """What a session would earn per day beyond the application whose choices it learns from, in its own units.

    Attributes
    ----------
    value, lower, upper : float
        Of its present policy; of costs, how much less it would pay. The interval supposes that the world stands still.
    n_days : int
        Days learnt from.
    confidence : float
    """

    value: float
    lower: float
    upper: float
    n_days: int
    confidence: float

    def __str__(self) -> str:
        verdict = "it would have done better" if self.lower > 0.0 else "it is not clear that it would do better"
        return f"{self.value:+.4g} per day, between {self.lower:+.4g} and {self.upper:+.4g}: {verdict}"


class Beside(NamedTuple):
    """What is learnt beside the player's state: values, so that a call that fails leaves them.

    Attributes
    ----------
    promise : Promise or None
        What the history promised, while that is in question.
    uplift : UpliftSums
        Of the hold-out.
    seen : LeastSquares or None
        Of the application's choices.
    """

    promise: Promise | None = None
    uplift: UpliftSums = UpliftSums()
    seen: LeastSquares | None = None

    @property
    def is_broken(self) -> bool:
        """Tell whether the history has turned out to be of another world."""
        return self.promise is not None and self.promise.is_broken

    def after(self, decision: Decision, seen: float | Vector | None) -> "Beside":
        """Return it after a day."""
        if seen is None:
            return self
        share = seen if isinstance(seen, float) else float(seen @ decision.action)
        held, made = decision.held, self
        if made.promise is not None:
            made = made._replace(promise=made.promise.after(decision.action, share))
        if isinstance(held, HeldOut):
            is_kept = float(np.array_equal(decision.action, held.baseline))
            made = made._replace(uplift=made.uplift.after(share, is_kept, held.spared, held.share))
        if isinstance(held, Chosen):
            known = copy.copy(made.seen or LeastSquares(len(decision.action)))
            known.add(decision.action[None, :], np.array([share]))
            made = made._replace(seen=known)
        return made

    def advantage(self, marginals: Vector, size: int, units: Units, confidence: float) -> Advantage | None:
        """Return what a policy with some marginals would earn beyond the application's choices."""
        known = self.seen
        if known is None:
            return None
        n, d, moment = known.n_days, len(marginals), known.ridged()
        change = marginals - known.chosen / n
        ridge = moment[0, 0] - known.moment[0, 0]
        value = float(known.theta() @ change)
        far = math.sqrt(max(0.0, float(change @ np.linalg.solve(moment, change))))
        grown = float(np.linalg.slogdet(moment / ridge)[1])
        wide = known.noise() * math.sqrt(grown - 2.0 * math.log(1.0 - confidence))
        width = far * (wide + math.sqrt(ridge * d) / (2.0 * max(1, size)))
        lower, upper = max(-1.0, value - width), min(1.0, value + width)
        return Advantage(units.scale * value, units.scale * lower, units.scale * upper, n, confidence)

    def dump(self) -> NamedArrays:
        """Write it as arrays; nothing where there is nothing."""
        arrays: NamedArrays = {}
        if self.promise is not None:
            arrays |= under("promise", self.promise.dump())
        if self.uplift.n_days:
            arrays["uplift"] = np.array(self.uplift)
        if self.seen is not None:
            arrays |= under("seen", self.seen.dump())
        return arrays

    @classmethod
    def load(cls, arrays: NamedArrays, dimension: int) -> "Beside":
        """Read what ``dump`` wrote, or refuse it."""
        promise, seen = below(arrays, "promise"), below(arrays, "seen")
        uplift = UpliftSums()
        if "uplift" in arrays:
            uplift = UpliftSums(*held_array(arrays, "uplift", "float64", (5,), -_LARGEST, _LARGEST).tolist())
            if not (0.0 <= uplift.n_kept <= uplift.n_days and uplift.spread >= 0.0 and uplift.total >= 0.0):
                raise InvalidInput("a hold-out in a file must add up", f"{uplift!r:.80}", "Restore it from a copy.")
        return cls(
            Promise.load(promise, dimension) if promise else None,
            uplift,
            LeastSquares.load(seen, dimension) if seen else None,
        )
