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
from swapregret.files.values import is_same
from swapregret.games.play_file import join_policy
from swapregret.policy import Policy
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
        self._entries: list[tuple[Words, Vector]] = []  # rows of a window and an action
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
        windows, policies, days = held_days(
            tape, np.append(np.arange(self._length - begun, n_days, self._length), n_days)
        )
        n_policies, windows = tape.n_policies[0], windows + first
        counts = np.append(np.diff(tape.starts[: n_policies + 1]), 0)[policies]
        for e in np.flatnonzero(counts == 0).tolist():
            policy = policies[e]
            part = explorer if policy == n_policies else rebuild(tape.marginals[policy], tape.exponents[policy])
            self._note(int(windows[e]), part, float(days[e]))
        is_listed = counts > 0
        windows, policies, days, counts = windows[is_listed], policies[is_listed], days[is_listed], counts[is_listed]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        words = tape.words[np.repeat(tape.places[policies], counts) + within]
        chances = tape.chances[np.repeat(tape.starts[policies], counts) + within]
        self._enter(np.repeat(windows, counts), words, chances * np.repeat(days, counts))
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
        self._enter(np.full(len(weights), window), words, weights * days)

    def _enter(self, windows: Integers, words: Words, mass: Vector) -> None:
        """Enter actions, each with its window and for how many days it was played there."""
        rows = np.column_stack([windows.astype(np.uint64), words])
        n = merge_rows(rows, mass)
        self._entries.append((rows[:n].copy(), mass[:n].copy()))

    def policies(self) -> list[Policy]:
        """Return the average policy of each window."""
        days = self.days
        spread = np.zeros(len(days))
        for window, share in self._spreads:
            spread[window] += share / days[window]
        if not self._entries:
            return [self._spread] * len(days)
        rows, mass = (np.concatenate(column) for column in zip(*self._entries, strict=True))
        n = merge_rows(rows, mass)
        order = np.argsort(rows[:n, 0], kind="stable")
        ends = np.searchsorted(rows[order, 0], np.arange(1, len(days), dtype=np.uint64))
        policies = []
        for part, share in zip(np.split(order, ends), spread.tolist(), strict=True):
            atoms = unpack_rows(np.ascontiguousarray(rows[part, 1:]), self._spread.dimension)
            policies.append(join_policy(atoms, mass[part] / mass[part].sum(), share, self._spread))
        return policies


@kernel
def held_days(tape: Tape, edges: Integers) -> Any:
    """Return for how many days each policy of a tape was held, in stretches that end before ``edges``: stretch, policy, days.

    Exploration is the policy after the last one.
    """
    n_policies, n_slots = tape.n_policies[0], tape.shares.shape[1]
    current, last = np.full(n_slots, n_policies), np.full(n_policies + 1, -1)  # the last row of each policy
    most = n_slots * (tape.n_windows[0] + edges.size)
    stretches, policies, days, n = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.zeros(most), 0
    policy, t, day = 0, 0, 0
    for stretch in range(edges.size):
        while day < edges[stretch]:
            while policy < n_policies and tape.begins[policy] <= t:
                current[tape.slots[policy]] = policy
                policy += 1
            until = min(tape.stops[t], edges[stretch])
            for s in range(n_slots):
                if tape.shares[t, s] > 0.0:
                    e = current[s]
                    if last[e] < 0 or stretches[last[e]] < stretch:
                        stretches[n], policies[n], last[e] = stretch, e, n
                        n += 1
                    days[last[e]] += tape.shares[t, s] * (until - day)
            day = until
            if day == tape.stops[t]:
                t += 1
    return stretches[:n], policies[:n], days[:n]
