"""Families behind addresses: the same answers, and learners that are compiled once for all of them."""

import pickle
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.actions.called_family import CalledFamily, called
from swapregret.actions.family import best, draw_explore, list_policy, project, span_part

ROUTES = sr.DagPaths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], source=0, sink=3)
SETS = [sr.MSets(6, 2), sr.Permutations(3)]


def family_of(actions: Any, **options: Any) -> Any:
    """Return the family of a set."""
    return actions.family(actions.exploration_policy(), **options)


def test_what_is_called_is_the_code_of_the_family() -> None:
    """Every method gives the same bits by its address as by its class; what it gives on all sets is in test_families."""
    actions = SETS[0]
    family = family_of(actions)
    behind = called(family)
    assert isinstance(behind, CalledFamily)
    vector, middle = np.random.default_rng(1).normal(size=actions.dimension), actions.exploration_policy().marginals()
    near = np.array(middle)
    for method, args in (
        (project, (vector, np.log(near))),
        (list_policy, (near,)),
        (best, (vector,)),
        (span_part, (vector,)),
    ):
        pickled = [pickle.dumps(method(each, *args)) for each in (family, behind)]
        assert pickled[0] == pickled[1]
    draws = [draw_explore(each, np.random.default_rng(2)) for each in (family, behind)]
    assert np.array_equal(*draws)


def test_learners_are_compiled_once_for_all_lists() -> None:
    """Two sets of different families run the very same code."""
    found = []
    for actions in SETS:
        end_window = sr.swap_combcp(actions, 100).start(np.random.default_rng(0)).do.end_window
        found.append(set(end_window.signatures))
    assert found[0] == found[1]


def test_a_called_family_is_made_anew_elsewhere() -> None:
    """Addresses mean nothing to another process: a pickle has the family itself."""
    family = called(family_of(SETS[0]))
    again = pickle.loads(pickle.dumps(family))
    assert isinstance(again, CalledFamily)
    assert again.handle != family.handle
    weights = np.arange(6.0)
    assert np.array_equal(best(again, weights), best(family, weights))


def test_families_inside_families_are_called_too() -> None:
    """A product calls its parts, whatever they are."""
    family = called(family_of(sr.Product(SETS[0], SETS[1], ROUTES)))
    assert isinstance(family.family.first, CalledFamily)
    assert isinstance(family.family.second.family.second, CalledFamily)
    assert called(family) is family


def test_other_families_stay_as_they_are() -> None:
    """Chains and Gibbs policies are no lists."""
    for family in (family_of(SETS[0], kind="chain"), family_of(SETS[1], kind="gibbs")):
        assert called(family) is family
