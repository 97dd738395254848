"""Sequential games: against their normal form, OpenSpiel's distances and exploitability, and Gambit's format."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.actions.plans.plan_policies import BehaviouralPlans
from swapregret.errors import InvalidInput
from swapregret.games import (
    CorrelatedPlay,
    SequentialGame,
    certify,
    from_openspiel,
    make_game,
    nash_gaps,
    normal_form,
    parse_efg,
    read_efg,
    self_play,
    zero_sum_value,
)
from swapregret.policy import FinitePolicy

CARDS = "JQK"
ORDER = [(a, b) for a in range(3) for b in range(3) if a != b]


def kuhn() -> Any:
    """Write down Kuhn poker: both ante one, and may bet one more."""

    def end(a: int, b: int, stake: int) -> Any:
        return ("pay", [stake, -stake] if a > b else [-stake, stake])

    def hand(a: int, b: int) -> Any:
        answer = ("move", 0, f"{CARDS[a]}, check, bet", [("fold", ("pay", [-1, 1])), ("call", end(a, b, 2))])
        checked = ("move", 1, f"{CARDS[b]}, check", [("check", end(a, b, 1)), ("bet", answer)])
        bet = ("move", 1, f"{CARDS[b]}, bet", [("fold", ("pay", [1, -1])), ("call", end(a, b, 2))])
        return ("move", 0, CARDS[a], [("check", checked), ("bet", bet)])

    return ("chance", [(1 / 6, hand(a, b)) for a, b in ORDER])


def mean_points(result: Any) -> list[np.ndarray]:
    """Return the mean marginals of both players."""
    total = sum(result.play.days)
    return [
        sum(days * each[player].marginals() for days, each in zip(result.play.days, result.play.policies, strict=True))
        / total
        for player in range(2)
    ]


def tabular(pyspiel: Any, game: Any, chances: list[dict[str, float]]) -> Any:
    """Return a policy of OpenSpiel with these chances of sequences, called "information set: action"."""
    found: dict[str, list[tuple[int, float]]] = {}
    open_ = [game.new_initial_state()]
    while open_:
        state = open_.pop()
        if not state.is_terminal() and not state.is_chance_node():
            player, name = state.current_player(), state.information_state_string()
            moves = state.legal_actions()
            listed = [chances[player][f"{name}: {state.action_to_string(player, move)}"] for move in moves]
            found[name] = list(zip(moves, listed, strict=True))
        open_ += [] if state.is_terminal() else [state.child(move) for move in state.legal_actions()]
    return pyspiel.TabularPolicy(found)


def test_plans_of_kuhn_poker_pay_what_its_normal_form_pays() -> None:
    """27 and 64 plans; swap and external gaps of a play are those of the list of all plans; the range holds every payoff."""
    game = SequentialGame(kuhn(), ["one", "two"])
    assert [actions.n_actions for actions in game.action_sets] == [27, 64]
    matrix = normal_form(game)
    assert np.abs(matrix.tables[0] + matrix.tables[1]).max() < 1e-12
    low, high = game.payoff_range(0)
    assert low - 1e-12 <= matrix.tables[0].min()
    assert matrix.tables[0].max() <= high + 1e-12
    players = [sr.swap_combcp(actions, 200, feedback="full") for actions in game.action_sets]
    result = self_play(game, players, 200, rng=0, windows=200, checkpoints=1)
    lists = [actions.enumerate() for actions in game.action_sets]
    joint = np.zeros((27, 64))
    for days, (one, two) in zip(result.play.days, result.play.policies, strict=True):
        joint += days / 200 * np.outer(one.probabilities(lists[0]), two.probabilities(lists[1]))
    found = certify(result.play)
    for player, values in enumerate((joint @ matrix.tables[0].T, joint.T @ matrix.tables[1])):
        table = joint if player == 0 else joint.T
        own = matrix.tables[0] if player == 0 else matrix.tables[1].T
        earned = float((table * own).sum())
        assert found.swap[player].in_payoffs == pytest.approx(float(values.max(axis=1).sum()) - earned, abs=1e-9)
        best = float((own @ table.sum(axis=0)).max())
        assert found.external[player].in_payoffs == pytest.approx(max(0.0, best - earned), abs=1e-9)
        linear = result.linear_gaps[player]
        swap, external = result.certificate.swap[player], result.certificate.external[player]
        assert external.value - 1e-9 <= linear.value <= swap.value + 1e-9


def test_distances_and_exploitability_are_those_of_openspiel() -> None:
    """On Kuhn poker, ``ce_dist``, ``cce_dist`` and exploitability agree to 1e-9."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("kuhn_poker")
    game = from_openspiel(theirs)
    assert sorted(actions.n_actions for actions in game.action_sets) == [27, 64]
    rng = np.random.default_rng(3)
    lists = [actions.enumerate() for actions in game.action_sets]
    pairs = [(int(rng.integers(4)), int(rng.integers(4))) for _ in range(9)]  # own plans come again
    days = tuple(int(each) for each in rng.integers(1, 9, size=9))
    plans = [(lists[0][5 * a], lists[1][13 * b]) for a, b in pairs]
    policies = tuple(tuple(FinitePolicy(plan[None, :], [1.0]) for plan in pair) for pair in plans)
    ours = certify(CorrelatedPlay(game, days, policies))

    def chances(plan: np.ndarray, actions: Any) -> dict[str, float]:
        made, start = plan.astype(float), actions.tree.start
        for first, last in pairwise(start.tolist()):
            if made[first:last].sum() == 0.0:
                made[first] = 1.0
        return dict(zip(actions.labels, made.tolist(), strict=True))

    device = [
        (n / sum(days), tabular(pyspiel, theirs, [chances(*each) for each in zip(pair, game.action_sets, strict=True)]))
        for n, pair in zip(days, plans, strict=True)
    ]
    assert [gap.in_payoffs for gap in ours.swap] == pytest.approx(
        pyspiel.ce_dist(theirs, device).deviation_incentives, abs=1e-9
    )
    assert [gap.in_payoffs for gap in ours.external] == pytest.approx(
        np.maximum(pyspiel.cce_dist(theirs, device).deviation_incentives, 0.0), abs=1e-9
    )
    mixed = [actions.gibbs(rng.normal(size=actions.dimension)) for actions in game.action_sets]
    behaviour = tabular(
        pyspiel,
        theirs,
        [
            dict(zip(actions.labels, each.chances.tolist(), strict=True))
            for actions, each in zip(game.action_sets, mixed, strict=True)
        ],
    )
    found = nash_gaps(game, [each.marginals() for each in mixed])
    assert sum(found) / 2.0 == pytest.approx(pyspiel.exploitability(theirs, behaviour), abs=1e-9)


