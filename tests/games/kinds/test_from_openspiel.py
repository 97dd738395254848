"""Games and joint policies of OpenSpiel: read by their methods, refused with a way out, and certified as OpenSpiel certifies."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from swapregret.errors import InvalidInput, TooLarge, Unsupported
from swapregret.games import SequentialGame, certify, from_openspiel, play_from_openspiel

ROOT = Path(__file__).parents[3]
TABLES = np.array([[[3.0, 0.0, 1.0], [5.0, 1.0, 2.0]], [[3.0, 5.0, 0.0], [0.0, 1.0, 4.0]]])


class State:
    """A state of a stand-in: what OpenSpiel's states can do, as far as it is asked for."""

    def __init__(self, tables: Any, is_turn: bool = False, is_long: bool = False) -> None:
        self.tables, self.is_turn, self.is_long, self.moves = tables, is_turn, is_long, None

    def is_simultaneous_node(self) -> bool:
        """Tell whether all move at once."""
        return not self.is_turn

    def legal_actions(self, player: int) -> list[int]:
        """Return numbers, those of the second player from 10, as games with gaps do."""
        return [10 * player + k for k in range(self.tables.shape[1 + player])]

    def action_to_string(self, player: int, action: int) -> str:
        """Name an action."""
        return f"p{player} does {action}"

    def apply_actions(self, actions: list[int]) -> None:
        """Move."""
        self.moves = tuple(action - 10 * player for player, action in enumerate(actions))

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return not self.is_long

    def returns(self) -> list[float]:
        """Pay."""
        return [float(table[self.moves]) for table in self.tables]


class Game:
    """A stand-in for a game of OpenSpiel."""

    def __init__(self, tables: Any = TABLES, **kinds: bool) -> None:
        self.tables, self.kinds = np.asarray(tables), kinds

    def new_initial_state(self) -> State:
        """Begin."""
        return State(self.tables, **self.kinds)

    def num_players(self) -> int:
        """Count the players."""
        return len(self.tables)


class Mixed:
    """A stand-in for a policy of OpenSpiel."""

    def __init__(self, *chances: list[float]) -> None:
        self.chances = chances

    def action_probabilities(self, state: State, player: int) -> dict[int, float]:
        """Return the probability of each legal action."""
        return dict(zip(state.legal_actions(player), self.chances[player], strict=True))


def test_payoffs_and_names_come_over() -> None:
    """Every joint action pays what OpenSpiel pays, whatever the numbers of its actions."""
    game = from_openspiel(Game())
    assert np.array_equal(game.tables, TABLES)
    assert game.action_sets[1].labels == ("p1 does 10", "p1 does 11", "p1 does 12")


def test_every_form_of_a_joint_policy_is_the_same_play() -> None:
    """A policy, its vectors, a device of one policy and the table of their product have the same certificate."""
    row, column = [0.25, 0.75], [0.5, 0.25, 0.25]
    forms = [Mixed(row, column), [row, column], [(1.0, Mixed(row, column))], np.outer(row, column)]
    found = [certify(play_from_openspiel(Game(), joint)) for joint in forms]
    for each in found:
        assert each.epsilon == pytest.approx(found[0].epsilon, abs=1e-9)
        assert each.coarse_epsilon == pytest.approx(found[0].coarse_epsilon, abs=1e-9)


def test_a_device_is_a_correlated_play() -> None:
    """The payoffs of a device are the weighted payoffs of its policies."""
    one, other = Mixed([1.0, 0.0], [1.0, 0.0, 0.0]), Mixed([0.0, 1.0], [0.0, 0.0, 1.0])
    play = play_from_openspiel(Game(), [(0.25, one), (0.75, other)])
    assert play.payoffs == pytest.approx(0.25 * TABLES[:, 0, 0] + 0.75 * TABLES[:, 1, 2])


