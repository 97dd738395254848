r"""Anytime play by the doubling trick (Lemma "Anytime Guarantees").

Epoch j lasts 1000·2^j days and is played by a fresh player made for that horizon. A regret bound f(T) with f concave-like
growth, such as T log(d log T)/log T, costs only a constant factor: the last epoch holds at least half of the days.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import checked
from swapregret.arrays import Action, Vector, as_integer, below, under
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.files.held import held_array, wrong_state
from swapregret.learners.checked import check_arrays, load_open
from swapregret.learners.player import (
    AnyPlayer,
    AnyState,
    Arrays,
    Decision,
    Feedback,
    HeldPolicy,
    draw_action,
    hold_policy,
    marginals_of,
    own_state,
)
from swapregret.learners.round.held_view import View
from swapregret.learners.settings import FirstEpoch, check_settings
from swapregret.policy import Policy
from swapregret.registry import FACTORIES, name_of

_FIRST_EPOCH = 1000
_LAST_EPOCH = 50
_MOST_DAYS = 2**62


@dataclass(frozen=True, eq=False)
class DoublingState:
    """Which epoch it is, how many of its days have passed, and the state of its player."""

    epoch: int
    day: int
    seed: int  # drawn at the start; the randomness of later epochs comes from it
    inner: AnyState  # of the player of this epoch

    @property
    def n_days(self) -> int | None:
        """How many days of the epoch its player has learnt; None if it has gone on without this."""
        return self.day if getattr(self.inner, "n_days", self.day) == self.day else None


class EpochPolicy:
    """The policy of an epoch's player."""

    __slots__ = ("epoch", "inner")

    def __init__(self, epoch: int, inner: HeldPolicy) -> None:
        self.epoch, self.inner = epoch, inner

    @property
    def is_present(self) -> bool:
        """Whether it is still the player's."""
        return self.inner.is_present

    def policy(self) -> Policy:
        """Return it."""
        return self.inner.policy()

    def marginals(self) -> Vector:
        """Return how likely each element is."""
        return marginals_of(self.inner)

    @property
    def solve(self) -> Callable[[Action], Vector] | None:
        """What returns Σ⁺M, if its player can do that."""
        return getattr(self.inner, "solve", None)

    def part(self) -> None:
        """Stay what it is, where it would change with the player."""
        if isinstance(self.inner, View):
            self.inner.part()

    def dump(self) -> Arrays:
        """Write it, and its epoch."""
        return {"epoch": np.array(self.epoch)} | self.inner.dump()


