"""The operations of a set that exists only in Python: kernels that call its methods (``compiled.address``).

A method that raises an error makes compiled code end as if a projection had failed; whoever called it raises the error. What is
asked of the oracle alone, for sets that have no projection and no decomposition of their own, is in ``own_sets.pooled_hull``.
"""

from functools import lru_cache
from threading import local
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from swapregret.actions.hull import Hull, Tables, basis_of, part_of_basis, put_moment
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.address import Callback, Handle, call_python, floats_at, integers_at, set_of, words_at
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import joined
from swapregret.geometry.oracle import AskedOracle, ask
from swapregret.policy import FinitePolicy, Policy

if TYPE_CHECKING:
    from swapregret.actions.action_set import ActionSet

_KEPT = 64


class PythonMethods(NamedTuple):
    """The methods of a set as addresses: each reads its question at one place and writes its answer at another."""

    project: int
    prepare: int
    fetch: int
    explore: int
    gibbs_marginals: int
    gibbs_pairs: int
    gibbs_draw: int
    gibbs_variance: int

    @classmethod
    def of(cls, actions: "ActionSet", mu: Policy | None, variants: int) -> tuple[Self, tuple[Callback, ...]]:
        """Return the addresses, and what keeps them alive."""
        answers = _Answers(actions, mu, variants)
        callbacks = tuple(Callback(getattr(answers, name)) for name in cls._fields)
        return cls(*(each.address for each in callbacks)), callbacks


class _Answers:
    """The methods of a set as callbacks; each returns a number that is not negative."""

    def __init__(self, actions: "ActionSet", mu: Policy | None, variants: int) -> None:
        self.actions, self.mu, self.variants = actions, mu, variants
        self._d, self._listed = actions.dimension, local()
        self._policy = lru_cache(_KEPT)(lambda exponents: actions.gibbs(np.frombuffer(exponents)))

    def project(self, given: int, target: int) -> int:
        point, log_point, gap = np.split(floats_at(target, 2 * self._d + 1), [self._d, 2 * self._d])
        found = self.actions.kl_project(floats_at(given, self._d).copy())
        is_reached = ~np.isneginf(found.log_point)
        log_point[:] = np.where(is_reached, found.log_point, 0.0)
        point[:] = np.where(is_reached, np.exp(log_point), 0.0)  # so that exp(near) is the point again, bit for bit
        gap[0] = found.gap
        return 0

    def prepare(self, given: int, target: int) -> int:
        """Make a list, keep it until it is fetched, and return how long it is."""
        point = floats_at(given, self._d).copy()
        self._listed.policy = self.actions.decompose_packed(point, variants=self.variants)
        return len(self._listed.policy[1])

    def fetch(self, given: int, target: int) -> int:
        words, chances = self._listed.policy
        words_at(target, words.size)[:] = words.ravel()
        floats_at(target + words.nbytes, chances.size)[:] = chances
        return 0

    def explore(self, given: int, target: int) -> int:
        """Draw from μ, by two seeds."""
        assert self.mu is not None
        return self._draw(self.mu, floats_at(given, 2), target)

    def gibbs_marginals(self, given: int, target: int) -> int:
        """Write E[M] of the policy of some exponents."""
        floats_at(target, self._d)[:] = self._policy(floats_at(given, self._d).tobytes()).marginals()
        return 0

    def gibbs_pairs(self, given: int, target: int) -> int:
        """Write Σ of the policy of some exponents."""
        floats_at(target, self._d**2)[:] = self._policy(floats_at(given, self._d).tobytes()).cooccurrence().ravel()
        return 0

    def gibbs_draw(self, given: int, target: int) -> int:
        """Draw from the policy of the exponents that come before two seeds."""
        question = floats_at(given, self._d + 2)
        return self._draw(self._policy(question[: self._d].tobytes()), question[self._d :], target)

    def gibbs_variance(self, given: int, target: int) -> int:
        exponents, vector = floats_at(given, 2 * self._d).reshape(2, -1)
        floats_at(target, 1)[0] = self._policy(exponents.tobytes()).variance(vector.copy())
        return 0

    def _draw(self, policy: Policy, numbers: Floats, target: int) -> int:
        seeds = [int(2.0**53 * each) for each in numbers]
        integers_at(target, self._d)[:] = policy.sample(np.random.default_rng(seeds))
        return 0


class PythonSet(NamedTuple):
    """A set as its kernels see it: where its methods are, and its oracle."""

    dimension: int
    methods: PythonMethods
    oracle: AskedOracle
    orthonormal: Floats


