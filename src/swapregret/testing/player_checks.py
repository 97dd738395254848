"""Check that a player keeps its promises: policies on its set, state as a value, the same run from the same seed."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Between, checked
from swapregret.arrays import Matrix, Vector, frozen
from swapregret.learners.checked import require_player
from swapregret.learners.player import AnyPlayer, Arrays, Decision, State, hold_policy, own_state, what_is_seen
from swapregret.policy import Policy
from swapregret.sessions.open_journal import Journal
from swapregret.sessions.session import Session
from swapregret.testing.conformance import Report, agree, listed, require, run_checks, skip
from swapregret.testing.policy_checks import check_listed

_THOROUGH = 6


@checked
def check_player(player: AnyPlayer, *, days: Annotated[int, Between(1, 10**5)] = 60, seed: int = 0) -> Report:
    """Let a player play, and check every promise of the ``Player`` protocol.

    Its policies are policies on its set on every day of a run of random rewards, with days that pay nothing, everything, or are not
    seen. Observing twice from one state, or from copies of it, gives the same state and leaves the old one alone. The same seed
    gives the same run. A state written to arrays and read again is the same bit for bit and goes on in the same way.

    Parameters
    ----------
    player : Player
    days : int
        How long the run is; choose it so that whatever the player does periodically happens.
    seed : int
        Where rewards and draws come from: the same seed, the same verdict.

    Examples
    --------
    >>> from swapregret import MSets, baselines
    >>> check_player(baselines.uniform(MSets(4, 2)), days=10).passed
    ('configuration', 'arrays', 'state', 'policies', 'repeatability', 'files')
    """
    if not hasattr(player, "actions"):  # whatever else is wrong with a player, the checks say
        require_player(player)
    return run_checks(f"{type(player).__name__} on {player.actions!r}", PlayerCase(player, days, seed), PLAYER_CHECKS)


def state_of(session: Session[State]) -> State:
    """Return the state of the player of a session: the one it goes on with, only to be looked at."""
    return session._state


def journal_of(session: Session[State]) -> Journal | None:
    """Return the journal a session keeps, if it keeps one."""
    return session._journal


@dataclass(frozen=True, eq=False)
class _Step:
    """One day of a run: the state before, what was decided and seen, the state after."""

    before: object
    decision: Decision
    reward: float | Vector | None
    after: object


@dataclass(frozen=True, eq=False)
class PlayerCase:
    """A player, how many days to let it play, and a seed."""

    player: AnyPlayer
    days: int
    seed: int

    @cached_property
    def rewards(self) -> Matrix:
        """Reward vectors for every day: random, with days that pay nothing and days that pay all there is."""
        actions = self.player.actions
        table = np.random.default_rng([self.seed, 1]).random((self.days, actions.dimension))
        table[2::7] = 0.0
        table[5::7] = 1.0
        return frozen(table / max(1, actions.size))

    def show(self, day: int, decision: Decision) -> float | Vector | None:
        """Return what the player sees of a day; nothing on every eleventh."""
        if day % 11 == 10:
            return None
        return _duplicate(what_is_seen(self.player.feedback, self.rewards[day], decision.action))

    def play(self, state: object, first: int, last: int) -> list[_Step]:
        """Play days first..last−1 from a state; day t draws from a generator of its own."""
        steps = []
        for day in range(first, last):
            held = hold_policy(self.player, state)
            action = held.policy().sample(np.random.default_rng([self.seed, 2, day]))
            decision = Decision(day, action, self.player.actions, held)
            reward = self.show(day, decision)
            after = self.observe(state, decision, _duplicate(reward))
            steps.append(_Step(state, decision, reward, after))
            state = after
        return steps

    def observe(self, state: object, decision: Decision, reward: float | Vector | None) -> object:
        """Return the state after a day and keep the one before, also of a player that changes its state in place."""
        return self.player.observe(own_state(self.player, state), decision, reward)

    def start(self) -> object:
        """Return the state before day 0, always from the same generator."""
        return self.player.start(np.random.default_rng([self.seed, 3]))

    @cached_property
    def steps(self) -> list[_Step]:
        """One whole run."""
        return self.play(self.start(), 0, self.days)


def _check_configuration(case: PlayerCase) -> None:
    """Check that the player says what it plays on and what it wants to see."""
    player = case.player
    must = "`actions` must be an ActionSet"
    require(isinstance(player.actions, ActionSet), must, type(player.actions).__name__, "Set it.")
    must = "`feedback` must be 'bandit', 'semi-bandit' or 'full'"
    require(player.feedback in ("bandit", "semi-bandit", "full"), must, repr(player.feedback), "Name one of the three.")
    policy = player.policy(case.start())
    require(isinstance(policy, Policy), "`policy(state)` must be a Policy", type(policy).__name__, "Build one.")


def _check_arrays(case: PlayerCase) -> None:
    """Check that states can be written as plain arrays."""
    for step in (case.steps[0], case.steps[-1]):
        arrays = case.player.dump(step.after)
        plain = isinstance(arrays, dict) and all(
            isinstance(name, str) and isinstance(array, np.ndarray) and array.dtype.kind in "biufU"
            for name, array in arrays.items()
        )
        must = "`dump` must return a dict of arrays of numbers"
        came = f"{type(arrays).__name__} with {sorted({type(array).__name__ for array in dict(arrays).values()})}"
        require(plain, must, came, "Write numbers and strings as arrays; no objects, no pickle.")


def _check_policies(case: PlayerCase) -> None:
    """Check the policies of all days: thoroughly on some, marginals and membership of the draw on every one."""
    actions = case.player.actions
    reference = listed(actions, 2000)
    thorough = set(np.linspace(0, case.days - 1, _THOROUGH).astype(int).tolist())
    for day, step in enumerate(case.steps):
        policy, action = step.decision.policy, step.decision.action
        x = policy.marginals()
        require(
            bool(np.isfinite(x).all() and (x >= -1e-12).all() and (x <= 1.0 + 1e-12).all()) and action in actions,
            f"`policy(state)` must be a policy on {actions!r}",
            f"marginals from {x.min():.6g} to {x.max():.6g} and the draw {action.tolist()} on day {day}",
            "Mix policies over actions of the set only.",
        )
        must = "`policy(state)` must be the same policy however often it is asked"
        agree(case.player.policy(step.before).marginals(), x, 0.0, must, "Let the state alone decide.")
        if day in thorough:
            check_listed(policy, actions, reference, n_samples=400, seed=case.seed)


def _check_repeatability(case: PlayerCase) -> None:
    """Check that the same seeds give the same run, also from a player that has played before."""
    again = case.play(case.start(), 0, case.days)
    for day, (first, second) in enumerate(zip(case.steps, again, strict=True)):
        must = "the same generator and the same rewards must give the same run"
        do = "Draw all randomness from `rng` in start, and keep nothing in the player itself."
        one, other = first.decision, second.decision
        agree(other.action, one.action, 0.0, f"{must}, on day {day}", do)
        agree(other.policy.marginals(), one.policy.marginals(), 0.0, f"{must}, on day {day}", do)


def _check_state(case: PlayerCase) -> None:
    """Check that observing leaves the old state, or what it was copied from, alone, and gives the same new one every time."""
    for day, step in enumerate(case.steps):
        before = _written(case.player, step.before)
        once = case.observe(step.before, step.decision, _duplicate(step.reward))
        must = "`observe` must leave the old state as it was"
        do = "Make states frozen values, or give the player `copy(state)`."
        _agree_arrays(case.player.dump(step.before), before, day, must, do)
        must = "`observe` must give the same state from the same state, decision and reward"
        do = "Keep randomness and memory out of observe."
        _agree_arrays(case.player.dump(once), case.player.dump(step.after), day, must, do)


def _check_arguments(case: PlayerCase) -> None:
    """Check that observe leaves the reward alone and remembers its values, not the array."""
    if case.player.feedback == "bandit":
        skip("a reward is one number")
    for day, step in enumerate(case.steps[:14]):
        if not isinstance(step.reward, np.ndarray):
            continue
        reward = step.reward.copy()
        after = case.observe(step.before, step.decision, reward)
        agree(reward, step.reward, 0.0, "`observe` must leave the reward alone", "Copy it.")
        reward[...] = 0.5 - reward
        must = "a state must not change when the caller reuses the reward array"
        _agree_arrays(case.player.dump(after), _written(case.player, step.after), day, must, "Copy what is kept of it.")


def _check_files(case: PlayerCase) -> None:
    """Check that states survive being written and read, bit for bit, and go on as if nothing had happened."""
    player = case.player
    middle = case.days // 2
    for day in sorted({0, 1, middle, case.days - 1}):
        state = case.steps[day].before
        arrays = _through_file(_written(player, state))
        loaded = player.load(arrays)
        for array in arrays.values():
            array[...] = 0
        must, do = (
            "`load(dump(state))` must be the state, bit for bit",
            "Write everything the next step needs, and copy it.",
        )
        _agree_arrays(player.dump(loaded), _written(player, state), day, must, do)
        must, do = "`load(dump(state))` must have the policy of the state", "Rebuild the policy in the same way."
        _agree_arrays(_moments(player.policy(loaded)), _moments(player.policy(state)), day, must, do)
    state = player.load(_through_file(_written(player, case.steps[middle].before)))
    for step, other in zip(case.steps[middle:], case.play(state, middle, case.days), strict=True):
        must = "a state that was written and read must go on as the original does"
        found, wanted = ({"action": each.decision.action} | player.dump(each.after) for each in (other, step))
        _agree_arrays(found, wanted, step.decision.day, must, "Write everything the next step needs.")


def _duplicate(reward: float | Vector | None) -> float | Vector | None:
    """Return a reward that a player may write into without anybody noticing."""
    return reward.copy() if isinstance(reward, np.ndarray) else reward


def _through_file(arrays: Arrays) -> Arrays:
    """Write arrays to a file in memory and read them again, without pickle."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type, unused-ignore]
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return {name: read[name] for name in read.files}


def _written(player: AnyPlayer, state: object) -> Arrays:
    return {name: array.copy() for name, array in player.dump(state).items()}


def _moments(policy: Policy) -> Arrays:
    return {"marginals": policy.marginals(), "cooccurrence": policy.cooccurrence()}


def _agree_arrays(found: Arrays, wanted: Arrays, day: int, must: str, do: str) -> None:
    """Raise a fault unless the arrays of a day are those that are wanted, bit for bit."""
    require(found.keys() == wanted.keys(), must, f"arrays {sorted(found)} on day {day}", do)
    for name, array in found.items():
        same = (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape)
        require(same and array.tobytes() == wanted[name].tobytes(), must, f"another `{name}` on day {day}", do)


PLAYER_CHECKS: dict[str, Callable[[PlayerCase], None]] = {
    "configuration": _check_configuration,
    "arrays": _check_arrays,
    "state": _check_state,
    "policies": _check_policies,
    "repeatability": _check_repeatability,
    "arguments": _check_arguments,
    "files": _check_files,
}
"""The checks of a player, in the order in which they run."""
