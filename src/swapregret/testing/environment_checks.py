"""Check that an environment is oblivious, repeatable and within its range."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Matrix
from swapregret.environments.environment import Environment, Levels
from swapregret.errors import InvalidInput
from swapregret.testing.conformance import Report, agree, refused, require, require_array, run_checks, skip, unspoilt
from swapregret.testing.statistics import hoeffding_radius

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class EnvironmentCase:
    """An environment, and how many of its days to look at."""

    environment: Environment
    days: int
    seed: int

    @property
    def tables(self) -> tuple[tuple[str, Levels], ...]:
        """What can be asked of days, by name."""
        return ("rewards", self.environment.rewards), ("means", self.environment.means)


@checked
def check_environment(environment: Environment, *, days: int = 4000, seed: int = 0) -> Report:
    """Check an environment: totals in [0, 1], the same day always the same, means that are means.

    Correct noise is accused with probability at most 1e-6.

    Parameters
    ----------
    environment : Environment
    days : int
        Look at no more than this many days from the beginning, and at the last one.
    seed : int
        Where the noise of replications and the days looked at come from.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import cyclic
    >>> check_environment(cyclic(MSets(6, 2), 700, rng=0)).passed
    ('shape', 'range', 'repeatability', 'slices', 'replications', 'noise', 'days')
    """
    case = EnvironmentCase(environment, min(days, environment.horizon), seed)
    return run_checks(f"environment {environment.name!r} on {environment.actions!r}", case, ENVIRONMENT_CHECKS)


def _check_shape(case: EnvironmentCase) -> None:
    """Check that means and rewards are finite tables, one row per day."""
    env, d = case.environment, case.environment.actions.dimension
    must = "`horizon` must be a whole number ≥ 1"
    require(isinstance(env.horizon, int) and env.horizon >= 1, must, repr(env.horizon), "Set it.")
    for name, ask in case.tables:
        asked = f"{name}(0, {case.days})"
        require_array(
            ask(0, case.days), np.float64, (case.days, d), asked, "Return one row per day, of finite numbers."
        )


def _check_range(case: EnvironmentCase) -> None:
    """Check that every action earns a total in [0, 1] on every day, and has a mean in [0, 1]: two oracle calls each."""
    actions = case.environment.actions
    for name, ask in case.tables:
        for row in np.unique(ask(0, case.days), axis=0)[:500]:
            least, largest = float(row @ actions.argmax(-row)), float(row @ actions.argmax(row))
            require(
                least >= -_ROUNDING and largest <= 1.0 + _ROUNDING,
                f"the `{name}` of every action must lie in [0, 1]",
                f"totals from {least:.6g} to {largest:.6g}",
                "Divide the rewards of elements by the size of the largest action.",
            )


def _check_repeatability(case: EnvironmentCase) -> None:
    """Check that the same days are the same however often they are asked for, and whatever is done to the answer."""
    asked = {name: partial(ask, 0, case.days) for name, ask in case.tables}
    unspoilt(asked, "Seed the noise by the day alone, and hand out copies.")


def _check_slices(case: EnvironmentCase) -> None:
    """Check that a day does not depend on the slice in which it is asked for."""
    env, rng = case.environment, np.random.default_rng([case.seed, 1])
    for name, ask in case.tables:
        whole = ask(0, case.days)
        for _ in range(8):
            start, stop = sorted(rng.choice(case.days + 1, size=2, replace=False).tolist())
            must = f"`{name}({start}, {stop})` must be the rows of the same days in a longer table"
            agree(ask(start, stop), whole[start:stop], 0.0, must, "Let a day depend on its number only.")
        last = ask(env.horizon - 1, env.horizon)
        require(len(last) == 1, f"`{name}` must reach the last day", f"{len(last)} rows", "Days are 0..horizon−1.")
    day = case.days // 2
    row, must = env.rewards(day, day + 1)[0], f"`reward_vector({day})` must be the row of that day"
    agree(env.reward_vector(day), row, 0.0, must, "Return rewards(day, day + 1)[0].")


def _check_replications(case: EnvironmentCase) -> None:
    """Check that other noise leaves the means alone, and that the same noise is the same."""
    env = case.environment
    other, same = env.with_noise(case.seed + 1), env.with_noise(case.seed + 1)
    must, do = "`with_noise` must keep the means", "Draw the means when the environment is made."
    agree(other.means(0, case.days), env.means(0, case.days), 0.0, must, do)
    first, again = other.rewards(0, case.days), same.rewards(0, case.days)
    must = "`with_noise(entropy)` must give the same noise for the same entropy"
    agree(first, again, 0.0, must, "Seed the noise by the entropy and the day alone.")
    must = "`with_noise` must give other noise for another entropy"
    do = "Seed the noise by the entropy."
    require(not _is_noisy(case) or not np.array_equal(first, env.rewards(0, case.days)), must, "the same rewards", do)


def _check_noise(case: EnvironmentCase) -> None:
    """Check that rewards have the declared means: sums over days and their halves, by Hoeffding's bound."""
    if not _is_noisy(case):
        skip("the rewards are the means")
    env = case.environment
    rewards, means = env.rewards(0, case.days), env.means(0, case.days)
    width = float(rewards.max() - rewards.min())
    surprises = rewards - means
    halves = (surprises, surprises[::2], surprises[1::2], surprises * np.sign(means - means.mean(axis=0)))
    for part in halves:
        radius = hoeffding_radius(len(part), width, len(halves) * part.shape[1])
        worst = int(np.argmax(np.abs(part.sum(axis=0))))
        found = float(part[:, worst].sum())
        must = f"the rewards of element {worst} must have their declared means"
        came = f"a sum over {len(part)} days that is off by {found:.4g}, where {radius:.4g} happens once in a million"
        require(abs(found) <= radius, must, came, "Draw the noise around `means`.")


def _is_noisy(case: EnvironmentCase) -> bool:
    gap: Matrix = case.environment.rewards(0, case.days) - case.environment.means(0, case.days)
    return bool((np.abs(gap) > _ROUNDING).any())


def _check_days(case: EnvironmentCase) -> None:
    """Check that days that do not exist are refused."""
    env = case.environment
    for start, stop in ((-1, 1), (0, 0), (env.horizon, env.horizon + 1), (0, env.horizon + 1)):
        for name, ask in case.tables:
            must = f"`{name}` must refuse days that do not exist with InvalidInput"
            came = f"numbers for days {start}..{stop - 1}"
            refused(partial(ask, start, stop), InvalidInput, must, came, "Check 0 ≤ start < stop ≤ horizon.")


ENVIRONMENT_CHECKS: dict[str, Callable[[EnvironmentCase], None]] = {
    "shape": _check_shape,
    "range": _check_range,
    "repeatability": _check_repeatability,
    "slices": _check_slices,
    "replications": _check_replications,
    "noise": _check_noise,
    "days": _check_days,
}
"""The checks of an environment, in the order in which they run."""
