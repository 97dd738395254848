r"""Days of which something is known before their action is drawn: a context, elements that are missing.

**Contexts.** A player of all days goes on as if there were no contexts. As soon as there are two, each context also has a player of
its own, a copy of the one of all days when the context first came, which learns from the days of its context alone. On such a day
the policy is their mixture

.. math:: p = w\,p_{\mathrm{own}} + (1 - w)\,p_{\mathrm{all}},

and both learn from it, with the Σ of the mixture (``round.held_view``). The share w is learnt by exponential weights over the two:
its log-odds move by :math:`\eta\,\widetilde R\cdot(\mathbb E_{\mathrm{own}}[M] - \mathbb E_{\mathrm{all}}[M])`, an unbiased
estimate of what one earns more than the other, and stay between ±(1 + ½ log(1 + n)) after n days of the context, so that either
may come back, and the other's share can fall as n^{-1/2}. Who has seen one context only is the player without contexts, bit
for bit. A day of which nothing is said has the context None.

**Missing elements.** What is played is the policy of :mod:`~swapregret.learners.face_days`, of one player or of both.
"""

import json
import math
from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from swapregret.arrays import Action, Vector, array_of_text, below, frozen, under
from swapregret.errors import InvalidInput
from swapregret.files.held import held_array, held_list
from swapregret.files.values import read_value, write_value
from swapregret.learners.checked import load_state
from swapregret.learners.face_days import FaceDays, Recommended
from swapregret.learners.player import (
    NOTHING,
    AnyPlayer,
    AnyState,
    Arrays,
    Decision,
    HeldPolicy,
    Note,
    draw_decision,
    hold_policy,
    is_context,
    marginals_of,
    own_state,
)
from swapregret.learners.round.day import BANDIT, SEMI_BANDIT
from swapregret.learners.round.held_view import Blend, Chosen, Drawn, HeldOut, refuse_others
from swapregret.learners.round.running import Running

_FIRST_ODDS, _PACE = -1.0, 2.0
"""The log-odds of a context's own player when it comes, and how fast they move."""


class Own(NamedTuple):
    """What a context has of its own."""

    state: Running  # of its player
    faces: FaceDays
    odds: float = _FIRST_ODDS  # the log-odds of its player
    squares: float = 0.0  # sum of the squares of what the odds were told
    n_days: int = 0  # of the context

    @property
    def share(self) -> float:
        """Return how often its own player is drawn."""
        return 1.0 / (1.0 + math.exp(-self.odds))

    def moved(self, gain: float) -> "Own":
        """Return it after a day, on which its player would have earned so much more than that of all days."""
        squares, n_days = self.squares + gain * gain, self.n_days + 1
        odds, most = self.odds + _PACE * gain / math.sqrt(1.0 + squares), _most(n_days)
        return self._replace(odds=min(max(odds, -most), most), squares=squares, n_days=n_days)


def _most(n_days: int) -> float:
    return 1.0 + 0.5 * math.log1p(n_days)


class _Begun(NamedTuple):
    """A day that the player of a context has learnt: what was before, should the player of all days not learn it."""

    state: Running
    n_days: int | None
    mine: Running
    n_mine: int | None
    own: dict[Hashable, Own]


