"""The ladder, simulated slowly from its docstrings, against the library: members, shares, filter, experts and policies."""

import math
from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.learners.player import Decision

LADDER = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
LAYERS = [[0], list(range(1, 13)), [13, 14, 15], [16]]
GRID = [edge for left, right in pairwise(LAYERS) for edge in product(left, right)]
SETS = {
    "m-sets": (sr.MSets(6, 2), lambda literal: literal.m_sets(6, 2)),
    "arms": (sr.MSets(4, 1), lambda literal: literal.m_sets(4, 1)),
    "permutations": (sr.Permutations(3), lambda literal: literal.matchings(3)),
    "paths": (sr.DagPaths(LADDER, source=0, sink=3), lambda literal: literal.paths(LADDER, 0, 3)),
    "many edges": (sr.DagPaths(GRID, source=0, sink=16), lambda literal: literal.paths(GRID, 0, 16)),
}
WINDOWS, GAMMA, VARIANTS, HORIZON = (1, 2, 8, 32), 0.1, 2, 200
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("arms", "bandit", {}),
    ("arms", "bandit", {"experts": False}),
    ("m-sets", "bandit", {}),
    ("m-sets", "semi-bandit", {"exploration": "horizon"}),
    ("m-sets", "bandit", {"pooling": False, "least_squares": False, "price": 2.0}),
    ("permutations", "bandit", {"exploration": "horizon"}),
    ("paths", "bandit", {"weight_step": 3.0, "weight_spread": 0.1}),
    ("paths", "semi-bandit", {}),
    ("many edges", "bandit", {"standard_errors": 0.1}),
    ("permutations", "full", {"experts": False}),
]


class Choice:
    """One option or another, for a block of base windows."""

    def __init__(self, first: float, options: dict[str, Any]) -> None:
        self.first = self.share = first
        self.step, self.even = options.get("weight_step", 1.0), options.get("weight_spread", 0.05)
        self.known, self.gains = 0.0, [0.0]
        self.square = 0.0

    def note(self, gain: float) -> None:
        """Take note of what the first option gained."""
        self.gains.append(gain)
        self.square += gain * gain

    def settle(self) -> None:
        """End a block."""
        self.known += sum(self.gains)
        self.gains = [0.0]
        if self.square > 0.0 and self.first < 1.0:
            odds = self.first / (1 - self.first) * math.exp(self.step * self.known / math.sqrt(self.square))
            self.share = (1 - self.even) * odds / (1 + odds) + self.even * self.first


