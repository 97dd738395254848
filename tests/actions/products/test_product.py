"""Products of sets: everything against the list of all combinations, and compiled code against the set's own methods."""

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import swapregret as sr
from swapregret.actions.hull import best, draw_explore, list_policy, project, span_part
from swapregret.actions.products.coupling import couple
from swapregret.actions.products.product import Product
from swapregret.actions.products.product_hull import Pair, best_pair, list_pairs, project_pair
from swapregret.actions.products.product_span import level_of
from swapregret.compiled.bits import unpack
from swapregret.errors import InvalidInput, Unsupported
from swapregret.geometry.solve import smallest_eigenvalue
from swapregret.geometry.span import Span
from swapregret.testing import strategies

_DIAMOND = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("s", "t")]
_ROUTES = sr.DagPaths(_DIAMOND, source="s", sink="t")


def _cover(w: np.ndarray) -> np.ndarray:
    chosen = (w > 0.0).astype(int)
    chosen[int(np.argmax(w))] = 1
    return chosen


@settings(max_examples=40, deadline=None)
@given(actions=strategies.products(4))
def test_a_product_lists_all_combinations(actions: Product) -> None:
    """Actions, their number, and the rank are those of the list of combinations; coordinates give all others."""
    rows = [np.concatenate(rows) for rows in product(*(part.enumerate() for part in actions.parts))]
    table = actions.enumerate()
    assert {row.tobytes() for row in table} == {row.tobytes() for row in np.array(rows, dtype=np.int64)}
    assert actions.n_actions == len(table)
    assert actions.rank == np.linalg.matrix_rank(table)
    span = actions.span
    np.testing.assert_allclose(table[:, span.coordinates] @ span.lift.T, table, atol=1e-8)
    assert np.linalg.matrix_rank(span.basis) == len(span.basis) == actions.rank
    Q = np.linalg.qr(span.lift)[0]
    vector = np.cos(np.arange(actions.dimension))
    np.testing.assert_allclose(span.project(vector), Q @ (Q.T @ vector), atol=1e-8)
    is_level = np.linalg.matrix_rank(np.column_stack([table, np.ones(len(table))])) == actions.rank
    assert (level_of(actions) is not None) == is_level


@pytest.mark.parametrize(
    ("parts", "rank"),
    [
        ([sr.MSets(4, 2), sr.MSets(5, 1)], 4 + 5 - 1),
        ([_ROUTES, sr.MSets(4, 2), sr.Permutations(3)], 4 + 4 + 5 - 2),
        ([sr.OracleSet(3, _cover), sr.MSets(4, 2)], 3 + 4),
        ([sr.OracleSet(3, _cover), sr.OracleSet(3, _cover)], 3 + 3),
    ],
)
def test_one_direction_is_lost_for_each_level_part_but_one(parts, rank: int) -> None:
    """The rank is Σ r_i, less one for each part on a level but the first; exploration shows all of it."""
    actions = Product(*parts)
    assert actions.rank == rank
    assert smallest_eigenvalue(actions.exploration_policy(), actions.span) > 1e-4


def test_labels_say_which_decision() -> None:
    """An element is named by its decision and its name there, and read back."""
    plans = Product(_ROUTES, sr.MSets(3, 1, labels="abc"), names=["route", "slate"])
    action = plans.argmax(np.r_[np.zeros(5), 1.0, 0.0, 1.0, 0.0])
    assert plans.elements(action) == (("route", ("s", "t")), ("slate", "b"))
    assert np.array_equal(plans.action_of([("slate", "b"), ("route", ("s", "t"))]), action)
    assert [piece.tolist() for piece in plans.split(action)] == [[0, 0, 0, 0, 0, 1], [0, 1, 0]]
    assert Product(sr.MSets(2, 1), sr.MSets(2, 1)).labels == ((0, 0), (0, 1), (1, 0), (1, 1))


@pytest.mark.parametrize("variants", [1, 4])
def test_coupled_lists_are_short(variants: int) -> None:
    """Of n and n' actions come at most n + n' − 1 pairs, all different, with exact chances and the marginals asked for."""
    actions = Product(sr.MSets(6, 2), sr.MSets(6, 2))
    point = actions.kl_project(np.sin(np.arange(12.0))).point
    sizes = [
        len(part.decompose_packed(piece, variants=variants)[1])
        for part, piece in zip(actions.parts, actions.split(point), strict=True)
    ]
    words, chances = actions.decompose_packed(point, variants=variants)
    assert len(words) == len(np.unique(words)) <= sum(sizes) - 1
    assert chances.sum() == 1.0
    policy = actions.decompose(point, variants=variants)
    np.testing.assert_allclose(policy.marginals(), point, atol=1e-13)
    same = policy.atoms[:, :6] == policy.atoms[:, 6:]
    assert not same.all(axis=1).all()  # equal pieces are not drawn in step


