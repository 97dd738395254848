"""Worlds of which something is known before the day: a context, elements that are missing.

A world has them for all days in advance, as it has its rewards. Days that have both alike are of one *kind*; a play measures
regrets kind by kind.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import is_possible, nothing_left, read_missing
from swapregret.arguments import Between, checked
from swapregret.arrays import Integers, Matrix, as_integer, frozen
from swapregret.counts import shown
from swapregret.environments.combine import Ask, combined, same_actions
from swapregret.environments.environment import DayKind, DayKinds, Environment
from swapregret.errors import InvalidInput
from swapregret.policy import on_grid
from swapregret.randomness import Seed, as_generator

_TRIES = 1000


@checked
def on_days(
    environment: Environment,
    *,
    contexts: Sequence[Hashable] | None = None,
    available: Sequence[Iterable[Hashable] | None] | None = None,
    without: Sequence[Iterable[Hashable]] | None = None,
) -> Environment:
    """Return an environment that pays the same, and says something before each day.

    Parameters
    ----------
    environment : Environment
    contexts : sequence of hashable, optional
        What is known about day 0, 1, …; from the top again when it ends.
    available, without : sequence of collections of labels or indices, optional
        The elements that can be chosen on day 0, 1, …, None for all; or those that cannot: one of the two. From the top again
        when it ends.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import iid
    >>> letters = MSets(4, 2, labels="abcd")
    >>> world = on_days(iid(letters, 10, rng=0), contexts=["mobile", "desktop"], without=["", "", "d"])
    >>> world.kind(5)
    DayKind(context='desktop', missing=(3,))
    """
    before = _plain(environment)
    if available is not None and without is not None:
        raise InvalidInput("days must say what is missing in one way", "`without` and `available`", "Leave out one.")
    told, name = (available, "available") if without is None else (without, "without")
    names, of_context = _numbered(contexts, "contexts", before.horizon)
    masks, of_mask = _numbered(_masks(before.actions, told, name), name, before.horizon)
    return replace(before, kinds=_kinds(names, masks or [()], of_context, of_mask))


@checked
def shortages(
    environment: Environment,
    *,
    masks: int | None = 20,
    missing: Annotated[float, Between(0.0, 1.0)] = 0.2,
    rng: Seed = None,
) -> Environment:
    """Return an environment that pays the same, and on which elements are missing at random.

    Parameters
    ----------
    environment : Environment
    masks : int or None
        How many collections of missing elements there are; every day has one of them. None draws a new one every day.
    missing : float
        The chance with which an element is in such a collection. Those without which no action is possible are drawn again.
    rng : int, SeedSequence, Generator or None

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import iid
    >>> world = shortages(iid(MSets(6, 2), 100, rng=0), masks=3, missing=0.3, rng=1)
    >>> len(world.kinds.listed), world.kind(0).missing
    (3, (4,))
    """
    before, generator = _plain(environment), as_generator(rng)
    count = before.horizon if masks is None else as_integer(masks, "masks", 1)
    drawn = [_possible_mask(before.actions, missing, generator) for _ in range(count)]
    rows = np.arange(count) if masks is None else generator.integers(count, size=before.horizon)
    listed = list(dict.fromkeys(drawn))
    place = {mask: index for index, mask in enumerate(listed)}
    return replace(before, kinds=_kinds([None], listed, None, np.array([place[mask] for mask in drawn])[rows]))


@checked
def by_context(
    environments: Mapping[Hashable, Environment], *, shares: Sequence[float] | None = None, rng: Seed = None
) -> Environment:
    """Return an environment that has a context every day, and pays what the environment of that context pays on that day.

    Parameters
    ----------
    environments : mapping from contexts to environments
        On the same actions; the shortest horizon is that of the whole. Elements that they miss on a day are missing.
    shares : sequence of float, optional
        How often each context comes; equally often if not given.
    rng : int, SeedSequence, Generator or None
        The contexts, drawn once for all, and the noise.

    Examples
    --------
    >>> from swapregret import MSets
    >>> from swapregret.environments import iid
    >>> actions = MSets(4, 2)
    >>> parts = {"mobile": iid(actions, 10, rng=0), "desktop": iid(actions, 10, rng=1)}
    >>> world = by_context(parts, shares=[0.25, 0.75], rng=2)
    >>> [world.kind(day).context for day in range(4)]
    ['desktop', 'desktop', 'desktop', 'mobile']
    """
    if not isinstance(environments, Mapping) or not environments:
        do = 'Pass e.g. {"mobile": iid(…), "desktop": iid(…)}.'
        raise InvalidInput("`environments` must map each context to an environment", shown(environments), do)
    parts, names = same_actions(list(environments.values()), has_kinds=True), list(environments)
    generator, horizon = as_generator(rng), min(part.horizon for part in parts)
    chances = on_grid(np.full(len(parts), 1.0 / len(parts)) if shares is None else shares)
    if len(chances) != len(parts):
        came = f"{len(parts)} contexts and {len(chances)} shares"
        raise InvalidInput("`shares` must have one entry for each context", came, "Pass the two in step.")

    def pick(sources: Sequence[Environment], ask: Ask, start: int, stop: int) -> Matrix:
        found = np.empty((stop - start, parts[0].actions.dimension))
        here = whose[start:stop]
        for index, part in enumerate(sources):
            if (here == index).any():
                found[here == index] = ask(part, start, stop)[here == index]
        return found

    whose = generator.choice(len(parts), size=horizon, p=chances)
    name = f"{len(parts)} contexts of " + ", ".join(dict.fromkeys(part.name for part in parts))
    whole = combined(name, parts, horizon, pick, generator)
    listed = [[DayKind()] if part.kinds is None else list(part.kinds.listed) for part in parts]
    for part in parts:
        if part.kinds is not None and any(kind.context is not None for kind in part.kinds.listed):
            must = "the environments of contexts must have no contexts themselves"
            raise InvalidInput(must, repr(part), "Use pairs as contexts.")
    begins = np.cumsum([0, *(len(each) for each in listed)])
    days = np.arange(horizon)
    of_part = np.array([np.zeros_like(days) if part.kinds is None else part.kinds.of(days) for part in parts])
    flat = [kind._replace(context=name) for name, each in zip(names, listed, strict=True) for kind in each]
    return replace(whole, kinds=DayKinds(tuple(flat), frozen(begins[whose] + of_part[whose, days])))


def _plain(environment: Environment) -> Environment:
    """Return an environment that says nothing before its days; contexts that it has stay to be told again."""
    if environment.kinds is not None:
        do = "Give contexts and missing elements in one call."
        raise InvalidInput("`environment` must have no contexts and no missing elements yet", repr(environment), do)
    return environment


def _numbered(given: Any, name: str, horizon: int) -> tuple[list[Any], Integers | None]:
    """Return what is told about days, each thing once, and which of them every day has."""
    if given is None:
        return [None], None
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise InvalidInput(f"`{name}` must have an entry for each day", shown(given), "Pass a list.")
    place = {each: index for index, each in enumerate(dict.fromkeys(given))}
    rows = np.array([place[each] for each in given])
    return list(place), rows[np.arange(horizon) % len(rows)]


def _masks(actions: ActionSet, told: Sequence[Any] | None, name: str) -> list[tuple[int, ...]] | None:
    if told is None:
        return None
    found = []
    for day, each in enumerate(told):
        given = {name: each}
        missing = read_missing(actions, given.get("without"), given.get("available"))
        if not is_possible(actions, missing):
            raise nothing_left(actions, missing, f"on day {day} ")
        found.append(missing)
    return found


def _possible_mask(actions: ActionSet, chance: float, generator: np.random.Generator) -> tuple[int, ...]:
    for _ in range(_TRIES):
        missing = tuple(np.flatnonzero(generator.random(actions.dimension) < chance).tolist())
        if is_possible(actions, missing):
            return missing
    must = "some action must be possible without the elements that are missing at random"
    raise InvalidInput(must, f"none in {_TRIES:,} draws with `missing` = {chance:g}", "Let fewer be missing.")


def _kinds(
    contexts: list[Hashable],
    masks: list[tuple[int, ...]],
    of_context: Integers | None,
    of_mask: Integers | None,
) -> DayKinds:
    """Return the kinds that come up, of the pairs of a context and a mask."""
    pairs = (0 if of_context is None else of_context * len(masks)) + (0 if of_mask is None else of_mask)
    met, rows = np.unique(np.atleast_1d(pairs), return_inverse=True)
    listed = [DayKind(contexts[pair // len(masks)], masks[pair % len(masks)]) for pair in met.tolist()]
    return DayKinds(tuple(listed), frozen(rows.astype(np.int64)))
