r"""Days on which some elements are missing: what a player plays on the face that is left.

On such a day every member of the player recommends the KL projection of its weights, without the missing elements, onto the face;
with γ of the face's own exploration policy mixed in, this is the policy of the day. Estimates are made with the Σ of that policy:
they are unbiased on the span of the day's actions, and the prediction R̂ stands in elsewhere (``round.held_view``).

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
from swapregret.files.held import held_array, held_chances
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
    logs: Matrix  # (n, d) the logarithms of the weights that each would project
    exploration: float


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
        day, weights, logs, exploration = self.recommended
        return {"day": np.array(day), "weights": weights, "logs": logs, "exploration": np.array(exploration)}

    def load(self, arrays: Arrays, n_days: int) -> None:
        """Read what ``dump`` wrote, for a session of so many days, or refuse it."""
        weights = held_chances(arrays, "weights")
        logs = held_array(arrays, "logs", "float64", (len(weights), self._actions.dimension))
        day = int(held_array(arrays, "day", "int64", (), 0, n_days))
        exploration = float(held_array(arrays, "exploration", "float64", (), 0.0, 1.0))
        self.recommended = Recommended(day, weights, logs, exploration)


def _recommended(state: Running, day: int) -> Recommended:
    """Return what the members recommend now; those with little weight are left out."""
    learners, weights = state.state.learners, state.state.mix.weights[:-1].copy()
    logs = np.log(np.maximum(learners.points, _TINY)) if isinstance(state.learner, LazyComBand) else learners.log_points
    if len(weights) > len(logs):  # a slot for all members that have just begun
        logs = np.vstack([logs, state.rule.first_log])
    kept = weights >= min(_LEAST, float(weights.max()))
    shares = frozen(on_grid(weights[kept] / weights[kept].sum()))
    return Recommended(day, shares, frozen(logs[kept].copy()), float(state.state.mix.weights[-1]))


def _listed(face: Face, recommended: Recommended) -> FinitePolicy:
    """Return the policy of a day on a face as a list."""
    lists = [*(face.listed(logs, _VARIANTS) for logs in recommended.logs), face.explored]
    return face.mixed(
        lists, [*((1.0 - recommended.exploration) * recommended.weights).tolist(), recommended.exploration]
    )
