"""How long measuring takes: after a long run, and against OpenSpiel's ``ce_dist``. On top of play: ``make bench-speed``.

    python benchmarks/regret_speed.py [evaluation] [openspiel]

Processor seconds, best of several, one thread. ``openspiel`` needs the package open_spiel (``pip install open_spiel``);
without it, that part says so.
"""

import itertools
import sys
import time
import timeit
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.actions.own_sets.explicit import Explicit
from swapregret.learners.presets import swap_combcp
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.notions import swap_regret


def evaluation() -> None:
    """Time everything that follows a million rounds at (20, 5)."""
    actions = sr.MSets(20, 5)
    days = 1_000_000
    world = sr.environments.cyclic(actions, days, rng=0)
    start = time.perf_counter()
    result = sr.play(swap_combcp(actions, days, preset="multiscale"), world, rng=1)
    played = time.perf_counter() - start
    start = time.perf_counter()
    values = result.swap_regret, result.internal_regret, result.external_regret
    table = result.best_swap(20)
    seconds = time.perf_counter() - start
    print(f"evaluation of {days:,} rounds at (20, 5): {seconds:.2f} s after {played:.1f} s of play")
    print(f"  {result.answers.ledger.rows.keys.shape[0]:,} actions played; {values[0]}")
    print(f"  first exchange: {table.exchanges[0]}")


def openspiel() -> None:
    """Compare with ``pyspiel.ce_dist`` on the same empirical play of Colonel Blotto."""
    try:
        import pyspiel  # type: ignore[import-not-found]
    except ImportError:
        print("openspiel: the package open_spiel is not installed here, nothing to compare with")
        return
    coins, fields, rounds = 12, 3, 200
    game = pyspiel.convert_to_turn_based(pyspiel.load_game(f"blotto(coins={coins},fields={fields},players=2)"))
    splits = [split for split in itertools.product(range(coins + 1), repeat=fields) if sum(split) == coins]
    plays = np.random.default_rng(0).integers(len(splits), size=(rounds, 2))
    device = [(1.0 / rounds, _joint_policy(pyspiel, game, splits, pair.tolist())) for pair in plays]
    start = time.process_time()
    theirs = pyspiel.ce_dist(game, device)
    their_seconds = time.process_time() - start

    def ours() -> list[float]:
        troops = np.array(splits)
        won = np.sign(np.sign(troops[:, None, :] - troops[None, :, :]).sum(axis=2)).astype(float)
        actions = Explicit(np.eye(len(splits), dtype=np.int64))
        regrets = []
        for player in range(2):
            chosen = np.eye(len(splits), dtype=np.int64)[plays[:, player]]
            ledger = SwapLedger(actions)
            ledger.record_plays(chosen, won[:, plays[:, 1 - player]].T)
            regrets.append(swap_regret(answer(actions, [ledger.close()])).per_round)
        return regrets

    mine = ours()
    our_seconds = min(timeit.repeat(ours, timer=time.process_time, repeat=20, number=1))
    print(
        f"ce_dist of Blotto ({coins}, {fields}) after {rounds} rounds: {sum(mine):.12f}, OpenSpiel {theirs.dist_value:.12f}"
    )
    print(
        f"  difference {abs(sum(mine) - theirs.dist_value):.1e}; each player {mine}, {list(theirs.deviation_incentives)}"
    )
    print(
        f"  {1e3 * our_seconds:.2f} ms against {their_seconds:.2f} s: {their_seconds / our_seconds:,.0f} times faster"
    )


def _joint_policy(pyspiel: Any, game: Any, splits: list[tuple[int, ...]], pair: list[int]) -> Any:
    """Return the policy in which each player makes one sure choice, in OpenSpiel's order of actions."""
    state, table = game.new_initial_state(), {}
    for choice in pair:
        names = {state.action_to_string(action): action for action in state.legal_actions()}
        wanted = names["[" + ",".join(map(str, splits[choice])) + "]"]
        table[state.information_state_string()] = [(a, float(a == wanted)) for a in state.legal_actions()]
        state.apply_action(wanted)
    return pyspiel.TabularPolicy(table)


PARTS = {"evaluation": evaluation, "openspiel": openspiel}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
