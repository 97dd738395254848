"""Linear swap regret: against all vertices of the hull, between its neighbours, and from every kind of record."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.regret.conftest import Enumerated, enumerated
from typer.testing import CliRunner

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.cli import app
from swapregret.errors import InvalidInput, Unsupported
from swapregret.geometry.hull_equations import equations_of
from swapregret.policy import FinitePolicy
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.linear import best_affine_rule, linear_swap_regret
from swapregret.regret.measure import Regret
from swapregret.regret.notions import external_regret, swap_regret

EDGES = [("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("a", "b"), ("s", "t"), ("c", "t")]
DESCRIBED = {
    "one of three": lambda: sr.MSets(3, 1),
    "two of five": lambda: sr.MSets(5, 2),
    "all of three": lambda: sr.MSets(3, 3),
    "rankings": lambda: sr.Permutations(3),
    "top two of three": lambda: sr.TruncatedPermutations(2, 3),
    "square matchings": lambda: sr.TruncatedPermutations(2, 2),
    "routes with an idle edge": lambda: sr.DagPaths(EDGES, source="s", sink="t"),
    "plans": lambda: sr.Plans(
        [("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check")), ("aside", ["left", "right"])]
    ),
    "allocations": lambda: sr.Partitions(3, 3),
    "two decisions": lambda: sr.Product(sr.MSets(3, 1), sr.DagPaths(EDGES[:6], source="s", sink="t")),
}


@pytest.fixture(params=DESCRIBED)
def described(request: pytest.FixtureRequest) -> ActionSet:
    """Give sets whose hull has few equations."""
    return DESCRIBED[request.param]()


def by_vertices(run: Enumerated) -> float:
    """Return linear swap regret from the list of actions alone: an action's image is a mixture of the list, and affine."""
    table = run.table.astype(float)
    n, d = table.shape
    products = run.rewards.T @ (run.chances @ table)
    total = run.rewards.sum(axis=0)
    images = np.zeros((n * d + n, n * n + d * d + d))  # Σ_k w_ik M_k = B M_i + b, and Σ_k w_ik = 1
    for i, (row, k) in product(range(n), [(row, k) for row in range(d) for k in range(n)]):
        images[i * d + row, i * n + k] = table[k, row]
    for i, row in product(range(n), range(d)):
        images[i * d + row, n * n + row * d : n * n + (row + 1) * d] = -table[i]
        images[i * d + row, n * n + d * d + row] = -1.0
    for i in range(n):
        images[n * d + i, i * n : (i + 1) * n] = 1.0
    costs = -np.concatenate([np.zeros(n * n), products.ravel(), total])
    right = np.concatenate([np.zeros(n * d), np.ones(n)])
    bounds = [(0, None)] * (n * n) + [(None, None)] * (d * d + d)
    return -linprog(costs, A_eq=images, b_eq=right, bounds=bounds, method="highs").fun - run.earned


def linear(actions: ActionSet, ledgers: list) -> Regret:
    """Measure linear swap regret of some ledgers."""
    return linear_swap_regret(actions, ledgers, best_affine_rule(actions, ledgers))


def test_it_is_the_maximum_over_maps_of_the_vertices(described: ActionSet) -> None:
    """The program over equations finds what a program over all actions finds; it lies between external and swap regret."""
    for seed in range(2):
        run = enumerated(described, 6, seed)
        ledger = run.ledger()
        found = linear(described, [ledger])
        assert found.value == pytest.approx(by_vertices(run), abs=1e-7)
        assert found.value >= external_regret(described, [ledger]).value - 1e-8
        assert found.value <= swap_regret(answer(described, [ledger])).value + 1e-8


def test_the_rule_maps_actions_into_the_hull_and_earns_what_it_says(described: ActionSet) -> None:
    """Every action goes to a point that meets the equations; the gains of the moves add up to the regret."""
    run = enumerated(described, 6, 5)
    rule, found = best_affine_rule(described, [run.ledger()]), equations_of(described)
    for action in run.table:
        image = rule(action)
        assert image.min() > -1e-7
        assert found.equal @ image[found.used] == pytest.approx(found.right, abs=1e-7)
        assert ((found.below @ image[found.used]) <= found.limit + 1e-7).all()
        assert np.delete(image, found.used).any() is np.False_
    points = run.chances @ run.table
    gain = float((run.rewards * (np.array([rule(point) for point in points]) - points)).sum())
    assert sum(move.gain for move in rule.moves) == pytest.approx(gain, abs=1e-6)
    assert linear(described, [run.ledger()]).value == pytest.approx(gain, abs=1e-7)


def test_where_one_of_n_is_chosen_every_rule_is_affine() -> None:
    """On one of four, linear swap regret is swap regret; on two of four it can be smaller."""
    gaps = []
    for size in (1, 2):
        run = enumerated(actions := sr.MSets(4, size), 12, 3)
        gaps.append(run.swap() - linear(actions, [run.ledger()]).value)
    assert gaps[0] == pytest.approx(0.0, abs=1e-7)
    assert gaps[1] > 0.1


