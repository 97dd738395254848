"""A user's own environment: a function of the day."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix
from swapregret.environments.environment import Environment, entropy_from, noiseless, seeded
from swapregret.environments.ranges import ElementRange
from swapregret.errors import InvalidInput, InvalidReward
from swapregret.randomness import Seed
from swapregret.units import Range


def from_function(
    actions: ActionSet,
    horizon: int,
    function: Callable[[int], npt.ArrayLike],
    *,
    reward_range: Range | None = None,
    cost_range: Range | None = None,
    noise: str = "none",
    name: str = "function",
    rng: Seed = None,
) -> Environment:
    """Return the environment whose elements pay ``function(day)``.

    Parameters
    ----------
    actions : ActionSet
    horizon : int
    function : callable
        Takes a day, 0..T−1, and returns a value for each element. It may be called in any order and more than once,
        and must then answer the same.
    reward_range, cost_range : (float, float), optional
        What values may be, rewards in [0, 1] if neither is given: as of :func:`~swapregret.environments.replay.replay`.
    noise : {"none", "bernoulli"}
        Whether the values are the rewards, or the probabilities that each element pays all or nothing.
    name : str
    rng : int, SeedSequence, Generator or None
        The noise.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> world = from_function(MSets(3, 1), 100, lambda day: np.arange(3) == day % 3)
    >>> world.reward_vector(1)
    array([0., 1., 0.])
    """
    days, generator = seeded(horizon, rng, actions)
    declared = ElementRange.read(actions, reward_range, cost_range)
    if noise not in ("none", "bernoulli"):
        raise InvalidInput("`noise` must be 'none' or 'bernoulli'", repr(noise), "'none' pays the values themselves.")
    if noise == "bernoulli" and not declared.is_plain:
        raise InvalidInput(
            "`noise` must be 'none' where actions differ in size and values do not begin at 0",
            repr(noise),
            "All or nothing has no meaning there: draw the noise in `function`.",
        )
    if not callable(function):
        raise InvalidInput("`function` must be a function of the day", type(function).__name__, "Pass a callable.")

    def levels(start: int, stop: int) -> Matrix:
        rows = np.empty((stop - start, actions.dimension))
        for day in range(start, stop):
            row = np.asarray(function(day), dtype=np.float64)
            if row.shape != (actions.dimension,):
                raise InvalidReward(
                    f"`function` must return {actions.dimension} values, one for each element",
                    f"shape {row.shape} on day {day}",
                    "Return one number per coordinate of the action set.",
                )
            rows[day - start] = row
        return declared.levels(rows, first_day=start)

    draw = noiseless if noise == "none" else None
    return Environment(name, actions, days, levels, entropy_from(generator), declared.payment, draw, declared.reported)
