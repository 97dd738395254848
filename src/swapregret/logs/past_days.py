r"""What a player learns from the days before its first: its history, and how it finds out that the world has changed since.

A day whose policy is known counts as a day. Where nobody knows it, estimates cannot be made without bias: least squares count the
day, and the prediction stands in for its estimate (``round.held_view``). Either way the player goes on with the next day, so that
what it forgets, it forgets by age.

*Is the world still the same?* Let :math:`\hat\theta` be the least squares fit of the last 1,000 totals, :math:`\sigma^2` the mean
square of its residuals, and d/N what a fit on N days adds. The n-th new day promises :math:`\hat\theta\cdot M`. History is
forgotten, and the player begins anew, once

.. math:: \sum_{t\le n} (r_t - \hat\theta\cdot M_t) <
    -\sqrt{2\sigma^2\,(n + n^2 d/N)\,\bigl(\log\tfrac1\alpha + 2\log\log(e + n)\bigr)}, \qquad n \ge 8,

which a world that goes on as it was does with a chance of about :math:`\alpha` = 5 %, however often one looks; after N days nobody
asks any more. A player whose own members forget needs no such question, but answers it much later.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from swapregret.arrays import Action, Vector
from swapregret.errors import InvalidInput, Unsupported
from swapregret.files.held import held_array
from swapregret.learners.checked import require_player
from swapregret.learners.doubling import DoublingPlayer
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import AnyPlayer, Arrays, Decision, Note
from swapregret.learners.round.held_view import Chosen, Drawn, refuse_others
from swapregret.logs.least_squares import LeastSquares
from swapregret.logs.log import Log

_CHANCE, _FEWEST, _MOST = 0.05, 8, 1_000


class Promise(NamedTuple):
    """What a history promises of the days after it, and what came of that so far.

    Attributes
    ----------
    fit : Vector
        θ̂, per element, on the scale [0, 1] of totals.
    noise, n_past : float
        σ² and N.
    n_days, missed : float
        n, and the sum of what was earned beyond the promise.
    """

    fit: Vector
    noise: float
    n_past: float
    n_days: float = 0.0
    missed: float = 0.0

    def after(self, action: Action, share: float) -> "Promise | None":
        """Return it after a day; None when it need not be asked any more."""
        if self.n_days >= self.n_past:
            return None
        missed = self.missed + share - float(self.fit @ action)
        return self._replace(n_days=self.n_days + 1.0, missed=missed)

    @property
    def is_broken(self) -> bool:
        """Tell whether the days so far earned clearly less than was promised."""
        n = self.n_days
        if n < _FEWEST:
            return False
        spread = self.noise * (n + n * n * len(self.fit) / self.n_past)
        return self.missed < -math.sqrt(2.0 * spread * (-math.log(_CHANCE) + 2.0 * math.log(math.log(math.e + n))))

    def dump(self) -> Arrays:
        """Write it as arrays."""
        return {"fit": np.array(self.fit), "numbers": np.array(self[1:])}

    @classmethod
    def load(cls, arrays: Arrays, dimension: int) -> "Promise":
        """Read what ``dump`` wrote, or refuse it."""
        numbers = held_array(arrays, "numbers", "float64", (4,), -1e12, 1e12)
        noise, n_past, n_days, missed = numbers.tolist()
        if not (noise >= 0.0 and 0.0 <= n_days <= n_past):
            raise InvalidInput("a history must have its days", f"{numbers!r:.80}", "Restore the file from a copy.")
        return cls(held_array(arrays, "fit", "float64", (dimension,)), noise, n_past, n_days, missed)


def learn_past(known: KnownDays, state: Any, past: Log) -> Iterator[Any]:
    """Let a player learn from past days and their contexts; yield its state before each and, at last, after all of them."""
    player = known.player
    require_player(player)
    if player.feedback != "bandit":
        raise InvalidInput(
            "a player must learn from totals to learn from a log of totals",
            f"feedback={player.feedback!r}",
            "Use feedback='bandit'.",
        )
    policies, unknown = past.policies, Chosen()
    contexts = past.contexts if past.contexts is not None and _has_contexts(state) else (None,) * len(past)
    for day, (play, share) in enumerate(zip(past.plays, past.shares().tolist(), strict=True)):
        yield state
        held = unknown if policies is None else Drawn(policies[day])
        decision = Decision(day, play, player.actions, held, Note(context=contexts[day]))
        state = known.observe(state, decision, share)
    yield state


def _has_contexts(state: object) -> bool:
    """Tell whether a player can be told contexts; one that cannot takes all days alike."""
    try:
        refuse_others(state)
    except Unsupported:
        return False
    return True


def begin_with(known: KnownDays, state: Any, past: Log) -> tuple[Any, Promise | None]:
    """Return the state of a player after its history, and what that promises; anytime players begin anew of themselves."""
    *_, state = learn_past(known, state, past)
    return state, None if isinstance(known.player, DoublingPlayer) else promise_of(past)


def begin_anew(player: AnyPlayer, n_days: int, n_past: int) -> Any:
    """Return a state before its first day, for a player whose history has turned out, after some days, to be of another world."""
    return player.start(np.random.default_rng([n_days, n_past]))


def promise_of(past: Log) -> Promise:
    """Return what the last days of a history promise of the next."""
    plays, shares = past.plays[-_MOST:], past.shares()[-_MOST:]
    known = LeastSquares(plays.shape[1])
    known.add(plays, shares)
    fit = known.theta()
    return Promise(fit, float(np.mean((shares - plays @ fit) ** 2)), float(len(plays)))
