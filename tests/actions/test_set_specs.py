"""Sets by a line of text."""

import pytest

import swapregret as sr
from swapregret.actions.set_specs import make_set
from swapregret.errors import InvalidInput
from swapregret.registry import SPEC_FORMS

TREE = 'information_set,actions,after\nJ,check;bet,\n"J, bet",fold;call,J: check\n'
EDGES = "tail,head\ns,a\ns,b\na,t\nb,t\na,b\n"


@pytest.fixture(name="files")
def _files(tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES, encoding="utf-8")
    (tmp_path / "actions.csv").write_text("x,y,z\n1,0,1\n0,1,1\n", encoding="utf-8")
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "name", "n_actions"),
    [
        ("msets 5 2", "MSets", 10),
        ("permutations 3", "Permutations", 6),
        ("truncated 2 3", "TruncatedPermutations", 6),
        ("partitions 4 2", "Partitions", 5),
        ("trees {files}/edges.csv", "SpanningTrees", 8),
        ("forests {files}/edges.csv 1", "Forests", 5),
        ("paths {files}/edges.csv s t", "DagPaths", 3),
        ("plans {files}/tree.csv", "Plans", 3),
        ("explicit {files}/actions.csv", "Explicit", 2),
        ('product "msets 5 2" "paths {files}/edges.csv s t" names=slate,route', "Product", 30),
    ],
)
def test_every_form_makes_its_set(files, spec: str, name: str, n_actions: int) -> None:
    """Each word makes the public set of that name with the right number of actions."""
    made = make_set(spec.format(files=files))
    assert isinstance(made, getattr(sr, name))
    assert len(made.enumerate()) == n_actions
    assert any(form.startswith(spec.split()[0]) for form in SPEC_FORMS)


def test_vertices_of_a_line_are_those_of_the_file(tmp_path) -> None:
    """Vertices that are numbers in the file are found by the text of a line; columns may stand in any order."""
    (tmp_path / "numbers.csv").write_text("km,head,tail\n5,2,1\n7,3,2\n", encoding="utf-8")
    assert make_set("paths numbers.csv 1 3", tmp_path).choice([1, 1]) == (1, 2, 3)


def test_labels_come_from_the_spec_or_the_file(files) -> None:
    """Names of elements are read, not invented."""
    assert make_set("msets 1e1 2_0e-1").n_actions == 45
    assert make_set("msets 2 1 labels=u,v").labels == ("u", "v")
    assert make_set("permutations 2 labels=u,v").choice([0, 1, 1, 0]) == ("v", "u")
    assert make_set(f"explicit {files}/actions.csv").labels == ("x", "y", "z")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "begin as in"),
        ("cubes 3", "begin as in"),
        ("msets 5", "msets DIMENSION SIZE"),
        ("msets five 2", "whole"),
        ("partitions 3 2 labels=a,b,c", "partitions TOTAL PARTS"),
        ("explicit nowhere.csv", "must be a file that can be read"),
        ("trees {files}/actions.csv", "tail"),
        ("explicit {files}/edges.csv", "line 2, column 'tail'"),
        ("explicit {files}/short.csv", "line 2 of"),
        ('product "msets 5 2"', "at least two sets"),
        ('product "msets 5 2" "permutations', "at least two sets"),
        ('product "msets 5 2" "cubes 3"', "begin as in"),
        ('product "msets 5 2" "permutations 3" names=a', "2 different"),
    ],
)
def test_what_is_no_set_is_refused(files, spec: str, words: str) -> None:
    """Unknown words, wrong counts and unreadable files are refused with what was expected."""
    (files / "short.csv").write_text("x,y\n1\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        make_set(spec.format(files=files))