class Pool:
    """Members, choices and memory, as dictionaries by action and dense arrays."""

    def __init__(self, literal: Any, plain: Any, actions: Any, feedback: str, options: dict[str, Any]) -> None:
        d = plain.rows.shape[1]
        self.plain, self.actions, self.d, self.feedback = plain, actions, d, feedback
        self.rows = [tuple(row) for row in plain.rows.tolist()]
        self.K = len(WINDOWS) - 1
        self.G = 2 * self.K + 2
        rate = {"bandit": 3.0, "semi-bandit": 4.0, "full": 8.0}[feedback]
        kept = [1.0] * self.K + [math.exp(-1 / 8)] * self.K + [1.0, math.exp(-1 / 2)]
        self.members = [
            literal.Learner(plain, rate if g < self.K else rate / 3, True, keep) for g, keep in enumerate(kept)
        ]
        self.fits = feedback != "full" and options.get("least_squares", True)
        self.info, self.moment = np.zeros((self.G, d, d)), np.zeros((self.G, d))
        self.new_info, self.new_moment = np.zeros((d, d)), np.zeros(d)
        self.levels = [Choice(1.0 / (k + 1), options) for k in range(self.K)]
        self.trackers = [Choice(0.5, options) for _ in range(self.K)]
        self.residents = [Choice(0.5, options), Choice(0.1, options)]
        self.filters = [Choice(0.9, options) for _ in range(self.G)]
        self.price, self.bottom, self.top, self.day, self.closed = options.get("price", 128.0), 0, 0, 0, 0
        self.seen_per_day = 0.0
        if "exploration" in options:
            self.seen_per_day = {"bandit": 1.0, "semi-bandit": float(plain.size), "full": 0.0}[feedback]
        self.pools, self.careful = options.get("pooling", True), options.get("standard_errors", 0.7)
        self.V: dict[tuple[int, ...], np.ndarray] = {}
        self.V_square: dict[tuple[int, ...], float] = {}
        self.V2: dict[tuple[int, ...], np.ndarray] = {}
        self.N2: dict[tuple[int, ...], float] = {}
        self.S2: dict[tuple[int, ...], float] = {}
        self.noise = 0.0
        self.seen, self.count, self.square = np.zeros((self.G, d)), np.zeros(self.G), np.zeros(self.G)
        self.n_windows = 0
        self.recommended: list[dict[tuple[int, ...], float]] = [{} for _ in range(self.G)]
        self.instead: list[dict[tuple[int, ...], tuple[int, ...]]] = [{} for _ in range(self.G)]
        self.mixed = [1.0] * self.G
        self.n_swapped = 0
        N, self.has_experts = len(self.rows), options.get("experts", True) and len(self.rows) <= 64
        self.first = np.append(np.full(N, 0.03 / N), 0.97)
        self.experts, self.told, self.told_squares = np.tile(self.first, (N, 1)), np.zeros((N, N + 1)), np.zeros(N)
        self.agreed, self.pool = np.zeros(N), np.zeros(N)

    @property
    def weights(self) -> np.ndarray:
        """Deal out the weight from the top level down."""
        weights, rest = np.zeros(self.G), 1.0
        for k in reversed(range(self.bottom, self.top + 1)):
            share = self.levels[k].share if k > self.bottom else 1.0
            level, rest = rest * share, rest * (1 - share)
            if k == self.bottom:
                for g in (-1, -2):
                    weights[g] = level * self.residents[g].share
                    level *= 1 - self.residents[g].share
            weights[k], weights[self.K + k] = (
                level * (1 - self.trackers[k].share),
                level * self.trackers[k].share,
            )
        return weights

    def filtered(self, g: int) -> np.ndarray:
        """Return what the filter plays for a member, by action."""
        chances = np.zeros(len(self.rows))
        for atom, p in self.recommended[g].items():
            chances[self.rows.index(self.instead[g][atom])] += p
        return chances

    def plain_policy(self, g: int) -> np.ndarray:
        """Return what a member recommends, by action."""
        chances = np.zeros(len(self.rows))
        for atom, p in self.recommended[g].items():
            chances[self.rows.index(atom)] += p
        return chances

    def slot_policy(self, g: int) -> np.ndarray:
        """Return what is played for a member, by action."""
        return self.mixed[g] * self.filtered(g) + (1 - self.mixed[g]) * self.plain_policy(g)

    def policy(self) -> np.ndarray:
        """Return (1−γ) π + γμ."""
        gamma = min(0.05, (self.seen_per_day * (self.closed + 1)) ** (-1 / 3)) if self.seen_per_day else GAMMA
        return gamma / len(self.rows) + (1 - gamma) * self.agreed

    def agree(self) -> None:
        """Find π = Σ π(x) (q_x(y) + q_x(pool) p(y)), the eigenvector to 1, for p = Σ w_g (φ_g F(p̃_g) + (1−φ_g) p̃_g)."""
        self.pool = sum(weight * self.slot_policy(g) for g, weight in enumerate(self.weights) if weight > 0.0)
        self.agreed = self.pool
        if self.has_experts:
            chain = self.experts[:, :-1] + self.experts[:, -1:] * self.pool
            system = np.vstack([chain.T - np.eye(len(chain)), np.ones(len(chain))])
            self.agreed = np.linalg.lstsq(system, np.append(np.zeros(len(chain)), 1.0), rcond=None)[0]

    def tell(self, X: np.ndarray) -> None:
        """Let every expert learn what it would have gained with each option beyond the pool."""
        gains = np.append((self.plain.rows - self.pool @ self.plain.rows) @ X, 0.0)
        for x, chance in enumerate(self.agreed * self.has_experts):
            self.told[x] += chance * gains
            self.told_squares[x] += chance**2 * np.mean(gains[:-1] ** 2)
            if self.told_squares[x]:
                odds = self.first * np.exp(2.0 * self.told[x] / math.sqrt(self.told_squares[x]))
                self.experts[x] = odds / odds.sum()

    def open(self, points: np.ndarray) -> None:
        """List and filter what members with weight recommend; points were compared with the library's before."""
        for g, weight in enumerate(self.weights):
            if weight == 0.0 or self.recommended[g]:
                continue
            finite = self.actions.decompose(points[g].copy(), variants=VARIANTS).finite()
            for atom, p in zip(finite.atoms.tolist(), finite.weights.tolist(), strict=True):
                self.recommended[g][tuple(atom)] = self.recommended[g].get(tuple(atom), 0.0) + p
            self.instead[g] = {
                atom: self.replaced(atom) if p >= 2e-4 else atom for atom, p in self.recommended[g].items()
            }
            self.mixed[g] = self.filters[g].share
        self.agree()

    def parts(self, atom: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the pairs of an action's elements, or on a set with more than 48 elements each of them."""
        chosen = [i for i in range(self.d) if atom[i]]
        if not self.pools or self.plain.size == 1:
            return []
        return list(combinations(chosen, 2)) if self.d <= 48 else [(i,) for i in chosen]

    def replaced(self, atom: tuple[int, ...]) -> tuple[int, ...]:
        """Return the M that maximises v·M − τ|a ∖ M|."""
        days = max(1, self.day)
        if self.plain.size == 1 and days < 100 * self.plain.rank:
            return atom
        a = np.array(atom)
        v, spread = self.V.get(atom, np.zeros(self.d)).copy(), self.V_square.get(atom, 0.0)
        parts = [part for part in self.parts(atom) if self.N2.get(part, 0.0) > 1e-3]
        for part in parts:
            v += 2.0 / len(parts) * self.V2[part] / self.N2[part]
            spread += (2.0 / len(parts)) ** 2 * self.S2[part] / self.N2[part] ** 2
        careful = self.careful * max(1.0, 2.0 / self.plain.size)
        errors = careful * math.sqrt(2.0 * math.log(self.d)) * math.sqrt(1.0 + 100.0 * self.plain.rank / days)
        tau = errors * math.sqrt(2.0 * self.noise * spread)
        if tau == 0.0:
            return atom
        worth = [float(v @ M - tau * (a * (1 - M)).sum()) for M in self.plain.rows]
        best = self.rows[int(np.argmax(worth))]
        self.n_swapped += best != atom
        return best

    def close(self, g: int) -> None:
        """Enter what was seen under a member's policy."""
        together: Counter[tuple[int, ...]] = Counter()
        for atom, p in self.recommended[g].items():
            if self.count[g] > 0.0 and p >= 2e-4:
                self.V[atom] = self.V.get(atom, np.zeros(self.d)) + p * self.seen[g]
                self.V_square[atom] = self.V_square.get(atom, 0.0) + p * p * self.square[g]
                for part in self.parts(atom):
                    together[part] += p
        for part, c in together.items():
            self.V2[part] = self.V2.get(part, np.zeros(self.d)) + c * self.seen[g]
            self.N2[part] = self.N2.get(part, 0.0) + c * self.count[g]
            self.S2[part] = self.S2.get(part, 0.0) + c * c * self.square[g]
        self.seen[g], self.count[g], self.square[g] = 0.0, 0.0, 0.0

    def fitted(self, g: int, noise: float) -> np.ndarray:
        """Return q_1 exp(β (θ̂ + c)/s), projected."""
        A, b = self.info[g] + self.new_info, self.moment[g] + self.new_moment
        ridge = float(max(1, self.plain.size))
        level = b.sum() / A.sum()
        worth = np.linalg.solve(A + ridge * np.eye(self.d), b - level * A.sum(axis=1))
        worth += 0.0 if self.plain.is_uniform else level
        error = math.sqrt(2.0 * noise * np.mean(1.0 / (np.diag(A) + ridge)))
        steep = 2.5 * max(1.0, math.log(self.d / self.plain.size))
        tilted = np.log(self.members[g].first) + (steep * worth / error if error > 0.0 else 0.0)
        return self.plain.project(tilted)

    def block_of(self, g: int) -> int:
        """Return the window at whose end a member has a new policy."""
        if g < 2 * self.K:
            return g % self.K
        if g == self.G - 1:
            return self.bottom
        return max([self.bottom] + [k for k in range(self.bottom, self.K) if 64 * WINDOWS[k] <= self.day])

    def note(self, X: np.ndarray) -> None:
        """Take note of what everybody gained in a base window."""
        gains = [float(self.slot_policy(g) @ self.plain.rows @ X) for g in range(self.G)]
        below, mixed, price = float(self.day - self.closed), 0.0, self.price / math.sqrt(math.log2(self.day + 2))
        for k in range(self.bottom, self.top + 1):
            cold, tracker, share = gains[k], gains[self.K + k], self.trackers[k].share
            self.trackers[k].note(tracker - cold)
            level = share * tracker + (1 - share) * cold
            if k == self.bottom:
                for choice, gain in zip(self.residents, gains[-2:], strict=True):
                    choice.note(gain - level)
                    level = choice.share * gain + (1 - choice.share) * level
            learned = float(self.plain_policy(k) @ self.plain.rows @ X)
            worth, below = level + (level - below) / price, learned
            if k > self.bottom:
                self.levels[k].note(worth - mixed)
                mixed = self.levels[k].share * worth + (1 - self.levels[k].share) * mixed
            else:
                mixed = worth
        for g, weight in enumerate(self.weights):
            if weight > 0.0 and any(self.instead[g][atom] != atom for atom in self.recommended[g]):
                self.filters[g].note(float((self.filtered(g) - self.plain_policy(g)) @ self.plain.rows @ X))

    def end(self, X: np.ndarray, n_ending: int, noise: float) -> None:
        """End a base window in which X was seen, span part and all; ``day`` is counted already."""
        ending = [self.bottom <= self.block_of(g) < n_ending for g in range(self.G)]
        for g, member in enumerate(self.members):
            if not ending[g]:
                member.aggregate = member.aggregate + X
            elif g < self.K and g < n_ending - 1:
                member.forget()
            elif self.fits and g >= self.K:
                member.point = self.fitted(g, noise)
            else:
                member.move(X)
            keep = member.keep if ending[g] else 1.0
            self.info[g], self.moment[g] = (
                keep * (self.info[g] + self.new_info),
                keep * (self.moment[g] + self.new_moment),
            )
        self.new_info[:], self.new_moment[:] = 0.0, 0.0
        weights = self.weights
        self.note(X)
        self.tell(X)
        self.seen += weights[:, None] * X
        self.count += weights
        self.square += weights**2
        self.n_windows += 1
        self.closed = self.day
        self.noise += max(0.01, 1.0 / self.n_windows) * (X.var() - self.noise)
        for k in range(self.bottom, min(self.K, n_ending)):
            self.levels[k].first = 1.0 / (k - self.bottom + 1)
            self.levels[k].settle()
            self.trackers[k].settle()
        for choice in self.residents:
            choice.settle()
        for g in range(self.G):
            if ending[g]:
                self.filters[g].settle()
        while self.top + 1 < min(self.K, n_ending) and math.log2(self.day + 2) * WINDOWS[self.top + 1] <= self.day:
            self.top += 1
        scale = self.plain.rank * self.plain.size / 240
        while self.bottom + 1 < min(self.K, n_ending) and WINDOWS[self.bottom + 1] ** 3 <= self.day * scale:
            self.bottom += 1
        self.top = max(self.top, self.bottom)
        for g, weight in enumerate(self.weights):
            if self.recommended[g] and (ending[g] or weight == 0.0):
                self.close(g)
                self.recommended[g] = {}


@pytest.mark.parametrize(("name", "feedback", "options"), CASES, ids=str)
def test_every_day_is_that_of_the_docstrings(literal: Any, name: str, feedback: str, options: dict[str, Any]) -> None:
    """Fed the same actions and rewards, both have the same points, shares and policies to 1e-9 on every day."""
    actions, make = SETS[name]
    plain = make(literal)
    master = sr.swap_combcp(
        actions,
        HORIZON,
        feedback=feedback,
        schedule=sr.Schedule(list(WINDOWS)),
        preset="ladder",
        exploration_policy="uniform",
        variants=VARIANTS,
        **{"exploration": GAMMA} | options,
    )
    running = master.start(np.random.default_rng(1))
    state = running.state
    offset = int(state.tally.offset[0])
    pool = Pool(literal, plain, actions, feedback, options)
    estimates = literal.Estimates(feedback, 0.2, actions.dimension)
    rng, worlds, X = np.random.default_rng(5), np.random.default_rng(6), np.zeros(actions.dimension)
    pool.open(state.learners.points)
    for day in range(HORIZON):
        points = np.array([member.point for member in pool.members])
        assert np.abs(points - state.learners.points).max() <= 1e-8, f"day {day}"
        assert np.abs(pool.weights - state.weights.policy).max() <= 1e-9, f"day {day}"
        chances = pool.policy()
        held = master.hold(running)
        finite = held.policy().finite()
        found = np.zeros(len(pool.rows))
        for atom, weight in zip(finite.atoms.tolist(), finite.weights, strict=True):
            found[pool.rows.index(tuple(atom))] += weight
        assert np.abs(found - chances).max() <= 1e-9, f"day {day}"
        action = master.act(running, rng)
        phase = np.roll(np.arange(actions.dimension) % 3, day // 40)
        vector = 0.5 * (worlds.random(actions.dimension) + (phase == 0)) / plain.size
        X = X + estimates.make(plain.rows, chances, action, vector)
        shown = {"bandit": float(vector @ action), "semi-bandit": vector * action, "full": vector}[feedback]
        if feedback == "bandit":
            pool.new_info += np.outer(action, action)
            pool.new_moment += shown * action
        elif feedback == "semi-bandit":
            pool.new_info += np.diag(action)
            pool.new_moment += shown
        master.observe(running, Decision(day, action, actions, held), shown)
        pool.day = day + 1
        n_ending = [(pool.day + offset) % length == 0 for length in (*WINDOWS, math.inf)].index(False)
        if n_ending > pool.bottom:
            pool.end(plain.span_part(X), n_ending, estimates.noise)
            pool.open(state.learners.points)
            X = np.zeros(actions.dimension)
    assert (pool.n_swapped > 0) == (name != "arms")  # of single elements nothing is exchanged in so few days
    assert pool.top == 2
    assert pool.bottom == (plain.rank * plain.size * HORIZON >= 240 * WINDOWS[1] ** 3)
