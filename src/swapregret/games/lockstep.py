"""Rounds of a game, in compiled code where it has a rule, for any mixture of players.

One loop draws for everybody, pays by the rule of the game, and shows each player what it is to see. A master or competitor on a
compiled set takes part by the addresses of its own entries (``compiled.address``): the loop is compiled once per kind of game,
not once per mixture. Any other player is stepped by Python, one round per call of the loop. Where the game has no rule, Python asks
it what it pays. Draws and states are the same either way.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from swapregret.arrays import Floats, Integers, Vector, frozen
from swapregret.compiled.address import call_act, call_end, call_observe
from swapregret.compiled.kernel import kernel
from swapregret.compiled.vectors import action_total
from swapregret.games.payoffs import Game, PayRule, RuledGame, expect, normalise, pay
from swapregret.games.windows import Windows
from swapregret.learners.player import Decision, HeldPolicy, Player, draw_action, hold_policy, what_is_seen
from swapregret.learners.round.day import OUT_OF_ROOM, PLAYED, refuse
from swapregret.learners.round.running_player import RunningPlayer
from swapregret.learners.round.taping import Taped
from swapregret.policy import Policy
from swapregret.policy.tape import Tape
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.stretches import TapeReader

TAPE_FULL = 3
_BLOCK, _ENTRIES = 32768, 2**19


class Room(NamedTuple):
    """What the players share; n of them, D elements in all, laid out as in ``games.payoffs``.

    Attributes
    ----------
    seats : int64 array, shape (n, 4)
        Where the handle of each player is, and its entries that draw, observe and end windows; 0 for those Python steps.
    starts : int64 array, shape (n + 1,)
    shifts, scales : float64 arrays, shapes (D,) and (n,)
        From payoffs to rewards.
    plays : int64 array, shape (D,)
        The actions of the round.
    marginals : float64 array, shape (D,)
        E[M] of all players; those with a seat write theirs.
    rewards, expected : float64 arrays, shape (D,)
        The reward vectors of the round, given the actions of the others, and given their policies.
    received : float64 array, shape (n,)
        Sums of the rewards.
    n_ending : int64 array, shape (n,)
        How many windows of each player are still to be ended.
    is_full : int64 array, shape (n,)
        Whose tape is to be read.
    has_changed : int64 array, shape (1,)
        Whether marginals have changed since ``expected`` was worked out.
    """

    seats: Integers
    starts: Integers
    shifts: Floats
    scales: Floats
    plays: Integers
    marginals: Floats
    rewards: Floats
    expected: Floats
    received: Floats
    n_ending: Integers
    is_full: Integers
    has_changed: Integers


@kernel
def end_all(room: Room) -> tuple[int, int]:
    """End the windows that are to be ended; return a player, and why Python is asked, or PLAYED."""
    seats, n_ending = room.seats, room.n_ending
    for p in range(n_ending.size):
        if n_ending[p] != 0:
            code = call_end(seats[p, 3], seats[p, 0], n_ending[p])
            if code != PLAYED:
                return p, code
            n_ending[p] = 0
            room.has_changed[0] = 1
            if room.is_full[p]:
                return p, TAPE_FULL
    return 0, PLAYED


@kernel
def draw_all(room: Room) -> None:
    """Draw for everybody who has a seat."""
    seats, starts = room.seats, room.starts
    for p in range(room.n_ending.size):
        if seats[p, 0]:
            room.plays[starts[p] : starts[p + 1]] = call_act(seats[p, 1], seats[p, 0])


@kernel
def show_all(room: Room, means: Floats, n_rows: int, row: int, is_expected: bool) -> None:
    """Write down what was paid, and show it to everybody with a seat."""
    seats, starts, n_ending = room.seats, room.starts, room.n_ending
    shown = room.expected if is_expected else room.rewards
    for p in range(n_ending.size):
        first, last = starts[p], starts[p + 1]
        begin = first * n_rows + row * (last - first)
        for i in range(first, last):
            means[begin + i - first] = shown[i]
        action, vector = room.plays[first:last], room.rewards[first:last]
        reward = min(max(action_total(vector, action), 0.0), 1.0)
        if seats[p, 0]:
            n_ending[p] = call_observe(seats[p, 2], seats[p, 0], action, vector, reward)
        room.received[p] += reward


@kernel
def play_rounds(rule: PayRule, room: Room, means: Floats, n_rows: int, row: int, stop: int, is_expected: bool) -> Any:
    """Play rows ``row`` to ``stop`` − 1 of a block; return the next row, a player, and why Python is asked, or PLAYED.

    ``means`` takes the reward vectors that ledgers are fed with: ``n_rows`` rows of the first player, then of the second, …
    """
    starts, n = room.starts, room.n_ending.size
    while True:
        p, code = end_all(room)
        if code != PLAYED or row == stop:
            return row, p, code
        draw_all(room)
        pay(rule, room.plays, starts, 0, n, room.rewards)
        normalise(room.rewards, starts, room.shifts, room.scales)
        if is_expected and room.has_changed[0]:
            expect(rule, room.marginals, starts, 0, n, room.expected)
            normalise(room.expected, starts, room.shifts, room.scales)
            room.has_changed[0] = 0
        show_all(room, means, n_rows, row, is_expected)
        row += 1


class Lockstep:
    """A self-play, recorded as it goes. Players without compiled days are stepped, and rounds of a game without a rule.

    Parameters
    ----------
    game : Game
    players : sequence of Player
    sources : sequence of Generator
        What each of them draws from.
    books : sequence of SwapLedger
    windows : sequence of Windows
        What each of them plays is recorded in; none where nothing is recorded.
    is_expected : bool
        Whether ledgers are fed with expected reward vectors, or with those that were met.

    Attributes
    ----------
    day : int
    states : list
    earned : array
        The sum of the rewards of each player.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player[Any]],
        sources: Sequence[np.random.Generator],
        books: Sequence[SwapLedger],
        windows: Sequence[Windows],
        *,
        is_expected: bool,
    ) -> None:
        self.game, self._players, self._sources = game, players, sources
        self._books, self._windows, self._is_expected = books, windows, is_expected
        self._rule = game.rule if isinstance(game, RuledGame) and game.is_compiled else None
        self.states = [player.start(source) for player, source in zip(players, sources, strict=True)]
        self.day, n, size = 0, game.n_players, int(game.starts[-1])
        self._room = room = Room(
            seats=np.zeros((n, 4), dtype=np.int64),
            starts=game.starts.copy(),
            shifts=np.concatenate([game.shift(player) for player in range(n)]),
            scales=np.array([game.scale(player) for player in range(n)]),
            plays=np.zeros(size, dtype=np.int64),
            marginals=np.zeros(size),
            rewards=np.zeros(size),
            expected=np.zeros(size),
            received=np.zeros(n),
            n_ending=np.zeros(n, dtype=np.int64),
            is_full=np.zeros(n, dtype=np.int64),
            has_changed=np.ones(1, dtype=np.int64),
        )
        self.earned = room.received
        self._parts = [slice(first, last) for first, last in pairwise(game.starts.tolist())]
        self._seated = [p for p, each in enumerate(players) if isinstance(each, RunningPlayer) and each.is_compiled]
        self._stepped = [p for p in range(n) if p not in self._seated]
        self._held: dict[int, HeldPolicy] = {}
        self._policies: dict[int, Policy] = {}
        for p in self._seated:
            self.states[p].show_mean(room.marginals[self._parts[p]])

    def advance(self, stop: int) -> None:
        """Play up to day ``stop``."""
        while self.day < stop:
            n_rows = min(stop - self.day, _BLOCK, max(64, _ENTRIES // len(self._room.plays)))
            self._play_block(n_rows)
            self.day += n_rows

    def _play_block(self, n_rows: int) -> None:
        room, means = self._room, np.empty(n_rows * len(self._room.plays))
        rows = [means[part.start * n_rows : part.stop * n_rows].reshape(n_rows, -1) for part in self._parts]
        try:
            taped = {}
            for p in self._seated:
                read = partial(self._read, p, rows[p]) if self._books else None
                taped[p] = Taped(self.states[p], self._sources[p], n_rows, read, room.is_full[p : p + 1])
                room.seats[p] = self.states[p].seat(taped[p].handle)
            if self._stepped:
                for row in range(n_rows):
                    decisions = [(p, self._draw(p, self.day + row)) for p in self._stepped]
                    self._play(taped, means, n_rows, row, row + 1)
                    for p, decision in decisions:
                        self._observe(p, decision, rows[p][row])
            else:
                self._play(taped, means, n_rows, 0, n_rows)
            for each in taped.values():
                each.stop(n_rows)
        finally:
            room.seats[:] = 0
            for p in self._seated:
                self.states[p].let_go()

    def _play(self, taped: dict[int, Taped], means: Floats, n_rows: int, row: int, stop: int) -> None:
        """Play rows of a block; where compiled code needs a hand, help it."""
        room, given = self._room, (means, n_rows)
        while True:
            if self._rule is None:
                row, p, code = self._play_rounds(*given, row, stop)
            else:
                row, p, code = play_rounds(self._rule, room, *given, row, stop, self._is_expected)
            if code == PLAYED:
                return
            if code == OUT_OF_ROOM:
                self.states[p].widen_and_end(int(room.n_ending[p]))
                room.n_ending[p], room.has_changed[0] = 0, 1
            elif code != TAPE_FULL:
                refuse(code)
            taped[p].go_on(row)
            room.seats[p] = self.states[p].seat(taped[p].handle)

    def _play_rounds(self, means: Floats, n_rows: int, row: int, stop: int) -> tuple[int, int, int]:
        """Do as the kernel ``play_rounds`` does where Python asks the game what it pays."""
        room, game = self._room, self.game
        while True:
            p, code = end_all(room)
            if code != PLAYED or row == stop:
                return row, p, code
            draw_all(room)
            actions = [frozen(room.plays[part].copy()) for part in self._parts]
            for p, part in enumerate(self._parts):
                room.rewards[part] = game.rewards(p, actions)
            if self._is_expected and room.has_changed[0]:
                marginals = [room.marginals[part].copy() for part in self._parts]
                for p, part in enumerate(self._parts):
                    room.expected[part] = game.expected_rewards(p, marginals)
                room.has_changed[0] = 0
            show_all(room, means, n_rows, row, self._is_expected)
            row += 1

    def _read(self, p: int, rows: Floats, tape: Tape, first: int, last: int) -> None:
        """Enter what a player played on some rows of a block."""
        learner = self.states[p].learner
        self._books[p].record_tape(TapeReader(tape, rows[first:last], learner.mu, learner.policy_from))
        self._windows[p].read_tape(tape, last - first, learner.mu, learner.policy_from)

    def _draw(self, p: int, day: int) -> Decision:
        """Draw the action of a player that is stepped, and put it where all see it; its policy too, where that is recorded."""
        player, state, room = self._players[p], self.states[p], self._room
        held = self._held[p] = hold_policy(player, state)  # kept: it makes its policy once, as long as nothing changes
        if self._books and (policy := held.policy()) is not self._policies.get(p):
            self._policies[p] = policy
            room.marginals[self._parts[p]] = policy.marginals()
            room.has_changed[0] = 1
        decision = Decision(day, draw_action(player, state, self._sources[p]), player.actions, held)
        room.plays[self._parts[p]] = decision.action
        return decision

    def _observe(self, p: int, decision: Decision, mean: Vector) -> None:
        """Record a round of a player that is stepped, and show it what it is to see."""
        if self._books:
            self._books[p].record(self._policies[p], mean, 1)
            self._windows[p].record(self._policies[p])
        player, vector = self._players[p], frozen(self._room.rewards[self._parts[p]].copy())
        seen = what_is_seen(player.feedback, vector, decision.action)
        self.states[p] = player.observe(self.states[p], decision, seen)
