r"""Check that a policy is a distribution: its samples, moments, probabilities and atoms all tell the same story.

For a policy over 0/1 vectors, :math:`\Sigma = E[MM^\top]` is symmetric and positive semidefinite, its diagonal is :math:`E[M]`, and
:math:`\max(0, x_i + x_j - 1) \le \Sigma_{ij} \le \min(x_i, x_j)`; if all actions have m elements, :math:`\Sigma 1 = m x`.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arguments import Between, checked
from swapregret.arrays import Actions, AnyArray, Integers, Matrix, Vector
from swapregret.errors import Unsupported
from swapregret.policy import Policy
from swapregret.testing.conformance import (
    Report,
    agree,
    between,
    listed,
    refused,
    require,
    require_action,
    require_array,
    require_members,
    require_rows,
    run_checks,
    skip,
    unspoilt,
)
from swapregret.testing.set_instances import PolicyCase
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value, least_binomial_p_value

_LISTED = 2_000
_TOLERANCE = 1e-10
_SPECTRAL = 400
_SHARE = FALSE_ALARM / 4.0
_PAIRED = 40
_ONE_POLICY = "Compute both from the same policy."
Samples = Annotated[int, Between(1, 10**6)]
"""How many draws are compared with what they should be."""


@checked
def check_policy(
    policy: Policy, actions: ActionSet | None = None, *, n_samples: Samples = 4000, seed: int = 0, limit: int = _LISTED
) -> Report:
    r"""Check that a policy is a distribution over actions, and tells one story about itself.

    Marginals :math:`E[M]`, products :math:`E[M(M\cdot v)]`, the dense matrix, probabilities and atoms must agree to 1e-10; weights
    add up to exactly 1 and atoms stand in canonical order; samples are actions and follow the policy. Each family of tests of the
    sampler accuses a correct one with probability at most 1e-6.

    Parameters
    ----------
    policy : Policy
    actions : ActionSet, optional
        The set it should be a policy on; without it, membership is not checked.
    n_samples : int
        Draws for the tests of the sampler.
    seed : int
        Where the draws come from: the same seed, the same verdict.
    limit : int
        Sets of at most this many actions are listed, and policies without atoms compared with the list.

    Examples
    --------
    >>> from swapregret import MSets
    >>> actions = MSets(4, 2)
    >>> check_policy(actions.uniform_policy(), actions).passed[:2]
    ('marginals', 'second moment')
    """
    reference = None if actions is None else listed(actions, limit)
    return check_listed(policy, actions, reference, n_samples=n_samples, seed=seed)


def check_listed(
    policy: Policy, actions: ActionSet | None, reference: Actions | None, *, n_samples: int, seed: int
) -> Report:
    """Do as :func:`check_policy` for a set whose list is already at hand, or known to be too long."""
    return run_checks(repr(policy), PolicyCase(policy, actions, reference, n_samples, seed), POLICY_CHECKS)


def _check_marginals(case: PolicyCase) -> None:
    """Check that marginals are probabilities, one for each coordinate."""
    policy, actions, d = case.policy, case.actions, case.policy.dimension
    must = f"`dimension` must be that of {actions!r}"
    require(actions is None or actions.dimension == d, must, f"{d}", "Build the policy for the same set.")
    x = policy.marginals()
    require_array(x, np.float64, (d,), "marginals()", "Return E[M].")
    do = "They are the probabilities with which elements are chosen."
    between(x, -1e-12, 1.0 + 1e-12, "`marginals()` must lie in [0, 1]", do)
    if actions is not None and actions.is_uniform:
        must = f"`marginals()` must add up to {actions.size}, the size of every action"
        agree(x.sum(), actions.size, _TOLERANCE * d, must, "Check that every action drawn has all its elements.")


def _check_second_moment(case: PolicyCase) -> None:
    """Check that the dense matrix, the product and the marginals are moments of one policy over 0/1 vectors."""
    policy, d, x = case.policy, case.policy.dimension, case.policy.marginals()
    matrix = policy.cooccurrence()
    require_array(matrix, np.float64, (d, d), "cooccurrence()", "Return E[M Mᵀ].")
    _check_matrix(matrix, x, case.actions)
    rng = np.random.default_rng([case.seed, 3])
    vectors = [*np.eye(d)[: min(d, 8)], np.ones(d), *rng.standard_normal((4, d)), *rng.standard_normal((2, d)) * 1e6]
    for v in vectors:
        product = policy.second_moment(v.copy())
        require_array(product, np.float64, (d,), "second_moment(v)", "Return E[M (M·v)].")
        must = f"`second_moment(v)` must equal cooccurrence() @ v within {_TOLERANCE}, relative to v"
        size = 1.0 + float(np.abs(v).sum())
        agree(product / size, matrix @ v / size, _TOLERANCE, must, _ONE_POLICY)


def _check_matrix(matrix: Matrix, x: Vector, actions: ActionSet | None) -> None:
    agree(matrix, matrix.T, 1e-12, "`cooccurrence()` must be symmetric", "Return (Σ + Σᵀ)/2.")
    must = (
        f"the diagonal of `cooccurrence()` must be the marginals within {_TOLERANCE} (entries of an action are 0 or 1)"
    )
    agree(np.diag(matrix), x, _TOLERANCE, must, _ONE_POLICY)
    upper, lower = np.minimum.outer(x, x), np.maximum(0.0, np.add.outer(x, x) - 1.0)
    must = "`cooccurrence()` must lie between max(0, x_i + x_j − 1) and min(x_i, x_j)"
    do = "P(i and j) cannot leave these bounds under any policy."
    between(matrix, lower - _TOLERANCE, upper + _TOLERANCE, must, do)
    least = float(np.linalg.eigvalsh(matrix)[0]) if len(x) <= _SPECTRAL else _least_quadratic(matrix)
    rounding = _TOLERANCE * (1.0 + float(np.trace(matrix)))
    must = "`cooccurrence()` must be positive semidefinite"
    between(least, -rounding, np.inf, must, "E[(M·v)²] is not negative for any v.")
    if actions is not None and actions.is_uniform:
        must = f"the rows of `cooccurrence()` must add up to {actions.size} times the marginals"
        within = _TOLERANCE * len(x)
        agree(matrix.sum(axis=1), actions.size * x, within, must, "Every action has the same number of elements.")


def _least_quadratic(matrix: Matrix) -> float:
    """Return the least v·Σv over some random directions, where eigenvalues would take long."""
    directions = np.random.default_rng(len(matrix)).standard_normal((50, len(matrix)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return float(np.einsum("vi,vi->v", directions @ matrix, directions).min())


def _check_atoms(case: PolicyCase) -> None:
    """Check that atoms are distinct actions in canonical order, with positive weights that add up to exactly 1."""
    policy = case.policy
    if case.listing is None:
        must = "`has_atoms` must be true of a policy that lists its atoms"
        refused(policy.finite, Unsupported, must, "False", "Set it.")
        skip("its support is not listed")
    atoms, weights = policy.atoms, policy.weights
    require_rows(atoms, policy.dimension, "atoms", "Build the policy with FinitePolicy(atoms, weights).")
    require(
        weights.shape == (len(atoms),)
        and bool((weights > 0.0).all())
        and float(weights.sum()) == 1.0 == float(weights[::-1].sum()),
        "`weights` must be positive, one per atom, and add up to exactly 1",
        f"{len(weights)} weights for {len(atoms)} atoms, sum {float(weights.sum())!r}, least {float(weights.min())!r}",
        "Round them with swapregret.policy.on_grid.",
    )
    require_members(atoms, case.is_member, "atoms", "Give weight to actions of the set only.")
    must = f"`marginals()` must equal the mean of the atoms within {_TOLERANCE}"
    agree(weights @ atoms, policy.marginals(), _TOLERANCE, must, _ONE_POLICY)
    must = f"`cooccurrence()` must equal the second moment of the atoms within {_TOLERANCE}"
    agree((atoms.T * weights) @ atoms, policy.cooccurrence(), _TOLERANCE, must, _ONE_POLICY)


def _check_probability(case: PolicyCase) -> None:
    """Check that ``probability`` is the weight of an atom, 0 elsewhere, adds up to 1, and agrees with ``probabilities``."""
    policy, listing = case.policy, case.listing
    many = f"`probabilities(actions)` must be `probability` of every row within {_TOLERANCE}"
    if listing is not None:
        rng = np.random.default_rng([case.seed, 1])
        flipped = listing.atoms[rng.integers(len(listing.atoms), size=20)].copy()
        flipped[np.arange(20), rng.integers(policy.dimension, size=20)] ^= 1
        both = np.concatenate([listing.atoms[:200], flipped])
        weights = dict(zip((atom.tobytes() for atom in listing.atoms), listing.weights.tolist(), strict=True))
        found = [policy.probability(action) for action in both]
        must = f"`probability(action)` must be the weight of an atom, and 0 elsewhere, within {_TOLERANCE}"
        do = "Compare the whole action, not a summary of it."
        agree(found, [weights.get(action.tobytes(), 0.0) for action in both], _TOLERANCE, must, do)
        agree(policy.probabilities(both), found, _TOLERANCE, many, _ONE_POLICY)
        return
    if case.reference is None:
        skip("neither atoms nor a list of the actions is at hand")
    try:
        p = np.array([policy.probability(action) for action in case.reference])
    except Unsupported:
        skip("the policy does not give probabilities")
    agree(policy.probabilities(case.reference), p, _TOLERANCE, many, _ONE_POLICY)
    between(p, 0.0, np.inf, "`probability` must not be negative", "Normalise the policy.")
    agree(p.sum(), 1.0, _TOLERANCE, "`probability` must add up to 1 over the set", "Normalise the policy.")
    must = f"`marginals()` must be the mean under `probability` within {_TOLERANCE}"
    agree(p @ case.reference, policy.marginals(), _TOLERANCE, must, _ONE_POLICY)


def _check_samples(case: PolicyCase) -> None:
    """Check that samples are int64 0/1 vectors, members of the set, in the support, and repeat with the generator."""
    policy = case.policy
    first = policy.sample(np.random.default_rng([case.seed, 2]))
    again = policy.sample(np.random.default_rng([case.seed, 2]))
    require_action(first, policy.dimension, "sample")
    must = "`sample` must draw the same action from the same generator"
    agree(again, first, 0.0, must, "Take all randomness from the `rng` passed in.")
    support = None if case.listing is None else {atom.tobytes() for atom in case.listing.atoms}
    drawn = np.unique(case.samples, axis=0)
    require_members(drawn, case.is_member, "samples", "Draw actions of the set only.")
    for action in drawn:
        require_action(action, policy.dimension, "sample")
        must = "`sample` must draw atoms of the policy"
        do = "Sample from the same policy that lists the atoms."
        require(support is None or action.tobytes() in support, must, f"{action.tolist()}, which is no atom", do)


def _check_sampler_policy(case: PolicyCase) -> None:
    """Check that frequencies of elements, of pairs and of whole actions fit the policy; each test at a quarter of 1e-6."""
    policy, drawn = case.policy, case.samples
    elements = [f"choose element {i}" for i in range(policy.dimension)]
    _check_counts(case, drawn.sum(axis=0), policy.marginals(), elements)
    some = np.random.default_rng([case.seed, 6]).permutation(policy.dimension)[:_PAIRED]
    upper = np.triu_indices(len(some))
    both = policy.cooccurrence()[np.ix_(some, some)][upper]
    pairs = [f"choose elements {i} and {j} together" for i, j in some[np.array(upper)].T]
    _check_counts(case, (drawn[:, some].T @ drawn[:, some])[upper], both, pairs)
    if case.listing is None:
        return
    atoms, weights = case.listing.atoms, case.listing.weights
    position = {atom.tobytes(): row for row, atom in enumerate(atoms)}
    counts = np.bincount([position[row.tobytes()] for row in drawn], minlength=len(atoms))
    _check_counts(case, counts, weights, [f"draw {atom.tolist()}" for atom in atoms])
    value = chi_square_p_value(counts, weights, case.n_samples)
    must = "`sample` must follow the weights of the atoms"
    came = f"counts whose chi-square has p-value {value:.1e}"
    require(value >= _SHARE, must, came, "Draw each atom with its weight.")


def _check_counts(case: PolicyCase, counts: Integers, chances: Vector, events: list[str]) -> None:
    """Check that the count that fits its probability worst still fits it."""
    worst, value = least_binomial_p_value(counts, chances, case.n_samples)
    must = f"`sample` must {events[worst]} with probability {chances[worst]:.6g}"
    came = f"{int(counts[worst])} times in {case.n_samples} draws (p-value {value:.1e})"
    require(value >= _SHARE, must, came, "Draw from the policy that marginals, second moments and weights describe.")


def _check_value(case: PolicyCase) -> None:
    """Check that what a policy hands out cannot be used to change it."""
    policy, seed = case.policy, case.seed
    v = np.random.default_rng([seed, 4]).standard_normal(policy.dimension)
    kept = v.copy()
    asked: dict[str, Callable[[], AnyArray]] = {
        "sample": lambda: policy.sample(np.random.default_rng([seed, 5])),
        "marginals": policy.marginals,
        "cooccurrence": policy.cooccurrence,
        "second_moment": lambda: policy.second_moment(v),
    }
    if policy.has_atoms:
        asked |= {"atoms": lambda: policy.atoms, "weights": lambda: policy.weights}
    unspoilt(asked, "Mark what is kept as read-only (swapregret.arrays.frozen), or hand out copies.")
    require(np.array_equal(v, kept), "`second_moment(v)` must leave v alone", "a changed vector", "Copy it first.")


POLICY_CHECKS: dict[str, Callable[[PolicyCase], None]] = {
    "marginals": _check_marginals,
    "second moment": _check_second_moment,
    "atoms": _check_atoms,
    "probability": _check_probability,
    "samples": _check_samples,
    "sampler policy": _check_sampler_policy,
    "value": _check_value,
}
"""The checks of a policy, in the order in which they run."""
