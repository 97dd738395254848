"""Check that a player keeps its promises: laws on its set, state as a value, the same run from the same seed."""

from collections.abc import Callable
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.learners.player import Player
from swapregret.policy import Policy
from swapregret.testing.conformance import Report, agree, listed, require, run_checks, skip
from swapregret.testing.player_case import PlayerCase, agree_arrays, duplicate, moments, through_file, written
from swapregret.testing.policy_checks import check_law

_THOROUGH = 6


def check_player(player: Player[Any], *, days: int = 60, seed: int = 0) -> Report:
    """Let a player play, and check every promise of the ``Player`` protocol.

    Its policies are laws on its set on every day of a run of random rewards, with days that pay nothing, everything, or are not
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
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> from swapregret.learners.baselines.uniform import uniform
    >>> check_player(uniform(MSets(4, 2)), days=10).passed
    ('configuration', 'arrays', 'state', 'policies', 'repeatability', 'files')
    """
    return run_checks(f"{type(player).__name__} on {player.actions!r}", PlayerCase(player, days, seed), PLAYER_CHECKS)


def _check_configuration(case: PlayerCase) -> None:
    """Check that the player says what it plays on and what it wants to see."""
    player = case.player
    require(
        isinstance(player.actions, ActionSet),
        "`actions` must be an ActionSet",
        type(player.actions).__name__,
        "Set it.",
    )
    require(
        player.feedback in ("bandit", "semi-bandit", "full"),
        "`feedback` must be 'bandit', 'semi-bandit' or 'full'",
        repr(player.feedback),
        "Name one of the three.",
    )
    law = player.policy(case.start())
    require(isinstance(law, Policy), "`policy(state)` must be a Policy", type(law).__name__, "Build one.")


def _check_arrays(case: PlayerCase) -> None:
    """Check that states can be written as plain arrays."""
    for step in (case.steps[0], case.steps[-1]):
        arrays = case.player.dump(step.after)
        plain = isinstance(arrays, dict) and all(
            isinstance(name, str) and isinstance(array, np.ndarray) and array.dtype.kind in "biufU"
            for name, array in arrays.items()
        )
        require(
            plain,
            "`dump` must return a dict of arrays of numbers",
            f"{type(arrays).__name__} with {sorted({type(array).__name__ for array in dict(arrays).values()})}",
            "Write numbers and strings as arrays; no objects, no pickle.",
        )


def _check_policies(case: PlayerCase) -> None:
    """Check the policies of all days: thoroughly on some, marginals and membership of the draw on every one."""
    actions = case.player.actions
    reference = listed(actions, 2000)
    thorough = set(np.linspace(0, case.days - 1, _THOROUGH).astype(int).tolist())
    for day, step in enumerate(case.steps):
        law, action = step.decision.policy, step.decision.action
        x = law.marginals()
        require(
            bool(np.isfinite(x).all() and (x >= -1e-12).all() and (x <= 1.0 + 1e-12).all()) and action in actions,
            f"`policy(state)` must be a law on {actions!r}",
            f"marginals from {x.min():.6g} to {x.max():.6g} and the draw {action.tolist()} on day {day}",
            "Mix policies over actions of the set only.",
        )
        must = "`policy(state)` must be the same law however often it is asked"
        agree(case.player.policy(step.before).marginals(), x, 0.0, must, "Let the state alone decide.")
        if day in thorough:
            check_law(law, actions, reference, n_samples=400, seed=case.seed)


def _check_repeatability(case: PlayerCase) -> None:
    """Check that the same seeds give the same run, also from a player that has played before."""
    again = case.play(case.start(), 0, case.days)
    for day, (first, second) in enumerate(zip(case.steps, again, strict=True)):
        must = "the same generator and the same rewards must give the same run"
        do = "Draw all randomness from `rng` in start, and keep nothing in the player itself."
        runs = (
            {"action": each.action, "marginals": each.policy.marginals()} for each in (first.decision, second.decision)
        )
        agree_arrays(*runs, day, must, do)


def _check_state(case: PlayerCase) -> None:
    """Check that observing leaves the old state, or what it was copied from, alone, and gives the same new one every time."""
    for day, step in enumerate(case.steps):
        before = written(case.player, step.before)
        once = case.observe(step.before, step.decision, duplicate(step.reward))
        must = "`observe` must leave the old state as it was"
        do = "Make states frozen values, or give the player `copy(state)`."
        agree_arrays(case.player.dump(step.before), before, day, must, do)
        must = "`observe` must give the same state from the same state, decision and reward"
        do = "Keep randomness and memory out of observe."
        agree_arrays(case.player.dump(once), case.player.dump(step.after), day, must, do)


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
        agree_arrays(case.player.dump(after), written(case.player, step.after), day, must, "Copy what is kept of it.")


def _check_files(case: PlayerCase) -> None:
    """Check that states survive being written and read, bit for bit, and go on as if nothing had happened."""
    player = case.player
    middle = case.days // 2
    for day in sorted({0, 1, middle, case.days - 1}):
        state = case.steps[day].before
        arrays = through_file(written(player, state))
        loaded = player.load(arrays)
        for array in arrays.values():
            array[...] = 0
        must, do = (
            "`load(dump(state))` must be the state, bit for bit",
            "Write everything the next step needs, and copy it.",
        )
        agree_arrays(player.dump(loaded), written(player, state), day, must, do)
        must, do = "`load(dump(state))` must have the policy of the state", "Rebuild the policy in the same way."
        agree_arrays(moments(player.policy(loaded)), moments(player.policy(state)), day, must, do)
    state = player.load(through_file(written(player, case.steps[middle].before)))
    for step, other in zip(case.steps[middle:], case.play(state, middle, case.days), strict=True):
        must, do = (
            "a state that was written and read must go on as the original does",
            "Write everything the next step needs.",
        )
        actions = ({"action": each.decision.action} | player.dump(each.after) for each in (other, step))
        agree_arrays(*actions, step.decision.day, must, do)


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
