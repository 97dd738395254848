"""Sets that exist only in Python, behind the methods of compiled ones: the phases of the learners run on them as they stand."""

from typing import Any

import numpy as np
import numpy.typing as npt

from swapregret.actions import covariance, listed_laws  # the code behind the methods that are not given here
from swapregret.actions.family import Common, best, draw_explore, list_law, project, span_part
from swapregret.compiled.kernel import PythonFamily
from swapregret.policy import Policy

__all__ = ["OracleFamily"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ = covariance, listed_laws


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


@project.of(OracleFamily)
def project_oracle(family: Any, tilted: Floats, near: Floats) -> tuple[Floats, Floats, bool]:
    """Project by the set's own method, which raises where it fails."""
    found = family.actions.kl_project_near(tilted, near)
    is_reached = ~np.isneginf(found.log_point)
    log_point = np.where(is_reached, found.log_point, 0.0)
    return (
        np.where(is_reached, np.exp(log_point), 0.0),
        log_point,
        True,
    )  # so that exp(near) is the point again, bit for bit


@list_law.of(OracleFamily)
def list_oracle(family: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """Decompose by the set's own method, which raises where the point lies outside."""
    words, chances = family.actions.decompose_packed(point, variants=family.variants)
    return np.array(words), np.array(chances), True


@best.of(OracleFamily)
def best_of_oracle(family: Any, weights: Floats) -> Integers:
    """Ask the oracle."""
    return np.array(family.actions.argmax(weights))


@span_part.of(OracleFamily)
def part_of_oracle(family: Any, vector: Floats) -> Floats:
    """Project onto the span of the actions."""
    common = family.common
    return vector if common.rank == common.dimension else np.array(family.actions.span.project(vector))


@draw_explore.of(OracleFamily)
def draw_of_oracle(family: Any, rng: np.random.Generator) -> Integers:
    """Draw from the exploration policy."""
    return np.array(family.mu.sample(rng))
