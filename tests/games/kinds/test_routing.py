"""Congestion and routing: costs, TNTP networks, refusals."""

from pathlib import Path

import numpy as np
import pytest

from swapregret.actions.m_sets.m_sets import MSets
from swapregret.errors import InvalidInput
from swapregret.games import CongestionGame, RoutingGame, affine_costs, bpr_costs, make_game

_TNTP = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 5
<END OF METADATA>

~ \tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;
\t1\t3\t2\t1\t1\t0.15\t4\t0\t0\t1\t;
\t1\t4\t2\t1\t2\t0.15\t4\t0\t0\t1\t;
\t3\t2\t2\t1\t2\t0.15\t4\t0\t0\t1\t;
\t4\t2\t2\t1\t1\t0.15\t4\t0\t0\t1\t;
\t3\t1\t2\t1\t1\t0.15\t4\t0\t0\t1\t;
"""


def test_costs_are_counted_by_hand() -> None:
    """Two on one edge of cost 1 + 2k pay 5 each; the third alone on an edge of cost 4 pays 4."""
    game = RoutingGame([("s", "t"), ("s", "t")], affine_costs([1, 4], [2, 0], 3), [("s", "t")] * 3)
    assert game.payoffs([[1, 0], [1, 0], [0, 1]]).tolist() == [-5.0, -5.0, -4.0]
    assert game.loads([[1, 0], [1, 0], [0, 1]]).tolist() == [2.0, 1.0]
    assert game.payoff_range(0) == (-7.0, -3.0)


def test_tntp_networks_become_games(tmp_path: Path) -> None:
    """A TNTP file gives BPR costs; each player keeps the edges that lead away from its source to its sink."""
    path = tmp_path / "small_net.tntp"
    path.write_text(_TNTP)
    game = make_game({"kind": "routing", "file": path.name, "commodities": [[1, 2], [1, 2]], "vehicles": 2}, tmp_path)
    assert isinstance(game, RoutingGame)
    assert [actions.n_actions for actions in game.action_sets] == [2, 2]
    assert game.costs[0].tolist() == pytest.approx([1.15, 1.0 + 0.15 * 16])
    assert game.resources[0].tolist() == [0, 1, 2, 3]
    alone = game.payoffs([[1, 0, 1, 0], [0, 1, 0, 1]])
    assert alone.tolist() == pytest.approx([-3 * 1.15] * 2)


def test_players_may_have_networks_of_their_own() -> None:
    """Two commodities that share one edge meet there and nowhere else."""
    edges = [("a", "m"), ("b", "m"), ("m", "t")]
    game = RoutingGame(edges, affine_costs(0.0, [1, 1, 1], 2), [("a", "t"), ("b", "t")], [[0, 2], [1, 2]])
    assert [actions.dimension for actions in game.action_sets] == [2, 2]
    assert game.payoffs([[1, 1], [1, 1]]).tolist() == [-3.0, -3.0]


def test_refusals() -> None:
    """Costs of the wrong shape, resources that do not fit, capacities of 0: refused."""
    sets = [MSets(2, 1)] * 2
    for costs, resources in (
        ([[1.0]], None),
        ([[1.0, np.nan]] * 2, None),
        ([[1.0, 2.0]] * 2, [[0, 1], [0, 2]]),
        ([[1.0, 2.0]] * 2, [[0, 1], [1, 1]]),
    ):
        with pytest.raises(InvalidInput):
            CongestionGame(sets, costs, resources)
    with pytest.raises(InvalidInput):
        bpr_costs([1.0], [0.0], [0.15], [4.0], 2)
    with pytest.raises(InvalidInput):
        RoutingGame([("s", "t")], affine_costs([1, 2], 0.0, 1), [("s", "t")])
    with pytest.raises(InvalidInput, match="missing a required argument: 'commodities'"):
        make_game({"kind": "routing"})
    with pytest.raises(InvalidInput, match="`kind`"):
        make_game({"kind": "poker"})
