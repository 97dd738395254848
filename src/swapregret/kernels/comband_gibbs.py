"""Whole runs of ComBand on sets too large to be listed, by their Gibbs law, compiled."""

import numpy as np
import numpy.typing as npt

from swapregret.compiled.cholesky import cholesky, cholesky_solve
from swapregret.compiled.kernel import kernel
from swapregret.kernels.exploration import Explore
from swapregret.kernels.gibbs_chain_laws import ChainSetting
from swapregret.kernels.gibbs_laws import draw_gibbs, empty_gibbs, make_gibbs
from swapregret.kernels.gibbs_permutation_laws import PermutationSetting
from swapregret.kernels.gibbs_tree_laws import TreeSetting
from swapregret.kernels.vector_log import VectorLog, note_vector, pay

__all__ = ["run_comband_gibbs"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@kernel
def run_comband_gibbs(
    rng: np.random.Generator,
    rewards: Floats,
    begin: int,
    chains: ChainSetting | None,
    trees: TreeSetting | None,
    permutations: PermutationSetting | None,
    coordinates: Integers,
    explore: Explore,
    shares: Floats,
    rate: float,
    is_new: bool,
    scores: Floats,
    log: VectorLog,
) -> tuple[int, bool]:
    """Play from row ``begin`` of ``rewards`` on; ``scores`` are changed in place.

    ``coordinates`` are independent ones, on which Σ is inverted; ``shares`` are the weights of the Gibbs law and of the exploration
    law. Returns how many rows are done, and whether all of them have been learnt from: if not, Σ of the law was singular to
    working precision on the last.
    """
    d, J = rewards.shape[1], coordinates
    laws = empty_gibbs(chains, trees, permutations, 1, d, J.size)
    must_make = True
    for index in range(begin, len(rewards)):
        if must_make:
            make_gibbs(chains, trees, permutations, J, rate * scores, laws, 0)
        if is_new:
            note_vector(log, index, scores)
        slot = 0
        if shares[1] == 1.0 or (shares[1] > 0.0 and rng.random() >= shares[0]):
            slot = -1
        action = draw_gibbs(rng, chains, trees, permutations, explore, laws, slot)
        reward = pay(log, index, rewards[index], action)
        must_make = is_new = reward != 0.0  # a day that pays nothing changes nothing
        if is_new:
            sigma = np.zeros((J.size, J.size))
            for i in range(J.size):
                for j in range(J.size):
                    if shares[0] > 0.0:
                        sigma[i, j] += shares[0] * laws.moments[0, i, j]
                    if shares[1] > 0.0:
                        sigma[i, j] += shares[1] * explore.moment[i, j]
            factor, is_definite = cholesky(sigma)
            if not is_definite:
                return index + 1, False
            right = np.empty(J.size)
            for j in range(J.size):
                right[j] = action[J[j]]
            part = cholesky_solve(factor, right)
            for j in range(J.size):
                scores[J[j]] += reward * part[j]
    log.filled[1] = 0 if is_new else 1
    return len(rewards), True
