"""Published competitors, one per file, all players."""

from swapregret.learners.baselines.blum_mansour import blum_mansour
from swapregret.learners.baselines.comband import comband
from swapregret.learners.baselines.combcp import combcp
from swapregret.learners.baselines.combexp import combexp
from swapregret.learners.baselines.exp3 import exp3
from swapregret.learners.baselines.follow_the_leader import follow_the_leader
from swapregret.learners.baselines.ito import ito
from swapregret.learners.baselines.linear_swap import linear_swap
from swapregret.learners.baselines.posterior.comb_ts import comb_ts
from swapregret.learners.baselines.posterior.comb_ucb import comb_ucb
from swapregret.learners.baselines.posterior.epsilon_greedy import epsilon_greedy
from swapregret.learners.baselines.posterior.lin_ts import lin_ts
from swapregret.learners.baselines.posterior.lin_ucb import lin_ucb
from swapregret.learners.baselines.regret_matching import regret_matching
from swapregret.learners.baselines.stoltz import stoltz
from swapregret.learners.baselines.treeswap import treeswap
from swapregret.learners.baselines.tsallis_inf import tsallis_inf
from swapregret.learners.baselines.uniform import uniform

__all__ = [
    "blum_mansour",
    "comb_ts",
    "comb_ucb",
    "comband",
    "combcp",
    "combexp",
    "epsilon_greedy",
    "exp3",
    "follow_the_leader",
    "ito",
    "lin_ts",
    "lin_ucb",
    "linear_swap",
    "regret_matching",
    "stoltz",
    "treeswap",
    "tsallis_inf",
    "uniform",
]