def test_maxima_stand_outside_the_expectation() -> None:
    """Of two runs whose habits cancel, the mean has nothing to gain; each alone has."""
    actions, ledgers = sr.MSets(2, 1, labels="ab"), []
    for rewards in ([1.0, 0.0], [0.0, 1.0]):
        ledger = SwapLedger(actions)
        ledger.record(FinitePolicy([[1, 0], [0, 1]], [0.5, 0.5]), np.array(rewards))
        ledgers.append(ledger.close())
    assert linear(actions, ledgers).value == pytest.approx(0.0, abs=1e-9)
    assert str(best_affine_rule(actions, ledgers)) == "no affine rule would have been better"
    assert [linear(actions, [each]).value for each in ledgers] == pytest.approx([0.5, 0.5])


def test_a_play_and_its_bound_measure_the_same() -> None:
    """With and without a ledger, on tapes or policy by policy, Σ R xᵀ is what the policies of a session add up to."""
    actions = sr.MSets(5, 2)
    world = sr.environments.cyclic(actions, 300, rng=0)
    result, bound = (
        sr.play(sr.swap_combcp(actions, 300), world, rng=1, replications=2, measure=measure)
        for measure in ("ledger", "bound")
    )
    assert bound.linear_swap_regret.value == pytest.approx(result.linear_swap_regret.value, abs=1e-7)
    session = sr.Session(sr.swap_combcp(actions, 300), rng=7)
    wanted, book = np.zeros((5, 5)), SwapLedger(actions, capacity=1)
    for rewards in world.rewards(0, 300):
        decision = session.act()
        session.observe(float(rewards @ decision.action))
        wanted += np.outer(rewards, decision.policy.marginals())
        book.record(decision.policy, rewards)
    assert book.close().products == pytest.approx(wanted, abs=1e-9)
    again = SwapLedger(actions, capacity=1)
    again.restore(book.dump())
    assert again.close().products == pytest.approx(wanted, abs=1e-9)
    assert result.linear_swap_regret.standard_error >= 0.0


def test_realised_play_and_gibbs_policies_have_it_too() -> None:
    """An audit sees Σ R Mᵀ of the plays; policies without a list enter by their marginals."""
    actions = sr.MSets(3, 1, labels="abc")
    report = sr.audit(actions, [("a",), ("a",), ("b",)], [[0.0, 1.0, 0.0]] * 2 + [[0.5, 0.0, 0.0]])
    assert report.linear_swap_regret.value == pytest.approx(report.swap_regret.value) == pytest.approx(2.5)
    assert str(report.best_affine_rule()).splitlines()[0] == "whenever you chose a: -1 a, +1 b (+2 in total)"
    many, rng = sr.MSets(60, 20), np.random.default_rng(0)
    ledger = SwapLedger(many)
    wanted = np.zeros((60, 60))
    for _ in range(40):  # more than are kept
        policy, rewards = many.gibbs(rng.normal(size=60)), rng.random(60)
        ledger.record(policy, rewards)
        wanted += np.outer(rewards, policy.marginals())
    assert ledger.close().products == pytest.approx(wanted, abs=1e-9)


def test_sets_without_equations_or_of_many_elements_are_refused() -> None:
    """An explicit list and a set of 513 elements are refused by name."""
    listed = sr.Explicit([[1, 0], [0, 1]])
    with pytest.raises(Unsupported, match="few equations"):
        sr.audit(listed, [[1, 0]], [[0.0, 1.0]]).linear_swap_regret  # noqa: B018
    for other in (sr.Product(sr.MSets(3, 1), listed), sr.Partitions(3, 3, coordinates="compact")):
        with pytest.raises(Unsupported, match="few equations"):
            equations_of(other)
    with pytest.raises(InvalidInput, match="at most 512 elements"):
        sr.audit(sr.MSets(513, 1), np.eye(513, dtype=int)[:1], np.ones((1, 513))).linear_swap_regret  # noqa: B018


def test_the_command_adds_a_row_and_the_rule(tmp_path) -> None:
    """``audit --linear`` prints the regret and the rule in words, and writes it as JSON; totals are refused."""
    path = tmp_path / "plays.csv"
    path.write_text("action,reward:a,reward:b,reward:c\n" + "a,0,1,0\n" * 4, encoding="utf-8")
    options = ["audit", str(path), "--set", "msets 3 1 labels=a,b,c", "--linear"]
    shown = CliRunner().invoke(app, options)
    assert "whenever you chose a: -1 a, +1 b (+4 in total)" in shown.output, shown.output
    data = json.loads(CliRunner().invoke(app, [*options, "--json"]).output)
    assert data["linear_swap_regret"]["value"] == pytest.approx(4.0)
