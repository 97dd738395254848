"""Sets that exist only in Python as compiled code sees them: their methods are called by an address (``compiled.callback``).

A method that raises an error makes compiled code end as if a projection had failed; whoever called it raises the error.
"""

from functools import lru_cache
from threading import local
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import policy_slots  # the code behind the methods that are not given here
from swapregret.actions.family import (
    MADE,
    OUTSIDE,
    Common,
    best,
    describe,
    draw,
    draw_explore,
    gibbs_of,
    list_policy,
    make_policy,
    project,
    room,
    show_policy,
    slot_policy,
    spread,
)
from swapregret.actions.policy_slots import draw_mu, put_mu, show_mu
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.callback import Callback, call_python, floats_at, integers_at, words_at
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import centred, joined
from swapregret.geometry.oracle import AskedOracle, ask
from swapregret.policy import FinitePolicy, Policy

_KEPT = 64
_PROJECT, _LIST, _FETCH, _DRAW, _GIBBS, _SPREAD = range(6)
_ = policy_slots


class PythonMethods:
    """The methods of a set, each by a number; it reads the question at one address and writes the answer at another.

    Parameters
    ----------
    actions : ActionSet
    mu : Policy
        The exploration policy.
    variants : int
        Decompositions that are averaged.
    coordinates : int64 array
        The independent ones.
    """

    def __init__(self, actions: Any, mu: Policy, variants: int, coordinates: Integers) -> None:
        self.actions, self.mu, self.variants, self.coordinates = actions, mu, variants, coordinates
        self._d, self._listed = actions.dimension, local()
        self._policy = lru_cache(_KEPT)(lambda exponents: actions.gibbs(np.frombuffer(exponents)))

    def __call__(self, what: int, given: int, target: int) -> int:
        """Answer a question."""
        return self._METHODS[what](self, given, target)

    def _project(self, given: int, target: int) -> int:
        tilted, near = floats_at(given, 2 * self._d).reshape(2, -1).copy()
        point, log_point = floats_at(target, 2 * self._d).reshape(2, -1)
        found = self.actions.kl_project_near(tilted, near)
        is_reached = ~np.isneginf(found.log_point)
        log_point[:] = np.where(is_reached, found.log_point, 0.0)
        point[:] = np.where(is_reached, np.exp(log_point), 0.0)  # so that exp(near) is the point again, bit for bit
        return 0

    def _list(self, given: int, target: int) -> int:
        """Keep a list until it is fetched, and return how long it is."""
        self._listed.policy = self.actions.decompose_packed(floats_at(given, self._d).copy(), variants=self.variants)
        return len(self._listed.policy[1])

    def _fetch(self, given: int, target: int) -> int:
        words, chances = self._listed.policy
        words_at(target, words.size)[:] = words.ravel()
        floats_at(target + words.nbytes, chances.size)[:] = chances
        return 0

    def _draw(self, given: int, target: int) -> int:
        """Draw from the exploration policy, or from the Gibbs policy of exponents that come before the two seeds."""
        question = floats_at(given, self._d + 3)
        policy = self.mu if question[-1] == 0.0 else self._policy(question[: self._d].tobytes())
        seeds = [int(2.0**53 * each) for each in question[self._d : -1]]
        integers_at(target, self._d)[:] = policy.sample(np.random.default_rng(seeds))
        return 0

    def _gibbs(self, given: int, target: int) -> int:
        """Write E[M] and Σ of the policy of some exponents."""
        policy, r = self._policy(floats_at(given, self._d).tobytes()), len(self.coordinates)
        floats_at(target, self._d)[:] = policy.marginals()
        if r:
            moment = policy.cooccurrence()[np.ix_(self.coordinates, self.coordinates)]
            floats_at(target + 8 * self._d, r * r)[:] = moment.ravel()
        return 0

    def _spread(self, given: int, target: int) -> int:
        exponents, vector = floats_at(given, 2 * self._d).reshape(2, -1)
        floats_at(target, 1)[0] = self._policy(exponents.tobytes()).variance(vector.copy())
        return 0

    _METHODS = (_project, _list, _fetch, _draw, _gibbs, _spread)  # in the order of their numbers


class _Addressed(NamedTuple):
    common: Common
    address: int
    oracle: AskedOracle


class OracleFamily(_Addressed):
    """Any set, by its oracle and its other methods, which are behind the callback at ``address``."""

    methods: PythonMethods
    callback: Callback

    def __reduce__(self) -> Any:
        made = self.methods
        has_moment = self.common.coordinates.size > 0
        return oracle_family, (type(self), made.actions, made.mu, made.variants, has_moment)