class KnownDays:
    """What a player plays on such days, and how it learns from them. What it knows of contexts is kept beside its state.

    Parameters
    ----------
    player : Player

    Attributes
    ----------
    own : dict
        What each context has of its own, by context; empty until there are two.
    """

    def __init__(self, player: AnyPlayer) -> None:
        self.player, self._faces = player, FaceDays(player.actions)
        self._only: Hashable = None
        self._own: dict[Hashable, Own] = {}
        self._begun: _Begun | None = None

    @property
    def own(self) -> dict[Hashable, Own]:
        """What each context has of its own."""
        begun, self._begun = self._begun, None
        if (
            begun is not None and begun.state.n_days == begun.n_days
        ):  # the player of all days did not learn the last day
            self._own = begun.own
            if begun.mine.n_days != begun.n_mine:
                begun.mine.undo_day()
        return self._own

    def held(self, state: AnyState, context: Hashable = None, missing: tuple[int, ...] = ()) -> HeldPolicy:
        """Return the policy of the next day of a context, without some elements."""
        own = self.own.get(context)
        if missing:
            drawn = self._faces.held(state, missing)
            return drawn if own is None else Blend((own.faces.held(own.state, missing), drawn), own.share)
        return hold_policy(self.player, state) if own is None else Blend((own.state.view(), state.view()), own.share)

    def draw(
        self, state: AnyState, rng: np.random.Generator, day: int, missing: tuple[int, ...] = (), note: Note = NOTHING
    ) -> Decision:
        """Draw the action of a day."""
        own = self.own.get(note.context)
        if note.context is not None:
            refuse_others(state)
        if own is None and not missing:
            return draw_decision(self.player, state, rng, day, note)
        held = self.held(state, note.context, missing)
        if own is None or missing:
            return Decision(day, held.policy().sample(rng), self.player.actions, held, note)
        running = own.state if rng.random() < own.share else state
        return Decision(day, frozen(running.act(rng)), self.player.actions, held, note)

    def observe(self, state: AnyState, decision: Decision, seen: float | Vector | None) -> AnyState:
        """Learn from a day; if the player of all days cannot, nothing has changed."""
        own, context = self.own, decision.context
        if isinstance(state, Running):
            self._only = context if state.n_days == 0 else self._only
            if own or self._only != context:
                self._learn(state, own, decision, seen)
        return self.player.observe(state, decision, seen)

    def _learn(self, state: Running, own: dict[Hashable, Own], decision: Decision, seen: float | Vector | None) -> None:
        """Let the player of the context learn a day; contexts that are new begin with what all days have taught."""
        held, context, actions = decision.held, decision.context, self.player.actions
        made = {
            each: Own(own_state(self.player, state), FaceDays(actions, self._faces))
            for each in ((context,) if own else (self._only, context))
            if each not in own
        }
        found = (own | made)[context]
        mine, gain = found.state, 0.0
        mine.keeps_days = True
        self._begun = _Begun(state, state.n_days, mine, mine.n_days, own)
        if seen is not None:
            held = held if isinstance(held, Drawn | Chosen) else Drawn(held.policy())
            gain = _gain(mine, held, decision.action, seen)
        mine.observe(Decision(decision.day, decision.action, actions, held), seen)
        self._own = own | made | {context: found.moved(gain)}

    # ---- files -----------------------------------------------------------------------------------------------------

    def recommended(self) -> list[tuple[FaceDays, Recommended | None]]:
        """Return the recommendations in use, which a day with missing elements may renew."""
        return [(each, each.recommended) for each in (self._faces, *(own.faces for own in self.own.values()))]

    def dump(self) -> Arrays:
        """Write what is known; nothing where there are neither contexts nor recommendations."""
        arrays, names = under("faces", self._faces.dump()), list(self.own) or [self._only]
        if names != [None]:
            arrays["contexts.names"] = array_of_text(json.dumps([write_value(name) for name in names]))
        for index, own in enumerate(self.own.values()):
            parts = under("state", self.player.dump(own.state)) | under("faces", own.faces.dump())
            parts["odds"] = np.array([own.odds, own.squares])
            parts["n_days"] = np.array(own.n_days)
            arrays |= under(f"contexts.{index}", parts)
        return arrays

    def load(self, arrays: Arrays, n_days: int) -> None:
        """Read what ``dump`` wrote, for a session of so many days, or refuse it."""
        faces, contexts = below(arrays, "faces"), below(arrays, "contexts")
        if faces:
            self._faces.load(faces, n_days)
        names = [read_value(name) for name in held_list(contexts, "names")] if contexts else [None]
        if (
            not all(map(is_context, names))
            or len(set(names)) != len(names)
            or (len(names) == 1) != (set(contexts) <= {"names"})
        ):
            raise InvalidInput(
                "contexts in a file must be named once each", f"{names!r:.80}", "Restore the file from a copy."
            )
        self._only, self._own = names[0], {}
        for index, name in enumerate(names if len(names) > 1 else ()):
            part = below(contexts, str(index))
            held_days = int(held_array(part, "n_days", "int64", (), 0, n_days))
            odds, squares = held_array(part, "odds", "float64", (2,)).tolist()
            if abs(odds) > max(_most(held_days), -_FIRST_ODDS) or squares < 0.0:
                raise InvalidInput("log-odds in a file must be in range", f"{odds:g}", "Restore the file from a copy.")
            own = FaceDays(self.player.actions, self._faces)
            own.recommended = None
            if below(part, "faces"):
                own.load(below(part, "faces"), n_days)
            state = load_state(self.player, below(part, "state"), None)
            self._own[name] = Own(state, own, odds, squares, held_days)


def _gain(own: Running, held: Drawn | Chosen, action: Action, seen: float | Vector) -> float:
    """Return R̃·(E₁[M] − E₂[M]), the estimate of what the first part of a blend would have earned more than the second."""
    blend = held.inner if isinstance(held, HeldOut) else held
    if not isinstance(blend, Blend) or isinstance(held, Chosen):
        return 0.0
    first, second = map(marginals_of, blend.parts)
    change, feedback = first - second, own.rule.feedback
    if feedback == BANDIT:
        prediction = own.state.tally.prediction
        dual = held.dual(action, own.family, own.learner.actions.span)
        return float(prediction @ change + (seen - prediction @ action) * (dual @ change))
    if feedback == SEMI_BANDIT:
        prediction, chosen = own.state.tally.prediction, action > 0
        rest = (np.asarray(seen) - prediction)[chosen] / held.marginals()[chosen]
        return float(prediction @ change + rest @ change[chosen])
    return float(np.asarray(seen) @ change)
