"""Check that a policy is a law: its samples, moments, probabilities and atoms all tell the same story."""

from collections.abc import Callable

from swapregret.actions.base import ActionSet
from swapregret.arrays import Actions
from swapregret.errors import TooLarge
from swapregret.policy import Policy
from swapregret.testing.policy_atoms import check_atoms, check_probability
from swapregret.testing.policy_case import PolicyCase
from swapregret.testing.policy_moments import check_marginals, check_second_moment, check_value
from swapregret.testing.policy_samples import check_sampler_law, check_samples
from swapregret.testing.report import Report, run

__all__ = ["POLICY_CHECKS", "check_law", "check_policy"]

POLICY_CHECKS: dict[str, Callable[[PolicyCase], str | None]] = {
    "marginals": check_marginals,
    "second moment": check_second_moment,
    "atoms": check_atoms,
    "probability": check_probability,
    "samples": check_samples,
    "sampler law": check_sampler_law,
    "value": check_value,
}
"""The checks of a policy, in the order in which they run."""
_LISTED = 2_000


def check_policy(
    policy: Policy, actions: ActionSet | None = None, *, n_samples: int = 4000, seed: int = 0, limit: int = _LISTED
) -> Report:
    r"""Check that a policy is a law over actions, and tells one story about itself.

    Marginals :math:`E[M]`, products :math:`E[M(M\cdot v)]`, the dense matrix, probabilities and atoms must agree to 1e-10; weights
    add up to exactly 1 and atoms stand in canonical order; samples are actions and follow the law. Each family of tests of the
    sampler accuses a correct one with probability at most 1e-6.

    Parameters
    ----------
    policy : Policy
    actions : ActionSet, optional
        The set it should be a law on; without it, membership is not checked.
    n_samples : int
        Draws for the tests of the sampler.
    seed : int
        Where the draws come from: the same seed, the same verdict.
    limit : int
        Sets of at most this many actions are listed, and laws without atoms compared with the list.

    Returns
    -------
    Report
        What was checked.

    Raises
    ------
    ConformanceError
        Naming the first fault found.

    Examples
    --------
    >>> from swapregret.actions.m_sets.m_sets import MSets
    >>> actions = MSets(4, 2)
    >>> check_policy(actions.uniform_policy(), actions).passed[:2]
    ('marginals', 'second moment')
    """
    reference = None
    if actions is not None:
        try:
            reference = actions.enumerate(limit)
        except TooLarge:
            reference = None
    return check_law(policy, actions, reference, n_samples=n_samples, seed=seed)


def check_law(
    policy: Policy, actions: ActionSet | None, reference: Actions | None, *, n_samples: int, seed: int
) -> Report:
    """Do as :func:`check_policy` for a set whose list is already at hand, or known to be too long."""
    return run(repr(policy), PolicyCase(policy, actions, reference, n_samples, seed), POLICY_CHECKS)
