"""How laws are shown: an edge for each element of paths and trees, a row for each part and amount of partitions."""

import pytest

import swapregret as sr
from swapregret.experiments.report.gather import graph_of, picture_rows, put_together


def test_graphs_of_trees_and_paths_have_an_edge_for_each_element() -> None:
    """Edge i of the graph joins the ends of element i; parallel edges keep their numbers; m-sets have no graph."""
    trees = graph_of(sr.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("a", "b")]))
    assert trees is not None
    assert not trees.is_directed
    assert [{trees.vertices[edge.tail], trees.vertices[edge.head]} for edge in trees.edges] == [
        {"a", "b"},
        {"b", "c"},
        {"a", "c"},
        {"a", "b"},
    ]
    assert [edge.label for edge in trees.edges] == ["a – b (0)", "b – c", "a – c", "a – b (1)"]
    assert graph_of(sr.MSets(4, 2)) is None


@pytest.mark.parametrize("coordinates", ["path", "compact"])
def test_partitions_are_shown_by_part_and_amount(coordinates: str) -> None:
    """Whatever the coordinates, the rows are (part, amount), and the elements of an action are those of its amounts."""
    plans = sr.Partitions(3, 3, coordinates=coordinates)
    labels, place = picture_rows(plans)
    assert len(labels) == 3 * 4
    for amounts in ((0, 3, 0), (1, 0, 2), (1, 1, 1)):
        chosen = place[plans.action_from_amounts(amounts).nonzero()[0]]
        shown = [f"part {part} gets {amount}" for part, amount in enumerate(amounts)]
        assert [labels[row] for row in chosen.tolist()] == shown


def test_elements_that_share_a_row_add_up() -> None:
    """The uniform law over partitions has, in each part, probabilities that add up to 1, the same in both coordinates."""
    tables = []
    for coordinates in ("path", "compact"):
        plans = sr.Partitions(3, 3, coordinates=coordinates)
        _, place = picture_rows(plans)
        tables.append(put_together(plans.uniform_policy().marginals()[None], place)[0])
    assert tables[0].reshape(3, 4).sum(axis=1) == pytest.approx([1.0] * 3)
    assert tables[0] == pytest.approx(tables[1])
