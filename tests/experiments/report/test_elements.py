"""How policies are shown: an edge for each element of paths and trees, a row for each part and amount of partitions."""

import pytest

import swapregret as sr
from swapregret.experiments.report.gather import put_together, row_names


def test_graphs_of_trees_and_paths_have_an_edge_for_each_element() -> None:
    """Edge i of the graph joins the ends of element i; parallel edges keep their numbers; m-sets have no graph."""
    trees = sr.SpanningTrees([("a", "b"), ("b", "c"), ("a", "c"), ("a", "b")])
    network = trees.network()
    assert network is not None
    assert not network.directed
    assert [set(edge) for edge in network.edges] == [{"a", "b"}, {"b", "c"}, {"a", "c"}, {"a", "b"}]
    assert row_names(trees) == ("a – b (0)", "b – c", "a – c", "a – b (1)")
    assert sr.MSets(4, 2).network() is None


@pytest.mark.parametrize("coordinates", ["path", "compact"])
def test_partitions_are_shown_by_part_and_amount(coordinates: str) -> None:
    """Whatever the coordinates, the rows are (part, amount), and the elements of an action are those of its amounts."""
    plans = sr.Partitions(3, 3, coordinates=coordinates)
    labels, place = plans.shown_rows()
    assert len(labels) == 3 * 4
    for amounts in ((0, 3, 0), (1, 0, 2), (1, 1, 1)):
        chosen = place[plans.action_from_amounts(amounts).nonzero()[0]]
        shown = [f"part {part} gets {amount}" for part, amount in enumerate(amounts)]
        assert [labels[row] for row in chosen.tolist()] == shown


def test_elements_that_share_a_row_add_up() -> None:
    """The uniform policy over partitions has, in each part, probabilities that add up to 1, the same in both coordinates."""
    tables = []
    for coordinates in ("path", "compact"):
        plans = sr.Partitions(3, 3, coordinates=coordinates)
        tables.append(put_together(plans.uniform_policy().marginals()[None], plans)[0])
    assert tables[0].reshape(3, 4).sum(axis=1) == pytest.approx([1.0] * 3)
    assert tables[0] == pytest.approx(tables[1])
