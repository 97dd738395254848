"""Sets that are the same up to the order of coordinates pass, and every way of not being so is caught."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.relabelling import RELABELLING_CHECKS, check_relabelling

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.arrays import as_vector

TABLE = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [1, 0, 0, 1]])
ORDER = np.array([2, 0, 3, 1])


def _planted(table: Any = TABLE[:, ORDER], **overrides: Any) -> Explicit:
    return type("Planted", (Explicit,), overrides)(table)


def _lopsided(self: Explicit, w: Any) -> Any:
    """Project with the first coordinate preferred."""
    return Explicit.kl_project(self, as_vector(w, 4, "w") + 0.01 * np.eye(4)[0])


FAULTS: list[tuple[str, str, Callable[[], tuple[Any, Any]]]] = [
    ("numbers", "no permutation", lambda: (_planted(), [0, 0, 1, 2])),
    ("numbers", "another rank", lambda: (_planted(rank=3), ORDER)),
    ("numbers", "another count", lambda: (_planted(TABLE[1:, ORDER]), ORDER)),
    ("actions", "another order", lambda: (_planted(), ORDER[::-1])),
    ("actions", "another list", lambda: (_planted(enumerate=lambda self, limit=0: TABLE), ORDER)),
    ("projections", "a favourite coordinate", lambda: (_planted(kl_project=_lopsided), ORDER)),
    ("policies", "another policy", lambda: (_planted(uniform_policy=lambda self: self.gibbs([1e-6, 0, 0, 0])), ORDER)),
    ("policies", "another Gibbs policy", lambda: (_planted(gibbs=lambda self, s: self.uniform_policy()), ORDER)),
]


@pytest.mark.parametrize(("check", "make"), [(c, m) for c, _, m in FAULTS], ids=[f"{c}: {n}" for c, n, _ in FAULTS])
def test_a_planted_fault_is_caught(check: str, make: Callable[[], tuple[Any, Any]], caught: Any) -> None:
    """The check that is there for a fault catches it, in a sentence of three parts."""
    relabelled, order = make()
    found, sentence = caught(check_relabelling, Explicit(TABLE), relabelled, order)
    assert found == check, sentence


def test_every_check_has_a_planted_fault() -> None:
    """No check of a relabelling is without a test that shows it failing."""
    assert {check for check, _, _ in FAULTS} == set(RELABELLING_CHECKS)


def test_relabelled_sets_pass() -> None:
    """A list with its columns shuffled passes, and so does a set that no shuffling changes."""
    assert check_relabelling(Explicit(TABLE), _planted(), ORDER).passed == tuple(RELABELLING_CHECKS)
    order = np.random.default_rng(0).permutation(30)
    assert check_relabelling(MSets(30, 9), MSets(30, 9), order, limit=10).passed == tuple(RELABELLING_CHECKS)
