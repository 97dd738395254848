"""What plays: the protocol every learner, master and competitor follows, and the decision it makes.

May touch: ``errors``, ``arrays``, ``policy``, ``actions.base``.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.arrays import Action, Label, Vector
from swapregret.errors import InvalidInput
from swapregret.policy import Policy

__all__ = ["Arrays", "Decision", "Feedback", "Player"]

State = TypeVar("State")
Feedback = Literal["bandit", "semi-bandit", "full"]
"""What is seen of a day: the total, the rewards of the elements chosen, or the whole reward vector."""
Arrays = dict[str, npt.NDArray[Any]]
"""A state as named arrays, for files."""


@dataclass(frozen=True, eq=False)
class Decision:
    """One action, with the law that drew it.

    Attributes
    ----------
    day : int
        Counted from 0.
    action : Action
        The 0/1 vector played.
    elements : tuple
        The same, in the user's labels.
    policy : Policy
        The law that drew the action: an estimate made from any other would be biased.
    actions : ActionSet or None
        The set the action was chosen from; sessions give it.
    """

    day: int
    action: Action
    elements: tuple[Label, ...]
    policy: Policy
    actions: ActionSet | None = field(default=None, repr=False)

    @property
    def choice(self) -> Any:
        """Return the action in the form people give it: a ranking, a route, a tree, an allocation, or labels in order."""
        if self.actions is None:
            raise InvalidInput(
                "`actions` of a Decision must be given to read its choice", "None", "Take decisions from Session.act()."
            )
        return self.actions.choice(self.action)

    def __repr__(self) -> str:
        shown = self.elements if self.actions is None else self.choice
        return f"Decision(day={self.day}, {shown!r})"


class Player(Protocol[State]):
    """Frozen configuration that knows how to play; what it has learnt is a value of its own."""

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""

    def start(self, rng: np.random.Generator) -> State:
        """Return the state before day 0. All randomness besides the sampling of actions is drawn here."""

    def policy(self, state: State) -> Policy:
        """Return the law of the next action."""

    def observe(self, state: State, decision: Decision, reward: float | Vector | None) -> State:
        """Return the state after a day.

        ``reward`` is the total in [0, 1] with bandit feedback, and otherwise a vector of ``dimension`` entries: zero
        outside the action with semi-bandit feedback, the whole reward vector with full feedback. None means that the
        day passed and nothing was seen of it.
        """

    def dump(self, state: State) -> Arrays:
        """Write the state as named arrays from which ``load`` makes it again, bit for bit."""

    def load(self, arrays: Arrays) -> State:
        """Read a state written by ``dump`` of an equally configured player."""
