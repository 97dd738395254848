"""Compressing a play by windows: each player's policies of a window become their average over its days.

Components of a mixture are followed by their identity, or read from a tape, so a window costs what changed in it. Policies
without a list other than the set's exploration policy are entered by drawn actions, the same for the same run.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Integers, Vector, Words
from swapregret.compiled.bits import merge_rows, pack_rows, unpack_rows
from swapregret.compiled.kernel import kernel
from swapregret.games.play_file import join_law
from swapregret.policy import Policy
from swapregret.policy.held import is_same
from swapregret.policy.tape import Tape
from swapregret.regret.ledgers.row_sums import read_only
from swapregret.regret.ledgers.stretches import Left, Stretches

_SAMPLES = 64
_SEED = 0x6A3E


class Windows:
    """The windows of one player: actions, each with its window and for how many days it was played there.

    They become policies when they are asked for.

    Parameters
    ----------
    actions : ActionSet
    length : int
        Days of a window.

    Attributes
    ----------
    n_drawn : int
        How many policies without a list were entered by drawn actions.
    """

    def __init__(self, actions: ActionSet, length: int) -> None:
        self._length, self._spread = length, actions.exploration_policy()
        self._stretches = Stretches(0)
        self._rng, self._none = np.random.default_rng(_SEED), np.zeros((1, 0))
        self._n_days = 0
        self._entries: list[tuple[Integers, Words, Vector]] = []
        self._spreads: list[tuple[int, float]] = []
        self.n_drawn = 0

    @property
    def days(self) -> tuple[int, ...]:
        """Return how many days each window has."""
        whole, rest = divmod(self._n_days, self._length)
        return (self._length,) * whole + (rest,) * (rest > 0)

    def record(self, policy: Policy) -> None:
        """Enter a day."""
        window = self._n_days // self._length
        self._leave(window, self._stretches.record(policy, self._none, 1))
        self._n_days += 1
        if self._n_days % self._length == 0:
            self._leave(window, self._stretches.flush())

    def read_tape(self, tape: Tape, n_days: int, explorer: Policy, rebuild: Callable[[Vector, Vector], Policy]) -> None:
        """Enter what is on a tape; ``explorer`` and ``rebuild`` as of ``regret.ledgers.stretches.TapeReader``."""
        first, begun = divmod(self._n_days, self._length)
        edges = np.append(np.arange(self._length - begun, n_days, self._length, dtype=np.int64), n_days)
        firsts, words, mass, explored, loose = average_laws(tape, edges)
        self._entries.append((first + np.repeat(np.arange(len(edges)), np.diff(firsts)), words, mass))
        for piece in np.flatnonzero(explored).tolist():
            self._note(first + piece, explorer, float(explored[piece]))
        for piece, law, days in loose.tolist():
            self._note(first + int(piece), rebuild(tape.marginals[int(law)], tape.exponents[int(law)]), days)
        self._n_days += n_days

    def close(self) -> None:
        """End the window that is open."""
        if self._stretches.open_days:
            self._leave(self._n_days // self._length, self._stretches.flush())

    def _leave(self, window: int, left: list[Left]) -> None:
        for part, _, days in left:
            self._note(window, part, days)

    def _note(self, window: int, part: Policy, days: float) -> None:
        """Note what a component of a policy did in a window."""
        if days == 0.0:
            return
        if part.has_atoms:
            words, weights = part.packed_support()
        elif part is self._spread or is_same(part, self._spread):
            self._spreads.append((window, days))
            return
        else:
            self.n_drawn += 1
            words = pack_rows(read_only(np.stack([part.sample(self._rng) for _ in range(_SAMPLES)])))
            weights = np.full(_SAMPLES, 1.0 / _SAMPLES)
        self._entries.append((np.full(len(weights), window), words, weights * days))

    def policies(self) -> list[Policy]:
        """Return the average policy of each window."""
        days = self.days
        spread = np.zeros(len(days))
        for window, share in self._spreads:
            spread[window] += share / days[window]
        if not self._entries:
            return [self._spread] * len(days)
        windows, words, mass = (np.concatenate(column) for column in zip(*self._entries, strict=True))
        order = np.argsort(windows, kind="stable")
        ends = np.searchsorted(windows[order], np.arange(1, len(days)))
        return [
            self._law(words[part], mass[part], share)
            for part, share in zip(np.split(order, ends), spread.tolist(), strict=True)
        ]

    def _law(self, words: Words, mass: Vector, share: float) -> Policy:
        """Return the average law of a window."""
        n = merge_rows(words, mass)
        atoms = unpack_rows(read_only(words[:n]), self._spread.dimension)
        return join_law(atoms, mass[:n] / mass[:n].sum(), share, self._spread)


@kernel
def average_laws(tape: Tape, edges: Integers) -> Any:
    """Average what is on a tape over stretches of days, the last days of which are before ``edges``.

    Returns where the actions of each stretch begin; their words; how many days each was played for; for how many days
    exploration was; and for policies without a list, one row each: the stretch, the policy, its days.
    """
    n_laws, n_slots, width = tape.n_laws[0], tape.shares.shape[1], tape.words.shape[1]
    held, touched = np.zeros(n_laws + 1), np.empty(n_laws + 1, dtype=np.int64)
    current = np.full(n_slots, -1)
    firsts, explored = np.zeros(edges.size + 1, dtype=np.int64), np.zeros(edges.size)
    words, mass, n = np.empty((1024, width), dtype=np.uint64), np.empty(1024), 0
    loose, n_loose = np.empty((16, 3)), 0
    law, t, day = 0, 0, 0
    for piece in range(edges.size):
        n_touched = 0
        while day < edges[piece]:
            while law < n_laws and tape.begins[law] <= t:
                current[tape.slots[law]] = law
                law += 1
            until = min(tape.stops[t], edges[piece])
            for s in range(n_slots):
                if tape.shares[t, s] > 0.0:
                    e = n_laws if s == n_slots - 1 else current[s]
                    if held[e] == 0.0:
                        touched[n_touched] = e
                        n_touched += 1
                    held[e] += tape.shares[t, s] * (until - day)
            day = until
            if day == tape.stops[t]:
                t += 1
        begin, known, n_lists = n, -1, 0  # where the entries of the list before begin, and its words on the tape
        for e in touched[:n_touched]:
            days, held[e] = held[e], 0.0
            if e == n_laws:
                explored[piece] = days
                continue
            first, last, place = tape.starts[e], tape.starts[e + 1], tape.places[e]
            if first == last:
                if n_loose == len(loose):
                    loose = np.concatenate((loose, np.empty_like(loose)))
                loose[n_loose, 0], loose[n_loose, 1], loose[n_loose, 2] = piece, e, days
                n_loose += 1
                continue
            chances = tape.chances[first:last]
            if place == known and n - begin == chances.size:
                entered = mass[begin:n]
                for a in range(chances.size):
                    entered[a] += chances[a] * days
                continue
            while n + chances.size > mass.size:
                words, mass = np.concatenate((words, np.empty_like(words))), np.concatenate((mass, np.empty_like(mass)))
            begin, known, n = n, place, n + chances.size
            n_lists += 1
            words[begin:n] = tape.words[place : place + chances.size]
            mass[begin:n] = chances * days
        if n_lists > 1:
            n = firsts[piece] + merge_rows(words[firsts[piece] : n], mass[firsts[piece] : n])
        firsts[piece + 1] = n
    return firsts, words[:n].copy(), mass[:n].copy(), explored, loose[:n_loose].copy()