@pytest.mark.parametrize(("name", "value"), [("kuhn_poker", -1 / 18), ("leduc_poker", -0.085606424078)])
def test_values_and_distances_to_them_are_those_of_openspiel(name: str, value: float) -> None:
    """Of poker with 10⁴⁴ and 10⁸⁷ plans too: the value, what a profile pays and how far it can be exploited agree to 1e-9."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(name)
    game = from_openspiel(theirs)
    assert zero_sum_value(game) == pytest.approx(value, abs=1e-9)
    source = np.random.default_rng(1)
    mixed = [actions.gibbs(source.normal(size=actions.dimension)) for actions in game.action_sets]
    points = [each.marginals() for each in mixed]
    chances = [
        dict(zip(actions.labels, each.chances.tolist(), strict=True))
        for actions, each in zip(game.action_sets, mixed, strict=True)
    ]
    behaviour = tabular(pyspiel, theirs, chances)
    paid = float(game.expected_payoff_vector(0, points) @ points[0])
    assert paid == pytest.approx(pyspiel.expected_returns(theirs.new_initial_state(), behaviour, -1, True)[0], abs=1e-9)
    assert sum(nash_gaps(game, points)) / 2.0 == pytest.approx(pyspiel.exploitability(theirs, behaviour), abs=1e-9)


NASH_CONV = [
    "kuhn_poker(players=3)",
    "tiny_hanabi",
    "goofspiel(num_cards=3,points_order=descending)",
    "first_sealed_auction(players=3,max_value=2)",
    "liars_dice(dice_sides=3,numdice=1)",
    "trade_comm(num_items=2)",
    "oshi_zumo(coins=3,size=1,horizon=3)",
    "dark_hex(board_size=2)",
    "nim(pile_sizes=2;3)",
]


@pytest.mark.parametrize("name", NASH_CONV)
def test_what_uniform_players_could_gain_is_openspiels_nash_conv(name: str) -> None:
    """With chance, moves at the same time, hidden bids, and two or three players, to 1e-9."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(name)
    game = from_openspiel(theirs)
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    points = []
    for actions in game.action_sets:
        counts = np.diff(actions.tree.start)
        points.append(BehaviouralPlans(actions.tree, np.repeat(1.0 / counts, counts)).marginals())
    uniform = pyspiel.UniformRandomPolicy(theirs)
    assert sum(nash_gaps(game, points)) == pytest.approx(pyspiel.nash_conv(theirs, uniform), abs=1e-9)


