"""One table per set: what learners, products and the methods of a set ask is the same code, at the same address."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.hull import best, draw_explore, list_policy, project, span_part
from swapregret.arrays import Floats, Integers
from swapregret.compiled.kernel import kernel
from swapregret.errors import InvalidInput

ROUTES = sr.DagPaths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], source=0, sink=3)
SETS = [sr.MSets(6, 2), sr.Permutations(3)]


def family_of(actions: Any, **options: Any) -> Any:
    """Return the family of a set."""
    return actions.family(actions.exploration_policy(), **options)


@kernel
def best_as_floats(h: Any, weights: Floats) -> Floats:
    """Return no action."""
    return weights + 1.0


def test_learners_and_the_methods_of_a_set_ask_the_same_code() -> None:
    """Best action, projection and list of a family and of the set are equal bit for bit, also of a product with a Python part."""
    for actions in (
        *SETS,
        sr.Product(SETS[0], ROUTES),
        sr.Product(SETS[0], sr.OracleSet(3, lambda w: np.eye(3)[np.argmax(w)])),
    ):
        family, weights = family_of(actions, variants=3), np.sin(np.arange(float(actions.dimension)))
        point, log_point, gap = project(family, weights, np.zeros(actions.dimension))
        found = actions.kl_project(weights)
        assert np.array_equal(point, found.point)
        assert np.array_equal(log_point[point > 0.0], found.log_point[point > 0.0])
        assert gap == found.gap
        assert np.array_equal(best(family, weights), actions.argmax(weights))
        words, chances, _ = list_policy(family, point)
        listed, weights = actions.decompose_packed(point, variants=3)
        assert {row.tobytes() for row in words} == {row.tobytes() for row in listed}
        assert abs(chances.sum() - weights.sum()) <= 1e-12


@pytest.mark.parametrize(("make", "kind"), [(sr.swap_combcp, "list"), (sr.swap_comband, "gibbs")])
def test_learners_are_compiled_once_for_all_sets(make: Any, kind: str) -> None:
    """Two sets, and lists and Gibbs policies, run the very same code."""
    found = []
    for actions in SETS:
        end_window = make(actions, 100, preset="multiscale").start(np.random.default_rng(0)).do.end_window
        found.append({str(each) for each in end_window.signatures})
    assert found[0] == found[1]
    assert make(SETS[0], 100, preset="multiscale").learner.plan.kind == kind


def test_a_family_is_made_anew_elsewhere() -> None:
    """Addresses mean nothing to another process: a pickle has the data and the names of the kernels."""
    oracle = sr.Product(SETS[0], sr.Partitions(2, 2, coordinates="compact"))
    for actions in (SETS[0], oracle):
        family = family_of(actions)
        again = pickle.loads(pickle.dumps(family))
        assert again.handle != family.handle
        weights = np.arange(float(actions.dimension))
        assert np.array_equal(best(again, weights), best(family, weights))
        assert np.array_equal(span_part(again, weights), span_part(family, weights))
        assert draw_explore(again, np.random.default_rng(1)) in actions


def test_a_kernel_that_returns_something_else_is_refused() -> None:
    """An address is called without a look at types: what a kernel returns is compared with what was declared."""

    class Wrong(sr.MSets):
        def hull(self, mu: Any = None, *, variants: int = 1) -> Any:
            return replace(super().hull(mu, variants=variants), best=best_as_floats)

    with pytest.raises(InvalidInput, match="`best` of a set must return"):
        Wrong(4, 2).argmax(np.zeros(4))


def test_a_class_that_knows_no_best_action_is_refused() -> None:
    """A set needs `argmax` or `hull`, and says so when the class is made."""
    with pytest.raises(TypeError, match="argmax"):
        type("Empty", (sr.ActionSet,), {})


def test_indices_of_a_set_come_as_integers() -> None:
    """The best action is an array of int64 that the caller owns."""
    for actions in SETS:
        action: Integers = actions.argmax(np.arange(float(actions.dimension)))
        assert action.dtype == np.int64
        action[:] = 0
        assert actions.argmax(np.arange(float(actions.dimension))).sum() == actions.size
