"""Two ways to play Shapley's game of OpenSpiel: our learners against each other, and OpenSpiel's regret matching.

    pip install 'swapregret[experiments,openspiel]'
    python examples/openspiel_regret_matching.py --rounds 20000

Regret matching returns one averaged strategy per player. Played independently, these need not be an equilibrium of any kind in a
game like this, in which play goes round in circles. Learners with no swap regret leave behind a joint policy that is close to a
correlated equilibrium. Both are certified by the same function.
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.regret_matching import regret_matching

import swapregret as sr

GAME = "matrix_shapleys_game"
UNEVEN = [np.array([2, 3, 4]) / 9, np.array([4, 3, 2]) / 9]
"""Where regret matching starts: from even strategies it would never move."""


def compare(rounds: int, seed: int = 0) -> dict[str, tuple[sr.games.Certificate, list[float]]]:
    """Return, for each way of playing, its certificate and the expected payoffs."""
    theirs = pyspiel.load_matrix_game(GAME)
    tensors = np.array([theirs.row_utilities(), theirs.col_utilities()])
    strategies = regret_matching(tensors, initial_strategies=UNEVEN, iterations=rounds)
    independent = sr.games.play_from_openspiel(theirs, strategies)

    game = sr.games.from_openspiel(theirs)
    players = [sr.swap_combcp(actions, rounds, feedback="full") for actions in game.action_sets]
    ours = sr.games.self_play(game, players, rounds, rng=seed)
    return {
        "OpenSpiel, regret matching": (sr.games.certify(independent), independent.payoffs.tolist()),
        "swapregret, Swap-ComBCP": (ours.certificate, ours.play.payoffs.tolist()),
    }


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name, (certificate, payoffs) in compare(arguments.rounds, arguments.seed).items():
        print(f"{name}: ε = {certificate.epsilon:.4f}, payoffs {payoffs[0]:.3f} and {payoffs[1]:.3f}")


if __name__ == "__main__":
    main()
