"""Players whose state changes in place: masters, and competitors on the same phases."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Actions, Matrix, Vector
from swapregret.compiled.callback import callbacks_of
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.learners.calendar import draw_offset
from swapregret.learners.lazy import AdaptiveRate, LazyComBand, LazyComBCP
from swapregret.learners.player import Arrays, Decision, Feedback
from swapregret.learners.round.running import Running, View
from swapregret.learners.schedule import Schedule
from swapregret.learners.settings import check_settings
from swapregret.policy import Policy
from swapregret.policy.tape import Tape


class RunningPlayer(ABC):
    """A player whose state is a :class:`~swapregret.learners.round.running.Running`: masters, and competitors.

    Subclasses are frozen dataclasses with ``actions`` and ``feedback``, and say how they begin.
    """

    feedback: Any
    _minimises: ClassVar[bool] = False
    """Whether it asks for ``hybrid`` of the family."""

    @property
    @abstractmethod
    def _family(self) -> Any:
        """The set as compiled code takes it, made once."""

    @cached_property
    def _called(self) -> Any:
        """The same behind addresses, where it can be: what the player is compiled for does not depend on the set then."""
        from swapregret.actions.called_family import called  # loads Numba

        return called(self._family, self._minimises)

    @abstractmethod
    def _running(self, offset: int) -> Running:
        """Return the player before day 0, its calendar shifted; policies are made by the caller."""

    def _offset(self, rng: np.random.Generator) -> int:
        """Draw the day of its windows with which the calendar starts."""
        return 0

    def start(self, rng: np.random.Generator) -> Running:
        """Return the state before day 0; the only randomness is the offset of the calendar."""
        running = self._running(self._offset(rng))
        running.make()
        return running

    def act(self, state: Running, rng: np.random.Generator) -> Action:
        """Draw an action."""
        return state.act(rng)

    def hold(self, state: Running) -> View:
        """Return the policy that is played now, as something that stays."""
        return state.view()

    def policy(self, state: Running) -> Policy:
        """Return the policy of the next action, as a value."""
        return state.view().policy()

    def load_held(self, state: Running, arrays: Arrays) -> View:
        """Read an earlier policy."""
        return state.load_view(arrays)

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return a policy that is no list from what a tape says of it; a player of lists has none."""
        raise AssertionError("a player of lists has played a policy that is none")

    def play_block(
        self,
        state: Running,
        rng: np.random.Generator,
        rewards: Matrix,
        received: Vector,
        plays: Actions,
        read: Callable[[Tape, int, int], None] | None,
    ) -> Running:
        """Play one day per row of ``rewards``, as stepping would; see :meth:`Running.play`."""
        state.play(rng, rewards, received, plays, read)
        return state

    @property
    def is_compiled(self) -> bool:
        """Whether days run without the interpreter."""
        return not callbacks_of(self._family)

    def observe(self, state: Running, decision: Decision, reward: float | Vector | None) -> Running:
        """Learn from a day, in place (lines 6, 7, 12–14 of Algorithm 1)."""
        seen, total = None, None
        if reward is not None and self.feedback == "bandit":
            total = float(reward)
        elif reward is not None:
            seen = np.ascontiguousarray(reward, dtype=np.float64)
            total = float(seen @ decision.action)
        held = decision.held
        state.observe(decision.action, seen, total, held if isinstance(held, View) else None)
        return state

    def copy(self, state: Running) -> Running:
        """Return a state that goes its own way."""
        return state.copy()

    def dump(self, state: Running) -> Arrays:
        """Write the state as named arrays."""
        return state.dump()

    def load(self, arrays: Arrays) -> Running:
        """Read a state written by ``dump`` of an equally configured player."""
        running = self._running(0)
        running.load(arrays)
        return running


@dataclass(frozen=True, repr=False)
class Master(RunningPlayer):
    """What the multi-scale and the adaptive master share.

    Parameters
    ----------
    learner : LazyComBCP or LazyComBand
        Of the scales.
    schedule : Schedule
    feedback : {"bandit", "semi-bandit", "full"}
    predictor_step : float
        Step of the estimator's prediction in [0, 2), 0 for none (D19).
    random_offset : bool
        Whether the calendar starts at a random day of its windows (D20).
    """

    learner: LazyComBCP | LazyComBand
    schedule: Schedule
    feedback: Feedback = "bandit"
    predictor_step: float = 0.2
    random_offset: bool = False
    plays_lists: ClassVar[bool] = False
    """Whether points are played as lists whatever the learner would play."""

    def __post_init__(self) -> None:
        check_settings(self)
        self._check_plan()
        if len(self.learner.rates) not in (1, self.n_scales) or len({type(rate) for rate in self.learner.rates}) > 1:
            raise InvalidInput(
                "`rates` of the learner must be one for all scales, or one per scale, of one kind",
                f"{len(self.learner.rates)} rates and {self.n_scales} scales",
                "Give one rate.",
            )
        if self.schedule.windows[-1] >= 2**62:
            raise InvalidInput(
                "the windows of a schedule that is played must be shorter than 2**62 days",
                shown(self.schedule.windows[-1]),
                "Use Schedule.practical(...), or a smaller horizon.",
            )

    def _check_plan(self) -> None:
        """Refuse a plan that is none for this learner, set and feedback."""
        plan, is_gibbs = self.learner.plan, isinstance(self.learner, LazyComBand)
        wanted = "gibbs" if is_gibbs and not self.plays_lists else "list"
        is_free = {"chain": self.actions.has_markov, "iterated": self.actions.has_iteration}.get(plan.kind, False)
        is_known = plan.kind == wanted or (is_free and not is_gibbs and not self.plays_lists)
        if not is_known or plan.has_moment != (self.feedback == "bandit") or plan.has_inverse > plan.has_moment:
            raise InvalidInput(
                "`plan` of the learner must be one that plan_laws makes for its set and feedback",
                f"{plan!r:.200}, with {self.feedback} feedback on {self.actions!r:.80}",
                "Make it with plan_laws, or use swap_combcp.",
            )

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""
        return self.learner.actions

    @property
    def n_scales(self) -> int:
        """Return K."""
        return self.schedule.n_scales

    def _offset(self, rng: np.random.Generator) -> int:
        return draw_offset(self.schedule.windows, rng) if self.random_offset else 0

    @cached_property
    def _family(self) -> Any:
        return self.learner.family(is_listed=self.plays_lists)

    def __repr__(self) -> str:
        scales = f"{self.n_scales} scale{'s' if self.n_scales > 1 else ''}"
        return f"{type(self).__name__}({type(self.learner).__name__}, {self.actions!r}, {self.feedback}, {scales})"


def rates_of(learner: Any, count: int) -> tuple[np.ndarray[Any, np.dtype[np.float64]], bool]:
    """Return the step of each learner, and whether it is adaptive."""
    rates = learner.rates * count if len(learner.rates) == 1 else learner.rates
    is_adaptive = isinstance(rates[0], AdaptiveRate)
    steps = [rate.scale if is_adaptive else rate.learning_rate for rate in rates]
    return np.array(steps, dtype=np.float64), is_adaptive
