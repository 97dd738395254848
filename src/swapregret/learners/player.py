"""What plays: the protocol every learner, master and competitor follows, and the decision it makes."""

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, Label, NamedArrays, Vector, frozen
from swapregret.compiled.vectors import action_total
from swapregret.policy import Policy

State = TypeVar("State")
AnyState: TypeAlias = Any
"""A state, whatever its player: only its player knows what is in it."""
Feedback = Literal["bandit", "semi-bandit", "full"]
"""What is seen of a day: the total, the rewards of the elements chosen, or the whole reward vector."""
Arrays = NamedArrays
"""A state as named arrays, for files."""


class HeldPolicy(Protocol):
    """The policy of a decision, which stays what it was while its player moves on."""

    @property
    def is_present(self) -> bool:
        """Whether it is still the player's."""

    def policy(self) -> Policy:
        """Return it as a value."""

    def dump(self) -> Arrays:
        """Write it as named arrays, from which ``load_held`` makes it again."""


class Note(NamedTuple):
    """What was said about a day when its action was asked for."""

    id: str | int | None = None  # what its user calls the decision
    context: Hashable = None  # what was known about the day; None where nothing was


NOTHING = Note()


def is_context(value: object) -> bool:
    """Tell whether a value can be a context: it can be looked up, and is equal to itself; a tuple may hold what cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return bool(value == value)


class Decision:
    """One action, with the policy that drew it.

    Parameters
    ----------
    day : int
        Counted from 0.
    action : Action
        The 0/1 vector played.
    actions : ActionSet
    held : HeldPolicy or Policy
        The policy that drew the action: an estimate made from any other would be biased.
    note : Note
    """

    __slots__ = ("_actions", "action", "day", "held", "note")

    def __init__(
        self, day: int, action: Action, actions: ActionSet, held: HeldPolicy | Policy, note: Note = NOTHING
    ) -> None:
        self.day, self.action, self._actions, self.note = day, action, actions, note
        self.held: Any = held

    @property
    def id(self) -> str | int | None:
        """Return what its user calls the decision, if it has a name."""
        return self.note.id

    @property
    def context(self) -> Hashable:
        """Return what was known about the day; None where nothing was."""
        return self.note.context

    @property
    def elements(self) -> tuple[Label, ...]:
        """Return the action in the user's labels."""
        names = self._actions.labels
        return tuple(names[index] for index in self.action.nonzero()[0].tolist())

    @property
    def policy(self) -> Policy:
        """Return the policy that drew the action."""
        policy: Policy = self.held if isinstance(self.held, Policy) else self.held.policy()
        return policy.with_labels(self._actions)

    @property
    def marginals(self) -> Vector:
        """Return how likely each element was to be chosen."""
        return marginals_of(self.held)

    @property
    def choice(self) -> Any:
        """Return the action in the form people give it: a ranking, a route, a tree, an allocation, or labels in order."""
        return self._actions.choice(self.action)

    def __repr__(self) -> str:
        return f"Decision(day={self.day}, {self.choice!r})"


class Player(Protocol[State]):
    """Frozen configuration that knows how to play; what it has learnt is a state.

    A state is a value, or belongs to whoever plays and changes in place; players of the second kind also have ``act``,
    ``hold`` and ``copy`` (``learners.round.running_player``).
    """

    @property
    def actions(self) -> ActionSet:
        """The set it plays on."""

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""

    def start(self, rng: np.random.Generator) -> State:
        """Return the state before day 0. All randomness besides the sampling of actions is drawn here."""

    def policy(self, state: State) -> Policy:
        """Return the policy of the next action, as a value."""

    def observe(self, state: State, decision: Decision, reward: float | Vector | None) -> State:
        """Return the state after a day; if it cannot be made, the given one is as it was.

        ``reward`` is the total in [0, 1] with bandit feedback, and otherwise a vector of ``dimension`` entries: zero
        outside the action with semi-bandit feedback, the whole reward vector with full feedback. None means that the
        day passed and nothing was seen of it.
        """

    def dump(self, state: State) -> Arrays:
        """Write the state as named arrays from which ``load`` makes it again, bit for bit."""

    def load(self, arrays: Arrays) -> State:
        """Read a state written by ``dump`` of an equally configured player."""


AnyPlayer = Player[AnyState]
"""A player, whatever its states are."""


class ValuePolicy:
    """The policy of a player whose states are values: it stays with its state."""

    __slots__ = ("_player", "is_present", "state")

    def __init__(self, player: AnyPlayer, state: AnyState) -> None:
        self._player, self.state, self.is_present = player, state, False

    def policy(self) -> Policy:
        """Return it."""
        return self._player.policy(self.state)

    def dump(self) -> Arrays:
        """Write its state."""
        return self._player.dump(self.state)


def draw_action(player: Player[State], state: State, rng: np.random.Generator) -> Action:
    """Draw the next action of a player."""
    act = getattr(player, "act", None)
    action: Action = player.policy(state).sample(rng) if act is None else act(state, rng)
    return frozen(action)


def draw_decision(
    player: Player[State], state: State, rng: np.random.Generator, day: int, note: Note = NOTHING
) -> Decision:
    """Draw the action of a day, with the policy that draws it."""
    held = hold_policy(player, state)
    return Decision(day, draw_action(player, state, rng), player.actions, held, note)


def what_is_seen(feedback: Feedback, rewards: Vector, action: Action) -> float | Vector:
    """Return what a player is shown of a day: its total in [0, 1], or as much of the reward vector as it may see."""
    if feedback == "bandit":
        return min(max(action_total(rewards, action), 0.0), 1.0)
    return rewards if feedback == "full" else rewards * action


def hold_policy(player: Player[State], state: State) -> HeldPolicy:
    """Return the policy of the next action, as something that stays."""
    hold = getattr(player, "hold", None)
    held: HeldPolicy = ValuePolicy(player, state) if hold is None else hold(state)
    return held


def marginals_of(held: HeldPolicy) -> Vector:
    """Return how likely each element is under a policy; those that know do not make the policy for it."""
    quick = getattr(held, "marginals", None)
    marginals: Vector = held.policy().marginals() if quick is None else quick()
    return marginals


def own_state(player: Player[State], state: State) -> State:
    """Return a state that goes its own way."""
    copy = getattr(player, "copy", None)
    own: State = state if copy is None else copy(state)
    return own