def test_pairs_cross_the_border_of_a_word() -> None:
    """Actions of 40 and 70 elements are packed one after the other without losing a bit."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 2, (5, 40)), rng.integers(0, 2, (7, 70))
    pack = [np.zeros((5, 1), dtype=np.uint64), np.zeros((7, 2), dtype=np.uint64)]
    for table, words in zip((left, right), pack, strict=True):
        for row, into in zip(table, words, strict=True):
            for i in np.flatnonzero(row):
                into[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    words, chances = couple(pack[0], np.full(5, 0.2), pack[1], np.full(7, 1 / 7), 40, 110)
    rows = np.array([unpack(row, 110) for row in words])
    assert {row.tobytes() for row in rows[:, :40].copy()} == {row.tobytes() for row in left}
    assert {row.tobytes() for row in rows[:, 40:].copy()} == {row.tobytes() for row in right}
    np.testing.assert_allclose(chances @ rows, np.r_[left.mean(axis=0), right.mean(axis=0)], atol=1e-14)


def test_compiled_products_do_what_the_set_does() -> None:
    """Projection, list, oracle, span and exploration of nested compiled families are those of the set."""
    actions = Product(sr.MSets(5, 2), _ROUTES, sr.MSets(3, 1))
    family = actions.family(actions.exploration_policy(), variants=2)
    assert isinstance(family.hull.data.second.hull.data, Pair)
    rng = np.random.default_rng(3)
    weights = rng.standard_normal(actions.dimension)
    assert np.array_equal(best(family, weights), actions.argmax(weights))
    np.testing.assert_allclose(span_part(family, weights), actions.span.project(weights), atol=1e-12)
    point, log_point, gap = project(family, weights, np.zeros(actions.dimension))
    assert gap <= 1e-9
    np.testing.assert_allclose(point, actions.kl_project(weights).point, atol=1e-9)
    np.testing.assert_allclose(np.exp(log_point), point, atol=1e-12)
    words, chances, is_inside = list_policy(family, point)
    rows = np.array([unpack(row, actions.dimension) for row in words])
    assert is_inside
    assert all(row in actions for row in rows)
    np.testing.assert_allclose(chances @ rows, point, atol=1e-12)
    assert not list_policy(family, point + np.eye(actions.dimension)[-1])[2]
    draws = np.array([draw_explore(family, rng) for _ in range(4000)])
    assert all(row in actions for row in np.unique(draws, axis=0))
    x = actions.exploration_policy().marginals()  # below: each of 14 means accuses a right sampler with chance < 1e-7
    assert (np.abs(draws.mean(axis=0) - x) <= 5.5 * np.sqrt(x * (1.0 - x) / 4000) + 1e-12).all()
    J = family.common.coordinates
    assert set(J.tolist()) == set(actions.span.coordinates.tolist())
    np.testing.assert_allclose(family.common.explore.moment, actions.exploration_policy().cooccurrence()[np.ix_(J, J)])


def test_a_product_has_two_families_side_by_side() -> None:
    """Of parts that exist only in Python too, whose errors come out of compiled code; a spanner as exploration is a list."""
    is_broken = False

    def cover(weights: np.ndarray) -> np.ndarray:
        if is_broken:
            raise ConnectionError("down")
        return _cover(weights)

    actions = Product(sr.OracleSet(3, cover), sr.MSets(3, 1))
    mixed = actions.family(actions.exploration_policy())
    weights = np.sin(np.arange(6.0))
    assert np.array_equal(best(mixed, weights), actions.argmax(weights))
    is_broken = True
    with pytest.raises(ConnectionError, match="down"):
        best(mixed, -weights)
    listed = Product(sr.MSets(3, 1), sr.MSets(3, 1))
    family = listed.family(listed.exploration_policy("spanner"))
    assert len(family.common.explore.cumulative) == listed.rank


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
@pytest.mark.parametrize("preset", ["adaptive", "multiscale", "paper"])
def test_every_preset_plays_products(preset: str, feedback: str) -> None:
    """All presets and feedbacks play, and a session that is saved goes on as if it had not been."""
    actions = Product(_ROUTES, sr.MSets(4, 2), names=["route", "slate"])
    player = sr.swap_combcp(actions, 200, preset=preset, feedback=feedback)
    result = sr.play(player, sr.environments.iid(actions, 200, rng=1), rng=2)
    assert np.isfinite(result.external_regret.value)


def test_swap_comband_plays_products_with_gibbs_policies() -> None:
    """The Gibbs policy is that of the list; without one part's policy it is refused by name."""
    actions = Product(sr.MSets(4, 2), _ROUTES)
    scores = np.linspace(-2.0, 3.0, actions.dimension)
    table = actions.enumerate()
    mass = np.exp(table @ scores)
    np.testing.assert_allclose(actions.gibbs(scores).marginals(), mass @ table / mass.sum(), atol=1e-12)
    result = sr.play(sr.swap_comband(actions, 100), sr.environments.iid(actions, 100, rng=1), rng=2)
    assert np.isfinite(result.external_regret.value)
    with pytest.raises(Unsupported, match="Gibbs"):
        Product(sr.MSets(4, 2), sr.TruncatedPermutations(2, 3)).gibbs(np.zeros(10))


