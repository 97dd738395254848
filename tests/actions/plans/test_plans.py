"""Plans of sequential games: against all strategies written out, certificates on large trees, refusals."""

from itertools import product

import cvxpy
import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import InvalidInput

KUHN = [
    entry
    for card in "JQK"
    for entry in ((card, ["check", "bet"]), (f"{card}, check, bet", ["fold", "call"], (card, "check")))
]


def grown(n: int, seed: int, roots: float = 0.2) -> list[tuple]:
    """Grow a tree of n information sets with one to three actions each."""
    rng = np.random.default_rng(seed)
    entries, sequences = [], []
    for j in range(n):
        actions = [str(k) for k in range(rng.integers(1, 4))]
        after = None if j == 0 or rng.random() < roots else sequences[rng.integers(len(sequences))]
        entries.append((f"i{j}", actions, after))
        sequences += [(f"i{j}", action) for action in actions]
    return entries


def by_strategies(entries: list[tuple]) -> set[tuple[int, ...]]:
    """Write down every choice at every information set, and strike out what the choices themselves make impossible."""
    found = set()
    for choices in product(*(entry[1] for entry in entries)):
        chosen: dict[str, str] = {}
        for entry, action in zip(entries, choices, strict=True):
            after = entry[2] if len(entry) == 3 else None
            if after is None or chosen.get(after[0]) == after[1]:
                chosen[entry[0]] = action
        found.add(tuple(int(chosen.get(entry[0]) == action) for entry in entries for action in entry[1]))
    return found


@pytest.mark.parametrize("entries", [KUHN, *(grown(6, seed) for seed in range(6))], ids=str)
def test_the_actions_are_the_strategies_without_what_they_rule_out(entries: list[tuple]) -> None:
    """Enumeration, count, sizes, rank and the span agree with strategies written out in full."""
    actions, wanted = sr.Plans(entries), by_strategies(entries)
    table = actions.enumerate()
    assert {tuple(row) for row in table.tolist()} == wanted
    assert actions.n_actions == len(wanted)
    assert actions.size == table.sum(axis=1).max()
    assert actions.is_uniform == (len(set(table.sum(axis=1))) == 1)
    assert actions.rank == np.linalg.matrix_rank(table) == np.linalg.matrix_rank(actions.span.basis)
    assert actions.span.lift @ table.T[actions.span.coordinates] == pytest.approx(table.T)
    vector = np.random.default_rng(1).normal(size=actions.dimension)
    columns = actions.span.orthonormal
    assert actions.span.project(vector) == pytest.approx(columns @ (columns.T @ vector), abs=1e-10)


def test_kuhn_poker_has_27_and_64_plans() -> None:
    """The first player has 27 reduced plans, the second 64, and choices read as people say them."""
    second = [(f"{card}, {first}", ["pass", "bet"]) for card in "JQK" for first in ("check", "bet")]
    assert (sr.Plans(KUHN).n_actions, sr.Plans(second).n_actions) == (27, 64)
    plan = sr.Plans(KUHN).argmax(np.arange(12.0))
    assert sr.Plans(KUHN).choice(plan)["K, check, bet"] == "call"


@pytest.mark.parametrize("seed", range(4))
def test_the_projection_is_what_a_general_solver_finds(seed: int) -> None:
    """An interior point solver finds the same point on the equations of the hull."""
    actions = sr.Plans(grown(5, 20 + seed))
    log_weights = np.random.default_rng(seed).normal(size=actions.dimension)
    found, hull = actions.kl_project(log_weights), actions.hull_equations()
    x = cvxpy.Variable(actions.dimension)
    divergence = cvxpy.sum(cvxpy.rel_entr(x, np.exp(log_weights)) - x)
    sharp = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)
    problem = cvxpy.Problem(cvxpy.Minimize(divergence), [hull.equal.toarray() @ x == hull.right])
    problem.solve(solver="CLARABEL", **sharp)
    assert found.point == pytest.approx(x.value, abs=1e-5)
    assert found.gap <= 1e-10


@pytest.mark.parametrize("spread", [1.0, 30.0, 300.0])
def test_large_trees_are_projected_and_listed_exactly(spread: float) -> None:
    """On 2,000 information sets the certified gap is at most 1e-9 for ±30, and a list of at most rank plans has these marginals."""
    actions = sr.Plans(grown(2000, 3))
    log_weights = spread * np.random.default_rng(4).uniform(-1.0, 1.0, actions.dimension)
    found = actions.kl_project(log_weights)
    assert found.gap <= 1e-9 * max(1.0, spread / 30.0)
    small = sr.Plans(grown(200, 3))
    point = small.kl_project(log_weights[: small.dimension]).point
    weights = small.decompose_packed(point)[1]
    assert len(weights) <= small.rank
    assert small.decompose(point).marginals() == pytest.approx(point, abs=1e-9)
    assert small.markov_policy(point).marginals() == pytest.approx(point, abs=1e-12)


def test_gibbs_policies_are_their_definition() -> None:
    """Probabilities, marginals and Σ of p(M) ∝ exp(s·M) agree with enumeration to 1e-12; so does the product with a vector."""
    for seed in range(4):
        actions = sr.Plans(grown(6, seed))
        rng = np.random.default_rng(seed)
        scores, vector = 3.0 * rng.normal(size=(2, actions.dimension))
        table, policy = actions.enumerate(), actions.gibbs(scores)
        chances = np.exp(table @ scores)
        chances /= chances.sum()
        moment = (table * chances[:, None]).T @ table
        assert policy.probabilities(table) == pytest.approx(chances, abs=1e-12)
        assert policy.cooccurrence() == pytest.approx(moment, abs=1e-12)
        assert policy.second_moment(vector) == pytest.approx(moment @ vector, abs=1e-11)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "a list of"),
        ([], "at least one entry"),
        ([("a",)], "(name, actions)"),
        ([("a", [])], "at least one action in 'a'"),
        ([("a", ["x", "x"])], "different actions"),
        ([("a", ["x"]), ("a", ["y"])], "all different"),
        ([("b", ["y"], ("a", "x")), ("a", ["x"])], "came before 'b'"),
        ([("a", ["x"]), ("b", ["y"], "a")], "came before 'b'"),
    ],
)
def test_trees_that_are_none_are_refused(given: object, words: str) -> None:
    """Every wrong entry is named in a sentence."""
    with pytest.raises(InvalidInput) as caught:
        sr.Plans(given)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_points_outside_and_files_without_columns_are_refused(tmp_path) -> None:
    """A vector that adds up to no plan is refused; so is a file whose columns are called otherwise."""
    from swapregret.actions.set_specs import make_set

    actions = sr.Plans(KUHN)
    for use in (actions.decompose, actions.markov_policy):
        with pytest.raises(InvalidInput, match=r"mean of plans|point of the convex hull"):
            use(np.full(12, 0.3))
    (tmp_path / "tree.csv").write_text("name,actions\na,x\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="information_set, actions, after"):
        make_set("plans tree.csv", tmp_path)


@pytest.mark.parametrize("feedback", ["bandit", "full"])
def test_learners_play_plans_in_compiled_code(feedback: str) -> None:
    """Both players beat uniform play in a cycling world; their ledgers are exact."""
    actions = sr.Plans(KUHN)
    world = sr.environments.piecewise(actions, 3_000, rng=0)
    blind = sr.play(sr.baselines.uniform(actions), world, rng=1).reward
    for make in (sr.swap_combcp, sr.swap_comband):
        result = sr.play(make(actions, 3_000, feedback=feedback), world, rng=1)
        assert result.reward > blind + 0.02
        assert result.swap_regret.is_exact
