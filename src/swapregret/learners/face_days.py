r"""Days on which some elements are missing: what a player plays on the face that is left.

On such a day every member of the player recommends the KL projection of its weights, without the missing elements, onto the face;
with γ of the face's own exploration policy mixed in, this is the policy of the day. Estimates are made with the Σ of that policy:
they are unbiased on the span of the day's actions, and the prediction R̂ stands in elsewhere (``round.drawn_days``).

Recommendations are taken over from the player now and then only, so that a mask that comes again finds its list. Those in use
are part of a session's state.
"""

from collections import OrderedDict

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import Face
from swapregret.arrays import Vector, frozen
from swapregret.learners.lazy import LazyComBand
from swapregret.learners.player import Arrays
from swapregret.learners.round.drawn_days import refuse_others
from swapregret.learners.round.running import Running
from swapregret.policy import FinitePolicy

_KEPT = 256
"""Faces, and lists of a day, that are kept."""
_STALE, _WINDOWS = 0.02, 8
"""Recommendations are renewed when that share of all days, and so many base windows, have passed."""
_LEAST = 0.02
"""Members with less weight are left out."""
_VARIANTS = 2
_TINY = 1e-300


class FaceDays:
    """The policies of days with missing elements.

    Parameters
    ----------
    actions : ActionSet
    """

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self._faces: OrderedDict[tuple[int, ...], Face] = OrderedDict()
        self._lists: OrderedDict[tuple[int, ...], FinitePolicy] = OrderedDict()
        self._day = -1
        self._weights: Vector = np.zeros(0)
        self._logs = np.zeros((0, actions.dimension))

    def policy(self, state: Running, missing: tuple[int, ...]) -> FinitePolicy:
        """Return the policy of a day without some elements."""
        refuse_others(state)
        day = int(state.state.tally.day[0])
        age = day - self._day
        if self._day < 0 or age < 0 or (age >= _STALE * day and age >= _WINDOWS * int(state.rule.windows[0])):
            self._take_over(state, day)
        if missing not in self._lists:
            if len(self._lists) >= _KEPT:
                self._lists.popitem(last=False)
            self._lists[missing] = self._listed(self.face(missing), float(state.state.mix.weights[-1]))
        return self._lists[missing]

    def face(self, missing: tuple[int, ...]) -> Face:
        """Return a face, made once."""
        if missing not in self._faces:
            if len(self._faces) >= _KEPT:
                self._faces.popitem(last=False)
            self._faces[missing] = Face(self._actions, missing)
        return self._faces[missing]

    def _take_over(self, state: Running, day: int) -> None:
        """Take over what the members recommend now."""
        learners, weights = state.state.learners, state.state.mix.weights[:-1].copy()
        logs = (
            np.log(np.maximum(learners.points, _TINY))
            if isinstance(state.learner, LazyComBand)
            else learners.log_points
        )
        if len(weights) > len(logs):  # a slot for all members that have just begun
            logs = np.vstack([logs, state.rule.first_log])
        kept = weights >= min(_LEAST, float(weights.max()))
        self._weights, self._logs, self._day = weights[kept] / weights[kept].sum(), logs[kept].copy(), day
        self._lists.clear()

    def _listed(self, face: Face, exploration: float) -> FinitePolicy:
        parts = [face.listed(logs, _VARIANTS) for logs in self._logs]
        shares = [*((1.0 - exploration) * self._weights).tolist(), exploration]
        lists = [*parts, face.exploration]
        rows = np.concatenate([each.atoms for each in lists])
        return FinitePolicy(
            rows, np.concatenate([share * each.weights for share, each in zip(shares, lists, strict=True)])
        )

    def dump(self) -> Arrays:
        """Write the recommendations in use; nothing where there are none."""
        if self._day < 0:
            return {}
        return {"day": np.array([self._day]), "weights": self._weights.copy(), "logs": self._logs.copy()}

    def load(self, arrays: Arrays) -> None:
        """Read what ``dump`` wrote."""
        self._day = int(arrays["day"][0])
        self._weights, self._logs = frozen(arrays["weights"].copy()), frozen(arrays["logs"].copy())
        self._lists.clear()