def test_other_games_are_refused_with_a_way_out() -> None:
    """Turns, several moves, too many joint actions, and what is no game."""
    for game in (Game(is_turn=True), Game(is_long=True)):
        with pytest.raises(InvalidInput, match="extensive_to_tensor_game"):
            from_openspiel(game)
    with pytest.raises(TooLarge, match="200,000"):
        from_openspiel(Game(np.zeros((2, 500, 500))))
    with pytest.raises(InvalidInput, match="must be a game of OpenSpiel"):
        from_openspiel(3)


@pytest.mark.parametrize(
    "joint",
    [
        3,
        [[0.5, 0.5]],
        np.ones((2, 3)),
        -np.eye(2, 3),
        [(0.5, Mixed([1.0, 0.0], [1.0, 0.0, 0.0]))],
        Mixed([0.5, 0.0], [1, 0, 0]),
    ],
)
def test_what_is_no_joint_policy_is_refused(joint: Any) -> None:
    """Shapes of another game, negative probabilities and sums other than 1."""
    with pytest.raises(InvalidInput, match=r"joint|probabilities"):
        play_from_openspiel(Game(), joint)


def test_a_missing_openspiel_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name needs the package; without it the sentence says how to get it."""
    import sys

    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(Unsupported, match=r"no pyspiel\. .*swapregret\[openspiel\]"):
        from_openspiel("matrix_rps")


# ---- with the package itself ---------------------------------------------------------------------------------------


def test_games_of_openspiel_come_over() -> None:
    """Its matrix games and its Blotto have the payoffs and names of its own tables; poker is a tree."""
    pyspiel = pytest.importorskip("pyspiel")
    for name in ("matrix_rps", "matrix_cd", "blotto(players=2,coins=3,fields=2)"):
        theirs = pyspiel.load_matrix_game(name)
        for game in (from_openspiel(name), from_openspiel(theirs)):
            assert np.array_equal(game.tables, [theirs.row_utilities(), theirs.col_utilities()])
        assert game.action_sets[0].labels[0] == theirs.row_action_name(0)
    with pytest.raises(InvalidInput, match="extensive_to_tensor_game"):
        play_from_openspiel("kuhn_poker", [[1.0], [1.0]])
    assert isinstance(from_openspiel("kuhn_poker"), SequentialGame)
    assert from_openspiel(pyspiel.extensive_to_tensor_game(pyspiel.load_game("kuhn_poker"))).n_players == 2
    with pytest.raises(InvalidInput, match="must be a game of OpenSpiel"):
        from_openspiel("no such game")


def test_certificates_agree_with_openspiel() -> None:
    """Swap and external gaps of a correlation device are OpenSpiel's own incentives to deviate."""
    pyspiel = pytest.importorskip("pyspiel")
    policies = pytest.importorskip("open_spiel.python.policy")
    game = pyspiel.load_game("matrix_shapleys_game")
    turns = pyspiel.convert_to_turn_based(game)
    table = np.zeros((3, 3))
    table[0, 0], table[1, 1], table[2, 0] = 0.5, 0.3, 0.2
    device = []
    for i, j in np.argwhere(table > 0.0).tolist():
        policy = policies.TabularPolicy(turns)
        policy.action_probability_array[:] = [np.eye(3)[i], np.eye(3)[j]]
        device.append((float(table[i, j]), policies.python_policy_to_pyspiel_policy(policy)))
    ours = certify(play_from_openspiel(game, table))
    assert [gap.in_payoffs for gap in ours.swap] == pytest.approx(pyspiel.ce_dist(turns, device).deviation_incentives)
    assert [gap.in_payoffs for gap in ours.external] == pytest.approx(
        pyspiel.cce_dist(turns, device).deviation_incentives
    )
    uniform = certify(play_from_openspiel(game, policies.UniformRandomPolicy(game)))
    assert uniform.epsilon == pytest.approx(0.0, abs=1e-12)


def test_the_example_compares_two_ways_to_play() -> None:
    """The example certifies both plays, and ours is the closer one to a correlated equilibrium."""
    pytest.importorskip("pyspiel")
    spec = importlib.util.spec_from_file_location("example", ROOT / "examples" / "openspiel_regret_matching.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    (theirs, _), (ours, _) = example.compare(500).values()
    assert ours.epsilon < theirs.epsilon
