"""Networks from files: what is read, and how what cannot be read is named."""

import sys

import numpy as np
import pytest

from swapregret.actions.paths.dag_paths import DagPaths
from swapregret.errors import InvalidInput, Unsupported
from swapregret.networks import Network, read_edges_csv, read_gml, read_graphml, read_tntp

TNTP = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 5
<END OF METADATA>


~\tinit_node\tterm_node\tcapacity\tlength\tFree Flow Time\t;
\t1\t2\t25900.2\t6\t6\t;
\t2\t1\t25900.2\t6\t6\t;
\t2\t4\t4958.1\t5\t5.5\t;
\t1\t3\t4958.1\t5\t2\t;
\t3\t4\t4958.1\t5\t2\t;
"""

GML = """graph [
  node [ id 0 label "Köln" ]
  node [ id 1 label "None" ]
  node [ id 2 label "None" ]
  node [ id 3 label "alone" ]
  edge [ source 0 target 1 speed 10 ]
  edge [ source 0 target 1 speed 20 ]
  edge [ source 1 target 2 ]
]
"""

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="w" for="edge" attr.name="weight" attr.type="double"/>
  <graph edgedefault="directed">
    <node id="a"/><node id="b"/><node id="c"/>
    <edge source="a" target="b"><data key="w">1.5</data></edge>
    <edge source="b" target="c"><data key="w">2.5</data></edge>
  </graph>
</graphml>
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a text to a file and gives its path."""

    def write_text(text, name="network.txt", encoding="utf-8"):
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return write_text


def test_tables_are_read(write):
    """Comments and empty lines are left out, whole numbers become vertices, other columns attributes."""
    network = read_edges_csv(write("# made by hand\nfrom,to,km,kind\n1,2,3.5,road\n\n2,3,4,rail\n"))
    assert network.edges == ((1, 2), (2, 3))
    assert network.directed
    assert network.attributes == {"km": (3.5, 4.0), "kind": ("road", "rail")}
    assert network.numbers("km").tolist() == [3.5, 4.0]


def test_columns_are_found_by_name_or_number(write):
    """Vertices may stand anywhere, without a header and with another delimiter."""
    network = read_edges_csv(
        write("0.5;x;a b\n0.7;y;x\n"), tail=2, head=1, has_header=False, directed=False, delimiter=";"
    )
    assert network.edges == (("a b", "x"), ("x", "y"))
    assert network.vertices == ("a b", "x", "y")
    assert network.attributes == {"column 0": (0.5, 0.7)}
    assert not network.directed
    named = read_edges_csv(write("km,to,from\n1,b,a\n"), tail="from", head="to")
    assert named.edges == (("a", "b"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u,v,w\n1,2,3\n1,2\n", "line 3 of .* must have 3 cells, as line 1 has: got 2"),
        ("u,v,w\n# note\n1,,3\n", "line 3 of .* must name a vertex in column 'v'"),
        ("u,v,w\n1,2,3\n2,3,many\n", "line 3 of .* must have a finite number in column 'w': got 'many'"),
        ("u,v,w\n1,2,3\n2,3,inf\n", "line 3 of .* finite number in column 'w': got 'inf'"),
        ("u,v\n", "must contain edges"),
        ("", "must begin with a row"),
        ("u,u\n1,2\n", "must have different names"),
    ],
)
def test_bad_tables_are_refused_by_line_and_column(write, text, message):
    """A row or cell that cannot be read is named."""
    with pytest.raises(InvalidInput, match=message):
        read_edges_csv(write(text))


def test_bad_arguments_are_refused(write, tmp_path):
    """Unknown columns, a delimiter of two characters, missing files and other encodings are refused."""
    path = write("u,v\n1,2\n")
    for wrong in ({"tail": "x"}, {"head": 5}, {"head": True}, {"delimiter": ",,"}):
        with pytest.raises(InvalidInput):
            read_edges_csv(path, **wrong)
    with pytest.raises(InvalidInput, match="must be a file that can be read"):
        read_edges_csv(tmp_path / "missing.csv")
    with pytest.raises(InvalidInput, match="must be UTF-8 text"):
        read_edges_csv(write("u,v\nKöln,Bonn\n", encoding="latin-1"))


def test_road_networks_are_read(write):
    """Links are directed and in order; columns have the names of the file, in one spelling."""
    network = read_tntp(write(TNTP))
    assert network.edges == ((1, 2), (2, 1), (2, 4), (1, 3), (3, 4))
    assert set(network.attributes) == {"capacity", "length", "free_flow_time"}
    assert network.numbers("free_flow_time").tolist() == [6.0, 6.0, 5.5, 2.0, 2.0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<END OF METADATA>", "", "must have a line <END OF METADATA>"),
        ("LINKS> 5", "LINKS> 76", "as many links as <NUMBER OF LINKS> says, 76: got 5"),
        (
            "\t25900.2\t6\t6\t;\n\t2\t1",
            "\tmuch\t6\t6\t;\n\t2\t1",
            "line 9 of .* number in column 'capacity': got 'much'",
        ),
        ("\t3\t4\t4958.1\t5\t2\t;", "\t3\t4\t4958.1\t5\t;", "line 13 of .* must have 5 columns: got 4"),
        ("\t3\t4\t4958.1", "\t3\tx\t4958.1", "line 13 of .* must name its nodes by whole numbers: got 'x'"),
        ("\t3\t4\t4958.1", "\t3\t4\t4958.1.2", "line 13 of .* must have a finite number in column 'capacity'"),
    ],
)
def test_bad_road_networks_are_refused_by_line(write, old, new, message):
    """What cannot be read is named by line and column."""
    path = write(TNTP.replace(old, new))
    with pytest.raises(InvalidInput, match=message):
        read_tntp(path)


