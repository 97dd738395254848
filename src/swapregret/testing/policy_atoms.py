"""Checks of what a policy lists and draws: atoms, weights, probabilities, samples."""

import numpy as np

from swapregret.arrays import Integers, Vector
from swapregret.errors import Unsupported
from swapregret.testing.conformance import agree, refused, require, require_action, require_members, require_rows, skip
from swapregret.testing.set_instances import PolicyCase
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value, least_binomial_p_value

_TOLERANCE = 1e-10
_SHARE = FALSE_ALARM / 4.0
_PAIRED = 40
_ONE_LAW = "Compute both from the same law."


def check_atoms(case: PolicyCase) -> None:
    """Check that atoms are distinct actions in canonical order, with positive weights that add up to exactly 1."""
    policy = case.policy
    if case.listing is None:
        must = "`has_atoms` must be true of a policy that lists its atoms"
        refused(policy.finite, Unsupported, must, "False", "Set it.")
        skip("its support is not listed")
    atoms, weights = policy.atoms, policy.weights
    require_rows(atoms, policy.dimension, "atoms", "Build the law with FinitePolicy(atoms, weights).")
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
    agree(weights @ atoms, policy.marginals(), _TOLERANCE, must, _ONE_LAW)
    must = f"`cooccurrence()` must equal the second moment of the atoms within {_TOLERANCE}"
    agree((atoms.T * weights) @ atoms, policy.cooccurrence(), _TOLERANCE, must, _ONE_LAW)


def check_probability(case: PolicyCase) -> None:
    """Check that ``probability`` is the weight of an atom, 0 elsewhere, adds up to 1, and agrees with ``probabilities``."""
    policy, law = case.policy, case.listing
    many = f"`probabilities(actions)` must be `probability` of every row within {_TOLERANCE}"
    if law is not None:
        rng = np.random.default_rng([case.seed, 1])
        flipped = law.atoms[rng.integers(len(law.atoms), size=20)].copy()
        flipped[np.arange(20), rng.integers(policy.dimension, size=20)] ^= 1
        both = np.concatenate([law.atoms[:200], flipped])
        weights = dict(zip((atom.tobytes() for atom in law.atoms), law.weights.tolist(), strict=True))
        found = [policy.probability(action) for action in both]
        must = f"`probability(action)` must be the weight of an atom, and 0 elsewhere, within {_TOLERANCE}"
        do = "Compare the whole action, not a summary of it."
        agree(found, [weights.get(action.tobytes(), 0.0) for action in both], _TOLERANCE, must, do)
        agree(policy.probabilities(both), found, _TOLERANCE, many, _ONE_LAW)
        return
    if case.reference is None:
        skip("neither atoms nor a list of the actions is at hand")
    try:
        p = np.array([policy.probability(action) for action in case.reference])
    except Unsupported:
        skip("the policy does not give probabilities")
    agree(policy.probabilities(case.reference), p, _TOLERANCE, many, _ONE_LAW)
    require(
        bool((p >= 0.0).all()) and abs(float(p.sum()) - 1.0) <= _TOLERANCE,
        f"`probability` must be non-negative and add up to 1 over the set within {_TOLERANCE}",
        f"sum {float(p.sum())!r}, least {float(p.min())!r}",
        "Normalise the law.",
    )
    must = f"`marginals()` must be the mean under `probability` within {_TOLERANCE}"
    agree(p @ case.reference, policy.marginals(), _TOLERANCE, must, _ONE_LAW)


def check_samples(case: PolicyCase) -> None:
    """Check that samples are int64 0/1 vectors, members of the set, in the support, and repeat with the generator."""
    policy = case.policy
    first = policy.sample(np.random.default_rng([case.seed, 2]))
    again = policy.sample(np.random.default_rng([case.seed, 2]))
    require_action(first, policy.dimension, "sample")
    require(
        np.array_equal(first, again),
        "`sample` must draw the same action from the same generator",
        f"{first.tolist()} and {again.tolist()}",
        "Take all randomness from the `rng` passed in.",
    )
    support = None if case.listing is None else {atom.tobytes() for atom in case.listing.atoms}
    drawn = np.unique(case.samples, axis=0)
    require_members(drawn, case.is_member, "samples", "Draw actions of the set only.")
    for action in drawn:
        require_action(action, policy.dimension, "sample")
        require(
            support is None or action.tobytes() in support,
            "`sample` must draw atoms of the law",
            f"{action.tolist()}, which is no atom",
            "Sample from the same law that lists the atoms.",
        )


def check_sampler_law(case: PolicyCase) -> None:
    """Check that frequencies of elements, of pairs and of whole actions fit the law; each test at a quarter of 1e-6."""
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
    require(
        value >= _SHARE,
        "`sample` must follow the weights of the atoms",
        f"counts whose chi-square has p-value {value:.1e}",
        "Draw each atom with its weight.",
    )


def _check_counts(case: PolicyCase, counts: Integers, chances: Vector, events: list[str]) -> None:
    """Check that the count that fits its probability worst still fits it."""
    worst, value = least_binomial_p_value(counts, chances, case.n_samples)
    require(
        value >= _SHARE,
        f"`sample` must {events[worst]} with probability {chances[worst]:.6g}",
        f"{int(counts[worst])} times in {case.n_samples} draws (p-value {value:.1e})",
        "Draw from the law that marginals, second moments and weights describe.",
    )
