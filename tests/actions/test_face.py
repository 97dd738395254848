"""Days on which elements are missing: the smaller set has exactly the actions of the enumeration, on every family."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import Face, oracle_part, read_missing
from swapregret.errors import InvalidInput

EDGES = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
DECISIONS = [  # b follows a1, c follows b1, d is on its own
    ("a", ["1", "2"]),
    ("b", ["1", "2", "3"], ("a", "1")),
    ("c", ["1", "2"], ("b", "1")),
    ("d", ["1", "2"]),
]
SETS = {
    "msets": lambda: sr.MSets(6, 3, labels="abcdef"),
    "explicit": lambda: sr.Explicit([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1]]),
    "permutations": lambda: sr.Permutations(3),
    "truncated": lambda: sr.TruncatedPermutations(2, 3),
    "trees": lambda: sr.SpanningTrees([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]),
    "forests": lambda: sr.Forests([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], size=2),
    "paths": lambda: sr.DagPaths(EDGES, source="s", sink="t"),
    "partitions": lambda: sr.Partitions(3, 2),
    "plans": lambda: sr.Plans(DECISIONS),
    "product": lambda: sr.Product(sr.MSets(4, 2), sr.MSets(3, 1)),
    "oracle": lambda: sr.OracleSet(4, lambda w: (np.argsort(np.argsort(-w, kind="stable")) < 2).astype(int)),
}


def left(actions: ActionSet, missing: tuple[int, ...]) -> np.ndarray:
    """Return the actions without some elements, from the list of all."""
    rows = actions.enumerate()
    return rows[rows[:, list(missing)].sum(axis=1) == 0]


@pytest.mark.parametrize("name", SETS)
def test_a_face_has_the_actions_of_the_enumeration(name: str) -> None:
    """For masks of one and two elements: the same actions, a projection of the same divergence, exploration of the whole span."""
    actions, rng = SETS[name](), np.random.default_rng(1)
    masks = [(i,) for i in range(actions.dimension)] + [(0, i) for i in range(1, actions.dimension)]
    n_faces = 0
    for missing in masks:
        rows = left(actions, missing)
        if len(rows) == 0 or rows.sum() == 0:
            continue
        n_faces += 1
        face = Face(actions, missing)
        found = face.lift(face.part.enumerate())
        assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, rows.tolist()))
        assert np.linalg.matrix_rank(face.exploration.cooccurrence()) == np.linalg.matrix_rank(rows)
        policy = face.mixed([face.listed(rng.normal(size=actions.dimension), 2)], [1.0])
        assert all(atom in actions for atom in policy.atoms)
        assert policy.marginals()[list(missing)].sum() == 0.0
        assert np.array_equal(face.kept, np.flatnonzero(rows.any(axis=0)))
    assert n_faces > 0


def test_plans_without_a_choice_are_plans_without_what_follows_it() -> None:
    """Without ``a: 1`` neither b nor c is reached; without ``b: 1``, c is not."""
    plans = SETS["plans"]()
    for missing, labels in (((0,), "a2 d1 d2"), ((2,), "a1 a2 b2 b3 d1 d2")):
        part = Face(plans, missing).part
        assert isinstance(part, sr.Plans)
        assert part.labels == tuple(f"{each[0]}: {each[1]}" for each in labels.split())


def test_an_own_face_projects_as_the_oracle_does() -> None:
    """The KL projection onto 3 of 5 is the one found by asking the oracle of 3 of 6 with an element left out."""
    actions, w = sr.MSets(6, 3), np.array([0.3, -1.0, 2.0, 0.0, 0.7, -0.2])
    kept = np.array([0, 1, 2, 4, 5])
    generic = oracle_part(actions, kept).kl_project(w[kept]).point
    assert generic == pytest.approx(Face(actions, (3,)).part.kl_project(w[kept]).point, abs=1e-7)


@pytest.mark.parametrize(
    ("actions", "missing", "words"),
    [
        (lambda: sr.MSets(3, 2, labels="abc"), (0, 1), "'a', 'b' missing"),
        (lambda: sr.SpanningTrees([(0, 1), (1, 2)]), (0,), "missing: every action"),
        (lambda: sr.DagPaths(EDGES, source="s", sink="t"), (3, 4, 5), "missing: every action"),
        (lambda: sr.Permutations(2), (0, 1), "missing: every action"),
    ],
)
def test_a_day_without_actions_is_refused(actions, missing, words: str) -> None:
    """The sentence names what is missing."""
    with pytest.raises(InvalidInput, match=words):
        Face(actions(), missing)


def test_elements_are_named_by_label_or_index() -> None:
    """Both ways give the same mask; what is no element is refused by name."""
    letters = sr.MSets(4, 2, labels="abcd")
    assert read_missing(letters, ["c", 0], None) == read_missing(letters, None, "bd") == (0, 2)
    assert read_missing(letters, None, None) == read_missing(letters, [], None) == ()
    for without, words in ((["z"], "'z'"), ([4], "4"), (7, "labels or indices"), ([True], "True"), ([[1]], r"\[1\]")):
        with pytest.raises(InvalidInput, match=words):
            read_missing(letters, without, None)
    with pytest.raises(InvalidInput, match="in one way"):
        read_missing(letters, "a", "b")


def test_a_row_of_zeros_and_ones_is_a_mask_where_it_can_be_nothing_else() -> None:
    """As indices it would name an element twice; two elements written 1, 0 are indices, as bools they are a row."""
    letters = sr.MSets(4, 2, labels="abcd")
    for row in ([1, 1, 0, 1], np.array([1, 1, 0, 1]), [True, True, False, True], np.array([1.0, 1.0, 0.0, 1.0])):
        assert read_missing(letters, None, row) == (2,)
    assert read_missing(sr.MSets(2, 1), [1, 0], None) == (0, 1)
    assert read_missing(sr.MSets(2, 1), [True, False], None) == (0,)
    for repeated in ([1, 1, 0], ["c", "c"], ["c", 2]):
        with pytest.raises(InvalidInput, match=r"once.* twice.* 4 entries"):
            read_missing(letters, None, repeated)