class OracleGibbsFamily(OracleFamily):
    """Any set with a Gibbs policy, by its own methods; a point is known by its exponents."""


def oracle_family(cls: type, actions: Any, mu: Policy, variants: int, has_moment: bool) -> Any:
    """Return the family of a class for a set that exists only in Python."""
    common = describe(actions, mu, has_moment=has_moment, is_listed=isinstance(mu, FinitePolicy))
    methods = PythonMethods(actions, mu, variants, common.coordinates)
    callback = Callback(methods)
    made = cls(common, callback.address, actions.sparing)
    made.methods, made.callback = methods, callback
    return made


@project.of(OracleFamily)
def project_oracle(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the set's own method."""
    d, found = tilted.size, np.zeros(2 * tilted.size)
    code = call_python(family.address, _PROJECT, joined(tilted, near), found)
    return found[:d].copy(), found[d:].copy(), code == 0


@list_policy.of(OracleFamily)
def list_oracle(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Decompose by the set's own method."""
    n_words = (point.size + 63) // 64
    n = call_python(family.address, _LIST, point, point)
    made = np.zeros(max(n, 0) * (n_words + 1), dtype=np.uint64)
    if n > 0:
        call_python(family.address, _FETCH, point, made)
    words = made[: max(n, 0) * n_words].copy().reshape(-1, n_words)
    return words, made[max(n, 0) * n_words :].copy().view(np.float64), n > 0


@best.of(OracleFamily)
def best_of_oracle(family: Any, weights: Floats) -> Integers:
    """Ask the oracle."""
    return ask(family.oracle, weights)


@draw_explore.of(OracleFamily)
def draw_of_oracle(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy."""
    return _drawn(family.address, np.zeros(family.common.dimension), 0.0, rng)


@kernel
def _drawn(address: int, exponents: Floats, is_gibbs: float, rng: np.random.Generator) -> Integers:
    """Draw from μ or from a Gibbs policy, by a generator that is seeded by this one."""
    given = np.empty(exponents.size + 3)
    given[: exponents.size] = exponents
    given[exponents.size] = rng.random()
    given[exponents.size + 1] = rng.random()
    given[exponents.size + 2] = is_gibbs
    action = np.zeros(exponents.size, dtype=np.int64)
    call_python(address, _DRAW, given, action)
    return action


class OracleGibbsPolicies(NamedTuple):
    """S policies: their exponents, E[M], and Σ on the independent coordinates."""

    exponents: Floats
    marginals: Floats
    moments: Floats


@project.of(OracleGibbsFamily)
def project_oracle_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    r = family.common.coordinates.size
    found = np.zeros(tilted.size + r * r)
    code = call_python(family.address, _GIBBS, tilted, found)
    return found[: tilted.size].copy(), tilted, code == 0


@room.of(OracleGibbsFamily)
def oracle_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> OracleGibbsPolicies:
    """Return room for policies; of μ its marginals and Σ."""
    d, r = family.common.dimension, family.common.coordinates.size
    policies = OracleGibbsPolicies(np.zeros((n_slots, d)), np.zeros((n_slots, d)), np.zeros((n_slots, r, r)))
    put_mu(family.common, policies.marginals, policies.moments)
    return policies


@make_policy.of(OracleGibbsFamily)
def make_oracle_gibbs(family: Any, policies: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Write down E[M] and Σ of the policy of some exponents."""
    d, r = family.common.dimension, family.common.coordinates.size
    found = np.zeros(d + r * r)
    if call_python(family.address, _GIBBS, log_point, found) != 0:
        return OUTSIDE
    policies.exponents[slot] = log_point
    policies.marginals[slot] = found[:d]
    policies.moments[slot] = found[d:].reshape(r, r)
    return MADE


@draw.of(OracleGibbsFamily)
def draw_oracle_gibbs(family: Any, policies: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw from the policy of the exponents."""
    if slot == policies.marginals.shape[0] - 1:
        return draw_mu(family, rng)
    return _drawn(family.address, policies.exponents[slot], 1.0, rng)


@spread.of(OracleGibbsFamily)
def spread_of_oracle_gibbs(family: Any, policies: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    found = np.zeros(1)
    given = joined(policies.exponents[slot], centred(aggregate, family.common.is_uniform))
    call_python(family.address, _SPREAD, given, found)
    return float(found[0])


show_policy.of(OracleGibbsFamily)(show_mu)
slot_policy.register(OracleGibbsFamily, gibbs_of)
