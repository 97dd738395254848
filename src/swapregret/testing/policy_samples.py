"""Checks of what a policy draws."""

import numpy as np

from swapregret.testing.policy_case import PolicyCase
from swapregret.testing.report import require
from swapregret.testing.statistics import FALSE_ALARM, chi_square_p_value, least_binomial_p_value

__all__ = ["check_sampler_law", "check_samples"]

_SHARE = FALSE_ALARM / 4.0
_PAIRED = 40


def check_samples(case: PolicyCase) -> str | None:
    """Check that samples are int64 0/1 vectors, members of the set, in the support, and repeat with the generator."""
    policy = case.policy
    first = policy.sample(np.random.default_rng([case.seed, 2]))
    again = policy.sample(np.random.default_rng([case.seed, 2]))
    require(
        isinstance(first, np.ndarray) and first.shape == (policy.dimension,) and first.dtype == np.int64,
        f"`sample` must return an int64 vector of shape ({policy.dimension},)",
        f"{type(first).__name__} of shape {np.shape(first)} and dtype {getattr(first, 'dtype', None)}",
        "Return the indicator vector of the elements drawn.",
    )
    require(
        np.array_equal(first, again),
        "`sample` must draw the same action from the same generator",
        f"{first.tolist()} and {again.tolist()}",
        "Take all randomness from the `rng` passed in.",
    )
    support = None if case.listing is None else {atom.tobytes() for atom in case.listing.atoms}
    for action in np.unique(case.samples, axis=0):
        require(
            bool(np.isin(action, (0, 1)).all()),
            "`sample` must contain only 0 and 1",
            f"{action.tolist()}",
            "Draw actions.",
        )
        require(
            case.is_member(action),
            f"`sample` must draw actions of {case.actions!r}",
            f"{action.tolist()}, which is none",
            "Draw actions of the set only.",
        )
        require(
            support is None or action.tobytes() in support,
            "`sample` must draw atoms of the law",
            f"{action.tolist()}, which is no atom",
            "Sample from the same law that lists the atoms.",
        )
    return None


def check_sampler_law(case: PolicyCase) -> str | None:
    """Check that frequencies of elements, of pairs and of whole actions fit the law; each test at a quarter of 1e-6."""
    policy, n, d = case.policy, case.n_samples, case.policy.dimension
    drawn = case.samples
    worst, value = least_binomial_p_value(drawn.sum(axis=0), policy.marginals(), n)
    require(
        value >= _SHARE,
        f"`sample` must choose element {worst} with probability {policy.marginals()[worst]:.6g}",
        f"{int(drawn[:, worst].sum())} times in {n} draws (p-value {value:.1e})",
        "Draw from the law that marginals and second moments describe.",
    )
    some = np.random.default_rng([case.seed, 6]).permutation(d)[:_PAIRED]
    upper = np.triu_indices(len(some))
    pairs = (drawn[:, some].T @ drawn[:, some])[upper]
    both = policy.cooccurrence()[np.ix_(some, some)][upper]
    worst, value = least_binomial_p_value(pairs, both, n)
    require(
        value >= _SHARE,
        f"`sample` must choose elements {some[upper[0][worst]]} and {some[upper[1][worst]]} together with probability "
        f"{both[worst]:.6g}",
        f"{int(pairs[worst])} times in {n} draws (p-value {value:.1e})",
        "Draw from the law that marginals and second moments describe.",
    )
    if case.listing is None:
        return None
    atoms, weights = case.listing.atoms, case.listing.weights
    position = {atom.tobytes(): row for row, atom in enumerate(atoms)}
    counts = np.bincount([position[row.tobytes()] for row in drawn], minlength=len(atoms))
    worst, value = least_binomial_p_value(counts, weights, n)
    require(
        value >= _SHARE,
        f"`sample` must draw {atoms[worst].tolist()} with probability {weights[worst]:.6g}",
        f"{int(counts[worst])} times in {n} draws (p-value {value:.1e})",
        "Draw each atom with its weight.",
    )
    value = chi_square_p_value(counts, weights, n)
    require(
        value >= _SHARE,
        "`sample` must follow the weights of the atoms",
        f"counts whose chi-square has p-value {value:.1e}",
        "Draw each atom with its weight.",
    )
    return None
