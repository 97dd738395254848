r"""A policy: a probability distribution over actions, as a value.

A policy :math:`p` over :math:`\mathcal A \subset \{0,1\}^d` is known through what the learners need of it: a sample
:math:`M \sim p`, its marginals :math:`\mathbb E[M]`, and its second moment applied to a vector,
:math:`v \mapsto \mathbb E[M\,(M\cdot v)] = \Sigma v`. A policy whose support can be listed also hands out its atoms.

Policies that belong to one set (uniform m-sets, Markov paths, ...) live with that set.
"""

from swapregret.policy.compound import Mixture, ProductPolicy, mix
from swapregret.policy.finite import GRID, FinitePolicy, canonical_order, on_grid
from swapregret.policy.policy import Policy, once

__all__ = [
    "GRID",
    "FinitePolicy",
    "Mixture",
    "Policy",
    "ProductPolicy",
    "canonical_order",
    "mix",
    "on_grid",
    "once",
]
