"""Checks of the list a policy gives of itself: atoms, weights, probabilities."""

import numpy as np

from swapregret.errors import Unsupported
from swapregret.testing.policy_case import PolicyCase
from swapregret.testing.report import require

__all__ = ["check_atoms", "check_probability"]

_TOLERANCE = 1e-10


def check_atoms(case: PolicyCase) -> str | None:
    """Check that atoms are distinct actions in canonical order, with positive weights that add up to exactly 1."""
    policy, law = case.policy, case.listing
    if law is None:
        try:
            policy.finite()
        except Unsupported:
            return "its support is not listed"
        require(False, "`has_atoms` must be true of a policy that lists its atoms", "False", "Set it.")
    assert law is not None
    atoms, weights = policy.atoms, policy.weights
    require(
        atoms.ndim == 2 and atoms.dtype == np.int64 and atoms.shape == (len(weights), policy.dimension),
        f"`atoms` must be an int64 array of shape (number of weights, {policy.dimension})",
        f"dtype {atoms.dtype}, shape {atoms.shape}, {len(weights)} weights",
        "Build the law with FinitePolicy(atoms, weights).",
    )
    require(
        bool(np.isin(atoms, (0, 1)).all()), "`atoms` must contain only 0 and 1", "other values", "Atoms are actions."
    )
    order = np.lexsort(atoms.T)
    require(
        np.array_equal(order, np.arange(len(atoms))) and bool((atoms[1:] != atoms[:-1]).any(axis=1).all()),
        "`atoms` must be different and in canonical order (last coordinate most significant)",
        f"order {order[:8].tolist()} ...",
        "Build the law with FinitePolicy(atoms, weights), which sorts and merges.",
    )
    require(
        bool((weights > 0.0).all()) and float(weights.sum()) == 1.0 and float(weights[::-1].sum()) == 1.0,
        "`weights` must be positive and add up to exactly 1",
        f"sum {float(weights.sum())!r}, least {float(weights.min())!r}",
        "Round them with swapregret.policy.on_grid.",
    )
    for atom in atoms:
        require(
            case.is_member(atom),
            f"every atom must be an action of {case.actions!r}",
            f"{atom.tolist()}, which is none",
            "Give weight to actions of the set only.",
        )
    gap = float(np.abs(weights @ atoms - policy.marginals()).max())
    require(
        gap <= _TOLERANCE,
        f"`marginals()` must equal the mean of the atoms within {_TOLERANCE}",
        f"a difference of {gap:.3g}",
        "Compute both from the same law.",
    )
    gap = float(np.abs((atoms.T * weights) @ atoms - policy.cooccurrence()).max())
    require(
        gap <= _TOLERANCE,
        f"`cooccurrence()` must equal the second moment of the atoms within {_TOLERANCE}",
        f"a difference of {gap:.3g}",
        "Compute both from the same law.",
    )
    return None


def check_probability(case: PolicyCase) -> str | None:
    """Check that ``probability`` is the weight of an atom, 0 elsewhere, and adds up to 1 over the set."""
    policy, law = case.policy, case.listing
    if law is not None:
        for atom, weight in zip(law.atoms[:200], law.weights[:200].tolist(), strict=True):
            found = policy.probability(atom)
            require(
                abs(found - weight) <= _TOLERANCE,
                f"`probability(atom)` must be the weight of the atom within {_TOLERANCE}",
                f"{found!r} for an atom of weight {weight!r}",
                "Compute both from the same law.",
            )
        support = {atom.tobytes() for atom in law.atoms}
        rng = np.random.default_rng([case.seed, 1])
        flipped = law.atoms[rng.integers(len(law.atoms), size=20)].copy()
        flipped[np.arange(20), rng.integers(policy.dimension, size=20)] ^= 1
        for action in flipped:
            require(
                action.tobytes() in support or policy.probability(action) <= _TOLERANCE,
                "`probability` must be 0 outside the support",
                f"{policy.probability(action)!r} for {action.tolist()}",
                "Compare the whole action, not a summary of it.",
            )
        return None
    if case.reference is None:
        return "neither atoms nor a list of the actions is at hand"
    try:
        p = np.array([policy.probability(action) for action in case.reference])
    except Unsupported:
        return "the policy does not give probabilities"
    require(
        bool((p >= 0.0).all()) and abs(float(p.sum()) - 1.0) <= _TOLERANCE,
        f"`probability` must be non-negative and add up to 1 over the set within {_TOLERANCE}",
        f"sum {float(p.sum())!r}, least {float(p.min())!r}",
        "Normalise the law.",
    )
    gap = float(np.abs(p @ case.reference - policy.marginals()).max())
    require(
        gap <= _TOLERANCE,
        f"`marginals()` must be the mean under `probability` within {_TOLERANCE}",
        f"a difference of {gap:.3g}",
        "Compute both from the same law.",
    )
    return None
