"""An action in the form people give it, and constructors that show their arguments."""

import inspect

import pytest

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.errors import InvalidAction, InvalidInput


def test_a_ranking_lists_items_in_order() -> None:
    """Labels name the items; elements are (position, item), the choice is the ranking."""
    ranking = sr.Permutations(3, labels=["pear", "plum", "fig"])
    action = ranking.action_of([(0, "fig"), (1, "pear"), (2, "plum")])
    assert ranking.choice(action) == ("fig", "pear", "plum")
    top = sr.TruncatedPermutations(2, 3, labels="abc")
    assert top.choice(top.action_of([(0, "c"), (1, "a")])) == ("c", "a")
    assert top.labels == sr.TruncatedPermutations(2, 3, column_labels="abc").labels


def test_an_assignment_names_rows() -> None:
    """Where rows have names of their own, the choice says what each row gets."""
    posts = sr.Permutations(2, row_labels=["Ann", "Bob"], column_labels=["dig", "sow"])
    assert posts.choice([0, 1, 1, 0]) == {"Ann": "sow", "Bob": "dig"}


def test_items_are_named_once() -> None:
    """Two lists of names for the same items, or too few, are refused."""
    with pytest.raises(InvalidInput, match="`labels` and `column_labels` must not both be given"):
        sr.Permutations(2, labels="ab", column_labels="cd")
    with pytest.raises(InvalidInput, match="must be 6 different names"):
        sr.Permutations(6, labels="abc")


def test_a_route_lists_vertices() -> None:
    """The vertices come in the order of travel, whatever the order of the edges or their names."""
    routes = sr.DagPaths([("b", "t"), ("s", "a"), ("a", "b"), ("s", "t")], source="s", sink="t", labels="wxyz")
    assert routes.choice(routes.action_of("wxy")) == ("s", "a", "b", "t")
    assert routes.choice(routes.action_of("z")) == ("s", "t")


def test_a_tree_lists_edges() -> None:
    """Edges are pairs of vertices, also where they have names of their own; parallel ones are numbered."""
    trees = sr.SpanningTrees([("a", "b"), ("b", "c"), ("b", "a")], labels=["bus", "train", "ferry"])
    assert trees.choice(trees.action_of(["bus", "train"])) == (("a", "b", 0), ("b", "c"))
    assert sr.Forests([("a", "b"), ("b", "c")], size=1).choice([0, 1]) == (("b", "c"),)


@pytest.mark.parametrize("coordinates", ["path", "compact"])
def test_an_allocation_lists_amounts(coordinates: str) -> None:
    """Troops per field, in both systems of coordinates."""
    plans = sr.Partitions(5, 3, coordinates=coordinates)
    assert plans.choice(plans.action_from_amounts([2, 0, 3])) == (2, 0, 3)


def test_several_decisions_are_read_one_by_one() -> None:
    """Each in the form of its own set, by the name of the decision where it has one."""
    routes = sr.DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t")
    plain = sr.Product(routes, sr.Permutations(2, labels="xy"))
    assert plain.choice([1, 1, 0, 0, 1, 1, 0]) == (("s", "a", "t"), ("y", "x"))
    named = sr.Product(plain, sr.MSets(3, 1, labels="bcd"), names=["trip", "meal"])
    assert named.choice([0, 0, 1, 1, 0, 0, 1, 0, 1, 0]) == {"trip": (("s", "t"), ("x", "y")), "meal": ("c",)}
    with pytest.raises(InvalidAction, match="must be an action of the set"):
        plain.choice([1, 0, 0, 0, 1, 1, 0])


def test_a_vector_that_is_no_action_has_no_choice() -> None:
    """Two edges that do not meet are no route."""
    routes = sr.DagPaths([("s", "a"), ("a", "t"), ("s", "t")], source="s", sink="t")
    with pytest.raises(InvalidAction, match="must be an action of the set"):
        routes.choice([1, 0, 1])


def test_a_decision_reads_its_choice() -> None:
    """A session's decision knows its set, also after the session was saved with the decision open."""
    ranking = sr.Permutations(3, labels="abc")
    session = sr.Session(sr.swap_combcp(ranking, 100), rng=0)
    decision = session.act()
    assert sorted(decision.choice) == ["a", "b", "c"]
    assert decision.choice == tuple(item for _, item in sorted(decision.elements))
    assert repr(decision) == f"Decision(day=0, {decision.choice!r})"


def test_an_open_decision_from_a_file_reads_its_choice() -> None:
    """Decisions that wait in a file have a choice too."""
    session = sr.Session(sr.swap_combcp(sr.Permutations(3, labels="abc"), 100), rng=0)
    decision = session.act()
    restored = sr.Session.from_bytes(session.snapshot())
    assert restored.open_decisions[0].choice == decision.choice


def test_constructors_show_their_arguments() -> None:
    """Every exported set has the signature of its constructor, and so has a user's own."""
    assert str(inspect.signature(sr.MSets)).startswith("(dimension: int, size: int, labels:")
    assert list(inspect.signature(sr.DagPaths).parameters) == ["edges", "source", "sink", "labels"]
    for name in sr.__all__:
        kind = getattr(sr, name)
        if inspect.isclass(kind) and issubclass(kind, ActionSet):
            assert "args" not in inspect.signature(kind).parameters, name

    class Own(sr.MSets):
        def __init__(self, width: int) -> None:
            super().__init__(width, 1)

    assert list(inspect.signature(Own).parameters) == ["width"]
