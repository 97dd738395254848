"""Sets that exist only in Python, behind the methods of compiled ones: the phases of the learners run on them as they stand."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from swapregret.actions import listed_laws  # the code behind the methods that are not given here
from swapregret.actions.family import (
    MADE,
    Common,
    best,
    draw,
    draw_explore,
    gibbs_of,
    hybrid,
    law_of,
    list_law,
    make_law,
    prepare,
    project,
    room,
    show_law,
    span_part,
    spread,
)
from swapregret.actions.listed_laws import draw_mu, put_mu, show_mu
from swapregret.arrays import Floats, Integers, Words
from swapregret.compiled.kernel import PythonFamily
from swapregret.compiled.vectors import centred
from swapregret.geometry.hybrid_step import minimise_hybrid
from swapregret.geometry.kl import Projection
from swapregret.geometry.oracle import LinearOracle
from swapregret.policy import Policy

__all__ = ["OracleFamily", "OracleGibbsFamily", "OracleGibbsLaws"]

_KEPT = 64
_ANSWERS = 1024


_ = listed_laws


class OracleFamily(PythonFamily):
    """Any set, by its own methods.

    Parameters
    ----------
    common : Common
    actions : ActionSet
    mu : Policy
        The exploration policy.
    variants : int
        Decompositions that are averaged.
    """

    def __init__(self, common: Common, actions: Any, mu: Policy, variants: int) -> None:
        self.common, self.actions, self.mu, self.variants = common, actions, mu, variants
        self.oracle: LinearOracle = actions
        self.answers: dict[bytes, Integers] = {}

    def on(self, laws: Any) -> "OracleFamily":
        """Return the same at work on the policies of a state: they make no difference."""
        return self


@project.of(OracleFamily)
def project_oracle(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the set's own method, which raises where it fails."""
    return split_point(family.actions.kl_project_near(tilted, near))


def split_point(found: Projection) -> tuple[Floats, Floats, bool]:
    """Return a projection as the learners take it."""
    is_reached = ~np.isneginf(found.log_point)
    log_point = np.where(is_reached, found.log_point, 0.0)
    return (
        np.where(is_reached, np.exp(log_point), 0.0),
        log_point,
        True,
    )  # so that exp(near) is the point again, bit for bit


@hybrid.of(OracleFamily)
def hybrid_oracle(family: Any, costs: Floats, mix: float, middle: Floats, near: Floats) -> tuple[Floats, float]:
    """Minimise with the oracle alone; raises where that fails."""
    return minimise_hybrid(family.actions, costs, mix, near), 0.0


@list_law.of(OracleFamily)
def list_oracle(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Decompose by the set's own method, which raises where the point lies outside."""
    words, chances = family.actions.decompose_packed(point, variants=family.variants)
    return np.array(words), np.array(chances), True


@best.of(OracleFamily)
def best_of_oracle(family: Any, weights: Floats) -> Integers:
    """Ask the oracle; the same question, of several members at the end of a window, is asked once."""
    key = weights.tobytes()
    if key not in family.answers:
        if len(family.answers) >= _ANSWERS:
            family.answers.clear()
        family.answers[key] = family.oracle.argmax(weights)
    return np.array(family.answers[key])


@prepare.of(OracleFamily)
def prepare_compiled(family: Any, laws: Any, mix: Any, has_inverse: bool) -> int:
    """Add up Σ and factor it, in compiled code: that part knows no set."""
    code: int = listed_laws.prepare_dense(family.common, laws, mix, has_inverse)
    return code


@span_part.of(OracleFamily)
def part_of_oracle(family: Any, vector: Floats) -> Floats:
    """Project onto the span of the actions."""
    common = family.common
    return vector if common.rank == common.dimension else np.array(family.actions.span.project(vector))


@draw_explore.of(OracleFamily)
def draw_of_oracle(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy."""
    return np.array(family.mu.sample(rng))


class OracleGibbsFamily(OracleFamily):
    """Any set with a Gibbs policy, by its own methods; a point is known by its exponents, and listed as by its base."""

    def __init__(self, common: Common, actions: Any, mu: Policy, variants: int) -> None:
        super().__init__(common, actions, mu, variants)
        self._made = lru_cache(_KEPT)(lambda exponents: actions.gibbs(np.frombuffer(exponents)))

    def policy(self, exponents: Floats) -> Policy:
        """Return the Gibbs policy of some exponents; the last few are kept."""
        policy: Policy = self._made(exponents.tobytes())
        return policy


class OracleGibbsLaws(NamedTuple):
    """S policies: their exponents, E[M], and Σ on the independent coordinates."""

    exponents: Floats
    marginals: Floats
    moments: Floats


@project.of(OracleGibbsFamily)
def project_oracle_gibbs(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Return the marginals of the policy of some exponents, and these."""
    return np.array(family.policy(tilted).marginals()), tilted, True


@room.of(OracleGibbsFamily)
def oracle_gibbs_room(family: Any, n_slots: int, n_atoms: int) -> OracleGibbsLaws:
    """Return room for policies; of μ its marginals and Σ."""
    d, r = family.common.dimension, family.common.coordinates.size
    laws = OracleGibbsLaws(np.zeros((n_slots, d)), np.zeros((n_slots, d)), np.zeros((n_slots, r, r)))
    put_mu(family.common, laws.marginals, laws.moments)
    return laws


@make_law.of(OracleGibbsFamily)
def make_oracle_gibbs(family: Any, laws: Any, slot: int, point: Floats, log_point: Floats) -> int:
    """Write down E[M] and Σ of the policy of some exponents."""
    policy, coordinates = family.policy(log_point), family.common.coordinates
    laws.exponents[slot] = log_point
    laws.marginals[slot] = policy.marginals()
    if coordinates.size:
        laws.moments[slot] = policy.cooccurrence()[np.ix_(coordinates, coordinates)]
    return MADE


@draw.of(OracleGibbsFamily)
def draw_oracle_gibbs(family: Any, laws: Any, slot: int, rng: np.random.Generator) -> Integers:
    """Draw from the policy of the exponents."""
    if slot == len(laws.marginals) - 1:
        return draw_mu(family, rng)
    return np.array(family.policy(laws.exponents[slot]).sample(rng))


@spread.of(OracleGibbsFamily)
def spread_of_oracle_gibbs(family: Any, laws: Any, slot: int, point: Floats, aggregate: Floats) -> float:
    """Return Var(X̃·M)."""
    policy: Policy = family.policy(laws.exponents[slot])
    return policy.variance(centred(aggregate, family.common.is_uniform))


@show_law.of(OracleGibbsFamily)
def show_oracle_gibbs(family: Any, laws: Any, slot: int) -> tuple[Words, Floats]:
    """Return no rows: the policy is no list here."""
    shown: tuple[Words, Floats] = show_mu(family, laws, slot)
    return shown


law_of.register(OracleGibbsFamily, gibbs_of)
