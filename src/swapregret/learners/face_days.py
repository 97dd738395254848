r"""Days on which some elements are missing: what a player plays on the face that is left.

On such a day every member of the player recommends the KL projection of its weights, without the missing elements, onto the face,
and a forecaster the action that is best there for its upper bounds; with γ of the face's own exploration policy mixed in, this is
the policy of the day. Estimates are made with the Σ of that policy: they are unbiased on the span of the day's actions, and the
prediction R̂ stands in elsewhere (``round.held_view``).

Recommendations are taken over from the player now and then only, so that a mask that comes again finds its list. Those in use
are part of a session's state.
"""

import math
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import Face
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.compiled.kernel import Returned
from swapregret.files.held import held_array, held_chances
from swapregret.learners.adaptive.forecaster import element_bounds
from swapregret.learners.adaptive.state import AdaptiveState
from swapregret.learners.lazy import LazyComBand
from swapregret.learners.player import Arrays
from swapregret.learners.round.held_view import Drawn, refuse_others
from swapregret.learners.round.running import Running
from swapregret.policy import FinitePolicy, on_grid

_KEPT = 256
"""Faces, and lists of a day, that are kept."""
_STALE, _WINDOWS = 0.02, 8
"""Recommendations are renewed when that share of all days, and so many base windows, have passed."""
_LEAST = 0.02
"""Members with less weight are left out."""
_VARIANTS = 2
_TINY = 1e-300


class Recommended(NamedTuple):
    """What the members of a player recommended on some day."""

    day: int
    weights: Vector  # (n,)
    logs: Matrix  # (n, d) the logarithms of the weights that each would project, a forecaster's its upper bounds
    exploration: float
    is_bold: bool  # whether the last of them is a forecaster, which plays the action that is best for its bounds


class FaceDays:
    """The policies of days with missing elements.

    Parameters
    ----------
    actions : ActionSet
    beside : FaceDays, optional
        Those of another player on the set: faces are made once for both, and it begins with the other's recommendations.

    Attributes
    ----------
    recommended : Recommended or None
        In use until it is too old; None before the first such day.
    """

    def __init__(self, actions: ActionSet, beside: "FaceDays | None" = None) -> None:
        self._actions = actions
        self._faces: OrderedDict[tuple[int, ...], Face] = OrderedDict() if beside is None else beside._faces
        self._lists: OrderedDict[tuple[int, ...], Drawn] = OrderedDict()
        self._listed_of: Recommended | None = None
        self.recommended: Recommended | None = None if beside is None else beside.recommended

    def held(self, state: Running, missing: tuple[int, ...]) -> Drawn:
        """Return the policy of a day without some elements; the same object while it stays."""
        refuse_others(state)
        face = self.face(missing)
        day = int(state.state.tally.day[0])
        age = math.inf if self.recommended is None else day - self.recommended.day
        if age >= _STALE * day and age >= _WINDOWS * int(state.rule.windows[0]):
            self.recommended = _recommended(state, day)
        if self._listed_of is not self.recommended:
            self._lists.clear()
            self._listed_of = self.recommended
        if missing not in self._lists:
            if len(self._lists) >= _KEPT:
                self._lists.popitem(last=False)
            assert self.recommended is not None
            self._lists[missing] = Drawn(_listed(face, self.recommended))
        return self._lists[missing]

    def face(self, missing: tuple[int, ...]) -> Face:
        """Return a face, made once."""
        if missing not in self._faces:
            if len(self._faces) >= _KEPT:
                self._faces.popitem(last=False)
            self._faces[missing] = Face(self._actions, missing)
        return self._faces[missing]

    def dump(self) -> Arrays:
        """Write the recommendations in use; nothing where there are none."""
        if self.recommended is None:
            return {}
        numbers = {name: np.array(getattr(self.recommended, name)) for name in ("day", "exploration", "is_bold")}
        return numbers | {"weights": self.recommended.weights, "logs": self.recommended.logs}

    def load(self, arrays: Arrays, n_days: int) -> None:
        """Read what ``dump`` wrote, for a session of so many days, or refuse it."""
        weights = held_chances(arrays, "weights")
        logs = held_array(arrays, "logs", "float64", (len(weights), self._actions.dimension))
        day = int(held_array(arrays, "day", "int64", (), 0, n_days))
        exploration = float(held_array(arrays, "exploration", "float64", (), 0.0, 1.0))
        is_bold = bool(held_array(arrays, "is_bold", "bool", ()))
        self.recommended = Recommended(day, weights, logs, exploration, is_bold)


def _recommended(state: Running, day: int) -> Recommended:
    """Return what the members recommend now, a forecaster last; those with little weight are left out."""
    own = state.state
    learners, weights, exploration = own.learners, own.mix.weights[:-1], float(own.mix.weights[-1])
    n, beside = len(learners.points), own.policies.marginals[len(learners.points) : len(weights)]
    logs = _logs(learners.points) if isinstance(state.learner, LazyComBand) else learners.log_points
    logs, order = np.vstack([logs, _logs(beside)]), np.arange(len(weights))  # other slots recommend what they play
    has_forecaster = isinstance(own, AdaptiveState) and own.forecast.evidence.size > 0
    if has_forecaster:
        rule: Returned = state.rule
        logs[n - 1] = element_bounds(rule.forecast, own.forecast)
        order = np.append(np.delete(order, n - 1), n - 1)
    kept = order[weights[order] >= min(_LEAST, float(weights.max()))]
    shares = frozen(on_grid(weights[kept] / weights[kept].sum()))
    return Recommended(day, shares, frozen(logs[kept].copy()), exploration, has_forecaster and kept[-1] == n - 1)


def _logs(points: Matrix) -> Matrix:
    return np.log(np.maximum(points, _TINY))


def _listed(face: Face, recommended: Recommended) -> FinitePolicy:
    """Return the policy of a day on a face as a list."""
    n_projected = len(recommended.logs) - recommended.is_bold
    lists = [face.listed(logs, _VARIANTS) for logs in recommended.logs[:n_projected]]
    lists += [face.best(bounds) for bounds in recommended.logs[n_projected:]]
    shares = [*((1.0 - recommended.exploration) * recommended.weights).tolist(), recommended.exploration]
    return face.mixed([*lists, face.explored], shares)