def test_gml_is_read_with_parallel_edges_and_repeated_labels(write):
    """An edge that comes twice stays twice, equal labels are told apart by ids, isolated vertices are kept."""
    network = read_gml(write(GML))
    one, two = ("None", 1), ("None", 2)
    assert network.vertices == ("Köln", one, two, "alone")
    assert sorted(network.edges, key=repr) == sorted([("Köln", one), ("Köln", one), (one, two)], key=repr)
    assert not network.directed
    assert network.attributes["speed"] == (10, 20, None)
    with pytest.raises(InvalidInput, match="must be a finite number on every edge: got None"):
        network.numbers("speed")


def test_graphml_is_read(write):
    """Directions and attributes are kept."""
    network = read_graphml(write(GRAPHML))
    assert network.edges == (("a", "b"), ("b", "c"))
    assert network.directed
    assert network.numbers("weight").tolist() == [1.5, 2.5]


@pytest.mark.parametrize(("read", "what"), [(read_gml, "GML"), (read_graphml, "GraphML")])
def test_other_files_and_a_missing_networkx_are_refused(write, monkeypatch, read, what):
    """A file in another format is refused, and so is any file without networkx, with another way out."""
    path = write("no graph at all")
    with pytest.raises(InvalidInput, match=f"must be a {what} file"):
        read(path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(
        Unsupported,
        match=rf'must be installed for reading {what}: got no networkx.*pip install "swapregret\[networks\]".*edge list',
    ):
        read(path)


def test_a_road_network_becomes_a_set_of_paths(write):
    """The directions that lead away from the source make an acyclic graph, by edges or by length."""
    network = read_tntp(write(TNTP))
    away = network.acyclic_from(1)
    assert away.edges == ((1, 2), (2, 4), (1, 3), (3, 4))
    assert DagPaths(away.edges, source=1, sink=4).n_actions == 2
    assert away.numbers("length").tolist() == [6.0, 5.0, 5.0, 5.0]
    assert network.acyclic_from(1, length="free_flow_time").edges == ((1, 2), (1, 3), (3, 4))
    assert network.undirected().acyclic_from(4).edges == ((2, 1), (4, 2), (3, 1), (4, 3))
    assert away.left_out == ()  # (2, 1) leads back into the source, which no route does
    other = network.undirected().acyclic_from(4)
    assert other.left_out == ((1, 2), (1, 3))
    assert "2 directions left out" in repr(other)
    with pytest.raises(InvalidInput, match="`source` must be a vertex"):
        network.acyclic_from(9)
    with pytest.raises(InvalidInput, match="must be one the network has"):
        network.acyclic_from(1, length="toll")
    with pytest.raises(InvalidInput, match="must be non-negative"):
        Network([(0, 1)], directed=True, attributes={"w": [-1.0]}).acyclic_from(0, length="w")


def test_undirected_edges_are_oriented_without_cycles():
    """Whatever the graph, what leads away from a vertex is acyclic and keeps all its component's edges."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        pairs = [tuple(map(int, rng.integers(0, 12, 2))) for _ in range(30)]
        network = Network(pairs, directed=False).without_loops()
        source = network.vertices[0]
        away = network.acyclic_from(source)
        sink = away.edges[-1][1]
        assert DagPaths(away.edges, source=source, sink=sink).n_actions >= 1
        component = {source}
        for _ in range(12):
            component |= {w for edge in network.edges if component & set(edge) for w in edge}
        assert len(away.edges) == sum(edge[0] in component for edge in network.edges)


def test_opposite_edges_are_one_undirected_edge():
    """Two opposite edges become one, parallel ones stay, loops are dropped on request, components are found."""
    network = Network(
        [("a", "b"), ("b", "a"), ("a", "b"), ("c", "c"), ("d", "c"), ("c", "d")],
        directed=True,
        attributes={"index": range(6)},
    )
    plain = network.undirected()
    assert plain.edges == (("a", "b"), ("a", "b"), ("c", "c"), ("d", "c"))
    assert plain.attributes["index"] == (0, 2, 3, 4)
    assert plain.undirected() is plain
    assert plain.without_loops().edges == (("a", "b"), ("a", "b"), ("d", "c"))
    larger = Network([(0, 1), (2, 3), (3, 4)], directed=False).largest_component()
    assert larger.edges == ((2, 3), (3, 4))
    with pytest.raises(InvalidInput, match="one value for each of its 1 edges"):
        Network([(0, 1)], directed=True, attributes={"w": [1, 2]})