def python_hull(actions: "ActionSet", mu: Policy | None, variants: int) -> Hull:
    """Return the hull of a set that has methods of its own for projections or decompositions."""
    methods, callbacks = PythonMethods.of(actions, mu, variants)
    data = PythonSet(
        actions.dimension, methods, actions.sparing, basis_of(actions) if mu is not None else np.zeros((0, 0))
    )
    return Hull(
        data,
        best=best_by_asking,
        project=project_by_asking,
        list_policy=list_by_asking,
        span_part=part_of_basis,
        draw_explore=None if mu is None or isinstance(mu, FinitePolicy) else explore_by_asking,
        gibbs=gibbs_by_asking(actions),
        callbacks=(*callbacks, actions.sparing.callback),
        remade=(python_hull, (actions, mu, variants)),
    )


def gibbs_by_asking(actions: "ActionSet") -> Tables | None:
    """Return how the Gibbs policies of a set in Python are played, if it has them: a table has the exponents."""
    if not actions.has_gibbs:
        return None
    return Tables(
        actions.dimension, fill_by_asking, draw_by_asking, project=marginals_by_asking, variance=variance_by_asking
    )


@kernel
def best_by_asking(h: Handle[PythonSet], weights: Floats) -> Integers:
    """Ask the oracle."""
    return ask(set_of(h).oracle, weights)


@kernel
def project_by_asking(h: Handle[PythonSet], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Project by the set's own method."""
    d, found = tilted.size, np.zeros(2 * tilted.size + 1)
    code = call_python(set_of(h).methods.project, tilted, found)
    return found[:d].copy(), found[d : 2 * d].copy(), found[2 * d] if code == 0 else np.inf


@kernel
def list_by_asking(h: Handle[PythonSet], point: Floats) -> tuple[Words, Floats, bool]:
    """Decompose by the set's own method."""
    n_words, methods = (point.size + 63) // 64, set_of(h).methods
    n = max(call_python(methods.prepare, point, point), 0)
    made = np.zeros(n * (n_words + 1), dtype=np.uint64)
    if n > 0:
        call_python(methods.fetch, point, made)
    words = made[: n * n_words].copy().reshape(-1, n_words)
    return words, made[n * n_words :].copy().view(np.float64), n > 0


@kernel
def explore_by_asking(h: Handle[PythonSet], rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy, by a generator that is seeded by this one."""
    return _drawn(set_of(h).methods.explore, np.empty(0), set_of(h).dimension, rng)


@kernel
def _drawn(address: int, exponents: Floats, dimension: int, rng: np.random.Generator) -> Integers:
    """Draw by a generator that is seeded by this one."""
    given, action = np.empty(exponents.size + 2), np.zeros(dimension, dtype=np.int64)
    given[: exponents.size] = exponents
    given[exponents.size] = rng.random()
    given[exponents.size + 1] = rng.random()
    call_python(address, given, action)
    return action


@kernel
def marginals_by_asking(h: Handle[PythonSet], tilted: Floats, near: Floats) -> tuple[Floats, Floats, float]:
    """Return the marginals of the Gibbs policy of some exponents, and these."""
    found = np.zeros(tilted.size)
    code = call_python(set_of(h).methods.gibbs_marginals, tilted, found)
    return found, tilted, 0.0 if code == 0 else np.inf


@kernel
def fill_by_asking(
    h: Handle[PythonSet],
    point: Floats,
    log_point: Floats,
    coordinates: Integers,
    table: Floats,
    marginals: Floats,
    moment: Floats,
) -> bool:
    """Have E[M] and Σ made of the policy of some exponents."""
    d, methods, found = point.size, set_of(h).methods, np.empty(point.size)
    pairs = np.empty((d, d) if coordinates.size else (0, 0))
    code = call_python(methods.gibbs_marginals, log_point, found)
    if coordinates.size and code == 0:
        code = call_python(methods.gibbs_pairs, log_point, pairs)
    if code != 0:
        return False
    table[:] = log_point
    marginals[:] = found
    if coordinates.size:
        put_moment(pairs, coordinates, moment)
    return True


@kernel
def draw_by_asking(h: Handle[PythonSet], table: Floats, rng: np.random.Generator) -> Integers:
    """Draw from the Gibbs policy of the exponents."""
    return _drawn(set_of(h).methods.gibbs_draw, table, table.size, rng)


@kernel
def variance_by_asking(h: Handle[PythonSet], table: Floats, marginals: Floats, vector: Floats) -> float:
    """Return Var(v·M)."""
    found = np.zeros(1)
    call_python(set_of(h).methods.gibbs_variance, joined(table, vector), found)
    return float(found[0])