def test_self_play_comes_near_the_value_of_kuhn_poker() -> None:
    """With full feedback the mean plans of 2,000 days can be exploited by less than .05 of the ante; the value is −1/18."""
    game = SequentialGame(kuhn())
    players = [sr.swap_combcp(actions, 2_000, feedback="full") for actions in game.action_sets]
    result = self_play(game, players, 2_000, rng=0, windows=10, checkpoints=1)
    points = mean_points(result)
    assert sum(nash_gaps(game, points)) / 2.0 < 0.05
    assert float(game.expected_payoff_vector(0, points) @ points[0]) == pytest.approx(-1 / 18, abs=0.05)


def test_three_players_and_those_who_never_move_are_paid() -> None:
    """Payoffs of three players, one of whom only watches, are products of the others' sequences and chance."""
    tree = (
        "move",
        0,
        "a",
        [("x", ("move", 1, "b", [("u", ("pay", [1, 2, 3])), ("v", ("pay", [4, 5, 6]))])), ("y", ("pay", [7, 8, 9]))],
    )
    game = SequentialGame(tree, ["Ann", "Bob", "Cem"])
    assert [actions.n_actions for actions in game.action_sets] == [2, 2, 1]
    assert game.payoffs([[1, 0], [0, 1], [1]]).tolist() == [4.0, 5.0, 6.0]
    assert game.payoffs([[0, 1], [0, 1], [1]]).tolist() == [7.0, 8.0, 9.0]
    assert make_game(game.spec).payoffs([[1, 0], [1, 0], [1]]).tolist() == [1.0, 2.0, 3.0]


EFG = """EFG 2 R "cards" { "Ann" "Bob" } "a comment"
c "" 1 "deal" { "high" 1/3 "low" 2/3 } 0
p "" 1 1 "high" { "raise" "fold" } 0
p "" 2 1 "" { "meet" "pass" } 1 "stake" { 1, -1 } t "" 2 "win" { 2 -2 } t "" 0
t "" 3 "" { -1 1 }
p "" 1 2 "low" { "raise" "fold" } 0
p "" 2 1 0 t "" 4 "lose" { -2.5, 2.5 } t "" 0
t "" 3
"""


