"""Environments made of environments: mixtures and concatenations."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from swapregret.arguments import checked
from swapregret.arrays import Matrix
from swapregret.environments.environment import Environment, entropy_from
from swapregret.errors import InvalidInput
from swapregret.policy import on_grid
from swapregret.randomness import Seed, as_generator
from swapregret.units import UNIT_REWARDS

Ask = Callable[[Environment, int, int], Matrix]
"""``ask(part, start, stop)``: the means or the rewards of a part on those of its days."""
Join = Callable[[Sequence[Environment], Ask, int, int], Matrix]
"""``join(parts, ask, start, stop)``: what the parts make together."""


@checked
def mixture(
    environments: Sequence[Environment], weights: npt.ArrayLike | None = None, *, rng: Seed = None
) -> Environment:
    """Return the weighted mean of several environments: every day pays a share of each.

    Parameters
    ----------
    environments : sequence of Environment
        On the same actions; the shortest horizon is that of the mixture.
    weights : array_like, optional
        Shares that add up to 1; equal if not given.
    rng : int, SeedSequence, Generator or None
        The noise; each part has its own.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import iid
    >>> actions = MSets(4, 2)
    >>> high, low = (iid(actions, 10, high=value, low=value, rng=0) for value in (1., .2))
    >>> mixture([high, low], [.25, .75], rng=0).means(0, 1)
    array([[0.2, 0.2, 0.2, 0.2]])
    """
    parts = same_actions(environments)
    shares = on_grid(np.full(len(parts), 1.0 / len(parts)) if weights is None else weights)
    if len(shares) != len(parts):
        raise InvalidInput(
            "`weights` must have one entry for each environment",
            f"{len(parts)} environments and {len(shares)} weights",
            "Pass the two lists in step.",
        )
    days = min(part.horizon for part in parts)

    def blend(sources: Sequence[Environment], ask: Ask, start: int, stop: int) -> Matrix:
        total = np.zeros((stop - start, parts[0].actions.dimension))
        for share, part in zip(shares, sources, strict=True):
            total += share * ask(part, start, stop)
        return total

    name = "mixture(" + ", ".join(part.name for part in parts) + ")"
    return combined(name, parts, days, blend, rng)


@checked
def concatenation(environments: Sequence[Environment], *, rng: Seed = None) -> Environment:
    """Return several environments one after another.

    Parameters
    ----------
    environments : sequence of Environment
        On the same actions; the horizon is the sum of theirs.
    rng : int, SeedSequence, Generator or None
        The noise; each part has its own.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import iid
    >>> actions = MSets(4, 2)
    >>> parts = [iid(actions, days, high=level, low=level, rng=0) for days, level in ((2, 1.), (3, .5))]
    >>> world = concatenation(parts, rng=0)
    >>> world.horizon, world.means(0, 5)[:, 0].tolist()
    (5, [0.5, 0.5, 0.25, 0.25, 0.25])
    """
    parts = same_actions(environments)
    ends = np.cumsum([part.horizon for part in parts])

    def chain(sources: Sequence[Environment], ask: Ask, start: int, stop: int) -> Matrix:
        found = []
        for part, end in zip(sources, ends.tolist(), strict=True):
            begin = end - part.horizon
            if start < end and begin < stop:  # its days are counted from its own beginning
                found.append(ask(part, max(start, begin) - begin, min(stop, end) - begin))
        return np.concatenate(found)

    return combined(" then ".join(part.name for part in parts), parts, int(ends[-1]), chain, rng)


def combined(name: str, parts: Sequence[Environment], days: int, join: Join, rng: Seed) -> Environment:
    """Return the environment whose means and rewards are joined from those of its parts."""

    def levels(start: int, stop: int) -> Matrix:
        return join(parts, Environment.means, start, stop)

    def draw(environment: Environment, start: int, stop: int) -> Matrix:
        seeds = np.random.SeedSequence(environment.entropy).generate_state(len(parts), np.uint64)
        sources = [part.with_noise(int(seed)) for part, seed in zip(parts, seeds, strict=True)]
        return join(sources, Environment.rewards, start, stop)

    units = {part.units for part in parts}
    shared = units.pop() if len(units) == 1 else UNIT_REWARDS
    return Environment(name, parts[0].actions, days, levels, entropy_from(as_generator(rng)), 1.0, draw, shared)


def same_actions(environments: Sequence[Environment], *, has_kinds: bool = False) -> tuple[Environment, ...]:
    """Refuse environments that cannot be put together; ``has_kinds`` says that days may be of several kinds."""
    parts = tuple(environments)
    if not parts:
        raise InvalidInput("`environments` must be a list of one or more environments", "none", "Pass e.g. [iid(…)].")
    wrong = [part for part in parts if not isinstance(part, Environment) or (part.kinds is not None and not has_kinds)]
    if wrong:
        raise InvalidInput(
            "what is put together must be environments without contexts and missing elements",
            f"{wrong[0]!r:.120}",
            "Put them together first, and tell contexts and missing elements with on_days(...) afterwards.",
        )
    first = parts[0].actions
    for part in parts[1:]:
        if not part.actions.is_same(first):
            raise InvalidInput(
                "`environments` must all be made for the same action set",
                f"{first!r} and {part.actions!r}",
                "Make them from one object.",
            )
    return parts
