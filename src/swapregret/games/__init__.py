"""Games: several players, each with its own action set, whose learners find correlated equilibria.

One file per game; ``self_play`` lets players learn against each other, ``CorrelatedPlay`` is what they leave behind, ``certify``
says how close it is to equilibrium.
"""

from swapregret.games.best_equilibrium import BestEquilibrium, best_correlated_equilibrium
from swapregret.games.certificate import Certificate, Gap
from swapregret.games.correlated_play import CorrelatedPlay, certify, joint_policy, product_play
from swapregret.games.descriptions import make_game, make_players
from swapregret.games.kinds.blotto import BlottoGame
from swapregret.games.kinds.classics import chicken, gibson, matching_pennies, shapley
from swapregret.games.kinds.congestion import CongestionGame
from swapregret.games.kinds.from_openspiel import from_openspiel, play_from_openspiel
from swapregret.games.kinds.function_game import FunctionGame
from swapregret.games.kinds.matching import MatchingMarket
from swapregret.games.kinds.matrix import MatrixGame
from swapregret.games.kinds.nfg import parse_nfg, read_nfg
from swapregret.games.kinds.normal_form import normal_form
from swapregret.games.kinds.ranking import RankingDuel
from swapregret.games.kinds.routing import RoutingGame, affine_costs, bpr_costs, layered_edges
from swapregret.games.kinds.security import SecurityGame
from swapregret.games.kinds.shapley import ShapleyGame
from swapregret.games.payoffs import Game
from swapregret.games.programs import (
    equilibrium_payoffs,
    swap_gap_by_program,
    zero_sum_value,
)
from swapregret.games.self_play import Checkpoint, SelfPlayResult, self_play
from swapregret.games.trees.efg import parse_efg, read_efg
from swapregret.games.trees.sequential_game import SequentialGame, nash_gaps

__all__ = [
    "BestEquilibrium",
    "BlottoGame",
    "Certificate",
    "Checkpoint",
    "CongestionGame",
    "CorrelatedPlay",
    "FunctionGame",
    "Game",
    "Gap",
    "MatchingMarket",
    "MatrixGame",
    "RankingDuel",
    "RoutingGame",
    "SecurityGame",
    "SelfPlayResult",
    "SequentialGame",
    "ShapleyGame",
    "affine_costs",
    "best_correlated_equilibrium",
    "bpr_costs",
    "certify",
    "chicken",
    "equilibrium_payoffs",
    "from_openspiel",
    "gibson",
    "joint_policy",
    "layered_edges",
    "make_game",
    "make_players",
    "matching_pennies",
    "nash_gaps",
    "normal_form",
    "parse_efg",
    "parse_nfg",
    "play_from_openspiel",
    "product_play",
    "read_efg",
    "read_nfg",
    "self_play",
    "shapley",
    "swap_gap_by_program",
    "zero_sum_value",
]