@dataclass(frozen=True, repr=False)
class DoublingPlayer:
    """A player without a horizon.

    Parameters
    ----------
    factory : callable
        ``factory(actions, horizon, **options)`` makes the player of an epoch, e.g. ``swap_combcp``.
    actions : ActionSet
    options : dict
        Passed on to the factory.
    first_epoch : int
        Days of epoch 0.
    """

    factory: Callable[..., AnyPlayer]
    actions: ActionSet
    options: dict[str, object]
    first_epoch: FirstEpoch = _FIRST_EPOCH

    def __post_init__(self) -> None:
        check_settings(self)
        as_integer(self.first_epoch, "first_epoch", 1)
        if not callable(self.factory):
            raise InvalidInput("`factory` must make players", shown(self.factory), "Pass e.g. swap_combcp.")
        object.__setattr__(self, "_players", {})

    @property
    def feedback(self) -> Feedback:
        """What it expects to be shown after each day."""
        return self.player_for(0).feedback

    def epoch_length(self, epoch: int) -> int:
        """Return the days of an epoch."""
        return int(self.first_epoch * 2**epoch)

    def player_for(self, epoch: int) -> AnyPlayer:
        """Return the player of an epoch."""
        players: dict[int, AnyPlayer] = self._players  # type: ignore[attr-defined]
        if epoch not in players:  # kept for good: policies of an earlier epoch may still wait for their rewards
            players[epoch] = self.factory(self.actions, self.epoch_length(epoch), **self.options)
        return players[epoch]

    def player_of(self, state: DoublingState) -> AnyPlayer:
        """Return the player of the epoch a state is in."""
        return self.player_for(state.epoch)

    def start(self, rng: np.random.Generator) -> DoublingState:
        """Start epoch 0."""
        seed = int(rng.integers(2**62))
        return DoublingState(0, 0, seed, self.begin(0, seed))

    def begin(self, epoch: int, seed: int) -> AnyState:
        """Return the state of an epoch's player before its first day."""
        return self.player_for(epoch).start(np.random.default_rng([seed, epoch]))

    def act(self, state: DoublingState, rng: np.random.Generator) -> Action:
        """Draw an action of the epoch's player."""
        return draw_action(self.player_for(state.epoch), state.inner, rng)

    def hold(self, state: DoublingState) -> EpochPolicy:
        """Return the policy of the epoch's player, as something that stays."""
        return EpochPolicy(state.epoch, hold_policy(self.player_for(state.epoch), state.inner))

    def copy(self, state: DoublingState) -> DoublingState:
        """Return a state that goes its own way."""
        return replace(state, inner=own_state(self.player_for(state.epoch), state.inner))

    def policy(self, state: DoublingState) -> Policy:
        """Return the policy of the epoch's player."""
        return self.player_for(state.epoch).policy(state.inner)

    def observe(self, state: DoublingState, decision: Decision, reward: float | Vector | None) -> DoublingState:
        """Pass the day on; after the last day of an epoch begin the next, twice as long."""
        if state.day + 1 < self.epoch_length(state.epoch):
            held = decision.held
            if isinstance(held, EpochPolicy):
                decision = Decision(decision.day, decision.action, self.actions, held.inner)
            inner = self.player_for(state.epoch).observe(state.inner, decision, reward)
            return DoublingState(state.epoch, state.day + 1, state.seed, inner)
        held = hold_policy(self.player_for(state.epoch), state.inner)
        if isinstance(held, View):  # decisions that still wait keep the policy of their epoch
            held.part()
        epoch = state.epoch + 1
        return DoublingState(epoch, 0, state.seed, self.begin(epoch, state.seed))

    def __repr__(self) -> str:
        return f"DoublingPlayer({getattr(self.factory, '__name__', self.factory)!s}, {self.actions!r})"

    def dump(self, state: DoublingState) -> Arrays:
        """Write the epoch and its player's state."""
        inner = self.player_for(state.epoch).dump(state.inner)
        numbers = np.array([state.epoch, state.day, state.seed], dtype=np.int64)
        return {"epoch_day_seed": numbers} | under("inner", inner)

    @property
    def least_numbers(self) -> int:
        """How many numbers a state has at least, in the first epoch."""
        inner = self.player_for(0)
        return int(getattr(inner, "least_numbers", self.actions.dimension))

    def check_file(self, arrays: Arrays, day: int | None) -> None:
        """Refuse arrays of a file that no state can have; ``day``, if known, is how many days it has closed."""
        numbers = held_array(arrays, "epoch_day_seed", "int64", (3,), 0, _MOST_DAYS - 1)
        epoch, inside = numbers.tolist()[:2]
        if epoch > _LAST_EPOCH or not inside < self.epoch_length(epoch) < _MOST_DAYS:
            raise wrong_state("a day within an epoch in 'epoch_day_seed'", str(numbers.tolist()))
        passed = sum(map(self.epoch_length, range(epoch))) + inside
        if day is not None and passed != day:
            raise wrong_state(f"as many days as the session, {day}", f"{passed} in 'epoch_day_seed'")
        inner = below(arrays, "inner")
        if len(inner) + 1 != len(arrays):
            raise wrong_state("exactly the arrays of its player", f"{sorted(arrays)!r:.100}")
        check_arrays(self.player_for(epoch), inner, inside if day is not None else None)

    def load_waiting(self, state: DoublingState, arrays: Arrays) -> EpochPolicy:
        """Make the policy of a waiting decision of this epoch or an earlier one from the arrays of a file."""
        epoch = int(held_array(arrays, "epoch", "int64", (), 0, state.epoch))
        inner = state.inner if epoch == state.epoch else self.begin(epoch, state.seed)
        rest = {name: array for name, array in arrays.items() if name != "epoch"}
        return EpochPolicy(epoch, load_open(self.player_for(epoch), inner, rest))

    def load(self, arrays: Arrays) -> DoublingState:
        """Read a state written by ``dump``."""
        epoch, day, seed = (int(number) for number in arrays["epoch_day_seed"])
        return DoublingState(epoch, day, seed, self.player_for(epoch).load(below(arrays, "inner")))


@checked
def anytime(
    factory: Callable[..., AnyPlayer], actions: ActionSet, *, first_epoch: int = _FIRST_EPOCH, **options: object
) -> DoublingPlayer:
    """Return a player that needs no horizon: the factory's, restarted with doubled horizons.

    Parameters
    ----------
    factory : callable
        ``swap_combcp``, ``swap_comband`` or any ``factory(actions, horizon, **options)``.
    actions : ActionSet
    first_epoch : int
        Days of the first epoch.
    **options
        Passed on to the factory.

    Examples
    --------
    >>> from swapregret import MSets, swap_combcp
    >>> player = anytime(swap_combcp, MSets(6, 2))
    >>> [player.epoch_length(j) for j in range(3)]
    [1000, 2000, 4000]
    """
    player = DoublingPlayer(factory, actions, options, first_epoch)
    if name_of(factory, FACTORIES):  # options are refused now, not on the first day
        player.player_for(0)
    return player