def test_a_product_is_written_to_a_file(tmp_path) -> None:
    """A session on a product is saved and goes on as before."""
    actions = Product(sr.MSets(4, 2), sr.Permutations(2), names=["slate", "order"])
    session = sr.Session(sr.swap_combcp(actions, 100), rng=7)
    for _ in range(20):
        session.act()
        session.observe(0.5)
    session.save(tmp_path / "s")
    again = sr.Session.load(tmp_path / "s")
    assert again.act().elements == session.act().elements


@pytest.mark.parametrize(
    ("sets", "names", "words"),
    [
        ((), None, "at least two"),
        ((sr.MSets(2, 1),), None, "at least two"),
        ((sr.MSets(2, 1), [[1, 0]]), None, "at least two"),
        ((sr.MSets(2, 1), sr.MSets(2, 1)), ["a"], "2 different"),
        ((sr.MSets(2, 1), sr.MSets(2, 1)), ["a", "a"], "2 different"),
        ((sr.MSets(2, 1), sr.MSets(2, 1)), [["a"], ["b"]], "2 different"),
    ],
)
def test_what_is_no_product_is_refused(sets, names, words: str) -> None:
    """Fewer than two sets, things that are no sets, and names that do not name them are refused."""
    with pytest.raises(InvalidInput, match=words):
        Product(*sets, names=names)


def test_many_parts_cost_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a product asks of its parts grows with their number, and no code is compiled for another number of them."""
    asked: list[int] = []
    plain = Span.project

    def project(self: Span, vector: np.ndarray) -> np.ndarray:
        asked.append(self.rank)
        return plain(self, vector)

    monkeypatch.setattr(Span, "project", project)
    counts, compiled = [], []
    for k in (2, 12):
        asked.clear()
        actions = sr.Product(*(sr.MSets(4, 2) for _ in range(k)))
        session: sr.Session[object] = sr.Session(sr.swap_combcp(actions, 100, preset="multiscale"), rng=1, warm=False)
        session.act()
        session.observe(0.5)
        actions.span.project(np.ones(4 * k))
        counts.append(len(asked))
        compiled.append(sum(len(each.dispatcher.signatures) for each in (best_pair, project_pair, list_pairs)))
    assert counts[1] <= 12 * (counts[0] + 1)
    assert compiled[0] == compiled[1]
    assert actions.rank == 12 * 4 - 11


MANY_PARTS = """
import gc, sys
import swapregret as sr
from numba.core.dispatcher import Dispatcher

for count in (2, 100):
    parts = sr.Product(*[sr.MSets(4, 2)] * count)
    session = sr.Session(sr.swap_combcp(parts, 1000, preset="multiscale"), rng=1)
    for _ in range(4):
        session.act()
        session.observe(0.5)
    print(sum(len(each.overloads) for each in gc.get_objects() if isinstance(each, Dispatcher)))
parts = sr.Product(*[sr.MSets(3, 1)] * 800)
sr.Session(sr.swap_combcp(parts, 1000, preset="multiscale"), rng=1, warm=False).save(sys.argv[1])
print(sr.Session.load(sys.argv[1]).player.actions.dimension)
"""


def test_parts_add_no_code(tmp_path) -> None:
    """A hundred parts are played by the code of two, and a file of 800 parts is read: with code for each this would never end."""
    run = [sys.executable, "-c", MANY_PARTS, str(tmp_path / "x.session")]
    told = subprocess.run(run, capture_output=True, text=True, check=True, timeout=600).stdout.split()
    of_two, of_hundred, dimension = map(int, told)
    assert of_two > 10
    assert of_two <= of_hundred <= of_two + 2
    assert dimension == 2400
