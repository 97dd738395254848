"""Every check of ``check_policy`` is shown a policy that has just the fault it is there for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.errors import Unsupported
from swapregret.policy import FinitePolicy, Policy, mix
from swapregret.testing import check_policy
from swapregret.testing.policy_checks import POLICY_CHECKS

ACTIONS = MSets(5, 2)
POLICY = FinitePolicy(ACTIONS.enumerate(), np.arange(1, 11) / 55)


class _Policy(Policy):
    """The policy above behind a wrapper, so that any part of it can be replaced."""

    has_atoms = True
    dimension = 5

    def finite(self) -> Any:
        return POLICY

    def sample(self, rng: np.random.Generator) -> Any:
        return POLICY.sample(rng)

    def marginals(self) -> Any:
        return POLICY.marginals()

    def second_moment(self, vector: Any) -> Any:
        return POLICY.second_moment(vector)

    def cooccurrence(self) -> Any:
        return POLICY.cooccurrence()

    def probabilities(self, actions: Any) -> Any:
        return POLICY.probabilities(actions)


class _Unlisted(_Policy):
    """The same policy without a list."""

    has_atoms = False

    def finite(self) -> Any:
        raise Unsupported("a list", "none", "Do without.")


def _planted(base: type = _Policy, **overrides: Any) -> Policy:
    return type("Planted", (base,), overrides)()


def _bent(matrix: Any, i: int, j: int, by: float) -> Any:
    changed = np.array(matrix)
    changed[i, j] += by
    changed[j, i] = changed[i, j]
    return changed


def _forgetful() -> Callable[..., Any]:
    """Return a sampler that ignores the generator it is given."""
    own = np.random.default_rng(0)
    return lambda self, rng: POLICY.sample(own)


def _biased(self: Policy, rng: np.random.Generator) -> Any:
    """Draw the rarest action in one of thirty draws instead of one of fifty-five."""
    return POLICY.atoms[0] if rng.random() < 1 / 60 else POLICY.sample(rng)


def _independent(self: Policy, rng: np.random.Generator) -> Any:
    """Draw two elements with the right marginals, but not together as they should be."""
    policy = ACTIONS.decompose(POLICY.marginals())
    return policy.sample(rng)


def _swapped(self: Policy, rng: np.random.Generator) -> Any:
    """Draw with the weights of two neighbours exchanged."""
    weights = np.array(POLICY.weights)
    weights[[8, 9]] = weights[[9, 8]]
    weights[[0, 3]] = weights[[3, 0]]
    return POLICY.atoms[int(np.searchsorted(np.cumsum(weights), rng.random(), side="right"))]


def _atoms(change: Callable[[FinitePolicy], tuple[Any, Any]]) -> dict[str, Any]:
    """Return overrides that hand out other atoms or weights than the policy has."""
    rows, mass = change(POLICY)
    return {"atoms": property(lambda self: np.asarray(rows)), "weights": property(lambda self: np.asarray(mass))}


def _alive(name: str) -> Callable[..., Any]:
    """Return a method that hands out a live array the policy goes on using."""
    kept = np.array(getattr(POLICY, name)())
    return lambda self: kept


def _scribbling(self: Policy, vector: Any) -> Any:
    result = POLICY.second_moment(vector)
    vector[0] *= 2.0
    return result


_PAIR_BOUND = _bent(POLICY.cooccurrence(), 0, 1, 1.0)

FAULTS: list[tuple[str, str, Callable[[], Policy]]] = [
    ("marginals", "another dimension", lambda: mix([FinitePolicy([[1, 1, 0]], [1.0])], [1.0])),
    ("marginals", "a matrix", lambda: _planted(marginals=lambda self: POLICY.marginals()[None, :])),
    ("marginals", "above one", lambda: _planted(marginals=lambda self: POLICY.marginals() + 0.9)),
    ("marginals", "of another size", lambda: _planted(marginals=lambda self: POLICY.marginals() * 0.999)),
    (
        "second moment",
        "not of these marginals",
        lambda: _planted(marginals=lambda self: POLICY.marginals()[::-1].copy()),
    ),
    (
        "second moment",
        "asymmetric",
        lambda: _planted(cooccurrence=lambda self: POLICY.cooccurrence() + np.eye(5, k=1) * 1e-6),
    ),
    ("second moment", "impossible pair", lambda: _planted(cooccurrence=lambda self: _PAIR_BOUND)),
    (
        "second moment",
        "pair off by 1e-6",
        lambda: _planted(cooccurrence=lambda self: _bent(POLICY.cooccurrence(), 0, 1, 1e-6)),
    ),
    ("second moment", "a vector", lambda: _planted(cooccurrence=lambda self: POLICY.marginals())),
    (
        "second moment",
        "product off by 1e-6",
        lambda: _planted(second_moment=lambda self, v: POLICY.second_moment(v) * (1 + 1e-6)),
    ),
    (
        "second moment",
        "product of another policy",
        lambda: _planted(second_moment=lambda self, v: POLICY.marginals() * v),
    ),
    ("atoms", "backwards", lambda: _planted(**_atoms(lambda policy: (policy.atoms[::-1], policy.weights[::-1])))),
    (
        "atoms",
        "twice",
        lambda: _planted(**_atoms(lambda policy: (np.repeat(policy.atoms, 2, 0), np.repeat(policy.weights / 2, 2)))),
    ),
    (
        "atoms",
        "weights short of 1",
        lambda: _planted(**_atoms(lambda policy: (policy.atoms, policy.weights - 2.0**-50))),
    ),
    (
        "atoms",
        "a weight of zero",
        lambda: _planted(**_atoms(lambda policy: (policy.atoms, np.append(0.0, [*policy.weights[1:-1], 11 / 55])))),
    ),
    ("atoms", "floats", lambda: _planted(**_atoms(lambda policy: (policy.atoms * 1.0, policy.weights)))),
    ("atoms", "twos", lambda: _planted(**_atoms(lambda policy: (policy.atoms * 2, policy.weights)))),
    ("atoms", "one weight missing", lambda: _planted(**_atoms(lambda policy: (policy.atoms, policy.weights[1:])))),
    (
        "atoms",
        "of another policy",
        lambda: _planted(**_atoms(lambda policy: (policy.atoms, np.full(10, 0.1) + np.eye(10)[9] * 0))),
    ),
    ("atoms", "listed, but denied", lambda: _planted(has_atoms=False)),
    ("probability", "of another policy", lambda: _planted(probabilities=lambda self, rows: np.full(len(rows), 0.1))),
    (
        "probability",
        "not zero outside",
        lambda: _planted(probabilities=lambda self, rows: np.maximum(POLICY.probabilities(rows), 0.01)),
    ),
    (
        "probability",
        "unlisted, not adding up",
        lambda: _planted(_Unlisted, probabilities=lambda self, rows: POLICY.probabilities(rows) * 0.999),
    ),
    (
        "probability",
        "unlisted, of another policy",
        lambda: _planted(_Unlisted, probabilities=lambda self, rows: np.full(len(rows), 0.1)),
    ),
    ("samples", "floats", lambda: _planted(sample=lambda self, rng: POLICY.sample(rng) * 1.0)),
    ("samples", "a row", lambda: _planted(sample=lambda self, rng: POLICY.sample(rng)[None, :])),
    ("samples", "its own generator", lambda: _planted(sample=_forgetful())),
    ("samples", "outside the set", lambda: _planted(sample=lambda self, rng: 1 - POLICY.sample(rng))),
    ("samples", "twos", lambda: _planted(sample=lambda self, rng: POLICY.sample(rng) * 2)),
    ("sampler policy", "a rare action too often", lambda: _planted(sample=_biased)),
    ("sampler policy", "right marginals, wrong pairs", lambda: _planted(sample=_independent)),
    ("sampler policy", "two weights exchanged", lambda: _planted(sample=_swapped)),
    (
        "sampler policy",
        "unlisted, always the same",
        lambda: _planted(_Unlisted, sample=lambda self, rng: POLICY.atoms[9].copy()),
    ),
    ("value", "live marginals", lambda: _planted(marginals=_alive("marginals"))),
    ("value", "live matrix", lambda: _planted(cooccurrence=_alive("cooccurrence"))),
    ("value", "writes into the vector", lambda: _planted(second_moment=_scribbling)),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], Policy], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    found, sentence = caught(check_policy, make(), ACTIONS)
    assert found == check, sentence


def test_every_check_has_a_planted_fault() -> None:
    """No check of a policy is without a test that shows it failing."""
    assert {check for check, _, _ in FAULTS} == set(POLICY_CHECKS)


@pytest.mark.parametrize("seed", range(5))
def test_right_policies_pass_whatever_the_seed(seed: int) -> None:
    """The policy the faults are planted in, listed or not, passes; so do mixtures of policies of both kinds."""
    assert check_policy(_planted(), ACTIONS, seed=seed).passed == tuple(POLICY_CHECKS)
    assert dict(check_policy(_planted(_Unlisted), ACTIONS, seed=seed).skipped) == {"atoms": "its support is not listed"}
    big = MSets(40, 7)
    mixture = mix([big.uniform_policy(), big.decompose(np.full(40, 7 / 40), variants=3)], [0.25, 0.75])
    assert "sampler policy" in check_policy(mixture, big, seed=seed).passed


def test_atoms_outside_the_set_are_caught(caught: Any) -> None:
    """A policy with an atom that is no action is refused, by the list of actions or by asking the set."""
    fork = Explicit([[1, 1, 0, 0], [0, 0, 1, 1]])
    policy = FinitePolicy([[1, 1, 0, 0], [0, 1, 1, 0]], [0.5, 0.5])
    for limit in (2000, 1):
        assert caught(check_policy, policy, fork, limit=limit)[0] == "atoms"


def test_a_policy_can_be_checked_without_a_set() -> None:
    """Without a set nothing is asked about membership, and everything else still is."""
    assert check_policy(FinitePolicy([[1, 1, 1], [0, 0, 0]], [0.5, 0.5])).passed == tuple(POLICY_CHECKS)


def test_unlisted_policies_on_large_sets_are_not_listed() -> None:
    """A policy without atoms on a set that cannot be listed is checked by moments and draws, and the report says so."""
    big = MSets(60, 20)
    skipped = dict(check_policy(big.uniform_policy(), big, limit=100, n_samples=300).skipped)
    assert set(skipped) == {"atoms", "probability"}