def test_long_games_are_read_played_and_saved(tmp_path) -> None:
    """A game of 2,000 moves in a row, nested or as nodes in a row, and its file; each plan is one more move before it ends."""
    n = 2_000
    node: Any = ("pay", [0, n])
    for turn in reversed(range(n)):
        node = ("move", turn % 2, f"turn {turn}", [("stop", ("pay", [turn, n - turn])), ("go", node)])
    game = SequentialGame(node)
    assert [actions.n_actions for actions in game.action_sets] == [n // 2 + 1] * 2
    assert game.payoff_range(0) == (0.0, n - 1.0)
    uniform = [actions.uniform_policy() for actions in game.action_sets]
    play = CorrelatedPlay(
        game, (1,), (tuple(FinitePolicy([each.sample(np.random.default_rng(1))], [1.0]) for each in uniform),)
    )
    play.save(tmp_path / "long.play")
    assert CorrelatedPlay.load(tmp_path / "long.play").payoffs == pytest.approx(play.payoffs)
    text = "".join(
        f'p "" {1 + turn % 2} {turn + 1} "" {{ "stop" "go" }} 0 t "" {turn + 1} "" {{ {turn} {n - turn} }}\n'
        for turn in range(n)
    )
    read = parse_efg(f'EFG 2 R "long" {{ "Ann" "Bob" }}\n{text}t "" {n + 1} "" {{ 0 {n} }}')
    assert read.rule.payoffs.tolist() == game.rule.payoffs.tolist()


def test_players_are_numbers_of_any_kind_and_labels_differ() -> None:
    """NumPy's numbers name players; sequences whose texts would be alike are pairs."""
    ends = [("c", ("pay", [1])), ("d", ("pay", [2]))]
    game = SequentialGame(
        (
            "chance",
            [(0.5, ("move", np.int64(0), "a: b", ends)), (0.5, ("move", 0, "a", [("b: c", ends[0][1]), ends[1]]))],
        )
    )
    assert game.action_sets[0].labels == (("a: b", "c"), ("a: b", "d"), ("a", "b: c"), ("a", "d"))
    assert make_game(game.spec).payoffs([[0, 1, 1, 0]]).tolist() == [1.5]


@pytest.mark.parametrize(
    ("names", "labels"),
    [(("x", "x", "x 2"), ("x", "x 2", "x 2 3")), (("", "set 1", "x"), ("set 1", "set 1 2", "x"))],
)
def test_information_sets_of_a_file_stay_apart(names: tuple[str, ...], labels: tuple[str, ...]) -> None:
    """Whatever they are called, three information sets of two actions have 8 plans."""
    turns = "".join(
        f'p "" 1 {number} "{name}" {{ "l" "r" }} 0 t "" 1 "" {{ 1 }} t "" 2 "" {{ 0 }}\n'
        for number, name in enumerate(names, start=1)
    )
    (plans,) = parse_efg(f'EFG 2 R "three" {{ "A" }} c "" 1 "" {{ "a" 1/3 "b" 1/3 "c" 1/3 }} 0\n{turns}').action_sets
    assert plans.n_actions == 8
    assert plans.information_sets == labels


def test_gambit_files_are_read(tmp_path) -> None:
    """Fractions, commas, outcomes on the way and repeated by number, and information sets named once are understood."""
    (tmp_path / "cards.efg").write_text(EFG, encoding="utf-8")
    game = read_efg(tmp_path / "cards.efg")
    assert game.names == ("Ann", "Bob")
    assert [actions.labels for actions in game.action_sets] == [
        ("high: raise", "high: fold", "low: raise", "low: fold"),
        ("set 1: meet", "set 1: pass"),
    ]
    assert game.payoffs([[1, 0, 1, 0], [1, 0]]).tolist() == pytest.approx([3 / 3 - 5 / 3, -3 / 3 + 5 / 3])
    assert game.payoffs([[1, 0, 0, 1], [0, 1]])[0] == pytest.approx(1 / 3 - 2 / 3)
    again = make_game({"kind": "sequential", "file": "cards.efg"}, tmp_path)
    assert again.payoffs([[1, 0, 1, 0], [1, 0]]).tolist() == pytest.approx([-2 / 3, 2 / 3])


def _after(text: str, new: str) -> str:
    assert text in EFG
    return EFG.replace(text, new)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NFG 1 R", "begin with EFG 2 R"),
        (_after('t "" 3\n', ""), "have a node"),
        (_after('t "" 3\n', 't "" 9\n'), "say what every outcome pays"),
        (_after("2/3", "1/3"), "add up to 1"),
        (_after('p "" 1 2 "low"', 'p "" 3 2 "low"'), "name players 1 to 2"),
        (_after('t "" 3\n', 't "" 3 t "" 0\n'), "end after its last leaf"),
        (_after('"lose" { -2.5, 2.5 }', '"lose" { -2.5 }'), "pay 2 players"),
    ],
)
def test_files_that_are_none_are_refused(text: str, words: str) -> None:
    """What is wrong with a file is said in a sentence."""
    with pytest.raises(InvalidInput) as caught:
        parse_efg(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (("pay", []), "a number for each player"),
        (("chance", [(0.5, ("pay", [1]))]), "add up to 1"),
        (("move", 1, "a", [("x", ("pay", [1]))]), "turns of players 0 to 0"),
        (("move", 0, "a", [("x", ("pay", [1])), ("y", ("pay", [1, 2]))]), "1 payoffs in every leaf"),
        (("move", 0, "a", [("x", ("move", 0, "a", [("x", ("pay", [1]))]))]), "perfect recall"),
        (
            ("move", 0, "a", [(m, ("move", 0, "b", [("u", ("pay", [1])), ("v", ("pay", [2]))])) for m in "xy"]),
            "perfect recall",
        ),
        (
            (
                "move",
                0,
                "a",
                [("x", ("move", 1, "b", [("u", ("pay", [0, 0]))])), ("y", ("move", 1, "b", [("v", ("pay", [0, 0]))]))],
            ),
            "the same actions",
        ),
        (("walk",), "nodes"),
        (("move", 0, "a", []), "different actions at every turn"),
        (("move", 0, "a", [("x", ("pay", [1])), ("x", ("pay", [2]))]), "different actions at every turn"),
        ([("move", 0, "a", ["x", "y"]), ("pay", [1])], "a node after every action"),
        ([("pay", [1]), ("pay", [1])], "no node after its last leaf"),
        (("move", 0, "a", [("x",)]), "(action, node)"),
    ],
)
def test_trees_that_are_no_games_are_refused(tree: Any, words: str) -> None:
    """Forgetting what one did, chances that add up to something else, and the like are named."""
    with pytest.raises(InvalidInput) as caught:
        SequentialGame(tree)
    assert words in str(caught.value)
