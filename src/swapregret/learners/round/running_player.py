"""Players whose state changes in place: masters, and competitors on the same phases."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.family import Family
from swapregret.arrays import Vector
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.held import wrong_state
from swapregret.learners.lazy import AdaptiveRate, LazyComBand, LazyComBCP, LazyLearner
from swapregret.learners.player import Arrays, Feedback
from swapregret.learners.round.running import Running
from swapregret.learners.schedule import Schedule, draw_offset
from swapregret.learners.settings import PredictorStep, check_settings
from swapregret.policy import Policy


class RunningPlayer(ABC):
    """A player whose state is a :class:`~swapregret.learners.round.running.Running`: masters, and competitors.

    What is done to a state is a method of the state itself. Subclasses are frozen dataclasses with ``actions`` and ``feedback``,
    and say how they begin.
    """

    actions: ActionSet
    feedback: Feedback

    act = staticmethod(Running.act)
    observe = staticmethod(Running.observe)
    play_block = staticmethod(Running.play)
    hold = staticmethod(Running.view)
    load_held = staticmethod(Running.load_view)
    copy = staticmethod(Running.copy)
    dump = staticmethod(Running.dump)

    @property
    @abstractmethod
    def _family(self) -> Family:
        """The set as learners take it, made once; that compiles its operations."""

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

    def policy(self, state: Running) -> Policy:
        """Return the policy of the next action, as a value."""
        return state.view().policy()

    def policy_from(self, marginals: Vector, exponents: Vector) -> Policy:
        """Return a policy that is no list from what a tape says of it; a player of lists has none."""
        raise AssertionError("a player of lists has played something that is no list")

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least; a set that is not made of a few numbers is in the file itself."""
        return int(self.actions.dimension)

    @property
    def longest_window(self) -> int:
        """The days by which its calendar may be shifted; 0 where it has none."""
        return 0

    def base_level(self, arrays: Arrays) -> int:
        """Return the level whose windows days are counted in, of a state in a file."""
        return 0

    def check_own(self, arrays: Arrays) -> None:
        """Refuse a state in a file, its arrays of the right types and shapes, whose calendar is not this player's."""
        if self.longest_window and arrays["tally.offset"][0] >= self.longest_window:
            raise wrong_state("a day of the longest window in 'tally.offset'", str(arrays["tally.offset"]))
        if arrays["tally.base"][0] != self.base_level(arrays):
            raise wrong_state("the level of the base window in 'tally.base'", str(arrays["tally.base"]))

    @property
    def is_compiled(self) -> bool:
        """Whether days run without the interpreter."""
        return not self._family.hull.callbacks

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
    predictor_step: PredictorStep = 0.2
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
        """Refuse a plan that does not fit this learner, set and feedback."""
        plan, is_gibbs = self.learner.plan, isinstance(self.learner, LazyComBand)
        wanted = "gibbs" if is_gibbs and not self.plays_lists else "list"
        is_chain = plan.kind == "chain" and self.actions.has_chains and not is_gibbs and not self.plays_lists
        is_known = plan.kind == wanted or is_chain
        if not is_known or plan.has_moment != (self.feedback == "bandit"):
            raise InvalidInput(
                "`plan` of the learner must be one that plan_policies makes for its set and feedback",
                f"{plan!r:.200}, with {self.feedback} feedback on {self.actions!r:.80}",
                "Make it with plan_policies, or use swap_combcp.",
            )

    @property
    def actions(self) -> ActionSet:  # type: ignore[override]
        """The set it plays on."""
        return self.learner.actions

    @property
    def longest_window(self) -> int:
        """L_K."""
        return self.schedule.windows[-1]

    @property
    def n_scales(self) -> int:
        """Return K."""
        return self.schedule.n_scales

    def _offset(self, rng: np.random.Generator) -> int:
        return draw_offset(self.schedule.windows, rng) if self.random_offset else 0

    @cached_property
    def _family(self) -> Family:
        return self.learner.family(is_listed=self.plays_lists)

    def __repr__(self) -> str:
        scales = f"{self.n_scales} scale{'s' if self.n_scales > 1 else ''}"
        return f"{type(self).__name__}({type(self.learner).__name__}, {self.actions!r}, {self.feedback}, {scales})"


def rates_of(learner: LazyLearner, count: int) -> tuple[Vector, bool]:
    """Return the step of each learner, and whether it is adaptive."""
    rates = learner.rates * count if len(learner.rates) == 1 else learner.rates
    steps = [rate.scale if isinstance(rate, AdaptiveRate) else rate.learning_rate for rate in rates]
    return np.array(steps, dtype=np.float64), isinstance(rates[0], AdaptiveRate)
